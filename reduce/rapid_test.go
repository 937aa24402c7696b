package reduce

import (
	"context"
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"txweave/internal/testkit/effort"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// caseGen draws small cases in which every statement and row has its own text.
func caseGen() *rapid.Generator[*testcase.Case] {
	return rapid.Custom(func(t *rapid.T) *testcase.Case {
		c := &testcase.Case{Target: "none", Isolation: "none"}
		tables := rapid.IntRange(1, 4).Draw(t, "tables")
		for i := range tables {
			sql := fmt.Sprintf("CREATE TABLE t%d (pkey INT)", i)
			if i > 0 && rapid.Bool().Draw(t, "foreign key") {
				sql = fmt.Sprintf("CREATE TABLE t%d (pkey INT REFERENCES t%d (pkey))", i, i-1)
			}
			c.Schema = append(c.Schema, testcase.Stmt{SQL: sql})
			if rapid.Bool().Draw(t, "index") {
				c.Schema = append(c.Schema, testcase.Stmt{SQL: fmt.Sprintf("CREATE INDEX i%d ON t%d (pkey)", i, i)})
			}
		}
		table := rapid.IntRange(0, tables-1)
		for i := range rapid.IntRange(0, 4).Draw(t, "inserts") {
			rows := make([]string, rapid.IntRange(1, 3).Draw(t, "rows"))
			for j := range rows {
				rows[j] = fmt.Sprintf("('r%d.%d')", i, j)
			}
			sql := fmt.Sprintf("INSERT INTO t%d VALUES %s", table.Draw(t, "table"), strings.Join(rows, ", "))
			c.Rows = append(c.Rows, testcase.Stmt{SQL: sql})
		}
		for i := range rapid.IntRange(1, 4).Draw(t, "txns") {
			txn := testcase.Txn{Begin: testcase.Stmt{SQL: "BEGIN"}, End: testcase.Stmt{SQL: "COMMIT"}}
			for j := range rapid.IntRange(0, 4).Draw(t, "stmts") {
				sql := fmt.Sprintf("SELECT 's%d.%d' FROM t%d", i, j, table.Draw(t, "table"))
				txn.Stmts = append(txn.Stmts, testcase.Stmt{Comments: []string{"# c"}, SQL: sql})
			}
			c.Txns = append(c.Txns, txn)
		}
		c.Schedule = rapid.Permutation(c.SerialSchedule()).Draw(t, "schedule")
		if rapid.Bool().Draw(t, "sessions") {
			c.Schedule = c.SerialSchedule()
			for n := range c.Txns {
				c.Txns[n].Session = rapid.IntRange(0, 2).Draw(t, "session")
			}
		}
		return c.Number()
	})
}

// predicateGen draws a predicate that holds on c: some needles in the text and in the order of submission, or
// one without any sense in it, which is true of c and of a share of all texts.
func predicateGen(t *rapid.T, c *testcase.Case) Interesting {
	if rapid.Bool().Draw(t, "senseless") {
		input, salt := string(c.Print()), rapid.Byte().Draw(t, "salt")
		share := rapid.Uint32Range(2, 6).Draw(t, "share")
		return func(_ context.Context, c *testcase.Case) (bool, error) {
			h := fnv.New32a()
			text := c.Number().Print() // by which a reduction tells cases apart
			h.Write(append(text, salt))
			return string(text) == input || h.Sum32()%share == 0, nil
		}
	}
	search := &Search{syntax: sqltext.SyntaxOf(c.Target)}
	var submitted, needles []string
	step := make([]int, len(c.Txns))
	for _, n := range c.Schedule {
		submitted = append(submitted, c.Txns[n].Step(step[n]).SQL)
		step[n]++
	}
	var order []string
	for _, sql := range submitted {
		if strings.HasPrefix(sql, "SELECT") && rapid.IntRange(0, 3).Draw(t, "needed") == 0 {
			order = append(order, sql)
		}
	}
	for _, r := range c.Rows {
		if rapid.IntRange(0, 3).Draw(t, "needed") == 0 {
			in, _ := search.insertOf(c, r.SQL)
			needles = append(needles, partText(r.SQL, in.rows[0]))
		}
	}
	return both(contains(needles...), inOrder(order...))
}

// neighbours returns the cases that differ from c by one thing less, or by one move of the schedule.
func neighbours(c *testcase.Case) []*testcase.Case {
	search := &Search{syntax: sqltext.SyntaxOf(c.Target)}
	var out []*testcase.Case
	all, every := func(int) bool { return true }, func(int, int) bool { return true }
	for n := range c.Txns {
		out = append(out, c.Select(func(m int) bool { return m != n }, every))
		for i := range c.Txns[n].Stmts {
			out = append(out, c.Select(all, func(m, j int) bool { return m != n || j != i }))
		}
	}
	for i, r := range c.Rows {
		d := c.Clone()
		d.Rows = slices.Delete(d.Rows, i, i+1)
		in, _ := search.insertOf(c, r.SQL)
		if len(in.rows) == 1 {
			out = append(out, d)
			continue
		}
		for j := range in.rows {
			d := c.Clone()
			d.Rows[i].SQL = search.print(in.with(slices.Delete(slices.Clone(in.rows), j, j+1)), r.SQL)
			out = append(out, d)
		}
	}
	for _, name := range unusedTables(c) {
		out = append(out, withoutTables(c, map[string]bool{name: true}))
	}
	for _, schedule := range simplerSchedules(c) {
		d := c.Clone()
		d.Schedule = schedule
		out = append(out, d)
	}
	return out
}

func TestMain(m *testing.M) {
	flag.Parse()
	effort.Checks()
	os.Exit(m.Run())
}

// TestOneMinimal: the result satisfies the predicate and none of its valid neighbours does; the original stays.
func TestOneMinimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := caseGen().Draw(t, "case")
		p := predicateGen(t, c)
		original := string(c.Print())
		kept := 1
		got, stats, err := Reduce(context.Background(), c, p, Options{Kept: func(_ string, c *testcase.Case) {
			kept++
			if ok, _ := p(context.Background(), c.Clone()); !ok {
				t.Fatalf("kept a case on which the predicate fails")
			}
		}})
		if err != nil {
			t.Fatalf("%v", err)
		}
		if err := got.Validate(); err != nil {
			t.Fatalf("not valid: %v", err)
		}
		if ok, _ := p(context.Background(), got.Clone()); !ok || stats.Stop != Fixpoint {
			t.Fatalf("holds: %v, stopped by %q", ok, stats.Stop)
		}
		if string(c.Print()) != original {
			t.Fatalf("the original was changed")
		}
		was := identities(c)
		for id, s := range identities(got) {
			if _, there := was[id]; !there || sqltext.KindOf(was[id]) != sqltext.KindOf(s) {
				t.Fatalf("%q has the identity %d, which was that of %q", s, id, was[id])
			}
		}
		if hasTarget(c) && !hasTarget(got) {
			t.Fatalf("no target statement is left")
		}
		for _, d := range neighbours(got) {
			if !hasTarget(d) || d.Validate() != nil {
				continue
			}
			if ok, _ := p(context.Background(), d.Number()); ok && string(d.Print()) != original {
				t.Fatalf("not minimal:\n%s\nthis is smaller:\n%s", got.Print(), d.Print())
			}
		}
	})
}

