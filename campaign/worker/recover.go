package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"txweave/campaign"
	"txweave/dbms"
	"txweave/exec"
	"txweave/fault"
	"txweave/finding"
	"txweave/oracle/observe"
	"txweave/oracle/unexpected"
	"txweave/testcase"
	"txweave/weave"
)

// Refusal returns why a case that somebody wrote, or that a reduction tries, cannot be judged; nil if that is not what
// an error says.
func Refusal(err error) error {
	if refused, ok := errors.AsType[*weave.UnjudgeableError](err); ok {
		return refused.Reason
	}
	var env *exec.EnvironmentError
	if answer, ok := errors.AsType[*exec.AnswerError](err); ok && !errors.As(err, &env) {
		return fmt.Errorf("the database refuses the case: %w", answer)
	}
	return nil
}

// recover sorts out why a case could not be checked: the server crashed, or a statement ended its connection each time,
// which is a finding; the environment or a connection failed, which is tried again a few times; or we are at fault.
func (w *Worker) recover(ctx context.Context, job campaign.Job, res *campaign.CaseResult, c *testcase.Case,
	cause error) (*campaign.CaseResult, error) {
	if ctx.Err() != nil {
		return res, ctx.Err()
	}
	how, why, err := w.symptom(ctx, cause)
	if err != nil {
		return res, fmt.Errorf("case %d (seed %d): %w", res.Case, c.Seed, err)
	}
	res.Skipped, res.Detail = how.String(), finding.Line(why.Error())
	if how != wentDown && w.spoilt() {
		return res, fmt.Errorf("%w: %d cases in a row failed: %w", exec.ErrUnavailable, w.trouble, why)
	}
	if err := w.renew(ctx, how); err != nil {
		return res, errors.Join(why, err)
	}
	anew := w.reborn(ctx)
	if how != wentDown && how != dropped && how != stopped {
		return res, nil
	}
	f := w.ending(how, why, c)
	r, err := w.repeat(ctx, job, how, c, why, &f.Finding)
	if err != nil {
		return res, err
	}
	switch {
	case how == dropped && w.target.Log() == "" && !w.crashes(&f, r, why, c, anew):
		if anew && r.anew > 0 {
			res.Unconfirmed = append(res.Unconfirmed, f)
		}
	case certain(how, why, &f):
		res.Findings = append(res.Findings, f)
		w.trouble = 0
	case unconfirmed(why, &f):
		res.Unconfirmed = append(res.Unconfirmed, f)
	}
	return res, nil
}

// crashes says whether a lost connection, by a server whose log is not at hand, is a crash: each repetition says so.
func (w *Worker) crashes(f *campaign.Found, r repeated, why error, c *testcase.Case, anew bool) bool {
	return w.profile.Errors.PanicsAlone && r.same == f.Repeated && told(why, c) || anew && r.anew == f.Repeated
}

// certain says whether the end of a server, or of a connection, is a finding. A server that went down left its log. One
// that lives on says less: it must do so again, and of one that did not answer there must be proof.
func certain(how symptom, why error, f *campaign.Found) bool {
	if hang, ok := errors.AsType[*exec.HangError](why); ok && !hang.Proved() {
		return false
	}
	return how == wentDown || f.Confirmed > 0
}

// unconfirmed says whether what is no finding is kept all the same: what the threads of a server did that did not
// answer, unless somebody had stopped it, and is no proof, though the same case each time is more than chance.
func unconfirmed(why error, f *campaign.Found) bool {
	var hang *exec.HangError
	if !errors.As(why, &hang) {
		return false
	}
	return hang.Proved() || hang.Users && f.Confirmed > 0
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
	if errors.As(cause, &lost) && w.target.Log() == "" {
		// a server that one of its processes has crashed on ends the others a moment later
		w.pause(ctx, settles)
	}
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
	err := w.runner.Reopen()
	for n := 0; n < reopens && errors.Is(err, exec.ErrUnavailable) && w.target.Log() == ""; n++ { // it went away again
		w.pause(ctx, settles)
		if alive := w.target.Alive(ctx); alive != nil {
			return errors.Join(alive, err)
		}
		err = w.runner.Reopen()
	}
	return err
}

// settles is how long a server of the user's is left alone that has lost a connection, and reopens how often
// connections to it are opened again that it refuses meanwhile.
const (
	settles = 200 * time.Millisecond
	reopens = 5
)

// pause waits for a while, or until ctx ends.
func (w *Worker) pause(ctx context.Context, lasts time.Duration) {
	select {
	case <-time.After(lasts):
	case <-ctx.Done():
	}
}

// repeated says what came of a case that was run again.
type repeated struct {
	same int // how often the same statement lost its connection
	anew int // how often a connection was lost and the server had begun anew
}

