package campaign

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"txweave/exec"
	"txweave/finding"
	"txweave/internal/version"
)

// SkippedFault is why a case was not checked at which txweave itself failed, twice.
const SkippedFault = "a fault of txweave's own"

// Endured is how many cases in a row a run gets over at which txweave itself fails: one more ends it.
const Endured = 5

// PanicError is a panic of a worker in this process.
type PanicError struct {
	Why   any
	Stack string
}

func (e *PanicError) Error() string {
	return fmt.Sprintf("panic: %v, in %s", e.Why, strings.Join(ownFrames(e.Stack), " < "))
}

// LastWords implements Testament.
func (e *PanicError) LastWords() string { return e.Stack }

// Testament is an error of what has ended, which tells where it was.
type Testament interface{ LastWords() string }

// ownFrames names the functions of txweave's in which a panic arose, the innermost first; a few, and none of those that
// call every worker.
func ownFrames(stack string) (out []string) {
	if _, after, found := strings.Cut(stack, "\npanic("); found {
		stack = after
	}
	const few = 6
	for line := range strings.Lines(stack) { // txweave/campaign.check(0x…)
		at := strings.LastIndexByte(line, '(')
		if at < 0 || !strings.HasPrefix(line, "txweave/") || !strings.HasSuffix(line, ")\n") {
			continue
		}
		if line[:at] == "txweave/campaign.check" || len(out) == few {
			break
		}
		out = append(out, line[:at])
	}
	return out
}

// check lets a worker check a case; a panic of its own is an error, and so are counts that do not add up.
func check(ctx context.Context, w Worker, job Job) (res *CaseResult, err error) {
	defer func() {
		if why := recover(); why != nil {
			res, err = nil, &PanicError{why, string(debug.Stack())}
		}
	}()
	if res, err = w.Check(ctx, job); err != nil {
		return res, err
	}
	if err = res.missing(); err != nil {
		res.Statements = Statements{} // what the case showed may be kept
	}
	return res, err
}

// endure deals with a case at which a worker failed by a fault of txweave's own: that is written down, the worker is
// replaced, and the case run again, alone. One that fails again counts as not checked, with both errors; so the cases
// after it are checked. What had been found before the worker failed is kept. It returns the error that ends the run:
// of a target that is not there, and where faults come one after the other.
func (r *run) endure(ctx context.Context, w *Worker, job Job, met *CaseResult, why error) (*CaseResult, error) {
	if errors.Is(why, exec.ErrUnavailable) {
		return met, why
	}
	most := cmp.Or(r.cfg.Endure, Endured)
	r.mu.Lock()
	r.faults++
	r.sum.Faults++
	many := r.faults > most
	r.note(fmt.Sprintf("case %d of seed %d: %s: %s", job.Case, r.cfg.Seed, SkippedFault, finding.Line(why.Error())))
	r.mu.Unlock()
	if many {
		why = fmt.Errorf("txweave itself failed at %d cases in a row: %w", most+1, why)
		return met, errors.Join(why, r.wrote(job, why, ""))
	}
	if met != nil && len(met.Findings)+len(met.Unconfirmed) > 0 {
		return met, errors.Join(r.wrote(job, why, "the case is not run again: what it had shown before is kept"),
			r.replace(ctx, w))
	}
	if err := r.replace(ctx, w); err != nil {
		return nil, errors.Join(err, r.wrote(job, why, ""))
	}
	res, err := check(ctx, *w, job)
	if err == nil {
		r.mu.Lock()
		r.note(fmt.Sprintf("case %d of seed %d: the fault did not come again", job.Case, r.cfg.Seed))
		r.mu.Unlock()
		return res, r.wrote(job, why, "run again, the case was checked: the fault did not come again")
	}
	if ctx.Err() != nil || errors.Is(err, exec.ErrUnavailable) {
		return res, errors.Join(err, r.wrote(job, why, ""))
	}
	detail, again := finding.Line(why.Error()), "run again, the case failed in the same way"
	if err.Error() != why.Error() {
		detail += "; again: " + finding.Line(err.Error())
		again = "run again: " + told(err)
	}
	if res == nil || len(res.Findings)+len(res.Unconfirmed) == 0 {
		res = &CaseResult{Case: job.Case, Skipped: SkippedFault, Detail: detail}
	}
	return res, errors.Join(r.wrote(job, why, again), r.replace(ctx, w))
}

// wrote writes a fault of txweave's own down where it can be looked at: of which case, what was said, and where it
// arose.
func (r *run) wrote(job Job, why error, again string) error {
	var b strings.Builder
	line := func(key, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%-9s%s\n", key, finding.Line(value))
		}
	}
	line("txweave", version.Full())
	line("case", fmt.Sprintf("%d of seed %d", job.Case, r.cfg.Seed))
	line("target", strings.Join([]string{r.env.DBMS, r.env.Version, "at", r.env.Isolation}, " "))
	line("command", r.env.Command)
	fmt.Fprintf(&b, "\n%s\n", told(why))
	if again != "" {
		fmt.Fprintf(&b, "\n%s\n", again)
	}
	if job.Text != nil {
		fmt.Fprintf(&b, "\nthe case, which was made from others:\n\n%s", job.Text)
	}
	name := fmt.Sprintf("seed-%d-case-%06d.txt", r.cfg.Seed, job.Case)
	if r.cfg.Name != "" {
		name = r.cfg.Name + "-" + name
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	where, err := r.cfg.Store.Fault(name, []byte(b.String()))
	if where != "" {
		r.note("the error is described in " + where)
	}
	return err
}

// told is an error with the last words of what has ended.
func told(err error) string {
	text := finding.Line(err.Error())
	var left Testament
	if errors.As(err, &left) {
		text += "\n\n" + strings.TrimSpace(left.LastWords())
	}
	return text
}

// replace puts a new worker in the place of one that failed, whose end tells nothing more.
func (r *run) replace(ctx context.Context, w *Worker) error {
	func() {
		defer func() { _ = recover() }() // what panicked may do so again
		_ = (*w).Close()
	}()
	fresh, err := r.cfg.NewWorker(ctx, 0)
	if err != nil {
		*w = gone{}
		return err
	}
	*w = fresh
	return nil
}

// gone stands for a worker that could not be replaced.
type gone struct{}

func (gone) Check(context.Context, Job) (*CaseResult, error) {
	return nil, errors.New("the worker is gone")
}

func (gone) Close() error { return nil }
