package detect

import (
	"context"
	"fmt"

	"txweave/campaign"
	"txweave/dbms"
	"txweave/exec"
	"txweave/exec/planted"
)

// Worker makes a self-test of a campaign's cell: case n tries the planted bug whose turn it is, under a seed of its
// own. A planted bug that is not found is a case that could not be checked, and says so. It implements campaign.Worker.
type Worker struct {
	target  exec.Target
	profile *dbms.Profile
	faults  []*planted.Fault
	seed    uint64
	budget  int
}

// NewWorker returns a worker for a Config's planted bugs and budget. It closes the target.
func NewWorker(t exec.Target, p *dbms.Profile, c Config, seed uint64) (*Worker, error) {
	faults, err := c.pick()
	return &Worker{t, p, faults, seed, c.Budget}, err
}

// skippedMissed begins why a self-test is no success.
const skippedMissed = "a planted bug was not found: "

// Check implements campaign.Worker.
func (w *Worker) Check(ctx context.Context, job campaign.Job) (*campaign.CaseResult, error) {
	fault := w.faults[job.Case%len(w.faults)]
	o := Config{Budget: w.budget, Seeds: 1, First: w.seed + uint64(job.Case/len(w.faults))}
	res, err := o.tryFault(ctx, w.target, w.profile, fault, nil, func() {})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", fault.Name, err)
	}
	out := &campaign.CaseResult{Case: job.Case, Checked: true}
	if res.Applicable && res.Forbidden && !res.Found {
		out.Checked, out.Skipped = false, skippedMissed+fault.Name
		out.Detail = fmt.Sprintf("%d cases of seed %d", o.Budget, o.First)
	}
	return out, nil
}

// Close implements campaign.Worker.
func (w *Worker) Close() error { return w.target.Close() }
