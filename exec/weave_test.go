package exec

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"txweave/history"
	"txweave/oracle/observe"
	"txweave/testcase"
)

// TestWeave runs the interleavings in testdata/weave. The input of a run command is one statement a line, after
// its transaction's number, in the order of the schedule. Arguments:
//
//	profile=dbms/level
//	no-wait             sessions refuse to wait for locks
//	own=LEVEL           the level of the transactions of session 1
//	probes              print every probe, not only those that waited or failed
//
//	by-session          print each session's statements by themselves, without what depends on a race: whether the
//	                    survivor of a deadlock is seen to wait depends on how soon its victim is rolled back
//
// The output has the statements in the order in which they were answered, each with its number in the order of
// sending, and what was answered; then how the transactions ended, the order of the steps where it is another
// than the schedule, and the final contents.
func TestWeave(t *testing.T) {
	datadriven.Walk(t, "testdata/weave", func(t *testing.T, path string) {
		setup := tables
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd == "tables" {
				setup = d.Input
				return ""
			}
			var name string
			d.ScanArgs(t, "profile", &name)
			p := *lookup(t, name)
			if d.HasArg("no-wait") {
				p.Sessions.Setup = append(slices.Clone(p.Sessions.Setup), p.Sessions.NoWait...)
			}
			r := newRunner(t, target(t, p.DBMS), &p, Options{})
			c := parseCase(t, setup, d.Input)
			if d.HasArg("setting") {
				var setting string
				d.ScanArgs(t, "setting", &setting)
				c.Options = append(c.Options, testcase.Option{Key: testcase.OptionSetting, Value: setting})
			}
			if d.HasArg("own") {
				for i := range c.Txns {
					if c.Txns[i].Session == 1 {
						d.ScanArgs(t, "own", &c.Txns[i].Isolation)
					}
				}
			}
			plan := load(t, r, c)
			if p.DBMS == "mariadb" { // the purge of earlier runs' rows holds the definition of their table
				if err := r.target.Control().Must(t.Context(), "SET GLOBAL innodb_max_purge_lag_wait = 0"); err != nil {
					t.Fatal(err)
				}
			}
			run, err := r.Run(plan, plan.Steps)
			if err != nil {
				return "error: " + err.Error() + "\n"
			}
			checkRun(t, run)
			return printRun(run, d.HasArg("probes"), d.HasArg("by-session"))
		})
	})
}

// checkRun checks what holds of every run.
func checkRun(t *testing.T, run *observe.Run) {
	done := map[int]bool{}
	for i, e := range run.Trace.Events {
		if e.Op != i || e.Done < 0 || done[e.Done] || e.End < e.Start {
			t.Errorf("event %d: op %d, done %d, interval [%d, %d]", i, e.Op, e.Done, e.Start, e.End)
		}
		done[e.Done] = true
		if e.Role == history.Begin && e.Affected != -1 || e.Role == history.End && e.Affected != -1 {
			t.Errorf("%s %s has %d affected rows", e.Session, e.Text, e.Affected)
		}
	}
	aborted := map[int]int{} // transaction -> operation after which the database had given it up
	for _, e := range run.Trace.Events {
		if at, over := aborted[e.Txn]; over && e.Op > at && e.Session == history.SessionName(e.Txn) {
			t.Errorf("%s is sent in autocommit after the transaction has been aborted: %s", e.Session, e.Text)
		}
		if e.Role == history.Abort {
			aborted[e.Txn] = e.Op
		}
	}
	began := map[int]bool{}
	for _, e := range run.Trace.Events {
		began[e.Txn] = began[e.Txn] || e.Role == history.Begin
	}
	for txn, outcome := range run.Txns {
		if _, ok := aborted[txn]; ok != (outcome == history.Aborted) {
			t.Errorf("T%d ended as %d, rolled back by the runner: %v", txn, outcome, ok)
		}
		if span := run.Spans[txn]; span[0] > span[1] || began[txn] && span[0] == span[1] {
			t.Errorf("T%d spans %v", txn, span)
		}
	}
}

func printRun(run *observe.Run, probes, bySession bool) string {
	var b strings.Builder
	events := slices.Clone(run.Trace.Events)
	slices.SortFunc(events, func(x, y *history.Event) int {
		if c := cmp.Compare(x.Session, y.Session); bySession && c != 0 {
			return c
		}
		return cmp.Compare(x.Done, y.Done)
	})
	sent := 0
	number := map[*history.Event]int{}
	shown := func(e *history.Event) bool {
		probe := slices.Contains([]history.Role{history.VSR, history.BWR, history.AWR}, e.Role)
		return e.Role != history.Final && !passing(run.Trace, e) &&
			(probes || !probe || e.Err != nil || e.Blocked && !bySession)
	}
	for _, e := range run.Trace.Events {
		if shown(e) {
			number[e] = sent
			sent++
		}
	}
	for _, e := range events {
		if !shown(e) {
			continue
		}
		role := ""
		if probes || !slices.Contains([]history.Role{history.Begin, history.Target, history.End}, e.Role) {
			role = string(e.Role) + ": "
		}
		if !bySession {
			fmt.Fprintf(&b, "%d ", number[e])
		}
		fmt.Fprintf(&b, "%s %s%s%s", e.Session, role, e.Text, answer(e))
		if e.Blocked && !bySession {
			b.WriteString("   [blocked]")
		}
		b.WriteString("\n")
	}
	for _, bl := range run.Blocks {
		if bySession {
			break
		}
		for _, f := range []struct {
			set  bool
			name string
		}{{bl.Waited, "waited"}, {bl.Reread, "read again"}, {bl.Lost, "lost"}} {
			if f.set {
				fmt.Fprintf(&b, "%s: %s\n", bl.Block.Name(), f.name)
			}
		}
	}
	for i, o := range run.Txns {
		fmt.Fprintf(&b, "T%d %s\n", i, o)
	}
	for _, name := range slices.Sorted(maps.Keys(run.Final)) {
		fmt.Fprintf(&b, "%s: %s\n", name, printRows(run.Final[name]))
	}
	return b.String()
}

// passing says whether a statement was refused because something in the database itself, purge for one, used its table
// for a moment: it was sent again at once, and waited for nobody.
func passing(t *history.Trace, e *history.Event) bool {
	return e.Err != nil && e.Err.Code == 1205 && !e.Blocked && e.Role == history.Target &&
		slices.ContainsFunc(t.Events[e.Op+1:], func(o *history.Event) bool {
			return o.Txn == e.Txn && o.Stmt == e.Stmt && o.Role == e.Role
		})
}

func answer(e *history.Event) string {
	out := " → ok"
	switch {
	case e.Err != nil:
		out = fmt.Sprintf(" → error %d", e.Err.Code)
	case e.Rows != nil:
		out = " → " + printRows(e.Rows)
	case e.Affected >= 0:
		out = fmt.Sprintf(" → %d", e.Affected)
	}
	for _, w := range e.Warnings {
		out += fmt.Sprintf(" (%s %d)", w.Level, w.Code)
	}
	return out
}

func printRows(r *history.Rows) string {
	if r.Len() == 0 {
		return "no rows"
	}
	var rows []string
	for i := range r.Len() {
		var cells []string
		for _, v := range r.Row(i) {
			cells = append(cells, v.String())
		}
		rows = append(rows, "("+strings.Join(cells, ", ")+")")
	}
	return strings.Join(rows, " ")
}
