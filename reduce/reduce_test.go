package reduce

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"txweave/sql/sqltext"
	"txweave/testcase"
)

// contains is a predicate for cases that have all of the needles in their text.
func contains(needles ...string) Interesting {
	return func(_ context.Context, c *testcase.Case) (bool, error) {
		text := string(c.Print())
		return !slices.ContainsFunc(needles, func(n string) bool { return !strings.Contains(text, n) }), nil
	}
}

// inOrder is a predicate for cases that submit statements with these texts in this order.
func inOrder(needles ...string) Interesting {
	return func(_ context.Context, c *testcase.Case) (bool, error) {
		step := make([]int, len(c.Txns))
		left := needles
		for _, n := range c.Schedule {
			if sql := c.Txns[n].Step(step[n]).SQL; len(left) > 0 && sql == left[0] {
				left = left[1:]
			}
			step[n]++
		}
		return len(left) == 0, nil
	}
}

func both(p, q Interesting) Interesting {
	return func(ctx context.Context, c *testcase.Case) (bool, error) {
		ok, err := p(ctx, c)
		if !ok || err != nil {
			return false, err
		}
		return q(ctx, c)
	}
}

// large returns a case of n transactions with n statements each, "S<txn>.<statement>", and n initial rows in
// each of three tables, in random order.
func large(n int, rng *rand.Rand) *testcase.Case {
	c := &testcase.Case{Target: "none", Isolation: "serializable", Comments: []string{"# large"}}
	for i := range 3 {
		c.Schema = append(c.Schema, testcase.Stmt{SQL: fmt.Sprintf("CREATE TABLE t%d (pkey INT)", i)})
		for j := range n {
			c.Rows = append(c.Rows, testcase.Stmt{SQL: fmt.Sprintf("INSERT INTO t%d VALUES (%d, 'row%d.%d')", i, j, i, j)})
		}
	}
	for i := range n {
		t := testcase.Txn{Begin: testcase.Stmt{SQL: "BEGIN"}, End: testcase.Stmt{SQL: "COMMIT"}}
		for j := range n {
			t.Stmts = append(t.Stmts, testcase.Stmt{SQL: fmt.Sprintf("SELECT 'S%d.%d' FROM t%d", i, j, j%3)})
		}
		c.Txns = append(c.Txns, t)
	}
	c.Schedule = c.SerialSchedule()
	rng.Shuffle(len(c.Schedule), func(i, j int) { c.Schedule[i], c.Schedule[j] = c.Schedule[j], c.Schedule[i] })
	return c
}

// shuffleUntil puts the steps of the case's transactions in an order in which p holds.
func shuffleUntil(t *testing.T, c *testcase.Case, p Interesting, rng *rand.Rand) {
	t.Helper()
	for range 10000 {
		if ok, _ := p(context.Background(), c); ok {
			return
		}
		rng.Shuffle(len(c.Schedule), func(i, j int) { c.Schedule[i], c.Schedule[j] = c.Schedule[j], c.Schedule[i] })
	}
	t.Fatal("no schedule found")
}

// summary lists what is left of a case.
func summary(c *testcase.Case) string {
	var parts []string
	for _, stmts := range [][]testcase.Stmt{c.Schema, c.Rows} {
		for _, s := range stmts {
			parts = append(parts, s.SQL)
		}
	}
	for n := range c.Txns {
		for _, s := range c.Txns[n].Stmts {
			parts = append(parts, s.SQL)
		}
		parts = append(parts, "|")
	}
	return strings.Join(append(parts, fmt.Sprint(c.Schedule)), " ")
}