// repeat runs a case alone again that ended so, and counts how often it comes back. A reduction does that itself, but
// for a server that lives on. Between a server of the user's and this process there is a network, which cuts
// connections or changes what is sent at any statement, and its log is not at hand: what tells a crash is the same
// statement of the case each time, of a DBMS that may lose one connection alone (of another it may be an answer so
// large that no connection lives through it), or a server that is new afterwards, which whoever runs it may have
// started again, but not at each repetition.
func (w *Worker) repeat(ctx context.Context, job campaign.Job, how symptom, c *testcase.Case, why error,
	f *finding.Finding) (r repeated, err error) {
	times := crashRepeats
	switch {
	case job.Bare && how == wentDown:
		return r, nil
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
			return r, ctx.Err()
		}
		again, whyAgain, serr := w.symptom(ctx, err)
		if serr != nil {
			again = environs // it cannot be told what that was
		}
		if again == how {
			f.Confirmed++
			if lostBy(why) == lostBy(whyAgain) {
				r.same++
			}
		}
		if err := w.renew(ctx, again); err != nil {
			return r, err
		}
		if w.reborn(ctx) && again == how && how == dropped {
			r.anew++
		}
	}
	return r, nil
}

// told says whether it was a statement of the case that lost its connection, or one behind an error, with which a
// server answers that survives what panics. What the tool asks itself it asks all the time: that is where most
// connections are lost that a network cuts.
func told(err error, c *testcase.Case) bool {
	var lost *exec.LostError
	if !errors.As(err, &lost) {
		return false
	}
	if lost.After != "" {
		return true
	}
	for i := range c.Txns {
		for k := range c.Txns[i].Steps() {
			if lost.Of(c.Txns[i].Step(k).SQL) {
				return true
			}
		}
	}
	return false
}

// reborn says whether a server whose log is not at hand has begun anew since that was asked last.
func (w *Worker) reborn(ctx context.Context) bool {
	if w.born.At.IsZero() {
		return false
	}
	now := exec.Born(ctx, w.target)
	if now.At.IsZero() {
		return false
	}
	anew := now.After(w.born)
	w.born = now
	return anew
}

// lostBy is the statement that lost its connection; "" where that is not what an error says.
func lostBy(err error) string {
	var lost *exec.LostError
	if !errors.As(err, &lost) {
		return ""
	}
	return lost.Statement
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
	if f.Class == finding.ClassCrash {
		f.Title = title(c, &weave.Evidence{Finding: f})
	}
	return campaign.Found{Finding: f, Files: files}
}

// spoilt counts a case that the environment spoilt, and says whether it was one too many.
func (w *Worker) spoilt() bool {
	w.trouble++
	return w.trouble > maxTrouble
}

// damaged returns what is wrong with what the database answered to the tool's own statements for a case of the
// generator's, whose tables and rows a sound one takes and gives back as they were written; nil if that is not what an
// error says.
func (w *Worker) damaged(job campaign.Job, err error) (*finding.Difference, error) {
	var env *exec.EnvironmentError
	if err == nil || job.Text != nil || errors.As(err, &env) && !w.keptOut(env) {
		return nil, nil
	}
	var answer *exec.AnswerError
	var bad *observe.BadAnswer
	var judged *weave.UnjudgeableError
	switch {
	case errors.As(err, &answer):
		d := unexpected.Difference(answer.Text, answer.Err)
		return &d, answer
	case errors.As(err, &bad):
		return &finding.Difference{What: bad.What, Steps: finding.Sentences{bad.Why}}, bad
	case errors.As(err, &judged) && judged.Loaded:
		return &finding.Difference{What: fault.Rows, Steps: finding.Sentences{finding.Say("%v",
			finding.Line(judged.Reason.Error()))}}, judged.Reason
	}
	return nil, nil
}

// keptOut says whether a statement of the tool's own was refused for a lock by an engine that nobody else uses, behind
// a case that had come to its end: all transactions have ended then.
func (w *Worker) keptOut(env *exec.EnvironmentError) bool {
	return w.profile.Embedded && w.trouble == 0 && w.profile.Errors.Classify(env.Answer.Err.Code,
		env.Answer.Err.Message) ==
		dbms.WouldBlock
}

// onNew checks a case once more on a new database. Where that takes the case's tables the one before was damaged, which
// is a finding unless the server is a user's: others may use that. Where it does not, the case is not checked, which is
// noted; some in a row end the campaign.
func (w *Worker) onNew(ctx context.Context, job campaign.Job, c *testcase.Case, d *finding.Difference,
	why error) (*campaign.CaseResult, error) {
	w.Release()
	restarted := w.target.Restart(ctx)
	if restarted != nil && !errors.Is(restarted, exec.ErrUnavailable) {
		return &campaign.CaseResult{Case: job.Case}, errors.Join(restarted, why)
	}
	w.anew = true
	defer func() { w.anew = false }()
	res, err := w.Check(ctx, job)
	if err != nil || res.Skipped == skippedRefused || restarted != nil {
		return res, err
	}
	f := finding.Finding{Class: finding.ClassCorruption, Oracle: unexpected.Oracle{}.Name(),
		Summary:     finding.Line("the database does not take a case that a new one takes: " + why.Error()),
		Differences: []finding.Difference{*d}}
	f.Sign()
	res.Findings = append(res.Findings, campaign.Found{Finding: f, Files: map[string][]byte{finding.CaseFile: c.Print()}})
	return res, nil
}
