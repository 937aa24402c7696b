// Package replay runs cases again, as their files say, and says what comes of them.
package replay

import (
	"context"
	"errors"
	"fmt"
	"io"

	"txweave/campaign"
	"txweave/campaign/worker"
	"txweave/checker/certificate"
	"txweave/dbms"
	"txweave/exec"
	"txweave/finding"
	"txweave/history/format"
	"txweave/internal/asked"
	"txweave/internal/outcome"
	"txweave/testcase"
	"txweave/weave"
)

// Tried is what came of checking a case once.
type Tried struct {
	Report   *weave.Report // nil where the server broke
	Evidence []*weave.Evidence
	// Broken says what became of the server: a finding, and its log; "" where nothing did. It hangs: it cannot be asked
	// again.
	Broken, Class string
	Hangs         bool
}

// Renew starts a server again whose database is not to be used any more; one of the user's is left as it is.
func (a *Tried) Renew(ctx context.Context, t exec.Upkeep) error {
	if a.Report == nil || !a.Report.Spoilt {
		return nil
	}
	if err := t.Restart(ctx); err != nil && !errors.Is(err, exec.ErrUnavailable) {
		return err
	}
	return nil
}

// Try checks a case once over connections of its own. A server that ends is started again.
func Try(ctx context.Context, t exec.Target, p *dbms.Profile, c *testcase.Case, o weave.Options) (*Tried, error) {
	rep, err := Once(ctx, t, p, c, o)
	if crash, ok := errors.AsType[*exec.CrashError](err); ok {
		a := &Tried{Broken: fmt.Sprintf("%s: %v\n%s", finding.ClassCrash, crash, crash.Log), Class: finding.ClassCrash}
		return a, t.Restart(ctx)
	}
	if hang, ok := errors.AsType[*exec.HangError](err); ok && hang.Proved() {
		return &Tried{Broken: fmt.Sprintf("%s: %v\n%s", finding.ClassHang, hang, hang.Stacks), Class: finding.ClassHang,
			Hangs: true}, nil
	}
	if lost, ok := errors.AsType[*exec.LostError](err); ok {
		f, err := lostConnection(ctx, t, p, c, o, lost)
		if err != nil {
			return nil, err
		}
		return &Tried{Broken: fmt.Sprintf("%s (%s): %s; the server lives on\n%s", f.Signature, campaign.CameBack(&f.Finding),
			f.Summary, f.Log), Class: f.Signature}, nil
	}
	if err != nil {
		return nil, err
	}
	return &Tried{Report: rep, Evidence: append(rep.Findings, rep.Unconfirmed...)}, nil
}

// certify runs a case once and writes its history and certificate.
func certify(ctx context.Context, t exec.Target, p *dbms.Profile, c *testcase.Case, historyFile,
	certificateFile string) error {
	if err := inStore(ctx, t, p, c); err != nil {
		return err
	}
	r, err := exec.NewRunner(ctx, t, p, exec.Options{})
	if err != nil {
		return err
	}
	defer r.Close()
	h, cert, err := weave.Certify(r, c, p)
	if err != nil {
		return Explain(ctx, t, err)
	}
	return errors.Join(
		asked.Write(ctx, historyFile, func(w io.Writer) error { return format.WriteFile(w, historyFile, h) }),
		asked.Write(ctx, certificateFile, func(w io.Writer) error { return certificate.Write(w, h, cert) }))
}

// inStore gives a target the store that a case names, before any session is opened.
func inStore(ctx context.Context, t exec.Target, p *dbms.Profile, c *testcase.Case) error {
	err := exec.Shape(ctx, t, c, p, func() {})
	if none, ok := errors.AsType[*exec.ShapeError](err); ok && none.Why == nil {
		return outcome.Misuse(err)
	}
	return err
}

// Once checks a case over connections of its own.
func Once(ctx context.Context, t exec.Target, p *dbms.Profile, c *testcase.Case, o weave.Options) (
	*weave.Report, error) {
	if err := inStore(ctx, t, p, c); err != nil {
		return nil, err
	}
	r, err := exec.NewRunner(ctx, t, p, exec.Options{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	rep, err := weave.Check(r, c, p, o)
	if err != nil {
		return nil, Explain(ctx, t, err)
	}
	return rep, nil
}

// lostConnection runs a case again that lost a connection to a server which lives on, as a campaign does, and returns
// the finding: the case loses it each time. Else it is what lies between that does, and the target is unavailable.
func lostConnection(ctx context.Context, t exec.Target, p *dbms.Profile, c *testcase.Case, o weave.Options,
	lost error) (*campaign.Found, error) {
	w := worker.On(t, p, o)
	defer w.Release()
	res, err := w.Check(ctx, campaign.Job{Text: c.Print()})
	if ctx.Err() != nil {
		return nil, outcome.Stopped()
	}
	if err != nil {
		return nil, err
	}
	for i := range res.Findings {
		if f := &res.Findings[i]; f.Class == finding.ClassCrash {
			return f, nil
		}
	}
	return nil, fmt.Errorf("%w: %w", exec.ErrUnavailable, lost)
}

// Explain sorts out why a case could not be checked: an error of the case is the user's, a crash is a CrashError.
func Explain(ctx context.Context, t exec.Upkeep, err error) error {
	if ctx.Err() != nil {
		return outcome.Stopped()
	}
	var crash *exec.CrashError
	var hang *exec.HangError
	alive := t.Alive(ctx)
	switch {
	case errors.As(alive, &crash) && crash.Killed:
		return fmt.Errorf("%w: %s", exec.ErrUnavailable, crash.Error()) // no doing of the server's
	case errors.As(alive, &crash):
		return crash
	case errors.As(alive, &hang):
		return Hanging(hang)
	}
	if why := worker.Refusal(err); why != nil {
		return outcome.Misuse(why) // a hand-edited case with a bad table
	}
	return err
}

// Hanging is a server that does not answer: the environment's doing where somebody has stopped its process, or may
// have.
func Hanging(hang *exec.HangError) error {
	if !hang.Proved() {
		return fmt.Errorf("%w: %w", exec.ErrUnavailable, hang)
	}
	return hang
}

// Malformed says that a case has statements which the database does not understand: whoever wrote it is to mend them.
func Malformed(rep *weave.Report) error {
	return outcome.Misusef("the database does not understand a statement of the case: %s", finding.Line(rep.Malformed[0]))
}