func TestExactMinimum(t *testing.T) {
	const s23, s57, s28 = "SELECT 'S2.3' FROM t0", "SELECT 'S5.7' FROM t1", "SELECT 'S2.8' FROM t2"
	tests := []struct {
		name      string
		predicate Interesting
		want      string
	}{
		{"always", contains(), ""},
		{"one statement", contains(s57), "CREATE TABLE t1 (pkey INT) " + s57 + " | [0 0 0]"},
		{"statement, row, order", both(contains("row1.4"), inOrder(s23, s57)),
			"CREATE TABLE t0 (pkey INT) CREATE TABLE t1 (pkey INT) INSERT INTO t1 VALUES (4, 'row1.4') " + s23 + " | " + s57 +
				" | [0 0 0 1 1 1]"},
		{"the other order", inOrder(s57, s23),
			"CREATE TABLE t0 (pkey INT) CREATE TABLE t1 (pkey INT) " + s57 + " | " + s23 + " | [0 0 0 1 1 1]"},
		{"one between two", inOrder(s23, s57, s28),
			"CREATE TABLE t0 (pkey INT) CREATE TABLE t1 (pkey INT) CREATE TABLE t2 (pkey INT) " +
				s23 + " " + s28 + " | " + s57 + " | [0 0 1 1 1 0 0]"},
		{"a table that only its row needs", both(contains("row2.0"), inOrder(s57)),
			"CREATE TABLE t1 (pkey INT) CREATE TABLE t2 (pkey INT) INSERT INTO t2 VALUES (0, 'row2.0') " + s57 + " | [0 0 0]"},
	}
	for i, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, uint64(i)))
			c := large(9, rng)
			shuffleUntil(t, c, test.predicate, rng)
			original := c.Print()
			got, stats, err := Reduce(context.Background(), c, test.predicate, Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d attempts, %d repeats, %d rounds: %v", stats.Attempts, stats.Repeats, stats.Rounds, stats.Passes)
			if s := summary(got); s != test.want && test.want != "" {
				t.Errorf("got  %s\nwant %s", s, test.want)
			}
			if !bytes.Equal(c.Print(), original) {
				t.Error("the original was changed")
			}
			if stats.Stop != Fixpoint {
				t.Errorf("stopped by %q", stats.Stop)
			}
			if test.want == "" && (len(got.Txns) != 1 || len(got.Txns[0].Stmts) != 1 || len(got.Rows) != 0 ||
				len(got.Schema) != 0) {
				t.Errorf("not the smallest case:\n%s", got.Print())
			}
		})
	}
}

// TestSettings: of a setting of the run and one of the plan that is left which alone shows it, though both were needed.
func TestSettings(t *testing.T) {
	for _, x := range []struct{ shows, want string }{{"plan: b", "plan b"}, {"setting: a", "setting a"},
		{"plan: a", "plan a"}, {"", ""}} {
		c := large(2, rand.New(rand.NewPCG(1, 1)))
		c.SetOption(testcase.OptionPlan, "b")
		c.SetOption(testcase.OptionSetting, "a")
		whole := c.Print()
		got, _, err := Reduce(t.Context(), c, func(_ context.Context, c *testcase.Case) (bool, error) {
			text := c.Print()
			return bytes.Equal(text, whole) || strings.Contains(string(text), x.shows), nil
		}, Options{Passes: []Pass{{"settings", dropSettings}}, Unconditional: true})
		if err != nil {
			t.Fatal(err)
		}
		left := ""
		for _, o := range got.Options {
			left += o.Key + " " + o.Value
		}
		if left != x.want {
			t.Errorf("%q shows it: %q is left, want %q", x.shows, left, x.want)
		}
	}
}

// TestGolden reduces the cases of testdata to texts that contain every one of the needles, written "a_b" for "a b";
// with "conditions" it prints what they need as well.
func TestGolden(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			c, err := testcase.Parse("case.txw", []byte(d.Input))
			if err != nil {
				return err.Error() + "\n"
			}
			var needles []string
			for _, arg := range d.CmdArgs {
				if arg.Key == "needles" {
					for _, n := range arg.Vals {
						needles = append(needles, strings.ReplaceAll(n, "_", " "))
					}
				}
			}
			got, stats, err := Reduce(context.Background(), c, contains(needles...), Options{Isolations: []string{"weaker"}})
			if err != nil {
				return err.Error() + "\n"
			}
			out := string(got.Print())
			if d.HasArg("conditions") {
				for _, n := range stats.Conditions {
					out += fmt.Sprintf("%s: %s\n", n.Kind, n.Text)
				}
			}
			return out
		})
	})
}

