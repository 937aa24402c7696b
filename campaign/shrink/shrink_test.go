package shrink

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"txweave/campaign"
	"txweave/dbms"
	_ "txweave/dbms/registry" // how statements are read
	"txweave/fault"
	"txweave/finding"
	"txweave/reduce"
	"txweave/sql/respell"
	"txweave/testcase"
)

// of is a signature without a cause, by is one with a cause of a name.
func of(signature string) shown { return shown{signature: signature} }

func by(signature, name string) shown { return shown{signature, finding.Cause{Of: name}} }

// script is a shrinker that sees, run by run, what the entries say: a signature each, "" for none.
func script(k *shrinker, entries ...string) {
	k.look = func(context.Context, *testcase.Case) ([]shown, int, error) {
		if len(entries) == 0 {
			return nil, 0, errors.New("run once too often")
		}
		e := entries[0]
		entries = entries[1:]
		switch e {
		case "":
			return nil, 0, nil
		case "refused":
			return nil, 0, fmt.Errorf("%w: refused", ErrRefused)
		case "a and error":
			return []shown{of("a")}, 1, nil
		case "caused", "otherwise":
			return []shown{of("a"), by("a", e)}, 0, nil
		case "both":
			return []shown{of("b"), of("a")}, 0, nil
		}
		return []shown{of(e)}, 0, nil
	}
}

// TestMeasure: how often a case shows its finding decides what a repetition is.
func TestMeasure(t *testing.T) {
	tests := []struct {
		given        string
		runs         []string
		want         string
		shown        int
		repeat, each int
	}{
		{"", []string{"a", "a", "a", "a", "a"}, "a", 5, 2, 1},
		{"", []string{"a", "", "a", "", "a"}, "a", 3, 3, 5},
		{"", []string{"", "", "", "", "a"}, "a", 1, 3, 18},
		{"", []string{"a", "b", "b", "a", "b"}, "b", 3, 3, 5},
		{"a", []string{"both", "both", "both", "both", "both"}, "a", 5, 2, 1},
		{"c", []string{"a", "a", "b", "a", "a"}, "a", 4, 3, 3},
		{"", []string{"", "", "", "", ""}, "", 0, 0, 0},
	}
	for _, test := range tests {
		k := &shrinker{repeat: 2, runs: 1, sought: sought{signature: test.given}}
		script(k, test.runs...)
		shown, measured, err := k.measure(context.Background(), nil)
		if test.want == "" {
			if !errors.Is(err, ErrShowsNothing) {
				t.Errorf("%q: %v", test.runs, err)
			}
			continue
		}
		if err != nil || k.signature != test.want || shown != test.shown || measured != len(test.runs) ||
			k.repeat != test.repeat || k.runs != test.each {
			t.Errorf("%q: %s %d/%d, %d repetitions of %d runs, %v", test.runs, k.signature, shown, measured,
				k.repeat, k.runs, err)
		}
	}
}

// TestHolds: every repetition must show the same signature; what is refused, or fails where the original did not, is
// no candidate.
func TestHolds(t *testing.T) {
	tests := []struct {
		repeat, runs int
		entries      []string // all of them must be used
		want         bool
	}{
		{2, 1, []string{"a", "a"}, true},
		{2, 1, []string{"both", "a"}, true},
		{2, 1, []string{"a", "b"}, false},
		{2, 1, []string{"b"}, false},
		{2, 1, []string{"a", ""}, false},
		{2, 1, []string{"refused"}, false},
		{2, 1, []string{"a and error"}, false},
		{3, 3, []string{"", "", "a", "a", "", "a"}, true},
		{3, 3, []string{"a", "", "", ""}, false},
	}
	for _, test := range tests {
		k := &shrinker{repeat: test.repeat, runs: test.runs, sought: sought{signature: "a"}}
		script(k, append(slices.Clone(test.entries), "end")...)
		got, err := k.holds(context.Background(), nil)
		if err != nil || got != test.want {
			t.Errorf("%q: %v, %v", test.entries, got, err)
		}
		if rest, _, _ := k.look(context.Background(), nil); !slices.Equal(rest, []shown{of("end")}) {
			t.Errorf("%q: not all runs were made, or too many", test.entries)
		}
	}
	k := &shrinker{repeat: 1, runs: 1, sought: sought{signature: "a"}}
	script(k)
	if _, err := k.holds(context.Background(), nil); err == nil {
		t.Error("an error of the environment counts as an answer")
	}
}

