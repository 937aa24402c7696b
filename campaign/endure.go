package campaign

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"runtime/debug"
	"strings"

	"txweave/exec"
	"txweave/finding"
)

// SkippedFault is why a case was not checked at which txweave itself failed, twice.
const SkippedFault = "a fault of txweave's own"

// PanicError is a panic of a worker in this process.
type PanicError struct {
	Why   any
	Stack string
}

func (e *PanicError) Error() string {
	return fmt.Sprintf("panic: %v, in %s", e.Why, strings.Join(ownFrames(e.Stack), " < "))
}

var frame = regexp.MustCompile(`(?m)^(txweave/[^\n]*)\([^)\n]*\)\n`)

// ownFrames names the functions of txweave's in which a panic arose, the innermost first; a few.
func ownFrames(stack string) (out []string) {
	if _, after, found := strings.Cut(stack, "\npanic("); found {
		stack = after
	}
	const few = 6
	for _, m := range frame.FindAllStringSubmatch(stack, few) {
		out = append(out, m[1])
	}
	return out
}

// check lets a worker check a case; a panic of its own is an error.
func check(ctx context.Context, w Worker, job Job) (res *CaseResult, err error) {
	defer func() {
		if why := recover(); why != nil {
			res, err = nil, &PanicError{why, string(debug.Stack())}
		}
	}()
	return w.Check(ctx, job)
}

// endure deals with a case at which a worker failed by a fault of txweave's own: the worker is replaced and the case run again,
// alone. One that fails again counts as not checked, with both errors; so the cases after it are checked. It returns the error that ends
// the run: of a target that is not there, and where faults come one after the other.
func (r *run) endure(ctx context.Context, w *Worker, job Job, why error) (*CaseResult, error) {
	if r.cfg.Endure == 0 || errors.Is(why, exec.ErrUnavailable) {
		return nil, why
	}
	r.mu.Lock()
	r.faults++
	many := r.faults > r.cfg.Endure
	r.note(fmt.Sprintf("case %d of seed %d: %s: %s", job.Case, r.cfg.Seed, SkippedFault, finding.Line(why.Error())))
	r.mu.Unlock()
	if many {
		return nil, fmt.Errorf("%d cases in a row: %w", r.cfg.Endure+1, why)
	}
	if err := r.replace(ctx, w); err != nil {
		return nil, err
	}
	res, err := check(ctx, *w, job)
	if err == nil {
		r.mu.Lock()
		r.note(fmt.Sprintf("case %d of seed %d: the fault did not come again", job.Case, r.cfg.Seed))
		r.mu.Unlock()
		return res, nil
	}
	if ctx.Err() != nil || errors.Is(err, exec.ErrUnavailable) {
		return nil, err
	}
	detail := finding.Line(why.Error())
	if err.Error() != why.Error() {
		detail += "; again: " + finding.Line(err.Error())
	}
	return &CaseResult{Case: job.Case, Skipped: SkippedFault, Detail: detail}, r.replace(ctx, w)
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