func TestAttemptsBudget(t *testing.T) {
	needles := both(contains("row1.4"), contains("S2.3", "S5.7"))
	c := large(9, rand.New(rand.NewPCG(3, 3)))
	full := 0
	for budget := 1; full == 0; budget += 1 + budget/4 {
		calls := 0
		seen := map[string]bool{}
		p := func(ctx context.Context, c *testcase.Case) (bool, error) {
			calls++
			text := string(c.Print())
			if seen[text] {
				t.Errorf("asked twice about\n%s", text)
			}
			seen[text] = true
			return needles(ctx, c)
		}
		got, stats, err := Reduce(context.Background(), c, p, Options{MaxAttempts: budget})
		if err != nil {
			t.Fatal(err)
		}
		if calls > budget || calls != stats.Attempts {
			t.Errorf("budget %d: %d calls, %d counted", budget, calls, stats.Attempts)
		}
		if ok, _ := needles(context.Background(), got); !ok {
			t.Errorf("budget %d: the result does not satisfy the predicate", budget)
		}
		tried := 1
		for _, p := range stats.Passes {
			tried += p.Tried
		}
		if tried != calls {
			t.Errorf("budget %d: passes tried %d, calls %d", budget, tried, calls)
		}
		switch stats.Stop {
		case Fixpoint:
			full = calls
		case OutAttempts:
			if calls != budget {
				t.Errorf("budget %d: stopped after %d calls", budget, calls)
			}
		default:
			t.Fatalf("budget %d: stopped by %q", budget, stats.Stop)
		}
	}
}

func TestTimeBudget(t *testing.T) {
	c := large(4, rand.New(rand.NewPCG(4, 4)))
	calls := 0
	p := func(ctx context.Context, c *testcase.Case) (bool, error) {
		if calls++; calls < 3 {
			return true, nil
		}
		<-ctx.Done()
		return false, fmt.Errorf("run: %w", ctx.Err())
	}
	got, stats, err := Reduce(context.Background(), c, p, Options{MaxTime: 50 * time.Millisecond})
	if err != nil || got == nil || stats.Stop != OutTime || calls != 3 {
		t.Errorf("got %v, stop %q, %d calls, error %v", got != nil, stats.Stop, calls, err)
	}
	if len(got.Txns) >= len(c.Txns) {
		t.Error("what was reached before the end is lost")
	}
	calls = 2
	got, _, err = Reduce(context.Background(), c, p, Options{MaxTime: time.Millisecond})
	if got != nil || err == nil || !errors.Is(err, ErrUnchecked) {
		t.Errorf("no time for the first check: %v, %v", got != nil, err)
	}
}

