package planted

import (
	"fmt"
	"slices"
	"testing"

	"txweave/exec"
	"txweave/history"
	"txweave/testcase"
)

// drawing is a connection under a bug that strikes one statement in so many.
func drawing(t *testing.T, fault string, every uint64, seed, caseSeed uint64) *faultConn {
	c := rareConn(t, fault, Rarity{})
	f := *c.target.fault
	f.every = every
	c.target.fault, c.target.rare, c.target.seed, c.target.c.Seed = &f, nil, seed, caseSeed
	return c
}

// TestStrikesStay: whatever a statement's text has become, what was sent before it, and where it stands: it is struck
// if it was struck.
func TestStrikesStay(t *testing.T) {
	struck := 0
	for id := 1; id <= 100; id++ {
		c := drawing(t, "lost-row", 3, 1, 7)
		first := c.strikes(of(id, history.Target), "SELECT pkey FROM t0")
		if first {
			struck++
		}
		c.last, c.count, c.number = "UPDATE", 40, 3
		c.target.places[testcase.StmtID(id)] = place{2, 5}
		if c.strikes(of(id, history.Target), "SELECT t0.pkey FROM t0 WHERE 1 = 1") != first {
			t.Errorf("statement %d: at first %v, then another", id, first)
		}
	}
	if struck == 0 {
		t.Error("none is struck")
	}
}

// TestShareOfStrikes: over cases, statements and what is read around them a bug strikes as many as it says; what it
// does with one statement says nothing of the next one, nor of its reads, nor of what another bug, seed or case does
// with it.
func TestShareOfStrikes(t *testing.T) {
	const cases, stmts = 200, 40
	for _, every := range []uint64{2, 3, 4, 100} {
		own, next, around, bug, seed, other := 0, 0, 0, 0, 0, 0
		for n := range uint64(cases) {
			c := drawing(t, "lost-row", every, 1, n)
			for id := 1; id <= stmts; id++ {
				if c.draws(of(id, history.VSR), every) {
					around++
				}
				if !c.draws(of(id, history.Target), every) {
					continue
				}
				own++
				for _, x := range []struct {
					count *int
					c     *faultConn
					at    exec.Occasion
				}{{&next, c, of(id+1, history.Target)}, {&bug, drawing(t, "two-versions", every, 1, n), of(id, history.Target)},
					{&seed, drawing(t, "lost-row", every, 2, n), of(id, history.Target)},
					{&other, drawing(t, "lost-row", every, 1, n+1), of(id, history.Target)}} {
					if x.c.draws(x.at, every) {
						*x.count++
					}
				}
			}
		}
		near(t, "statements", own, cases*stmts, float64(every))
		near(t, "reads around them", around, cases*stmts, float64(every))
		for what, got := range map[string]int{"the next one": next, "another bug": bug, "another seed": seed,
			"another case": other} {
			near(t, fmt.Sprintf("one in %d, %s", every, what), got, own, float64(every))
		}
	}
}

// TestStrikesOfStorms: what is no case's is told by its session and its number there, and is the same when it is sent
// again.
func TestStrikesOfStorms(t *testing.T) {
	const sessions, stmts = 8, 500
	struck := 0
	for session := range sessions {
		c := drawing(t, "lost-row", 3, 1, 0)
		c.number = session
		for range stmts {
			if err := c.enter(); err != nil {
				t.Fatal(err)
			}
			first := c.strikes(exec.Occasion{}, "SELECT v FROM t0")
			if first {
				struck++
			}
			c.refused = true
			if err := c.enter(); err != nil {
				t.Fatal(err)
			}
			if c.strikes(exec.Occasion{}, "SELECT v FROM t0") != first {
				t.Error("a statement that is sent again is another one")
			}
			c.refused = false
		}
	}
	near(t, "statements of storms", struck, sessions*stmts, 3)
}

// TestPlacesOfTwins: statements of one text have places of their own.
func TestPlacesOfTwins(t *testing.T) {
	const twin = "DELETE FROM t0 WHERE t0.c0 = 3 RETURNING t0.pkey"
	c := &testcase.Case{Txns: []testcase.Txn{{Stmts: []testcase.Stmt{{SQL: twin}}},
		{Stmts: []testcase.Stmt{{SQL: "SELECT 1"}, {SQL: twin}}}}}
	target := &faultyTarget{places: placesOf(c.Number())}
	var got []place
	for _, s := range slices.Concat(c.Txns[0].Stmts, c.Txns[1].Stmts) {
		at, ok := target.placeOf(exec.Occasion{Stmt: s.ID, Role: history.Target})
		if _, probe := target.placeOf(exec.Occasion{Stmt: s.ID, Role: history.BWR}); !ok || probe {
			t.Errorf("%s: ok %v, a read before it %v", s.SQL, ok, probe)
		}
		got = append(got, at)
	}
	if !slices.Equal(got, []place{{0, 0}, {1, 0}, {1, 1}}) {
		t.Errorf("places %v", got)
	}
}
