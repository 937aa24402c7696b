package timeline

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"txweave/finding"
	"txweave/history"
	"txweave/testcase"
)

// TestGolden lays out the traces in testdata/golden. Each line is an event,
//
//	SESSION TXN STMT ROLE OP DONE START END [blocked] [error=CODE] : SQL
//
// with -1 for the statement of BEGIN and COMMIT and for the DONE of a statement that never answered; "probed NAME" keeps
// the probes of a statement. The output has the moments, one a line, and what was dropped.
func TestGolden(t *testing.T) {
	datadriven.Walk(t, "testdata/golden", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			var probed []string
			for _, a := range d.CmdArgs {
				if a.Key == "probed" {
					probed = a.Vals
				}
			}
			run := &history.Trace{}
			c := &testcase.Case{}
			for line := range strings.Lines(d.Input) {
				e := parseEvent(t, d, line)
				run.Events = append(run.Events, e)
				for len(c.Txns) <= e.Txn {
					c.Txns = append(c.Txns, testcase.Txn{})
				}
				for e.Stmt >= 0 && len(c.Txns[e.Txn].Stmts) <= e.Stmt {
					c.Txns[e.Txn].Stmts = append(c.Txns[e.Txn].Stmts, testcase.Stmt{SQL: fmt.Sprintf("statement %d", len(c.Txns[e.Txn].Stmts))})
				}
			}
			return printTimeline(Build(c, run, nil, nil, probed))
		})
	})
}

func parseEvent(t *testing.T, d *datadriven.TestData, line string) *history.Event {
	t.Helper()
	head, sql, _ := strings.Cut(line, " : ")
	e := &history.Event{Text: strings.TrimSpace(sql), Answer: history.Answer{Affected: -1}}
	var role string
	if _, err := fmt.Sscan(head, &e.Session, &e.Txn, &e.Stmt, &role, &e.Op, &e.Done, &e.Start, &e.End); err != nil {
		d.Fatalf(t, "%s: %v", line, err)
	}
	e.Role = history.Role(role)
	for _, word := range strings.Fields(head)[8:] {
		code := 0
		if word == "blocked" {
			e.Blocked = true
		} else if _, err := fmt.Sscanf(word, "error=%d", &code); err == nil {
			e.Err = &history.DBError{Code: code, Message: "no"}
		} else {
			d.Fatalf(t, "%s: %s", line, word)
		}
	}
	return e
}

func printTimeline(t *Timeline) string {
	var b strings.Builder
	kinds := map[MarkKind]string{Ran: "", Blocked: " blocked", Resumed: " resumed"}
	for _, m := range t.Marks {
		fmt.Fprintf(&b, "%s: %s%s %s", t.Lanes[m.Step.Lane].Name, m.Step.Name, kinds[m.Kind], m.Step.SQL)
		if m.Kind != Blocked && m.Step.Answer.Err != nil {
			fmt.Fprintf(&b, " -> %s", AnswerShort(&m.Step.Answer))
		}
		b.WriteString("\n")
	}
	for _, s := range t.Steps {
		if !s.Answered {
			fmt.Fprintf(&b, "%s has no answer\n", s.Name)
		}
	}
	if len(t.Dropped) > 0 {
		fmt.Fprintf(&b, "dropped %v\n", t.Dropped)
	}
	return b.String()
}

// TestVersus: what a title says about two results.
func TestVersus(t *testing.T) {
	rows := func(n ...int64) *history.Rows {
		r := &history.Rows{Columns: []string{"a"}}
		for _, v := range n {
			r.Cells = append(r.Cells, history.IntValue(v))
		}
		return r
	}
	for _, c := range []struct {
		a, b *history.Rows
		want string
	}{
		{rows(1, 2), rows(1, 3), "(2) instead of (3)"},
		{rows(1), rows(1, 3), "1 row instead of 2 rows"},
		{rows(), rows(1), "0 rows instead of 1 row"},
		{rows(1, 2, 3), rows(1, 4, 5), "2 wrong rows instead of 2 other rows"},
		{rows(1, 1), rows(1, 2), "(1) instead of (2)"},
		{rows(2, 1), rows(1, 2), "its rows in another order instead of the one that ORDER BY asks for"},
	} {
		if x, y := versus(c.a, c.b); x+" instead of "+y != c.want {
			t.Errorf("versus(%v, %v) = %s instead of %s, want %s", c.a.Cells, c.b.Cells, x, y, c.want)
		}
	}
}

// TestGrid: wide characters, NULL, text that looks like a number, line breaks, and too many rows.
func TestGrid(t *testing.T) {
	r := &history.Rows{Columns: []string{"a", "b"}, Types: []string{"VARCHAR", "DECIMAL"}, Cells: []history.Value{
		history.TextValue("жб"), history.TextValue("-57.5"), {}, history.TextValue("1"), history.TextValue("a\nb'"), {},
	}}
	want := []string{`a        | b`, `---------+------`, `'жб'     | -57.5`, `NULL     | 1`, `'a\nb''' | NULL`, `(3 rows)`}
	if got := Grid(r); !slices.Equal(got[:1], want[:1]) || !slices.Equal(got[2:], want[2:]) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	long := &history.Rows{Columns: []string{"n"}}
	for i := range int64(100) {
		long.Cells = append(long.Cells, history.IntValue(i))
	}
	if got := Grid(long); len(got) != MaxRows+3 || got[len(got)-1] != "(100 rows, 20 shown)" {
		t.Errorf("%d lines, the last is %q", len(got), got[len(got)-1])
	}
}

// TestTitles: every phenomenon and inconsistency has words; what is not known has a title too.
func TestTitles(t *testing.T) {
	for name, w := range phenomena {
		f := &Dossier{Record: finding.Record{Finding: finding.Finding{Class: finding.ClassIsolation, Differences: []finding.Difference{{What: name, Detail: "T0.S0 read it"}}},
			Environment: finding.Environment{DBMS: "mariadb", Isolation: "repeatable-read", Claim: "serializable"}}}
		got := f.Title(nil)
		if w.name == "" || !strings.HasPrefix(got, "mariadb: a statement returns ") || !strings.HasSuffix(got, " under repeatable-read (held to what serializable forbids)") {
			t.Errorf("%s: %s", name, got)
		}
	}
	f := &Dossier{Record: finding.Record{Finding: finding.Finding{Class: "new-class", Summary: "something new",
		Differences: []finding.Difference{{What: "novelty"}}}, Environment: finding.Environment{DBMS: "tidb", Isolation: "snapshot"}}}
	if got, want := f.Title(nil), "tidb: something new under snapshot"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
