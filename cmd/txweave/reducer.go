package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"time"
	"txweave/dbms"
	"txweave/finding"

	"txweave/campaign"
	"txweave/reduce"
	"txweave/testcase"
)

// caseReducer makes cases of findings smaller, on a worker of its own. Where the engine is embedded that is a process of
// its own, so that a case that crashes it can be reduced too.
type caseReducer struct {
	worker  campaign.Worker
	profile *dbms.Profile
	time    time.Duration // for one case
}

func (r *caseReducer) Close() error { return r.worker.Close() }

// Reduce implements campaign.Reducer.
func (r *caseReducer) Reduce(ctx context.Context, f *finding.Record, text []byte) (*campaign.Reduced, error) {
	c, err := testcase.Parse(caseFile, text)
	if err != nil {
		return nil, err
	}
	out, err := shrinkOn(ctx, r.worker, r.profile, c, shrinkOptions{Signature: f.Signature, Reduce: reduce.Options{MaxTime: r.time}})
	if errors.Is(err, errShowsNothing) || out != nil && out.Signature != f.Signature {
		return nil, nil // it comes back too seldom
	}
	if out == nil || err != nil {
		return nil, err
	}
	return evidence(ctx, r.worker, out)
}

// evidence checks a reduced case once more with the usual repetitions and returns what shows there, with its files; nil if
// that is another finding.
func evidence(ctx context.Context, w campaign.Worker, out *shrunk) (*campaign.Reduced, error) {
	res, err := w.Check(ctx, campaign.Job{Text: out.Case.Print()})
	if err == nil {
		err = res.Err()
	}
	if err != nil {
		return nil, err
	}
	found := findBySignature(res, out.Signature)
	if found == nil {
		return nil, nil
	}
	if found.Class == finding.ClassCrash { // it has no repetitions of its own
		found.Confirmed, found.Repeated = out.Shown, out.Measured
	}
	stats, err := json.MarshalIndent(out, "", "  ")
	found.Files[reductionFile] = append(stats, '\n')
	return &campaign.Reduced{Found: *found, Minimal: out.Stop == reduce.Fixpoint}, err
}

// findBySignature returns a result's finding with a signature, one that is flaky if need be; nil if it has none.
func findBySignature(res *campaign.CaseResult, signature string) *campaign.Found {
	for _, list := range [][]campaign.Found{res.Findings, res.Flaky} {
		for i := range list {
			if list[i].Signature == signature {
				return &list[i]
			}
		}
	}
	return nil
}

// writeReduced puts a reduced case, as a finding of its own, into the directory of the finding that it was made from.
func writeReduced(dir string, small *campaign.Reduced) error {
	rec, err := finding.ReadRecord(dir)
	if err != nil {
		return err
	}
	rec.Finding = small.Finding
	to := filepath.Join(dir, campaign.ReducedDir)
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	return campaign.WriteFinding(to, rec, small.Files)
}