// identities are the texts of the transactions' statements by their identities.
func identities(c *testcase.Case) map[testcase.StmtID]string {
	out := map[testcase.StmtID]string{}
	for n := range c.Txns {
		for i := range c.Txns[n].Steps() {
			s := c.Txns[n].Step(i)
			out[s.ID] = s.SQL
		}
	}
	return out
}

// TestPassesBuildCases: whatever a pass offers is valid, with every statement of the original's, which keeps its
// identity.
func TestPassesBuildCases(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := caseGen().Draw(t, "case")
		in := func() map[int]bool {
			return set(rapid.SliceOf(rapid.IntRange(0, 4)).Draw(t, "numbers"))
		}
		txns, stmts := in(), in()
		d := c.Select(func(n int) bool { return txns[n] }, func(n, i int) bool { return stmts[i] })
		if err := d.Validate(); err != nil && len(d.Txns) > 0 {
			t.Fatalf("not valid: %v", err)
		}
		// The steps that stay are submitted in the order in which they were.
		if want, got := submitted(c, txns, stmts), submitted(d, nil, nil); !slices.Equal(want, got) {
			t.Fatalf("submits %q, want %q", got, want)
		}
		was := identities(c)
		for id, s := range identities(d) {
			if was[id] != s {
				t.Fatalf("%q has the identity %d, which was that of %q", s, id, was[id])
			}
		}
		now := complexityOf(c.Schedule, len(c.Txns))
		for _, schedule := range simplerSchedules(c) {
			d := c.Clone()
			d.Schedule = schedule
			if err := d.Validate(); err != nil {
				t.Fatalf("not valid: %v", err)
			}
			if !complexityOf(schedule, len(c.Txns)).less(now) {
				t.Fatalf("%v is not simpler than %v", schedule, c.Schedule)
			}
		}
	})
}

// submitted lists the target statements in schedule order, those of the sets if there are any.
func submitted(c *testcase.Case, txns, stmts map[int]bool) []string {
	var out []string
	step := make([]int, len(c.Txns))
	for _, n := range c.Schedule {
		i := step[n]
		step[n]++
		if i == 0 || i == c.Txns[n].Steps()-1 || txns != nil && !(txns[n] && stmts[i-1]) {
			continue
		}
		out = append(out, c.Txns[n].Step(i).SQL)
	}
	return out
}
