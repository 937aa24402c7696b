package planted

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"

	"txweave/exec"
	"txweave/history"
	"txweave/testcase"
)

// A fault draws for each statement whether it strikes. What it draws by stays the statement's own while the case around
// it is edited and its text is: its identity in the case. So what a case shows it shows in every form that keeps the
// statement.

// place is a transaction of the case and the number of one of its statements.
type place struct{ txn, stmt int }

// placesOf says where the statements of a case stand.
func placesOf(c *testcase.Case) map[testcase.StmtID]place {
	out := map[testcase.StmtID]place{}
	for n := range c.Txns {
		for i, s := range c.Txns[n].Stmts {
			out[s.ID] = place{n, i}
		}
	}
	delete(out, 0)
	return out
}

// placeOf is where the case has what is sent; ok is false of what is sent around its statements.
func (t *faultyTarget) placeOf(at exec.Occasion) (p place, ok bool) {
	p, ok = t.places[at.Stmt]
	return p, ok && at.Role == history.Target
}

// draws says of one statement in so many, the same each time, that the fault strikes it: by the seeds, by the bug, and
// by which statement of the case is sent, or around which one, and as what. What a storm sends, which makes its
// transactions up as it goes, is told by its session and by how many statements that had sent before.
func (c *faultConn) draws(at exec.Occasion, every uint64) bool {
	t := c.target
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %d %d ", t.fault.Name, t.seed, t.c.Seed)
	if at.Stmt != 0 {
		fmt.Fprintf(h, "%d %s %d", at.Stmt, at.Role, at.Nth)
	} else {
		fmt.Fprintf(h, "session %d %d", c.number, c.count)
	}
	if t.rare != nil && t.rare.Sometimes {
		fmt.Fprintf(h, " %d", t.runs)
	}
	// The lowest bits of a hash of texts that are nearly the same are not as those of random numbers.
	return rand.New(rand.NewPCG(h.Sum64(), every)).Uint64N(every) == 0
}
