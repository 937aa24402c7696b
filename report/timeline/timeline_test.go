package timeline

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	mysql "txweave/dbms/mysql/dialect"
	"txweave/fault"
	"txweave/finding"
	"txweave/history"
	"txweave/internal/testkit/said"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// TestGolden lays out the traces in testdata/golden. Each line is an event,
//
//	SESSION TXN STMT ROLE OP DONE START END [blocked] [error=CODE] : SQL
//
// with -1 for the statement of BEGIN and COMMIT and for the DONE of a statement that never answered; "probed NAME"
// keeps the probes of a statement. The output has the moments, one a line, and what was dropped.
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
					c.Txns[e.Txn].Stmts = append(c.Txns[e.Txn].Stmts, testcase.Stmt{SQL: fmt.Sprintf("statement %d",
						len(c.Txns[e.Txn].Stmts))})
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
		{rows(), rows(1), "no row instead of (1)"},
		{rows(1), rows(), "(1) instead of no row"},
		{rows(), rows(1, 2), "no row instead of 2 rows"},
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

// TestTitles: every fault has a sentence for its title and two that say why, all of them whole; what is not known has a
// title too.
func TestTitles(t *testing.T) {
	for _, e := range fault.All() {
		for _, name := range []fault.Kind{e.Kind, e.Kind.With(fault.AfterRebuild)} {
			for _, kind := range []string{"", "SELECT", "UPDATE"} {
				f := &Dossier{Record: finding.Record{Finding: finding.Finding{Class: finding.ClassIsolation,
					Differences: []finding.Difference{{What: name, Kind: kind, Steps: said.Steps("T0.S0 read it")}}},
					Environment: finding.Environment{DBMS: "mariadb", Isolation: "repeatable-read", Claim: "serializable"}}}
				got := f.Title(nil)
				title, level, _ := strings.Cut(got, " (")
				if strings.ContainsAny(title, "{}.;") || strings.Contains(title, "  ") || title[:1] != strings.ToUpper(title[:1]) ||
					level != "REPEATABLE READ, held to what SERIALIZABLE promises)" {
					t.Errorf("%s of %q: %s", name, kind, got)
				}
			}
			if n := strings.Count(e.Why, ". "); e.Class != fault.History && (n > 1 || !strings.HasSuffix(e.Why, ".")) {
				t.Errorf("%s: why it is wrong takes %d sentences, want one or two: %s", name, n+1, e.Why)
			}
		}
	}
	f := &Dossier{Record: finding.Record{Finding: finding.Finding{Class: "new-class", Summary: "Something new",
		Differences: []finding.Difference{{What: "novelty"}}}, Environment: finding.Environment{DBMS: "tidb",
		Isolation: "snapshot"}}}
	if got, want := f.Title(nil), "TiDB: Something new (SNAPSHOT)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func init() { // who reads the statements of a database is told above this package
	sqltext.RegisterSyntax("", &sqltext.Syntax{Quoting: sqltext.FileQuoting,
		Tree: mysql.New(mysql.Server{Product: "MySQL", Version: 90704})})
}

