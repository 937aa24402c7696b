package planted

import (
	"math"
	"slices"
	"testing"

	"txweave/exec"
	"txweave/history"
	"txweave/testcase"
)

// rareConn is a connection in a transaction of a case with one table, under a bug that is made rare.
func rareConn(t *testing.T, fault string, r Rarity) *faultConn {
	t.Helper()
	at := slices.IndexFunc(Faults(), func(f *Fault) bool { return f.Name == fault })
	if at < 0 {
		t.Fatal(fault)
	}
	planted, err := PlantRare(nil, Faults()[at], 1, r)
	if err != nil {
		t.Fatal(err)
	}
	target := planted.(*faultyTarget)
	target.profile = profile(t, "mariadb/serializable")
	target.tables = []string{"t0"}
	target.c = &testcase.Case{Schema: []testcase.Stmt{
		{SQL: "CREATE TABLE t0 (pkey BIGINT NOT NULL PRIMARY KEY, c0 INT, INDEX t0_i (c0))"}}}
	target.places, target.sent = map[testcase.StmtID]place{}, map[string]bool{}
	x := &faultTxn{read: map[string]bool{}, wrote: map[string]bool{}}
	c := &faultConn{target: target, profile: target.profile, txn: x}
	x.conn = c
	target.txns, target.conns = []*faultTxn{x}, []*faultConn{c}
	return c
}

// of says that a statement of the case is sent, or something in its place or around it.
func of(id int, as history.Role) exec.Occasion {
	return exec.Occasion{Stmt: testcase.StmtID(id), Role: as}
}

// TestRarity: a rare bug strikes one in so many of the statements that it would strike, BEGIN and ends among them, none
// that is not the case's, and goes on with what it has begun.
func TestRarity(t *testing.T) {
	for fault, sent := range map[string]struct {
		sql string
		as  []history.Role
	}{
		"stale-snapshot":       {"SELECT 1 FROM t0", []history.Role{history.Target}},
		"lost-commit":          {"COMMIT", []history.Role{history.End}},
		"rollback-has-effects": {"ROLLBACK", []history.Role{history.End, history.Abort}},
		"weaker-level":         {"BEGIN", []history.Role{history.Begin}},
	} {
		for _, as := range sent.as {
			c := rareConn(t, fault, Rarity{Every: 10})
			struck, n := 0, 4000
			for i := range n {
				c.target.c.Seed = uint64(i / 20)
				if c.strikes(of(i%20+1, as), sent.sql) {
					struck++
				}
				for _, probe := range []exec.Occasion{of(i%20+1, history.VSR), {}} {
					if c.strikes(probe, sent.sql) {
						t.Fatalf("%s: a probe was struck", fault)
					}
				}
			}
			near(t, fault, struck, n, float64(c.target.fault.every*10))
		}
	}
	c := rareConn(t, "stale-index", Rarity{Every: 1 << 40})
	if !c.strikes(of(1, history.VSR), "SELECT pkey FROM t0 WHERE t0.c0 = 3") {
		t.Error("a read over an index that lacks entries finds them all")
	}
	c = rareConn(t, "lost-update", Rarity{Every: 1 << 40})
	if c.txn.beginsAgain = true; !c.strikes(of(1, history.Target), "UPDATE t0 SET c0 = 3") {
		t.Error("what it began it does not end")
	}
	if _, err := PlantRare(nil, c.target.fault, 1, Rarity{When: "full-moon"}); err == nil {
		t.Error("there is no such condition")
	}
}

// near fails unless of n draws about one in every came out, within five standard deviations.
func near(t *testing.T, what string, got, n int, every float64) {
	t.Helper()
	want := float64(n) / every
	if math.Abs(float64(got)-want) > 5*math.Sqrt(want*(1-1/every)) {
		t.Errorf("%s: %d of %d, want about %.0f", what, got, n, want)
	}
}

// TestConditions: each circumstance, and its absence.
func TestConditions(t *testing.T) {
	other := func(c *faultConn) *faultTxn {
		x := &faultTxn{wrote: map[string]bool{}}
		c.target.txns = append(c.target.txns, x)
		return x
	}
	for when, make := range map[string]func(c *faultConn) (sql string){
		"index":       func(*faultConn) string { return "SELECT 1 FROM t0 WHERE t0.c0 = 3" },
		"join":        func(*faultConn) string { return "SELECT 1 FROM t0 AS a INNER JOIN t0 AS b ON a.pkey = b.pkey" },
		"descending":  func(*faultConn) string { return "SELECT 1 FROM t0 ORDER BY t0.pkey DESC" },
		"third-write": func(c *faultConn) string { c.txn.writes = 2; return "SELECT 1 FROM t0" },
		"other-wrote": func(c *faultConn) string { other(c).wrote["t0"] = true; return "SELECT 1 FROM t0" },
		"other-waits": func(c *faultConn) string {
			c.target.conns = append(c.target.conns, &faultConn{refused: true})
			return "SELECT 1 FROM t0"
		},
		"after-rollback": func(c *faultConn) string { other(c).ended = 3; return "SELECT 1 FROM t0" },
		"again":          func(c *faultConn) string { c.target.sent["SELECT 1 FROM t0"] = true; return "SELECT 1 FROM t0" },
	} {
		c := rareConn(t, "stale-snapshot", Rarity{When: when})
		if c.strikes(of(2, history.Target), "SELECT 2 FROM t0") {
			t.Errorf("%s: it strikes without", when)
		}
		if sql := make(c); !c.strikes(of(1, history.Target), sql) {
			t.Errorf("%s: it does not strike %s", when, sql)
		}
	}
	for _, x := range Conditions() {
		if x[0] == "" || x[1] == "" {
			t.Errorf("%q is not said", x)
		}
	}
	// What depends on the run as well strikes in some of them.
	c := rareConn(t, "stale-snapshot", Rarity{Every: 2, Sometimes: true})
	seen := map[bool]bool{}
	for c.target.runs = range 20 {
		seen[c.strikes(of(1, history.Target), "SELECT 1 FROM t0")] = true
	}
	if len(seen) != 2 {
		t.Errorf("in 20 runs it was always %v", seen)
	}
}

// TestFollowers: what a bug only watches is one of the statements that it can strike.
func TestFollowers(t *testing.T) {
	for _, f := range Faults() {
		for _, v := range f.follows {
			if !slices.Contains(f.verbs, v) {
				t.Errorf("%s follows %s, which it never strikes", f.Name, v)
			}
		}
	}
}