// TestHoldsCause: a smaller case must show its finding by the cause that the case itself tells each time, whatever else
// has that signature; a cause that it does not tell is not asked for.
func TestHoldsCause(t *testing.T) {
	for _, c := range []struct {
		measured []string
		then     string
		cause    string
		holds    bool
	}{
		{[]string{"caused", "caused", "caused", "caused", "caused"}, "caused", "caused", true},
		{[]string{"caused", "caused", "caused", "caused", "caused"}, "otherwise", "caused", false},
		{[]string{"caused", "caused", "caused", "caused", "caused"}, "a", "caused", false},
		{[]string{"caused", "caused", "otherwise", "caused", "caused"}, "a", "", true},
		{[]string{"a", "a", "a", "a", "a"}, "a", "", true},
	} {
		k := &shrinker{repeat: 1, runs: 1, sought: sought{signature: "a", cause: finding.Cause{Of: "caused"}}}
		script(k, append(slices.Clone(c.measured), c.then)...)
		if _, _, err := k.measure(t.Context(), nil); err != nil || k.cause != (finding.Cause{Of: c.cause}) ||
			k.signature != "a" {
			t.Fatalf("%q: %s by %q, %v", c.measured, k.signature, k.cause, err)
		}
		if got, err := k.holds(t.Context(), nil); got != c.holds || err != nil {
			t.Errorf("%q, then %q: %v, %v", c.measured, c.then, got, err)
		}
	}
}

// failing is a worker that refuses cases with an error, where it has one, and else shows what a function says of them.
type failing struct {
	err   error
	shows looking
}

func (w failing) Check(ctx context.Context, job campaign.Job) (*campaign.CaseResult, error) {
	if w.err != nil {
		return nil, w.err
	}
	return w.shows.Check(ctx, job)
}

func (failing) Close() error { return nil }

// TestDecisive: of a savepoint that is gone, and of a write lock that others are given, it is asked whether the
// transactions, rolled back, leave what they wrote; where that tells nothing, and of other findings, the case stays as
// it is.
func TestDecisive(t *testing.T) {
	c, err := testcase.Parse(t.Name(), []byte(`txweave case 1
target: sqlite
isolation: serializable

-- schema --
CREATE TABLE t0 (pkey INTEGER NOT NULL PRIMARY KEY, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL);

-- T0 --
BEGIN;
SAVEPOINT a;
UPDATE t0 SET pvkey = vkey, vkey = 1001;
ROLLBACK TO a;
COMMIT;

-- schedule --
T0 T0 T0 T0 T0
`))
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		signature string
		rolled    shown // what the case shows whose transaction rolls back
		filled    shown // … and has a row besides
		err       error
		cause     string
		rows      int
	}{
		{untelling[0], by(untelling[0], "kept"), of(""), nil, "kept", 0},
		{untelling[2], of(untelling[2]), by(untelling[2], "kept"), nil, "kept", 1},
		{untelling[0], of(untelling[0]), of(untelling[0]), nil, "", 0},
		{untelling[0], of("a"), by("a", "kept"), nil, "", 0},
		{untelling[0], of(""), of(""), ErrRefused, "", 0},
		{"a", by("a", "kept"), by("a", "kept"), nil, "", 0},
	} {
		k := &shrinker{sought: sought{signature: x.signature}, worker: failing{x.err,
			func(c *testcase.Case) []campaign.Found {
				shows := x.rolled
				if len(c.Rows) > 0 {
					shows = x.filled
				}
				return []campaign.Found{{Finding: finding.Finding{Signature: shows.signature, Cause: shows.cause,
					Differences: []finding.Difference{{}}}}}
			}}}
		got, err := k.try(t.Context(), c, true)
		if err != nil || k.cause != (finding.Cause{Of: x.cause}) || (got.Txns[0].End.SQL == "ROLLBACK") != (x.cause != "") ||
			len(got.Rows) != x.rows || c.Txns[0].End.SQL != "COMMIT" {
			t.Errorf("%+v: by %q, ends %q, %d rows, %v", x, k.cause, got.Txns[0].End.SQL, len(got.Rows), err)
		}
		if _, err := testcase.Parse(t.Name(), got.Print()); err != nil {
			t.Error(err)
		}
	}
}

