package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"txweave/campaign/worker"
	"txweave/dbms"
	"txweave/exec"
	"txweave/finding"
	"txweave/history"
	"txweave/report/page"
	"txweave/report/timeline"
	"txweave/testcase/importer"
	"txweave/weave/script"
)

// runScript reads a text as a script, runs it as it stands, and says what came of it.
func (f *importFlags) runScript(ctx context.Context, name string, text []byte, o importer.Options, w io.Writer) error {
	s, notes, err := importer.ReadScript(name, text, o, f.dsn == "")
	for _, n := range notes {
		fmt.Fprintf(w, "%s:%d: %s\n", name, n.Line, finding.Line(n.Text))
	}
	if err != nil {
		return usage(err)
	}
	f.targetFlags.target = o.Target
	if f.isolation == "" {
		f.isolation = s.Isolation
	}
	p, err := f.resolve(ctx)
	if err != nil {
		return err
	}
	var out *script.Showing
	err = f.use(ctx, func(t exec.Target) error {
		if out, err = script.Check(ctx, t, p, s, script.Options{Patience: exec.Patience{Statement: f.timeout}, Anew: s.ChangesServer()}); err != nil {
			return explain(ctx, t, err)
		}
		d := t.Describe()
		fmt.Fprintf(w, "%s %s, %s\n", d.Target, d.Version, p.Isolation)
		find := f.scriptFinding(out, t)
		printScript(w, out, find)
		return f.writePage(name, find, w)
	})
	if err != nil {
		return err
	}
	return conclude(w, p, out, notes)
}

// scriptFinding is the outcome as the page shows it.
func (f *importFlags) scriptFinding(out *script.Showing, t exec.Target) *timeline.Dossier {
	find := &timeline.Dossier{Case: out.Case, Run: out.Trace, Record: finding.Record{Environment: worker.Environment(f.profile, f.claim, nil, t.Describe())}}
	if len(out.Unlike) > 0 {
		find.Record.Class, find.Record.Differences, find.Replayed = finding.ClassReplay, out.Unlike, out.Alone
	} else if len(out.Order) > 0 {
		find.Record.Differences, find.Replayed = out.Differences, out.Serial
	}
	return find
}

func (f *importFlags) writePage(name string, find *timeline.Dossier, w io.Writer) error {
	text, err := page.Write(find)
	if err != nil {
		return err
	}
	path := f.page
	if path == "" {
		base := filepath.Base(name)
		path = strings.TrimSuffix(base, filepath.Ext(base)) + ".html"
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		return usage(err)
	}
	fmt.Fprintf(w, "page: %s\n", path)
	return nil
}

// printScript prints what happened, moment by moment.
func printScript(w io.Writer, out *script.Showing, find *timeline.Dossier) {
	for i, e := range out.Run.Setup {
		if e.Err != nil {
			fmt.Fprintf(w, "set-up, line %d: %s: %s\n", out.Script.Setup[i].Line, clipped(e.Text), finding.Line(e.Err.String()))
		}
	}
	t := timeline.Build(out.Case, out.Trace, nil, nil, nil)
	width := 0
	for _, l := range t.Lanes {
		width = max(width, len(l.Name))
	}
	for _, m := range t.Marks {
		at := fmt.Sprintf("  %-*s  %-6s", width, t.Lanes[m.Step.Lane].Name, shortName(m.Step))
		switch m.Kind {
		case timeline.Blocked:
			fmt.Fprintf(w, "%s  %s  -- waits\n", at, clipped(m.Step.SQL))
			if m.Step.Answered {
				continue
			}
			fmt.Fprintf(w, "%s  no answer\n", strings.Repeat(" ", len(at)))
			continue
		case timeline.Resumed:
			fmt.Fprintf(w, "%s  … goes on: %s\n", at, clipped(m.Step.SQL))
		default:
			fmt.Fprintf(w, "%s  %s\n", at, clipped(m.Step.SQL))
		}
		if m.Step.Role != history.Target && m.Step.Answer.Err == nil && len(m.Step.Answer.Warnings) == 0 {
			continue
		}
		for _, line := range timeline.AnswerLines(&m.Step.Answer) {
			fmt.Fprintf(w, "%s    %s\n", strings.Repeat(" ", len(at)), finding.Line(line))
		}
	}
}

