// Package storming runs storms from a Config: once, over and over from a recipe, or as the cases of a campaign, of
// which each is one storm of a fixed length, with a seed of its own.
package storming

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"

	"txweave/campaign"
	"txweave/exec"
	"txweave/finding"
	"txweave/gen"
	"txweave/report/timeline"
)

// Worker runs storms on a target, which it closes. It implements campaign.Worker.
type Worker struct {
	target  exec.Target
	storm   *Storm                   // each case's, with a seed of its own; this one's is the campaign's
	command func(seed uint64) string // that runs a storm with a seed, for the findings
}

// New returns a worker, which closes the target with itself. The error says that the storms' nemeses do not fit the
// target.
func New(t exec.Target, s *Storm, command func(seed uint64) string) (*Worker, error) {
	return &Worker{t, s, command}, s.Fit(t)
}

// Close closes the target.
func (w *Worker) Close() error { return w.target.Close() }

// Why a storm's case was not checked.
const (
	skippedStill    = "the storm stood still"
	skippedNothing  = "no committed transaction could be checked"
	skippedOutcome  = "the history could not be judged"
	skippedShutdown = "the server was ended from outside"
)

// maxTrace is how large a trace is that is kept with a finding, in bytes.
const maxTrace = 64 << 20

// Check runs the storm of a case's number. An interruption ends it early, and it says nothing then.
func (w *Worker) Check(ctx context.Context, job campaign.Job) (*campaign.CaseResult, error) {
	if w.target.Worn() {
		if err := w.target.Restart(ctx); err != nil {
			return nil, err
		}
	}
	seed := gen.CaseSeed(w.storm.Seed, job.Case) >> 1 // it is written with a sign in some places
	of, err := w.storm.seeded(seed)
	if err != nil {
		return nil, err
	}
	trace, err := nameless()
	if err != nil {
		return nil, err
	}
	defer trace.Close() // it stays open until it is read
	a, herr, err := of.run(ctx, w.target, &bounded{file: trace})
	if err = errors.Join(err, herr); a == nil || err != nil {
		return nil, err
	}
	res := a.Ran
	out := &campaign.CaseResult{Case: job.Case, Runs: 1, Sent: res.Statements, Checked: true, Overlapping: a.Sessions > 1}
	if len(a.Findings) > 0 {
		if out.Findings, err = w.found(a.Findings, seed, trace); err != nil {
			return nil, err
		}
	} else if out.Skipped, out.Detail = a.Unchecked(); out.Skipped != "" {
		out.Checked = false
	}
	if res.Crash != nil || res.Recovery != nil || out.Outcome() == finding.Found {
		if err := w.target.Restart(ctx); err != nil && ctx.Err() == nil {
			return out, err
		}
	}
	return out, nil
}

// nameless makes a file that has no name, so that nothing of it is left by a process that is killed.
func nameless() (*os.File, error) {
	if f := unnamed(os.TempDir()); f != nil {
		return f, nil
	}
	f, err := os.CreateTemp("", "txweave-trace-") // not every file system can do without: it loses the name at once
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// found makes findings of what a storm found: one of each signature, with how often it came.
func (w *Worker) found(list []finding.Listed, seed uint64, trace *os.File) (out []campaign.Found, err error) {
	files := map[string][]byte{}
	// The trace is one of intervals: txweave check --oracle mechanism reads it.
	if st, err := trace.Stat(); err == nil && st.Size() > 0 && st.Size() < maxTrace {
		text, err := io.ReadAll(io.NewSectionReader(trace, 0, st.Size()))
		if err != nil {
			return nil, err
		}
		files[finding.TraceFile] = text
	}
	files[finding.StormFile], err = json.MarshalIndent(map[string]any{"workload": w.storm.Workload,
		"sessions": w.storm.Sessions, "seed": seed,
		"length_s": w.storm.Duration.Seconds(), "nemesis": w.storm.nemeses, "command": w.command(seed)}, "", "  ")
	if err != nil {
		return nil, err
	}
	for _, g := range finding.Group(list) {
		f := g.Finding()
		f.Title = (&timeline.Dossier{Record: finding.Record{Finding: f}}).Claim(nil)
		if f.Class == finding.ClassCrash {
			f.Log = strings.Join(g.Samples[0].Explanation, "\n")
			files[finding.LogFile] = []byte(f.Log)
		}
		out = append(out, campaign.Found{Finding: f, Files: files})
	}
	return out, nil
}

// bounded is a file that takes no more than a trace may have, and is then empty: half a trace tells nothing.
type bounded struct {
	file *os.File
	n    int64
	over bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.over {
		return len(p), nil
	}
	if b.n += int64(len(p)); b.n >= maxTrace {
		b.over = true
		return len(p), b.file.Truncate(0)
	}
	return b.file.Write(p)
}

// Close leaves the file open: it has no name by which it could be opened again.
func (b *bounded) Close() error { return nil }

var _ io.WriteCloser = (*bounded)(nil)