// asked is a worker that shows what a function says of a case's first statement.
type asked func(sql string) []campaign.Found

func (w asked) Check(_ context.Context, job campaign.Job) (*campaign.CaseResult, error) {
	c, err := testcase.Parse("case", job.Text)
	if err != nil {
		return nil, err
	}
	return &campaign.CaseResult{Findings: w(c.Txns[0].Stmts[0].SQL)}, nil
}

func (asked) Close() error { return nil }

// TestPrinting: a query whose rows differ gives way to one that prints what it reads where that one is wrong by itself,
// as a read of its snapshot or as a search; not to one that is right, or is wrong in another statement.
func TestPrinting(t *testing.T) {
	const query, snapshot, search = "SELECT HEX(1) FROM t0 WHERE t0.pkey > 1", "SELECT pkey, vkey FROM t0",
		"SELECT t0.pkey, t0.vkey FROM t0 AS t0 WHERE t0.pkey > 1"
	c, err := testcase.Parse(t.Name(), []byte("txweave case 1\ntarget: sqlite\nisolation: serializable\n\n-- schema --\n"+
		"CREATE TABLE t0 (pkey INTEGER NOT NULL PRIMARY KEY, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL);\n\n-- T0 "+
		"--\nBEGIN;\n"+query+";\nCOMMIT;\n\n-- schedule --\nT0 T0 T0\n"))
	if err != nil {
		t.Fatal(err)
	}
	shown := func(signature, stmt string, cause finding.Cause) []campaign.Found {
		return []campaign.Found{{Finding: finding.Finding{Signature: signature, Cause: cause,
			Differences: []finding.Difference{{Stmt: stmt}}}}}
	}
	differs := shown(unprinted, "T0.S0", finding.Cause{})
	for _, x := range []struct {
		name  string
		by    map[string][]campaign.Found // by statement
		want  string                      // statement
		cause finding.Cause
		told  bool
	}{
		{"the snapshot is wrong", map[string][]campaign.Found{query: differs, snapshot: shown("snapshot-violation/stale-read",
			"T0.S0", finding.CauseStale)}, snapshot, finding.CauseStale, true},
		{"a search is", map[string][]campaign.Found{query: differs, search: shown(unprinted, "T0.S0", finding.CauseSearch)},
			search, finding.CauseSearch, false},
		{"nothing is", map[string][]campaign.Found{query: differs, search: differs}, query, finding.Cause{}, false},
		{"another statement is", map[string][]campaign.Found{query: differs, snapshot: shown("snapshot-violation/stale-read",
			"T1.S0", finding.CauseStale)}, query, finding.Cause{}, false},
		{"an error is no read", map[string][]campaign.Found{query: differs, snapshot: shown("unexpected-error/11", "T0.S0",
			finding.CauseDamaged)}, query, finding.Cause{}, false},
		{"its cause is known", map[string][]campaign.Found{query: shown(unprinted, "T0.S0", finding.CauseTwice),
			snapshot: shown("snapshot-violation/stale-read", "T0.S0", finding.CauseStale)}, query,
			finding.Cause{}, false},
	} {
		k := &shrinker{worker: asked(func(sql string) []campaign.Found {
			return x.by[sql]
		}), sought: sought{signature: unprinted}}
		got, err := k.try(t.Context(), c, false)
		if err != nil || got.Txns[0].Stmts[0].SQL != x.want || k.cause != x.cause || k.told != x.told {
			t.Errorf("%s: %s by %q, told %v, %v", x.name, got.Txns[0].Stmts[0].SQL, k.cause, k.told, err)
		}
	}
	p, err := dbms.Lookup("sqlite", "serializable")
	if err != nil {
		t.Fatal(err)
	}
	stale := asked(func(sql string) []campaign.Found {
		if strings.HasPrefix(sql, "SELECT pkey, vkey") {
			return shown("snapshot-violation/stale-read", "T0.S0", finding.CauseStale)
		}
		if strings.HasPrefix(sql, "SELECT HEX(1) FROM t0") {
			return differs
		}
		return nil
	})
	for exact, want := range map[bool]string{true: unprinted, false: "snapshot-violation/stale-read"} {
		out, err := Run(t.Context(), stale, p, c, Options{Signature: unprinted, Exact: exact})
		if err != nil || out.Signature != want || out.Told == exact {
			t.Errorf("exact %v: %+v, %v", exact, out, err)
		}
	}
}

