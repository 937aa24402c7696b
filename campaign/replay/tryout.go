package replay

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"txweave/exec"
	"txweave/finding"
	"txweave/internal/outcome"
	"txweave/internal/output"
	"txweave/report/export"
	"txweave/report/timeline"
)

// Trial is what the maintainers' own program says of a finding's test.
type Trial struct {
	// Find is what the test is of: with the reads around the statements where it shows nothing without them.
	Find    *timeline.Dossier
	Test    string
	Printed string
	Unrun   string // why it was not run; "": it was, or no program is for its format
	On      string // the database that it was run on, with its version
	Failed  error  // the program refused it there
	Shown   bool   // what is printed shows the finding, as far as that can be told
	Tool    *export.Tool
}

// Said is what a report says of the trial below the test; "" where nothing ran it.
func (x *Trial) Said() string {
	switch ran := fmt.Sprintf("%s has run it on %s", x.Tool.Name, x.On); {
	case x.Failed != nil:
		return fmt.Sprintf("%s, where it does not run as it did: %v", ran, x.Failed)
	case !x.Shown:
		return fmt.Sprintf("%s, and it %s.", ran, unshown(x.Find))
	case x.Find.Watched:
		return ran + ": the answers differ as above. Without the reads between the statements they do not."
	case export.Compares(x.Find):
		return ran + ": the answers differ as above."
	case x.Find.Broke():
		return ran + ": the server crashes."
	default:
		return ran + "."
	}
}

// unshown says what a tool does with a test that does not show a finding, and why that may be.
func unshown(f *timeline.Dossier) string {
	if f.Broke() {
		return "ends, and the server lives on"
	}
	if f.Complains() {
		return "prints that the tables are whole; the damage may need more time, or the reads that txweave adds"
	}
	return "prints the same of the statements in transactions and without; it may need the reads that txweave adds " +
		"between them"
}

// unrun says why a test of a format is not run; "" where it can be, or nobody runs such a format.
func (u *Under) unrun(dbms, format string, tool *export.Tool) string {
	switch {
	case tool == nil && slices.Contains(export.OfMaintainers, format):
		return "txweave knows of no program of this machine's that runs it on " + dbms
	case tool == nil:
		return ""
	case u.Target.DSN != "":
		return "it makes and drops tables, and --dsn is a server of yours"
	case !tool.Installed():
		return tool.Name + " is not installed"
	}
	return ""
}

// Try runs a regression test of a finding, in a format, as the maintainers do, where their program is installed.
func (u *Under) Try(ctx context.Context, find *timeline.Dossier, format, test string) (*Trial, error) {
	dbms := find.Record.Environment.DBMS
	x := &Trial{Find: find, Test: test, Tool: export.ToolOf(dbms, format)}
	if x.Unrun = u.unrun(dbms, format, x.Tool); x.Unrun == "" && x.Tool != nil && find.Broke() &&
		find.Record.Class != finding.ClassCrash {
		x.Unrun = "it does not end"
	}
	if x.Unrun != "" || x.Tool == nil {
		return x, nil
	}
	as := *u
	as.On(&find.Record.Environment)
	on, err := as.For(ctx, find.Case)
	if err != nil {
		return nil, err
	}
	on.Inject = nil // the test is run on the database as it is
	there := false
	err = on.Use(ctx, func(t exec.Target) error {
		there = true
		x.On = t.Describe().Target + " " + t.Describe().Version
		if err := x.run(ctx, t); err != nil || x.Shown {
			return err
		}
		return x.watched(ctx, t, format)
	})
	if !there && errors.Is(err, exec.ErrUnavailable) && u.Target.Server == "" { // nobody asked for one
		x.Unrun, err = err.Error(), nil
	}
	return x, err
}

// run runs the test and says what came of it.
func (x *Trial) run(ctx context.Context, t exec.Target) (err error) {
	x.Printed, x.Failed = x.Tool.Run(ctx, t.Control(), x.Test)
	if ctx.Err() != nil {
		return outcome.Stopped()
	}
	if x.Find.Record.Class == finding.ClassCrash {
		if x.Shown = errors.As(t.Alive(ctx), new(*exec.CrashError)); !x.Shown {
			return nil
		}
		x.Failed = nil // the program has lost its connection
		return t.Restart(ctx)
	}
	x.Shown = x.Failed == nil && (x.Tool.Format != "mtr" || len(x.Find.Record.Environment.Planted) > 0 ||
		!export.Unshown(x.Find, x.Printed))
	return nil
}

// watched runs a test that shows nothing, or fails, with the reads around the statements that the finding names: these
// may be what the right answer needs. It is the test from then on, if it shows the finding.
func (x *Trial) watched(ctx context.Context, t exec.Target, format string) error {
	if x.Find.Plain != nil || x.Find.Complains() {
		return nil
	}
	again := *x
	with := *x.Find
	with.Watched = true
	files, err := export.Write(format, &with)
	if err != nil || files[0].Text == x.Test {
		return nil // the test without is written
	}
	again.Find, again.Test = &with, files[0].Text
	if err := again.run(ctx, t); err != nil {
		return err
	}
	if again.Shown {
		*x = again
	}
	return nil
}

// TryOut runs a regression test that is in a file, as Try does, and writes beside it what the program prints. Where the
// test shows the finding only with the reads around the statements, the file has it with them.
func (u *Under) TryOut(ctx context.Context, find *timeline.Dossier, format, test, file string) error {
	x, err := u.Try(ctx, find, format, test)
	if err != nil || x.Tool == nil && x.Unrun == "" {
		return err
	}
	if x.Unrun != "" {
		u.note("the test was not run: %s", x.Unrun)
		return nil
	}
	beside := x.Tool.Beside(file)
	// What an earlier test printed says nothing of this one.
	if err := os.Remove(beside); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if x.Failed != nil {
		return outcome.End(outcome.Inconclusive, fmt.Errorf("%s is written, and does not run as it did: %w", file, x.Failed))
	}
	if x.Test != test {
		if err := output.File(ctx, file, []byte(x.Test)); err != nil {
			return err
		}
	}
	if x.Shown && x.Find.Broke() {
		u.note("%s", x.Said())
		return nil
	}
	if err := output.File(ctx, beside, []byte(x.Printed)); err != nil {
		return err
	}
	if !x.Shown {
		return outcome.Inconclusivef("%s is written, and does not show the finding: %s %s (%s). Give the maintainers the "+
			"report and its case.txw, which txweave replay repeats", file, x.Tool.Name, unshown(find), beside)
	}
	with := ""
	if x.Find.Watched {
		with = "; it shows the finding only with the reads around the statements, which it has"
	}
	u.note("%s has what %s prints of it on %s%s", beside, x.Tool.Name, x.On, with)
	return nil
}

// note says something beside the results, where somebody reads it.
func (u *Under) note(format string, args ...any) {
	if u.Target.Notes != nil {
		fmt.Fprintf(u.Target.Notes, "txweave: "+format+"\n", args...)
	}
}