// TestSubject: the title names the statement that met the fault, not the one that an explanation names first.
func TestSubject(t *testing.T) {
	tl := &Timeline{Steps: []*LaneStep{{Name: "T0.S0", SQL: "INSERT INTO t VALUES (1)"},
		{Name: "T0.S1", SQL: "UPDATE t SET a = 1"},
		{Name: "T1.S0", SQL: "SELECT * FROM t"}, {Name: "T1.S1", SQL: "DELETE FROM t"},
		{Name: "T2.S0", SQL: "UPDATE t SET a = 2", Blocked: true}}}
	for _, c := range []struct {
		d    finding.Difference
		want string
	}{
		{finding.Difference{What: fault.G1b, Reader: "T1.S0"},
			"SELECT returns a value that its transaction changes again before it commits"},
		{finding.Difference{What: fault.G1b, Reader: "T1.S1"},
			"DELETE works on a value that its transaction changes again before it commits"},
		{finding.Difference{What: fault.OTV, Reader: "T1.S0"},
			"SELECT returns only a part of a transaction whose other part it has seen"},
		{finding.Difference{What: fault.P4, Reader: "T1.S1"},
			"DELETE overwrites a change that its transaction has not seen: one update is lost"},
		{finding.Difference{Stmt: "T1.S1", Kind: "DELETE", What: "affected-versus-written", Transaction: finding.Affected(1),
			Replay: finding.Affected(0)}, "DELETE reports 1 affected row and changes none"},
		{finding.Difference{Stmt: "T0.S0", Kind: "INSERT", What: "affected-versus-written", Autocommit: true,
			Transaction: finding.Affected(2), Replay: finding.Affected(1)},
			"INSERT reports 2 affected rows and adds 1, without any transaction"},
		{finding.Difference{Stmt: "T0.S1", Kind: "UPDATE", What: "matched-versus-written",
			Transaction: finding.State(history.Dead), Replay: finding.State(2)},
			"UPDATE skips a row that a SELECT with its WHERE clause finds"},
		{finding.Difference{Stmt: "T0.S1", Kind: "UPDATE", What: "matched-versus-written", Transaction: finding.State(3),
			Replay: finding.State(history.Dead)},
			"UPDATE changes a row that a SELECT with its WHERE clause does not find"},
		{finding.Difference{Stmt: "T0.S1", Kind: "UPDATE", What: "matched-versus-written", Transaction: finding.State(3),
			Replay: finding.State(2)},
			"UPDATE changes another version of a row than a SELECT with its WHERE clause finds"},
		{finding.Difference{Stmt: "T2.S0", Kind: "UPDATE", What: "passed-over-after-wait"},
			"UPDATE passes over a row that its WHERE clause finds, after it waited for a lock"},
		{finding.Difference{Stmt: "T2.S0", Kind: "UPDATE", What: "overwrote-unseen"},
			"UPDATE changes another version of a row than the one that its transaction sees, after it waited for a lock"},
		{finding.Difference{What: "missing-row-after-kill"},
			"A transaction misses a row that is there when its statement is killed"},
		{finding.Difference{What: fault.G1aDelete},
			"A transaction misses a row that another one deleted and that is rolled back"},
		{finding.Difference{Stmt: "T0.S0", Kind: "INSERT", What: fault.NewerRead},
			"A transaction sees a change that was committed after its first read"},
	} {
		class := finding.ClassIsolation
		if c.d.What == fault.NewerRead {
			class = finding.ClassSnapshot
		} else if c.d.Stmt == "T2.S0" {
			class = finding.ClassInconsistent
		}
		f := &Dossier{Record: finding.Record{Finding: finding.Finding{Class: class, Differences: []finding.Difference{c.d}}}}
		if got := f.Claim(tl); got != c.want {
			t.Errorf("%s: %q, want %q", c.d.Detail(), got, c.want)
		}
	}
}

