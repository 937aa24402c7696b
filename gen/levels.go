package gen

import "txweave/testcase"

// ownLevel are transactions that run at a level of their own, in percent, in cases with several.
const ownLevel = 45

// dirtyLevel is the level whose transactions are not replayed: they only read.
const dirtyLevel = "read-uncommitted"

// levels gives transactions of a share of the cases levels of their own.
func (g *generator) levels(txns []testcase.Txn, states []txnState) {
	if len(g.d.OwnLevels) == 0 || g.o.Isolation == dirtyLevel || !g.wants("mixed-levels") {
		return
	}
	rng := g.beside("own-level")
	for i := range txns {
		if rng.IntN(100) >= ownLevel {
			continue
		}
		level := g.d.OwnLevels[rng.IntN(len(g.d.OwnLevels))]
		if level == g.o.Isolation {
			continue
		}
		txns[i].Isolation = level
		states[i].readOnly = states[i].readOnly || level == dirtyLevel
	}
}

// isolation is the level of a transaction.
func (g *generator) isolation(t *testcase.Txn) string {
	if t.Isolation != "" {
		return t.Isolation
	}
	return g.o.Isolation
}
