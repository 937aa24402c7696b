package shrink

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"txweave/campaign"
	"txweave/campaign/store"
	"txweave/dbms"
	"txweave/finding"
	"txweave/reduce"
	"txweave/testcase"
)

// Reducer makes cases of findings smaller, on a worker of its own. Where the engine is embedded that is a process of
// its own, so that a case that crashes it can be reduced too.
type Reducer struct {
	Worker  campaign.Worker
	Profile *dbms.Profile
	Time    time.Duration // for one case
}

// Close closes the worker.
func (r *Reducer) Close() error { return r.Worker.Close() }

// Reduce implements campaign.Reducer.
func (r *Reducer) Reduce(ctx context.Context, f *finding.Record, text []byte) (*campaign.Reduced, error) {
	c, err := testcase.Parse(finding.CaseFile, text)
	if err != nil {
		return nil, err
	}
	limit := r.Time
	if end, ok := ctx.Deadline(); ok { // what it leaves is for the evidence of the smaller case
		limit = min(limit, time.Until(end)*2/3)
	}
	out, err := Run(ctx, r.Worker, r.Profile, c, Options{Signature: f.Signature, Cause: f.OwnCause(),
		Reduce: reduce.Options{MaxTime: limit}})
	if errors.Is(err, ErrShowsNothing) || out != nil && out.Signature != f.Signature && !out.Told {
		return nil, nil // it comes back too seldom
	}
	if out == nil || err != nil {
		return nil, err
	}
	return Evidence(ctx, r.Worker, out)
}

// Evidence checks a reduced case once more with the usual repetitions and returns what shows there, with its files; nil
// if that is another finding.
func Evidence(ctx context.Context, w campaign.Worker, out *Result) (*campaign.Reduced, error) {
	res, err := w.Check(ctx, campaign.Job{Text: out.Case.Print(), Plain: out.Signature})
	if err != nil {
		return nil, err
	}
	found := campaign.FindBySignature(res, out.Signature)
	if found == nil {
		return nil, nil
	}
	if found.Class == finding.ClassCrash { // it has no repetitions of its own
		found.Confirmed, found.Repeated = out.Shown, out.Measured
	}
	stats, err := json.MarshalIndent(out, "", "  ")
	found.Files[finding.ReductionFile] = append(stats, '\n')
	return &campaign.Reduced{Found: *found, Minimal: out.Stop == reduce.Fixpoint}, err
}

// Write puts a reduced case, as a finding of its own, into the directory of the finding that it was made from.
func Write(dir string, small *campaign.Reduced) error {
	rec, err := finding.ReadRecord(dir)
	if err != nil {
		return err
	}
	rec.Finding = small.Finding
	return store.WriteReduced(dir, rec, small.Files)
}