// TestPrintingInsert: of an INSERT that seems to have written nothing, and was rolled back, it is asked whether it is
// there once its transaction commits.
func TestPrintingInsert(t *testing.T) {
	c, err := testcase.Parse(t.Name(), []byte("txweave case 1\ntarget: sqlite\nisolation: serializable\n\n-- schema --\n"+
		"CREATE TABLE t0 (pkey INTEGER, vkey BIGINT, pvkey BIGINT);\n\n-- T0 --\nBEGIN;\nINSERT INTO t0 (pkey, vkey, "+
		"pvkey) VALUES (1, 1, 0);\nROLLBACK;\n\n-- schedule --\nT0 T0 T0\n"))
	if err != nil {
		t.Fatal(err)
	}
	for committed, want := range map[finding.Cause]string{finding.CauseOwn: "COMMIT", finding.CauseNone: "ROLLBACK",
		{}: "ROLLBACK"} {
		k := &shrinker{sought: sought{signature: "a", cause: finding.CauseNone},
			worker: looking(func(*testcase.Case) []campaign.Found {
				return []campaign.Found{{Finding: finding.Finding{Signature: "a", Cause: committed,
					Differences: []finding.Difference{{}}}}}
			})}
		got, err := k.try(t.Context(), c, true)
		if err != nil || got.Txns[0].End.SQL != want || (k.cause == finding.CauseOwn) != (want == "COMMIT") {
			t.Errorf("%q: ends by %s, %q, %v", committed, got.Txns[0].End.SQL, k.cause, err)
		}
	}
}