// shortName names a target statement; what opens or ends a transaction needs none.
func shortName(s *timeline.LaneStep) string {
	if s.Role == history.Target {
		return s.Name
	}
	return ""
}

func clipped(sql string) string {
	const limit = 110
	text := finding.Line(strings.Join(strings.Fields(sql), " "))
	if r := []rune(text); len(r) > limit {
		text = string(r[:limit]) + "…"
	}
	return text
}

// conclude says what the run shows, and with which exit code that ends.
func conclude(w io.Writer, p *dbms.Profile, out *script.Showing, notes []importer.Note) error {
	wrong := false
	say := func(bad bool, format string, args ...any) {
		wrong = wrong || bad
		fmt.Fprintf(w, format+"\n", args...)
	}
	var crash *exec.CrashError
	switch {
	case errors.As(out.Run.Down, &crash):
		say(true, "the server crashed: %s\n%s", crash.Reason, crash.Log)
	case out.Run.Down != nil:
		say(true, "the server hangs: %s", finding.Line(out.Run.Down.Error()))
	}
	for _, d := range out.Impossible {
		say(true, "an error that no statement can cause: %s %s", d.Stmt, finding.Line(d.Detail))
	}
	for _, i := range out.Run.Lost {
		say(true, "line %d: the connection was lost, and the server lives on: %s", out.Script.Steps[i].Line, clipped(out.Script.Steps[i].SQL))
	}
	for _, i := range out.Run.Killed {
		say(true, "line %d: no answer in time; it was ended from outside: %s", out.Script.Steps[i].Line, clipped(out.Script.Steps[i].SQL))
	}
	transactions := 0
	for _, u := range out.Units {
		if u.Data {
			transactions++
		}
	}
	serializable := p.Isolation == "serializable" || p.Claimed != nil && p.Claimed.Isolation == "serializable"
	switch {
	case out.NotHeld != "":
		say(false, "not held against serial orders: %s", out.NotHeld)
	case out.Fits:
		say(false, "serial orders: %s gives these answers (%d tried, %d transactions)", orderText(out.Order), out.Tried, transactions)
		if out.Early {
			say(serializable, "  but no order does that keeps transactions in order which did not overlap")
		}
	default:
		say(serializable, "serial orders: no serial order gives these answers (%d tried, %d transactions); nearest is %s:", out.Tried, transactions, orderText(out.Order))
		printDifferences(w, out.Differences, "in that order")
		if serializable {
			say(true, "SERIALIZABLE promises one")
		} else {
			say(false, "%s does not promise one", p.Isolation)
		}
	}
	if len(out.Unlike) > 0 {
		say(true, "without transactions the statements of that order answer otherwise:")
		printDifferences(w, out.Unlike, "without")
	}
	missing := 0
	for _, n := range notes {
		if n.Missing {
			missing++
		}
	}
	switch {
	case wrong:
		return &exitError{code: exitFindings}
	case missing > 0:
		return &exitError{exitInconclusive, fmt.Errorf("%d statements were left out: what was run is not what the text is about", missing)}
	}
	return nil
}

func orderText(order []int) string {
	words := make([]string, len(order))
	for i, n := range order {
		words[i] = fmt.Sprintf("T%d", n)
	}
	return strings.Join(words, " ")
}

func printDifferences(w io.Writer, diffs []finding.Difference, other string) {
	for i, d := range diffs {
		if i == 10 {
			fmt.Fprintf(w, "  … and %d more\n", len(diffs)-i)
			return
		}
		fmt.Fprintf(w, "  %s %s %s %s\n    here:  %s\n    %s: %s\n", d.Stmt, d.Kind, finding.Line(d.What), finding.Line(d.Detail), finding.Line(d.Transaction), other, finding.Line(d.Replay))
	}
}