// TestTitlesOfPlain: the plain run says what a probe hid, that the statement itself waited; and of one INSERT alone
// what became of it.
func TestTitlesOfPlain(t *testing.T) {
	waited := &PlainForm{Timeline: &Timeline{Steps: []*LaneStep{{Name: "T1.S0", SQL: "UPDATE t SET a = 1",
		Blocked: true}}}}
	d := finding.Difference{Stmt: "T1.S0", Kind: "UPDATE", What: "matched-versus-written",
		Transaction: finding.State(history.Dead), Replay: finding.State(2)}
	f := &Dossier{Plain: waited, Record: finding.Record{Finding: finding.Finding{Class: finding.ClassInconsistent,
		Differences: []finding.Difference{d}}}}
	if got, want := f.Claim(&Timeline{}),
		"UPDATE skips a row that a SELECT with its WHERE clause finds, after it waited for a lock"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if waited.Timeline.Steps[0].SQL = "DELETE FROM t"; f.Claim(&Timeline{}) !=
		"UPDATE skips a row that a SELECT with its WHERE clause finds" {
		t.Errorf("another statement waited: %q", f.Claim(&Timeline{}))
	}
	twice := finding.Difference{Stmt: "T0.S0", Kind: "INSERT", What: fault.RowTwice,
		Steps: said.Steps("the version-set read printed row 1 of t twice")}
	f = &Dossier{Record: finding.Record{Finding: finding.Finding{Class: finding.ClassInconsistent,
		Differences: []finding.Difference{twice}}}}
	if got, want := f.Claim(&Timeline{}), "SELECT returns one row twice"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	aborted := finding.Difference{What: fault.G1a, Reader: "T1.S0"}
	reader := &Timeline{Steps: []*LaneStep{{Name: "T1.S0", Role: history.Target, SQL: "SELECT * FROM t"}}}
	for _, end := range []struct{ sql, want string }{
		{"COMMIT", "SELECT returns a change that another transaction has not committed"},
		{"ROLLBACK", "SELECT returns a change that is rolled back later"}} {
		f = &Dossier{Record: finding.Record{Finding: finding.Finding{Class: finding.ClassIsolation,
			Differences: []finding.Difference{aborted}}},
			Plain: &PlainForm{Case: &testcase.Case{Txns: make([]testcase.Txn, 1)},
				Timeline: &Timeline{Steps: []*LaneStep{{Role: history.End, SQL: end.sql, Answered: true}}}}}
		if got := f.Claim(reader); got != end.want {
			t.Errorf("%s: %q, want %q", end.sql, got, end.want)
		}
	}
	rows := func(n int) *history.Rows {
		r := &history.Rows{Columns: []string{"id"}}
		for i := range n {
			r.Cells = append(r.Cells, history.IntValue(int64(i)))
		}
		return r
	}
	for _, c := range []struct {
		end              string
		affected         int64
		actual, expected int
		want             string
	}{{"COMMIT", 1, 0, 1, "What INSERT has added is gone after COMMIT"}, {"COMMIT", 2, 0, 1, ""}, {"COMMIT", 1, 2, 1, ""},
		{"ROLLBACK", 1, 0, 1, ""}, {"COMMIT", 0, 1, 1, ""}} {
		p := &PlainForm{Case: &testcase.Case{Txns: []testcase.Txn{{Stmts: []testcase.Stmt{{SQL: "INSERT INTO t VALUES (1)"}},
			End: testcase.Stmt{SQL: c.end}}}},
			Timeline: &Timeline{Steps: []*LaneStep{{Role: history.Target, SQL: "INSERT INTO t VALUES (1)",
				Answer: history.Answer{Affected: c.affected}}},
				Tables: []FinalTable{{Name: "t", Actual: rows(c.actual), Expected: rows(c.expected)}}}}
		if got := p.gone(); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
	changed := func(v int64) *history.Rows {
		return &history.Rows{Columns: []string{"id", "a"}, Cells: []history.Value{history.IntValue(1), history.IntValue(v)}}
	}
	for _, c := range []struct {
		sql              string
		actual, expected *history.Rows
		want             string
	}{
		{"UPDATE t SET a = 20", changed(10), changed(20), "What UPDATE has changed is undone after COMMIT"},
		{"UPDATE t SET a = 20", changed(30), changed(20), ""}, // it wrote something else
		{"DELETE FROM t", changed(10), &history.Rows{Columns: []string{"id", "a"}},
			"What DELETE has removed is there again after COMMIT"},
	} {
		p := &PlainForm{Case: &testcase.Case{Rows: []testcase.Stmt{{SQL: "INSERT INTO t VALUES (1, 10)"}},
			Txns: []testcase.Txn{{Stmts: []testcase.Stmt{{SQL: c.sql}}, End: testcase.Stmt{SQL: "COMMIT"}}}},
			Timeline: &Timeline{Steps: []*LaneStep{{Role: history.Target, SQL: c.sql, Answer: history.Answer{Affected: 1}}},
				Tables: []FinalTable{{Name: "t", Actual: c.actual, Expected: c.expected}}}}
		if got := p.gone(); got != c.want {
			t.Errorf("%s: %q, want %q", c.sql, got, c.want)
		}
	}
}

// TestUnconditional: of a statement without a WHERE clause nothing is said of its WHERE clause.
func TestUnconditional(t *testing.T) {
	d := finding.Difference{Stmt: "T0.S0", Kind: "UPDATE", What: "matched-versus-written",
		Transaction: finding.State(history.Dead), Replay: finding.State(2)}
	for sql, want := range map[string]string{
		"UPDATE t SET a = 1":                       "UPDATE without a WHERE clause skips a row",
		"UPDATE t SET a = 1 WHERE a > 0":           "UPDATE skips a row that a SELECT with its WHERE clause finds",
		"UPDATE t SET a = 1 LIMIT 1":               "UPDATE skips a row that a SELECT with its WHERE clause finds",
		"UPDATE t JOIN u ON t.a = u.a SET t.a = 1": "UPDATE skips a row that a SELECT with its WHERE clause finds",
	} {
		f := &Dossier{Case: &testcase.Case{Txns: []testcase.Txn{{Stmts: []testcase.Stmt{{SQL: sql}}}}},
			Record: finding.Record{Finding: finding.Finding{Class: finding.ClassInconsistent,
				Differences: []finding.Difference{d}}}}
		if got := f.Claim(&Timeline{}); got != want {
			t.Errorf("%s: %q, want %q", sql, got, want)
		}
		if got := strings.Contains(f.Why(), "Without a WHERE clause"); got != strings.Contains(want, "without") {
			t.Errorf("%s: %q", sql, f.Why())
		}
	}
}

// TestTitlesOfHangs: a statement of the case is told from one of the tool's own, which was not tried outside a
// transaction.
func TestTitlesOfHangs(t *testing.T) {
	for _, c := range []struct {
		d    finding.Difference
		want string
	}{
		{finding.Difference{Stmt: "T0.S1", Kind: "SELECT", What: "hang"},
			"SELECT does not end in a transaction, and does without one"},
		{finding.Difference{Stmt: "T0.S1", Kind: finding.AddedRead, What: "hang"}, "A read of a table does not end"},
		{finding.Difference{What: "hang", Steps: said.Steps("BEGIN;DROP TABLE IF EXISTS t0")},
			"A statement that makes the tables does not end"},
	} {
		f := &Dossier{Record: finding.Record{Finding: finding.Finding{Class: finding.ClassHang,
			Differences: []finding.Difference{c.d}}}}
		if got := f.Claim(&Timeline{}); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