// TestRolledBack: of writes that others see too soon it is asked whether they stay once their transaction rolls back;
// where that tells nothing, and of other causes, the case stays as it is.
func TestRolledBack(t *testing.T) {
	c, err := testcase.Parse(t.Name(), []byte("txweave case 1\ntarget: sqlite\nisolation: serializable\n\n-- schema --\n"+
		"CREATE TABLE t0 (pkey INTEGER PRIMARY KEY, c0 TEXT);\n\n-- T0 --\nBEGIN;\nUPDATE t0 SET c0 = 'a';\nCOMMIT;\n"+
		"\n-- T1 --\nBEGIN;\nSELECT c0 FROM t0;\nCOMMIT;\n\n-- schedule --\nT0 T0 T0 T1 T1 T1\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		name    string
		cause   finding.Cause
		by      finding.Cause // that the case shows whose first transaction rolls back
		changed bool
	}{
		{"the writer had been committed before its end", finding.CauseDirty, finding.CauseKept, true},
		{"it had not", finding.CauseDirty, finding.CauseDirty, false},
		{"it is warned of something beside", finding.CauseDirty, finding.Cause{Kind: fault.WarnedOtherwise, Of: "a"}, false},
		{"a read that missed what was committed", finding.CauseStale, finding.CauseKept, false},
	} {
		show := func(c *testcase.Case) []campaign.Found {
			if c.Txns[0].End.SQL != "ROLLBACK" || c.Txns[1].End.SQL != "COMMIT" {
				return nil
			}
			return []campaign.Found{{Finding: finding.Finding{Signature: "b", Cause: x.by, Differences: []finding.Difference{
				{Stmt: "T0.S0"}}}}}
		}
		k := &shrinker{sought: sought{signature: "a", cause: x.cause}, worker: looking(show)}
		got, err := k.try(t.Context(), c, false)
		if err != nil || (got != c) != x.changed || x.changed && (k.cause != x.by || k.signature != "b" || !k.told) ||
			!x.changed && (k.cause != x.cause || k.told) {
			t.Errorf("%s: changed %v, %s by %q, %v", x.name, got != c, k.signature, k.cause, err)
		}
	}
}

// TestPlainInsert: an upsert that does not say what is wrong gives way to an INSERT that says nothing of keys where
// that goes wrong by itself, and stays where only the upsert does, or another statement.
func TestPlainInsert(t *testing.T) {
	const upsert, plain, row = "INSERT INTO t0 (pkey, c0) VALUES (2, 1) ON CONFLICT DO UPDATE SET c0 = 1",
		"INSERT INTO t0 (pkey, c0) VALUES (2, 1)", "INSERT INTO t0 (pkey, vkey, pvkey) VALUES (1, 1, 0)"
	c, err := testcase.Parse(t.Name(), []byte("txweave case 1\ntarget: sqlite\nisolation: serializable\n\n-- schema --\n"+
		"CREATE TABLE t0 (pkey INTEGER NOT NULL PRIMARY KEY, c0 INT);\n\n-- T0 --\nBEGIN;\n"+upsert+";\nSELECT 1 FROM t0;\n"+
		"COMMIT;\n\n-- schedule --\nT0 T0 T0 T0\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		name, wrong, kind string
		cause             finding.Cause // before
		want              string        // the first statement
	}{
		{"the plain one writes nothing", plain, "INSERT", finding.Cause{}, plain},
		{"one of a row into an empty table does", row, "INSERT", finding.Cause{}, row},
		{"one is miscounted", plain, "INSERT", finding.CauseMiscount, plain},
		{"the upsert alone does", upsert, "INSERT", finding.Cause{}, upsert},
		{"a query does", plain, "SELECT", finding.Cause{}, upsert},
		{"its cause is known", plain, "INSERT", finding.CauseTwice, upsert},
	} {
		k := &shrinker{sought: sought{signature: unprinted, cause: x.cause}, worker: asked(func(sql string) []campaign.Found {
			if sql != x.wrong || sql == upsert {
				return nil
			}
			return []campaign.Found{{Finding: finding.Finding{Class: finding.ClassInconsistent, Signature: "b",
				Cause: finding.CauseNone, Differences: []finding.Difference{{Stmt: "T0.S0", Kind: x.kind}}}}}
		})}
		got, err := k.try(t.Context(), c, false)
		if err != nil || got.Txns[0].Stmts[0].SQL != x.want || k.told != (x.want != upsert) {
			t.Errorf("%s: %s by %q, told %v, %v", x.name, got.Txns[0].Stmts[0].SQL, k.cause, k.told, err)
		}
	}
}

// TestFurther: a variant that shows a plainer cause now and then, or by one more statement that fails, does not take
// the place of what is reduced.
func TestFurther(t *testing.T) {
	c, err := testcase.Parse(t.Name(),
		[]byte("txweave case 1\ntarget: sqlite\nisolation: serializable\n\n-- schema --\nCREATE TABLE t0 (pkey INTEGER "+
			"PRIMARY KEY, c0 TEXT);\n"+
			"\n-- T0 --\nBEGIN;\nUPDATE t0 SET c0 = 'a';\nCOMMIT;\n\n-- schedule --\nT0 T0 T0\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		name    string
		cause   finding.Cause // that is sought
		times   int           // that the variant shows its cause
		exact   bool          // the signature has to stay
		changed bool
	}{{"once", finding.CauseDirty, 1, false, false}, {"each time", finding.CauseDirty, 1000, false, true},
		{"each time, by another signature", finding.CauseDirty, 1000, true, false},
		{"of a cause that the small case alone tells", finding.Cause{}, 1000, false, true},
		{"once of such a one", finding.Cause{}, 1, false, false}} {
		asked := 0
		k := &shrinker{repeat: 2, runs: 1, sought: sought{signature: "a", cause: x.cause},
			worker: looking(func(c *testcase.Case) []campaign.Found {
				f := finding.Finding{Signature: "a", Cause: finding.CauseDirty, Differences: []finding.Difference{{Stmt: "T0.S0"}}}
				if c.Txns[0].End.SQL == "ROLLBACK" && len(c.Txns[0].Stmts) > 0 {
					if asked++; asked > x.times {
						return nil
					}
					f.Signature, f.Cause = "b", finding.CauseKept
				}
				return []campaign.Found{{Finding: f}}
			})}
		k.look = k.check
		out := &Result{Case: c, Stats: reduce.Stats{Attempts: 7}}
		err := k.further(t.Context(), out, Options{Exact: x.exact})
		want := sought{signature: "a", cause: x.cause}
		if x.changed {
			want = sought{"b", finding.CauseKept, true}
		}
		if err != nil || k.sought != want || (out.Case != c) != x.changed || (out.Attempts <= 7) != x.exact {
			t.Errorf("%s: %+v after %d attempts, another case %v: %v", x.name, k.sought, out.Attempts, out.Case != c, err)
		}
	}
}

// TestMeasuredAgain: what a case showed while it was measured and then does not is measured again, and comes too seldom
// if it does not come back.
func TestMeasuredAgain(t *testing.T) {
	p, err := dbms.Lookup("sqlite", "serializable")
	if err != nil {
		t.Fatal(err)
	}
	c, err := testcase.Parse(t.Name(),
		[]byte("txweave case 1\ntarget: sqlite\nisolation: serializable\n\n-- schema --\nCREATE TABLE t0 (pkey INTEGER "+
			"PRIMARY KEY, c0 TEXT);\n"+
			"\n-- T0 --\nBEGIN;\nUPDATE t0 SET c0 = 'a';\nCOMMIT;\n\n-- schedule --\nT0 T0 T0\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		name     string
		silent   [2]int // from which run to which it does not show
		measured int
	}{{"each time", [2]int{100_000, 100_000}, 5}, {"not for a while", [2]int{6, 9}, 10},
		{"not any more", [2]int{6, 100_000}, 0}} {
		runs := 0
		w := looking(func(*testcase.Case) []campaign.Found {
			if runs++; x.silent[0] <= runs && runs <= x.silent[1] {
				return nil
			}
			return []campaign.Found{{Finding: finding.Finding{Signature: "a", Confirmed: 1}}}
		})
		out, err := Run(t.Context(), w, p, c, Options{Signature: "a", Reduce: reduce.Options{MaxAttempts: 40}})
		switch {
		case x.measured == 0:
			if !errors.Is(err, ErrShowsNothing) || out != nil {
				t.Errorf("%s: %v, %v", x.name, out, err)
			}
		case err != nil || out.Measured != x.measured || out.Case == nil:
			t.Errorf("%s: %+v, %v", x.name, out, err)
		}
	}
}

// looking is a worker that shows what a function says of a case.
type looking func(*testcase.Case) []campaign.Found

func (w looking) Check(_ context.Context, job campaign.Job) (*campaign.CaseResult, error) {
	c, err := testcase.Parse("case", job.Text)
	if err != nil {
		return nil, err
	}
	return &campaign.CaseResult{Findings: w(c)}, nil
}

func (looking) Close() error { return nil }

// TestNarrowed: of a setting of several variables the one that the finding needs stays, copies of tables give way to a
// variable that does the same, and where it takes two, or the copies themselves, nothing changes.
func TestNarrowed(t *testing.T) {
	p := &dbms.Profile{DBMS: "mariadb", Variants: dbms.Variants{Plans: []dbms.PlanSetting{
		{Name: "copies", Copies: &respell.Copies{}},
		{Name: "switched", Set: []string{"SET SESSION optimizer_switch = 'semijoin=off,mrr=on'"},
			Unset: []string{"SET SESSION optimizer_switch = DEFAULT"}},
		{Name: "buffers", Set: []string{"SET SESSION a = 1", "SET SESSION b = 2"}, Unset: []string{"SET SESSION a = DEFAULT",
			"SET SESSION b = DEFAULT"}},
		{Name: "one", Set: []string{"SET SESSION c = 1"}, Unset: []string{"SET SESSION c = DEFAULT"}},
	},
	}}
	const rows, searched = "plan-difference/SELECT:rows", "plan-difference/UPDATE:matched-versus-affected"
	for _, x := range []struct{ signature, plan, shows, want string }{
		{rows, "switched", "switched/mrr", "switched/mrr"}, {rows, "buffers", "buffers/b", "buffers/b"},
		{rows, "buffers", "", "buffers"}, {rows, "one", "", "one"},
		{rows, "copies", "switched/semijoin", "switched/semijoin"}, {rows, "copies", "", "copies"},
		{searched, "copies", "switched/semijoin", "copies"},
	} {
		c, err := testcase.Parse(t.Name(), []byte("txweave case 1\ntarget: mariadb\nisolation: serializable\nplan: "+x.plan+
			"\n\n-- schema --\nCREATE TABLE t0 (pkey INTEGER PRIMARY KEY);\n\n-- T0 --\nBEGIN;\nSELECT pkey FROM "+
			"t0;\nCOMMIT;\n\n-- schedule --\nT0 T0 T0\n"))
		if err != nil {
			t.Fatal(err)
		}
		k := &shrinker{profile: p, repeat: 2, runs: 2, sought: sought{signature: x.signature},
			worker: looking(func(c *testcase.Case) []campaign.Found {
				if plan := c.Option(testcase.OptionPlan); plan != x.plan && plan != x.shows || p.PlanSetting(plan) == nil {
					return nil
				}
				return []campaign.Found{{Finding: finding.Finding{Signature: x.signature}}}
			})}
		k.look = k.check
		out, err := k.narrowed(t.Context(), c)
		if err != nil || out.Option(testcase.OptionPlan) != x.want {
			t.Errorf("%s, shown by %q: %v, %v; want %s", x.plan, x.shows, out.Option(testcase.OptionPlan), err, x.want)
		}
	}
}

// naming is a worker that refuses, of cases that are said to be made blindly, those whose table has no unique pkey.
type naming struct{ asked []bool }

func (w *naming) Check(_ context.Context, job campaign.Job) (*campaign.CaseResult, error) {
	w.asked = append(w.asked, job.Blind)
	if job.Blind && !bytes.Contains(job.Text, []byte("UNIQUE")) {
		return &campaign.CaseResult{Refused: "it must never be used again"}, nil
	}
	return &campaign.CaseResult{Findings: []campaign.Found{{Finding: finding.Finding{Signature: "a"}}}}, nil
}

func (*naming) Close() error { return nil }

// TestHeed: a case whose rows keep their names by a unique key stays one as it is made smaller; of another one only
// whoever wrote it knows.
func TestHeed(t *testing.T) {
	for _, x := range []struct {
		key   string
		blind bool
	}{{", UNIQUE (pkey)", true}, {"", false}} {
		c, err := testcase.Parse(t.Name(),
			[]byte("txweave case 1\ntarget: sqlite\nisolation: serializable\n\n-- schema --\nCREATE TABLE t0 (pkey INTEGER, "+
				"vkey INTEGER, c0 TEXT PRIMARY KEY"+x.key+
				");\n\n-- T0 --\nBEGIN;\nREPLACE INTO t0 (pkey, vkey, c0) VALUES (1, 2, 'a');\nCOMMIT;\n\n-- schedule --\nT0 T0 "+
				"T0\n"))
		if err != nil {
			t.Fatal(err)
		}
		w := &naming{}
		p, err := dbms.Lookup("sqlite", "serializable")
		if err != nil {
			t.Fatal(err)
		}
		out, err := Run(t.Context(), w, p, c, Options{})
		if err != nil || out.Case == nil {
			t.Fatal(out, err)
		}
		if kept := strings.Contains(string(out.Case.Print()), "UNIQUE"); kept != x.blind ||
			slices.Contains(w.asked[1:], !x.blind) {
			t.Errorf("with%s: %s, asked as made blindly %v", x.key, out.Case.Print(), w.asked[1:])
		}
	}
}

// TestRepeating: a row of before is offered again under another name, however it was inserted.
func TestRepeating(t *testing.T) {
	for sql, want := range map[string]string{
		"INSERT INTO t (pkey, vkey, pvkey, a) VALUES (1, 2, 0, 7)": "INSERT INTO t (pkey, vkey, pvkey, a) VALUES " +
			"(99991, 999991, 0, 7)",
		"INSERT INTO t (pkey, vkey, pvkey, `order`) VALUES (1, 2, 0, 7)": "INSERT INTO t (pkey, vkey, pvkey, `order`) " +
			"VALUES (99991, 999991, 0, 7)",
		"INSERT INTO t SET a = 7, pkey = 1, vkey = 2, pvkey = 0": "INSERT INTO t (a, pkey, vkey, pvkey) VALUES (7, " +
			"99991, 999991, 0)",
	} {
		if got := repeating(&testcase.Case{Target: "mariadb", Rows: []testcase.Stmt{{SQL: sql}}}, "t"); !slices.Equal(got,
			[]string{want}) {
			t.Errorf("%s: %q", sql, got)
		}
	}
}
