package worker

import (
	"context"
	"errors"
	"fmt"
	"txweave/campaign"
	"txweave/exec"
	"txweave/finding"
	"txweave/testcase"
	"txweave/weave"
)

// Refusal returns why a case that somebody wrote, or that a reduction tries, cannot be judged; nil if that is not what
// an error says.
func Refusal(err error) error {
	var refused *weave.RefusedError
	if errors.As(err, &refused) {
		return refused.Reason
	}
	var env *exec.EnvironmentError
	var answer *exec.AnswerError
	if errors.As(err, &answer) && !errors.As(err, &env) {
		return fmt.Errorf("the database refuses the case: %w", answer)
	}
	return nil
}

// recover sorts out why a case could not be checked: the server crashed, which is a finding; the environment or
// a connection failed, which is tried again a few times; or we are at fault.
func (w *Worker) recover(ctx context.Context, res *campaign.CaseResult, c *testcase.Case, cause error) (*campaign.CaseResult, error) {
	if ctx.Err() != nil {
		return res, ctx.Err()
	}
	var crash *exec.CrashError
	if alive := w.target.Alive(ctx); errors.As(alive, &crash) {
		switch {
		case !crash.Killed:
			res.Skipped = finding.ClassCrash
			f := campaign.Found{Finding: crashFinding(crash), Files: map[string][]byte{"case.txw": c.Print(), "log.txt": []byte(crash.Log)}}
			res.Findings = append(res.Findings, f)
		case w.spoilt():
			return res, fmt.Errorf("%w: %d servers in a row were ended from outside: %w", exec.ErrUnavailable, w.trouble, crash)
		default:
			res.Skipped = SkippedKilled
		}
		if err := w.target.Restart(ctx); err != nil {
			return res, err
		}
		return res, w.runner.Reopen()
	} else if hang := (*exec.HangError)(nil); errors.As(alive, &hang) && ctx.Err() == nil {
		if w.spoilt() {
			return res, fmt.Errorf("%w: %d servers in a row stopped answering: %w", exec.ErrUnavailable, w.trouble, hang)
		}
		res.Skipped = SkippedHang
		if err := w.target.Restart(ctx); err != nil {
			return res, errors.Join(err, hang)
		}
		return res, w.runner.Reopen()
	} else if alive != nil {
		return res, fmt.Errorf("case %d (seed %d): the server stopped answering: %w", res.Case, c.Seed, alive)
	}
	var env *exec.EnvironmentError
	var lost *exec.LostError
	late, large := errors.Is(cause, exec.ErrTimeout), errors.Is(cause, exec.ErrTooLarge)
	if !errors.As(cause, &env) && !late && !large && !errors.As(cause, &lost) {
		return res, fmt.Errorf("case %d (seed %d): %w", res.Case, c.Seed, cause)
	}
	if w.spoilt() {
		return res, fmt.Errorf("%w: %d cases in a row failed: %w", exec.ErrUnavailable, w.trouble, cause)
	}
	res.Skipped = "environment"
	switch {
	case large:
		res.Skipped = "too-large"
	case late:
		res.Skipped = "time-out"
	}
	return res, w.runner.Reopen()
}

// spoilt counts a case that the environment spoilt, and says whether it was one too many.
func (w *Worker) spoilt() bool {
	w.trouble++
	return w.trouble > maxTrouble
}

// crashFinding is the finding of a server that has crashed.
func crashFinding(crash *exec.CrashError) finding.Finding {
	f := finding.Finding{Class: finding.ClassCrash, Oracle: "crash", Summary: crash.Error(), Log: crash.Log, Confirmed: 1, Repeated: 1}
	f.Sign()
	return f
}
