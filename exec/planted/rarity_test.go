package planted

import (
	"fmt"
	"slices"
	"testing"

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
	target.c = &testcase.Case{Schema: []testcase.Stmt{{SQL: "CREATE TABLE t0 (pkey BIGINT NOT NULL PRIMARY KEY, c0 INT, INDEX t0_i (c0))"}}}
	target.places, target.sent = map[string]place{}, map[string]bool{}
	x := &faultTxn{read: map[string]bool{}, wrote: map[string]bool{}}
	c := &faultConn{target: target, profile: target.profile, txn: x}
	x.conn = c
	target.txns, target.conns = []*faultTxn{x}, []*faultConn{c}
	return c
}

// ofCase makes a text one of the case's.
func (c *faultConn) ofCase(sql string) string {
	c.target.places[sql] = place{}
	return sql
}

// TestRarity: a rare bug strikes about one in so many of the statements that it would strike, none that is not the case's, and
// every control statement that it would strike.
func TestRarity(t *testing.T) {
	c := rareConn(t, "stale-snapshot", Rarity{Every: 10})
	struck := 0
	for n := range 2000 {
		if c.strikes(c.ofCase(fmt.Sprintf("SELECT %d FROM t0", n))) {
			struck++
		}
		if c.strikes(fmt.Sprintf("SELECT pkey, vkey, %d FROM t0", n)) {
			t.Fatal("a probe was struck")
		}
	}
	if struck < 140 || struck > 260 {
		t.Errorf("%d of 2000 statements were struck, want about 200", struck)
	}
	if c = rareConn(t, "lost-commit", Rarity{}); !slices.ContainsFunc([]string{"a", "b", "c", "d", "e", "f", "g", "h"}, func(last string) bool {
		c.last = last
		return c.strikes("COMMIT")
	}) {
		t.Error("no COMMIT is struck")
	}
	c = rareConn(t, "stale-index", Rarity{Every: 1 << 40})
	if !c.strikes("SELECT pkey FROM t0 WHERE t0.c0 = 3") {
		t.Error("a read over an index that lacks entries finds them all")
	}
	c = rareConn(t, "lost-update", Rarity{Every: 1 << 40})
	if c.txn.beginsAgain = true; !c.strikes("UPDATE t0 SET c0 = 3") {
		t.Error("what it began it does not end")
	}
	if _, err := PlantRare(nil, c.target.fault, 1, Rarity{When: "full-moon"}); err == nil {
		t.Error("there is no such condition")
	}
}

// TestRareReturning: a write of the case that returns its rows is one of those that a rare bug strikes, though it is executed without the clause.
func TestRareReturning(t *testing.T) {
	const write, returning = "DELETE FROM t0 WHERE t0.c0 = 3", "DELETE FROM t0 WHERE t0.c0 = 3 RETURNING t0.pkey"
	places := placesOf(&testcase.Case{Txns: []testcase.Txn{{}, {Stmts: []testcase.Stmt{{SQL: "SELECT 1"}, {SQL: returning}}}}})
	for _, sql := range []string{write, returning} {
		if at, known := places[sql]; !known || at != (place{1, 1}) {
			t.Errorf("%s stands at %v (%v)", sql, at, known)
		}
	}
	c := rareConn(t, "lost-delete", Rarity{Every: 1})
	c.target.places = places
	if !slices.ContainsFunc([]string{"a", "b", "c", "d", "e", "f"}, func(last string) bool { c.last = last; return c.strikes(write) }) {
		t.Error("it is never struck")
	}
}

// TestSentAgain: a statement that was refused, and is sent again, is struck if it was struck the first time. Behind its own text none of an
// even seed ever was: of the hash's lowest bit the two cancel each other out.
func TestSentAgain(t *testing.T) {
	c := rareConn(t, "lost-row", Rarity{Every: 2})
	struck := 0
	for n := range 200 {
		sql := c.ofCase(fmt.Sprintf("SELECT %d FROM t0", n))
		c.last, c.before = "BEGIN", ""
		first := c.strikes(sql)
		if first {
			struck++
		}
		if c.last, c.before = sql, "BEGIN"; c.strikes(sql) != first {
			t.Errorf("%s: at first %v, then another", sql, first)
		}
	}
	if struck == 0 {
		t.Error("none is struck")
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
		if c.strikes(c.ofCase("SELECT 2 FROM t0")) {
			t.Errorf("%s: it strikes without", when)
		}
		if sql := c.ofCase(make(c)); !c.strikes(sql) {
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
	sql := c.ofCase("SELECT 1 FROM t0")
	seen := map[bool]bool{}
	for c.target.runs = range 20 {
		seen[c.strikes(sql)] = true
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
