package reduce

import (
	"context"
	"hash/fnv"
	"math/bits"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"txweave/dbms"
	"txweave/dbms/registry"
	"txweave/gen"
	"txweave/instrument"
	"txweave/internal/testkit/effort"
	"txweave/sql/edits"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// generated draws a generated case of a dialect, smaller than a campaign's.
func generated(t *rapid.T, p *dbms.Profile) *testcase.Case {
	d, err := registry.Lookup(p.DBMS)
	if err != nil {
		t.Fatal(err)
	}
	c, err := gen.Generate(rapid.Uint64().Draw(t, "seed"), d.Dialect, gen.Options{Isolation: p.Isolation,
		Tables: gen.Range{Min: 1, Max: 2}, Rows: gen.Range{Min: 2, Max: 6}, Stmts: gen.Range{Min: 2, Max: 4}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// judged holds on cases that the oracles take and whose target statements have some words of the case's in them.
func judged(t *rapid.T, c *testcase.Case, p *dbms.Profile) Interesting {
	var found []string
	for n := range c.Txns {
		for _, s := range c.Txns[n].Stmts {
			for tok := range sqltext.Tokens(s.SQL) {
				if tok.Kind == sqltext.Word && strings.ToUpper(tok.Text) == tok.Text && strings.Trim(tok.Text, "0123456789") != "" {
					found = append(found, tok.Text) // keywords and functions: names and numbers change
				}
			}
		}
	}
	needles := rapid.SliceOfN(rapid.SampledFrom(found), 1, 3).Draw(t, "needles")
	noise := rapid.Uint32Range(0, 3).Draw(t, "noise") // one text in so many fails without a reason
	input := string(c.Print())
	return func(_ context.Context, c *testcase.Case) (bool, error) {
		if _, err := instrument.Instrument(c, p); err != nil {
			return false, nil
		}
		h := fnv.New32a()
		h.Write(c.Clone().Number().Print()) // the same text answers the same, whichever statements were left out of it
		if noise > 0 && h.Sum32()%(noise+1) == 0 && string(c.Print()) != input {
			return false, nil
		}
		words := map[string]bool{}
		for n := range c.Txns {
			for _, s := range c.Txns[n].Stmts {
				for tok := range sqltext.Tokens(s.SQL) {
					words[tok.Text] = true
				}
			}
		}
		return !slices.ContainsFunc(needles, func(n string) bool { return !words[n] }), nil
	}
}

// TestGeneratedCases: what is left of a generated case satisfies the predicate, is a case that the oracles take, reads
// back from its text, has no statement with more than one right result where the original has none, has no edit left
// that keeps the predicate, and does not become smaller when it is reduced again.
func TestGeneratedCases(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, err := dbms.Lookup(rapid.SampledFrom([]string{"sqlite", "mariadb", "mysql"}).Draw(t, "target"), "")
		if err != nil {
			t.Fatal(err)
		}
		c := generated(t, p)
		holds := judged(t, c, p)
		o := Options{}
		o.Kept = func(pass string, k *testcase.Case) { checkKept(t, pass, k, p, risksIn(c, p)) }
		got, stats, err := Reduce(context.Background(), c, holds, o)
		if err != nil {
			t.Fatal(err)
		}
		if stats.Stop != Fixpoint {
			t.Fatalf("stopped by %q", stats.Stop)
		}
		checkNoEditLeft(t, got, holds, p)
		again, _, err := Reduce(context.Background(), got, holds, o)
		if err != nil {
			t.Fatal(err)
		}
		// It may be spelled in full, where a larger form in full failed without a reason.
		if len(again.Print()) < len(got.Print()) {
			t.Fatalf("smaller when reduced again:\n%s\n%s", got.Print(), again.Print())
		}
	})
}

// risksIn returns the risks of all statements of a case.
func risksIn(c *testcase.Case, p *dbms.Profile) (found sqltext.Risk) {
	g, schema := &edits.Rewriter{Dialect: sqltext.SyntaxOf(p.DBMS).Tree}, c.ReadSchema()
	for n := range c.Txns {
		for _, s := range c.Txns[n].Stmts {
			r, _ := g.Risks(s.SQL, schema)
			found |= r
		}
	}
	return found
}

// checkKept checks a candidate that was kept.
func checkKept(t *rapid.T, pass string, c *testcase.Case, p *dbms.Profile, allowed sqltext.Risk) {
	if _, err := instrument.Instrument(c, p); err != nil {
		t.Fatalf("pass %s kept what the oracles refuse: %v\n%s", pass, err, c.Print())
	}
	if risksIn(c, p)&^allowed != 0 {
		t.Fatalf("pass %s added a risk (%b, was %b):\n%s", pass, risksIn(c, p), allowed, c.Print())
	}
	if d, err := testcase.Parse("kept", c.Print()); err != nil || string(d.Print()) != string(c.Print()) {
		t.Fatalf("pass %s kept what does not read back: %v\n%s", pass, err, c.Print())
	}
}

// checkNoEditLeft tries every edit of every statement.
func checkNoEditLeft(t *rapid.T, c *testcase.Case, holds Interesting, p *dbms.Profile) {
	s := &Search{best: c, syntax: sqltext.SyntaxOf(p.DBMS),
		rewriter: &edits.Rewriter{Dialect: sqltext.SyntaxOf(p.DBMS).Tree}}
	for n := range c.Txns {
		for i := range c.Txns[n].Stmts {
			at := func(c *testcase.Case) *string { return &c.Txns[n].Stmts[i].SQL }
			for e := 0; ; e++ {
				d, more := s.edited(at, e)
				if !more {
					break
				}
				if d == nil || d.Validate() != nil || *at(d) == *at(c) {
					continue
				}
				if ok, _ := holds(context.Background(), d); ok {
					t.Fatalf("an edit is left:\n%s\n%s\nof\n%s", *at(c), *at(d), c.Print())
				}
			}
		}
	}
}

// shift is an UPDATE that moves keys by a number that no other statement uses: no key that is there is met on the way.
var shift = regexp.MustCompile(`(?:SET|,) (\w+) = (\w+) \+ (\d+)(?: |,|$)`)

// isShift says whether the column that an UPDATE computes is moved by a number of gen's own, 1000 times a power of two.
func isShift(sql string) bool {
	m := shift.FindStringSubmatch(sql)
	if m == nil || m[1] != m[2] {
		return false
	}
	n, err := strconv.Atoi(m[3])
	return err == nil && n%1000 == 0 && bits.OnesCount(uint(n/1000)) == 1
}

// TestNoRiskGenerated: what the generator writes can be printed and has no risk, so that the guard holds for every
// edit. Two are meant: a scalar subquery of many rows where that is an error, and keys that are moved out of reach.
func TestNoRiskGenerated(t *testing.T) {
	for _, target := range []string{"sqlite", "mariadb", "mysql"} {
		p, err := dbms.Lookup(target, "")
		if err != nil {
			t.Fatal(err)
		}
		d, _ := registry.Lookup(target)
		g := &edits.Rewriter{Dialect: sqltext.SyntaxOf(p.DBMS).Tree}
		for seed := range uint64(effort.Cases(60)) {
			c, err := gen.Generate(gen.CaseSeed(1, int(seed)), d.Dialect, gen.Options{Isolation: p.Isolation})
			if err != nil {
				t.Fatal(err)
			}
			schema := c.ReadSchema()
			for n := range c.Txns {
				for _, s := range c.Txns[n].Stmts {
					if !sqltext.KindOf(s.SQL).IsTarget() {
						continue
					}
					r, ok := g.Risks(s.SQL, schema)
					if !ok {
						t.Fatalf("cannot read %s", s.SQL)
					}
					if _, ok := g.Spell(s.SQL); !ok {
						t.Errorf("cannot print %s", s.SQL)
					}
					if _, many := d.Dialect.Capabilities.Has[gen.CanManyRows]; many {
						r &^= sqltext.RiskRows
					}
					if isShift(s.SQL) {
						r &^= sqltext.RiskUnique
					}
					if slices.ContainsFunc(schema.Views, func(v sqltext.ViewDefinition) bool {
						return strings.Contains(s.SQL, v.Name+" AS ")
					}) {
						r &^= sqltext.RiskFloats // what the columns of a view are like is not known
					}
					if r != 0 {
						t.Errorf("risks %b: %s", r, s.SQL)
					}
				}
			}
		}
	}
}

// TestTokens: a statement that the parser does not read is made smaller by its tokens.
func TestTokens(t *testing.T) {
	tests := []struct{ sql, needle, want string }{
		{"SELECT a, (b + 1) FROM t0 WHERE (a IS NOT DISTINCT FROM (3 + f(2))) AND c > 1 ORDER BY a", "IS NOT DISTINCT FROM",
			"IS NOT DISTINCT FROM"},
		{"MERGE INTO t0 USING (SELECT 1 FROM t0 WHERE x @> (y)) AS s ON a = b", "x @>", "x @>"},
		{"INSERT INTO t0 (pkey, vkey, pvkey, c0) VALUES (1, 2, 0, x @> 3) RETURNING c0", "@>", "INSERT pkey vkey pvkey@>"},
		{"SELECT f(x)y FROM t0 @>", "y", "y"},
		{"SELECT b) a (c FROM t0 @>", "@>", "@>"},
	}
	for _, test := range tests {
		c := &testcase.Case{Target: "none", Isolation: "none", Txns: []testcase.Txn{{
			Begin: testcase.Stmt{SQL: "BEGIN"}, Stmts: []testcase.Stmt{{SQL: test.sql}}, End: testcase.Stmt{SQL: "COMMIT"}}}}
		c.Schedule = c.SerialSchedule()
		got, _, err := Reduce(context.Background(), c, contains(test.needle), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if sql := got.Txns[0].Stmts[0].SQL; sql != test.want {
			t.Errorf("%s: got %q, want %q", test.sql, sql, test.want)
		}
	}
}
