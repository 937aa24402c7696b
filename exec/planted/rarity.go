package planted

import (
	"fmt"
	"slices"
	"strings"

	"txweave/exec"
	"txweave/history"
)

// Rarity makes a planted bug as hard to find as those of engines are: it strikes statements of the case only, never the
// reads that the tool adds (but where it has spoilt the database itself), one in Every of those that it would, and only
// under a condition.
type Rarity struct {
	Every uint64
	// When is a condition's name; "" is none.
	When string
	// Sometimes lets it depend on the run as well: what a case showed it need not show again.
	Sometimes bool
}

// condition is a circumstance under which a rare bug strikes.
type condition struct {
	name, what string
	holds      func(c *faultConn, sql string) bool
}

// conditions are the circumstances that reports of bugs name.
var conditions = []condition{
	{"index", "the condition names a column with a secondary index", func(c *faultConn, sql string) bool {
		return c.target.looksUp(sql)
	}},
	{"join", "the statement joins", func(c *faultConn, sql string) bool { return joins(c.tree(sql)) }},
	{"descending", "the statement sorts in descending order", func(c *faultConn, sql string) bool {
		return sortsDown(c.tree(sql))
	}},
	{"third-write", "the transaction has written twice before, or more often", func(c *faultConn, _ string) bool {
		return c.txn != nil && c.txn.writes >= 2
	}},
	{"other-wrote", "another transaction is open that has written", func(c *faultConn, _ string) bool {
		return slices.ContainsFunc(c.target.txns, func(x *faultTxn) bool {
			return x != c.txn && x.ended == 0 && len(x.wrote) > 0
		})
	}},
	{"other-waits", "another session's statement waits, or was refused and will be sent again",
		func(c *faultConn, _ string) bool {
			return slices.ContainsFunc(c.target.conns, func(o *faultConn) bool { return o != c && (o.flying || o.refused) })
		}},
	{"after-rollback", "a transaction was rolled back before", func(c *faultConn, _ string) bool {
		return slices.ContainsFunc(c.target.txns, func(x *faultTxn) bool { return x.ended > 0 && !x.committed })
	}},
	{"again", "the same text was sent before in this run", func(c *faultConn, sql string) bool {
		return c.target.sent[sql]
	}},
}

// Conditions lists the names of the circumstances with what they are.
func Conditions() [][2]string {
	var out [][2]string
	for _, c := range conditions {
		out = append(out, [2]string{c.name, c.what})
	}
	return out
}

// PlantRare returns a target that shows a planted bug now and then. An error says that there is no such condition.
func PlantRare(t exec.Target, f *Fault, seed uint64, r Rarity) (exec.Target, error) {
	if r.When != "" && !slices.ContainsFunc(conditions, func(c condition) bool { return c.name == r.When }) {
		var names []string
		for _, c := range conditions {
			names = append(names, c.name)
		}
		return nil, fmt.Errorf("no condition %q (there are %s)", r.When, strings.Join(names, ", "))
	}
	r.Every = max(r.Every, 1)
	return &faultyTarget{Target: t, fault: f, seed: seed, stale: map[int64]bool{}, rare: &r}, nil
}

// ofCase are the roles of the statements that are the case's own, or stand in their place: all others are probes.
var ofCase = []history.Role{history.Begin, history.Target, history.End, history.Abort}

// strikes says whether a bug that is made rare spoils a statement which it could spoil.
func (r *Rarity) strikes(c *faultConn, at exec.Occasion, verb, sql string) bool {
	t, f := c.target, c.target.fault
	t.mu.Lock()
	defer t.mu.Unlock()
	if c.txn != nil && c.txn.beginsAgain || slices.Contains(f.follows, verb) && f.probes {
		return true // it goes on with what it began
	}
	if at.Stmt == 0 || !slices.Contains(ofCase, at.Role) {
		return false
	}
	if slices.Contains(f.follows, verb) {
		return true
	}
	for i := range conditions {
		if conditions[i].name == r.When && !conditions[i].holds(c, sql) {
			return false
		}
	}
	return c.draws(at, f.every*r.Every)
}