func TestErrors(t *testing.T) {
	c := large(4, rand.New(rand.NewPCG(5, 5)))
	never := func(context.Context, *testcase.Case) (bool, error) { return false, nil }
	if got, stats, err := Reduce(context.Background(), c, never, Options{}); !errors.Is(err, ErrDoesNotHold) ||
		got != nil || stats.Stop != Failed {
		t.Errorf("a predicate that does not hold: %v, %q, %v", got != nil, stats.Stop, err)
	}
	broken := errors.New("server gone")
	for after := range 6 {
		calls := 0
		p := func(context.Context, *testcase.Case) (bool, error) {
			if calls++; calls > after {
				return true, broken
			}
			return true, nil
		}
		got, stats, err := Reduce(context.Background(), c, p, Options{MaxAttempts: after + 1})
		if !errors.Is(err, broken) || (got != nil) != (after > 0) || calls != after+1 || stats.Stop != Failed {
			t.Errorf("error after %d calls: %v, %d calls, stop %q, %v", after, got != nil, calls, stats.Stop, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	calls := 0
	p := func(context.Context, *testcase.Case) (bool, error) {
		if calls++; calls == 3 {
			cancel()
		}
		return true, nil
	}
	if got, _, err := Reduce(ctx, c, p, Options{}); !errors.Is(err, context.Canceled) || got == nil || calls != 3 {
		t.Errorf("canceled: %v, %d calls, %v", got != nil, calls, err)
	}
	bad := c.Clone()
	bad.Schedule = nil
	if _, _, err := Reduce(context.Background(), bad, contains(), Options{}); err == nil || !strings.Contains(err.Error(),
		"not valid") {
		t.Errorf("a case that is not valid: %v", err)
	}
	failing := Pass{"failing", func(*Search) error { return broken }}
	if got, _, err := Reduce(context.Background(), c, contains(), Options{Passes: []Pass{failing}}); !errors.Is(err,
		broken) || got == nil {
		t.Errorf("a pass that fails: %v", err)
	}
}

// TestOwnPass: a pass from outside runs among the others, candidates that are none are refused, a predicate
// that changes its case changes nothing, and going back to a case that was left is refused.
func TestOwnPass(t *testing.T) {
	c := large(2, rand.New(rand.NewPCG(6, 6)))
	toggle := Pass{"toggle", func(s *Search) error {
		d := s.Case().Clone()
		d.Txns[0].End.SQL = map[string]string{"COMMIT": "ROLLBACK", "ROLLBACK": "COMMIT"}[d.Txns[0].End.SQL]
		if _, err := s.Try(d); err != nil {
			return err
		}
		empty, invalid := s.Case().Clone(), s.Case().Clone()
		for i := range empty.Txns {
			empty.Txns[i].Stmts = nil
		}
		empty.Schedule = empty.SerialSchedule()
		invalid.Schedule = nil
		for _, d := range []*testcase.Case{empty, invalid} {
			if kept, err := s.Try(d); kept || err != nil {
				t.Errorf("kept %v, error %v:\n%s", kept, err, d.Print())
			}
		}
		return nil
	}}
	var told []string
	p := func(_ context.Context, c *testcase.Case) (bool, error) {
		c.Txns[0].Stmts = nil
		return true, nil
	}
	got, stats, err := Reduce(context.Background(), c, p, Options{
		Passes: []Pass{toggle},
		Kept:   func(pass string, c *testcase.Case) { told = append(told, pass+" "+c.Txns[0].End.SQL) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if got.Txns[0].End.SQL != "ROLLBACK" || len(got.Txns[0].Stmts) != 2 || stats.Rounds != 2 || stats.Repeats != 1 {
		t.Errorf("%+v\n%s", stats, got.Print())
	}
	if want := []string{"toggle ROLLBACK"}; !reflect.DeepEqual(told, want) {
		t.Errorf("told of %q, want %q", told, want)
	}
}

// TestInsertOf: an INSERT is read as its rows, each of which can go; one that spells none, or some of the wrong length,
// is not.
func TestInsertOf(t *testing.T) {
	c := &testcase.Case{Target: "mariadb", Schema: []testcase.Stmt{{SQL: "CREATE TABLE t0 (a INT, b TEXT)"}}}
	s := &Search{syntax: sqltext.SyntaxOf(c.Target)}
	for sql, want := range map[string][]string{
		"INSERT INTO t0 VALUES (1, 'x')": {"INSERT INTO t0"},
		"INSERT INTO t0 (a, b) VALUES (1, ')'), (f(2), 'x'),(3, '')": {"INSERT INTO t0 (a, b) VALUES (f(2), 'x'), (3, '')",
			"INSERT INTO t0 (a, b) VALUES (1, ')'), (3, '')", "INSERT INTO t0 (a, b) VALUES (1, ')'), (f(2), 'x')"},
		"/* c */ replace INTO t0 VALUE\n(1, 2),\n  (2, 3)": {"/* c */ replace INTO t0 VALUES (2, 3)",
			"/* c */ replace INTO t0 VALUES (1, 2)"},
		"INSERT INTO t0 VALUES (1, 2), (2, 3) ON DUPLICATE KEY UPDATE a = 1": {
			"INSERT INTO t0 VALUES (2, 3) ON DUPLICATE KEY UPDATE a = 1",
			"INSERT INTO t0 VALUES (1, 2) ON DUPLICATE KEY UPDATE a = 1"},
		"INSERT INTO t0 VALUES (1), (2)": nil,
		"INSERT INTO t0 VALUES (1, 2), ": nil,
		"INSERT INTO t0 SELECT 1, 2":     nil,
		"UPDATE t0 SET a = 1":            nil,
	} {
		in, ok := s.insertOf(c, sql)
		if ok != (want != nil) || ok && len(in.rows) != len(want) {
			t.Errorf("%s: %d rows", sql, len(in.rows))
			continue
		}
		for i := range want {
			left := slices.Delete(slices.Clone(in.rows), i, i+1)
			if len(left) == 0 {
				continue
			}
			if got := s.print(in.with(left), sql); got != want[i] {
				t.Errorf("%s: %s, want %s", sql, got, want[i])
			}
		}
	}
}

func TestUnusedTables(t *testing.T) {
	tests := []struct {
		schema, stmt string
		want         []string
	}{
		{"CREATE TABLE t0 (a INT); CREATE TABLE t1 (a INT)", "SELECT * FROM T1", []string{"t0"}},
		{"CREATE TABLE t0 (a INT); CREATE INDEX t1 ON t0 (a)", "SELECT 't0' -- t0", []string{"t0"}},
		{"CREATE TEMPORARY TABLE IF NOT EXISTS db.`t 0` (a INT)", "SELECT 1", []string{"t 0"}},
		{"CREATE TABLE \"t0\" (a INT)", "SELECT * FROM db.`t0`", nil},
		{"CREATE TABLE t0 (a INT); CREATE OR REPLACE ALGORITHM = MERGE VIEW v0 AS SELECT * FROM t0; CREATE VIEW v1 AS " +
			"SELECT * FROM t0", "SELECT * FROM v0", []string{"v1"}},
		{"CREATE TABLE t0 (a INT); CREATE TABLE t1 (a INT REFERENCES t0 (a)); CREATE TABLE t2 (a INT REFERENCES t1 (a))",
			"SELECT * FROM t1", []string{"t2"}},
		{"CREATE TABLE t0 (a INT); CREATE TABLE t1 (a INT REFERENCES t0 (a)); CREATE TABLE t2 (a INT REFERENCES t1 (a))",
			"SELECT * FROM t2", nil},
		{"CREATE TABLE t0 (a INT); CREATE TABLE t1 (a INT); ALTER TABLE t1 ADD FOREIGN KEY (a) REFERENCES t0 (a)",
			"SELECT * FROM t1", nil},
		{"CREATE", "SELECT 1", nil},
		{"CREATE TABLE", "SELECT 1", nil},
		{"CREATE UNIQUE INDEX table ON t0 (a)", "SELECT 1", nil},
	}
	for _, test := range tests {
		c := &testcase.Case{Txns: []testcase.Txn{{Stmts: []testcase.Stmt{{SQL: test.stmt}}}}}
		for sql := range strings.SplitSeq(test.schema, "; ") {
			c.Schema = append(c.Schema, testcase.Stmt{SQL: sql})
		}
		if got := unusedTables(c); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s / %s: got %q, want %q", test.schema, test.stmt, got, test.want)
		}
	}
}

// TestDisconnectGoes: a session that ends itself rolls back instead, where that shows as much.
func TestDisconnectGoes(t *testing.T) {
	for target, end := range map[string]string{"mariadb": "KILL CONNECTION_ID()",
		"postgresql": "SELECT pg_terminate_backend(pg_backend_pid())"} {
		c := &testcase.Case{Target: target, Isolation: "serializable",
			Schema: []testcase.Stmt{{SQL: "CREATE TABLE t (pkey INT)"}},
			Txns: []testcase.Txn{{Begin: testcase.Stmt{SQL: "BEGIN"}, Stmts: []testcase.Stmt{{SQL: "DELETE FROM t"}},
				End: testcase.Stmt{SQL: end}}}}
		c.Schedule = c.SerialSchedule()
		undone := func(_ context.Context, c *testcase.Case) (bool, error) {
			return c.Read(c.Txns[0].End.SQL).RollsBack(), nil
		}
		got, _, err := Reduce(t.Context(), c, undone, Options{})
		if err != nil || got.Txns[0].End.SQL != "ROLLBACK" {
			t.Errorf("%s: %v\n%s", end, err, got.Print())
		}
	}
}

// TestPreparedGoes: a transaction that is prepared commits at once instead, where that shows as much.
func TestPreparedGoes(t *testing.T) {
	c := &testcase.Case{Target: "none", Isolation: "serializable",
		Schema: []testcase.Stmt{{SQL: "CREATE TABLE t (pkey INT)"}},
		Txns: []testcase.Txn{{Begin: testcase.Stmt{SQL: "BEGIN"}, Stmts: []testcase.Stmt{{SQL: "DELETE FROM t"},
			{SQL: "PREPARE TRANSACTION 'a'"}},
			End: testcase.Stmt{SQL: "COMMIT PREPARED 'a'"}}}}
	c.Schedule = c.SerialSchedule()
	commits := func(_ context.Context, c *testcase.Case) (bool, error) {
		return sqltext.KindOf(c.Txns[0].End.SQL) == sqltext.Commit && c.Txns[0].Stmts[0].SQL == "DELETE FROM t", nil
	}
	got, _, err := Reduce(t.Context(), c, commits, Options{})
	if err != nil || got.Txns[0].End.SQL != "COMMIT" || len(got.Txns[0].Stmts) != 1 {
		t.Errorf("%v\n%s", err, got.Print())
	}
}

// TestValuesOfManyRows: values of a statement that is too long to be kept as a tree become simple as well.
func TestValuesOfManyRows(t *testing.T) {
	var rows []string
	for i := range 700 {
		rows = append(rows, fmt.Sprintf("(%d, %d)", i+1, 5000+i))
	}
	c := &testcase.Case{Target: "sqlite", Isolation: "serializable",
		Schema: []testcase.Stmt{{SQL: "CREATE TABLE t (pkey INTEGER PRIMARY KEY, a INT)"}},
		Rows:   []testcase.Stmt{{SQL: "INSERT INTO t (pkey, a) VALUES " + strings.Join(rows, ", ")}},
		Txns: []testcase.Txn{{Begin: testcase.Stmt{SQL: "BEGIN"}, Stmts: []testcase.Stmt{{SQL: "SELECT a FROM t"}},
			End: testcase.Stmt{SQL: "COMMIT"}}}, Schedule: []int{0, 0, 0}}
	all := func(_ context.Context, c *testcase.Case) (bool, error) { return CountRows(c) == len(rows), nil }
	got, _, err := Reduce(t.Context(), c, all, Options{Unconditional: true, Passes: []Pass{{"values", simplifyValues}}})
	if err != nil {
		t.Fatal(err)
	}
	if text := got.Rows[0].SQL; strings.Count(text, ", 0)") != len(rows) {
		t.Errorf("%.80s …", text)
	}
}
