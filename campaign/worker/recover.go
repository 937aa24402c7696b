package worker

import (
	"context"
	"errors"
	"fmt"

	"txweave/campaign"
	"txweave/dbms"
	"txweave/exec"
	"txweave/finding"
	"txweave/oracle/unexpected"
	"txweave/testcase"
	"txweave/weave"
)

// Refusal returns why a case that somebody wrote, or that a reduction tries, cannot be judged; nil if that is not what
// an error says.
func Refusal(err error) error {
	var refused *weave.UnjudgeableError
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

// recover sorts out why a case could not be checked: the server crashed, or a statement ended its connection each time, which
// is a finding; the environment or a connection failed, which is tried again a few times; or we are at fault.
func (w *Worker) recover(ctx context.Context, job campaign.Job, res *campaign.CaseResult, c *testcase.Case, cause error) (*campaign.CaseResult, error) {
	if ctx.Err() != nil {
		return res, ctx.Err()
	}
	how, why, err := w.symptom(ctx, cause)
	if err != nil {
		return res, fmt.Errorf("case %d (seed %d): %w", res.Case, c.Seed, err)
	}
	res.Detail = finding.Line(why.Error())
	if how != wentDown && w.spoilt() {
		return res, fmt.Errorf("%w: %d cases in a row failed: %w", exec.ErrUnavailable, w.trouble, why)
	}
	if err := w.renew(ctx, how); err != nil {
		return res, errors.Join(err, why)
	}
	switch how {
	case wentDown, dropped, stopped:
		f := w.ending(how, why, c)
		if err := w.repeat(ctx, job, how, c, &f.Finding); err != nil {
			return res, err
		}
		// A server that went down left its log. One that lives on says less: it must do so again.
		if how == wentDown || f.Confirmed > 0 {
			res.Findings = append(res.Findings, f)
			w.trouble = 0
		}
	}
	res.Skipped = how.String()
	return res, nil
}

// symptom is what ended a case before its time.
type symptom uint8

const (
	wentDown symptom = iota // the server's process ended by itself
	killed                  // somebody ended it
	stopped                 // the server is there and does not answer
	dropped                 // a connection was lost, and the server lives on
	late                    // a statement did not answer in time
	large                   // a result was too large
	environs                // the database says that something is wrong around it
)

// String returns the symptom as the reason of a case that was not checked.
func (s symptom) String() string {
	switch s {
	case wentDown:
		return finding.ClassCrash
	case killed:
		return SkippedKilled
	case stopped:
		return SkippedHang
	case late:
		return "time-out"
	case large:
		return "too-large"
	}
	return "environment"
}

// symptom tells what ended a case, and what says so. An error is none of these.
func (w *Worker) symptom(ctx context.Context, cause error) (how symptom, why, err error) {
	var crash *exec.CrashError
	var hang *exec.HangError
	var env *exec.EnvironmentError
	var lost *exec.LostError
	alive := w.target.Alive(ctx)
	switch {
	case errors.As(alive, &crash) && crash.Killed:
		return killed, crash, nil
	case errors.As(alive, &crash):
		return wentDown, crash, nil
	case errors.As(alive, &hang):
		return stopped, hang, nil
	case alive != nil:
		return 0, nil, fmt.Errorf("the server stopped answering: %w", alive)
	case errors.Is(cause, exec.ErrTooLarge):
		return large, cause, nil
	case errors.Is(cause, exec.ErrTimeout):
		return late, cause, nil
	case errors.As(cause, &env):
		return environs, cause, nil
	case errors.As(cause, &lost):
		return dropped, cause, nil
	}
	return 0, nil, cause
}

// renew makes the target fit for the next case.
func (w *Worker) renew(ctx context.Context, how symptom) error {
	switch how {
	case wentDown, killed, stopped:
		if err := w.target.Restart(ctx); err != nil {
			return err
		}
	}
	return w.runner.Reopen()
}

// repeat runs a case alone again that ended so, and counts how often it comes back. A reduction does that itself, but for a
// server that lives on, whose connection a network may have cut.
func (w *Worker) repeat(ctx context.Context, job campaign.Job, how symptom, c *testcase.Case, f *finding.Finding) error {
	times := crashRepeats
	switch {
	case job.Bare && how == wentDown:
		return nil
	case job.Bare || how == stopped: // the latter takes as long as a server is waited for
		times = 1
	}
	o := w.options
	o.Repeats = 1
	for range times {
		_, err := weave.Check(w.runner, c, w.runnerOf, o)
		f.Repeated++
		if err == nil {
			continue
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		again, _, serr := w.symptom(ctx, err)
		if serr != nil {
			again = environs // it cannot be told what that was
		}
		if again == how {
			f.Confirmed++
		}
		if err := w.renew(ctx, again); err != nil {
			return err
		}
	}
	return nil
}

// ending is the finding of a server that crashed, hangs, or lost a connection.
func (w *Worker) ending(how symptom, why error, c *testcase.Case) campaign.Found {
	var crash *exec.CrashError
	var hang *exec.HangError
	var lost *exec.LostError
	f := finding.Finding{Class: finding.ClassCrash, Oracle: "crash", Summary: finding.Line(why.Error())}
	files := map[string][]byte{finding.CaseFile: c.Print()}
	switch {
	case errors.As(why, &crash):
		f.Log = crash.Log
	case errors.As(why, &hang):
		f.Class, f.Oracle, f.Log = finding.ClassHang, "hang", hang.Log
		if hang.Stacks != "" {
			files[finding.StacksFile] = []byte(hang.Stacks)
		}
	case errors.As(why, &lost):
		f.Log = lost.Log
	}
	if f.Sign(); how == dropped && f.Signature == finding.ClassCrash {
		f.Signature += "/lost-connection"
	}
	files[finding.LogFile] = []byte(f.Log)
	return campaign.Found{Finding: f, Files: files}
}

// spoilt counts a case that the environment spoilt, and says whether it was one too many.
func (w *Worker) spoilt() bool {
	w.trouble++
	return w.trouble > maxTrouble
}

// damaged returns what an embedded engine answered to the tool's own statements for a case of the generator's, whose
// tables a sound database takes; nil if that is not what an error says, or if the database is a new one.
func (w *Worker) damaged(job campaign.Job, p *dbms.Profile, err error) *exec.AnswerError {
	var answer *exec.AnswerError
	var env *exec.EnvironmentError
	if !p.Embedded || w.anew || job.Text != nil || !errors.As(err, &answer) || errors.As(err, &env) {
		return nil
	}
	return answer
}

// onNew checks a case once more on a new database. Where that takes the case's tables the one before was damaged, which is
// a finding; where it does not, the case is at fault, and so are we.
func (w *Worker) onNew(ctx context.Context, job campaign.Job, c *testcase.Case, answer *exec.AnswerError, cause error) (*campaign.CaseResult, error) {
	w.Release()
	if err := w.target.Restart(ctx); err != nil {
		return &campaign.CaseResult{Case: job.Case}, errors.Join(err, cause)
	}
	w.anew = true
	defer func() { w.anew = false }()
	res, err := w.Check(ctx, job)
	if err != nil {
		return res, err
	}
	f := finding.Finding{Class: finding.ClassCorruption, Oracle: unexpected.Oracle{}.Name(), Summary: finding.Line("the database does not take a case that a new one takes: " + answer.Error()),
		Differences: []finding.Difference{unexpected.Difference(answer.Text, answer.Err)}}
	f.Sign()
	res.Findings = append(res.Findings, campaign.Found{Finding: f, Files: map[string][]byte{finding.CaseFile: c.Print()}})
	return res, nil
}
