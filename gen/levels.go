package gen

import (
	"slices"

	"txweave/testcase"
)

// ownLevel are transactions that run at a level of their own, in percent, in cases with several.
const ownLevel = 45

// dirtyLevel is the level whose transactions are not replayed: they only read.
const dirtyLevel = "read-uncommitted"

// levels gives transactions of a share of the cases levels of their own.
func (g *generator) levels(txns []testcase.Txn, states []txnState) {
	if len(g.d.TxnForms.OwnLevels) == 0 || g.o.Isolation == dirtyLevel || !g.wants("mixed-levels") {
		return
	}
	rng := g.beside("own-level")
	for i := range txns {
		if rng.IntN(100) >= ownLevel {
			continue
		}
		level := g.d.TxnForms.OwnLevels[rng.IntN(len(g.d.TxnForms.OwnLevels))]
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

// eachLevel says whether the levels that transactions have for their own are among those at which a production is used.
func (g *generator) eachLevel(production string, txns []testcase.Txn) bool {
	at := g.d.Capabilities.Levels[options[production].needs]
	return at == nil || !slices.ContainsFunc(txns, func(t testcase.Txn) bool {
		return t.Isolation != "" && !slices.Contains(at, t.Isolation)
	})
}
