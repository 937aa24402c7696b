package sdg

import (
	"fmt"
	"math/rand/v2"

	"txweave/sql/sqltext"
)

func name(txn int, st *modelStmt) string { return fmt.Sprintf("T%d.S%d", txn, st.id%10) }

// generate draws a case: 2-4 transactions of 1-5 statements over three tables of 0-4 rows, with values so
// few that predicates match and unique values collide.
func generate(rng *rand.Rand, m mode) *modelCase {
	c := &modelCase{mode: m}
	vkey := int64(1)
	for t := range modelTables {
		c.unique[t] = rng.IntN(3) == 0
		for p := range rng.IntN(5) {
			r := row{pkey: int64(t*10 + p + 1), vkey: vkey, c: [3]int64{small(rng), small(rng), int64(p)}}
			vkey++
			c.initial[t] = append(c.initial[t], r)
		}
	}
	for x := range 2 + rng.IntN(3) {
		var t modelTxn
		n := 1 + rng.IntN(5)
		for s := range n {
			st := generateStmt(rng)
			st.id, st.vkey = x*10+s, vkey
			vkey++
			t.stmts = append(t.stmts, st)
			c.order = append(c.order, x)
		}
		c.order = append(c.order, x) // COMMIT
		t.rollback = rng.IntN(10) == 0
		if rng.IntN(8) == 0 {
			t.save = rng.IntN(n)
			t.back = t.save + 1 + rng.IntN(n-t.save)
		}
		c.txns = append(c.txns, t)
	}
	rng.Shuffle(len(c.order), func(i, j int) { c.order[i], c.order[j] = c.order[j], c.order[i] })
	return c
}

func small(rng *rand.Rand) int64 { return int64(rng.IntN(3)) }

func generatePred(rng *rand.Rand) pred {
	return pred{rng.IntN(2), "===<>t"[rng.IntN(6)], small(rng)}
}

func generateExpr(rng *rand.Rand, column bool) expr {
	switch k := rng.IntN(10); {
	case k < 3:
		return expr{kind: "smn"[k], table: rng.IntN(modelTables), col: rng.IntN(2), p: generatePred(rng)}
	case k < 6 && column:
		return expr{kind: 'c', col: rng.IntN(2), val: small(rng)}
	}
	return expr{kind: 'k', val: small(rng)}
}

func generateStmt(rng *rand.Rand) modelStmt {
	s := modelStmt{table: rng.IntN(modelTables), source: -1, where: generatePred(rng), col: rng.IntN(2),
		allCols: rng.IntN(4) == 0}
	k := rng.IntN(20)
	switch {
	case k < 8:
		s.kind, s.shape = sqltext.Select, "iiivvaaj"[rng.IntN(8)]
		s.agg, s.join = "smn"[rng.IntN(3)], rng.IntN(modelTables)
		if s.join == s.table {
			s.join = (s.join + 1) % modelTables
		}
	case k < 12:
		s.kind = sqltext.Update
		s.set = []assign{{rng.IntN(2), generateExpr(rng, true)}}
		if rng.IntN(4) == 0 {
			s.set = append(s.set, assign{2, expr{kind: "kc"[rng.IntN(2)], col: 2, val: small(rng)}})
		}
	case k < 15:
		s.kind = sqltext.Delete
	default:
		s.kind = sqltext.Insert
		if rng.IntN(3) == 0 {
			s.source = rng.IntN(modelTables)
		} else if rng.IntN(3) == 0 {
			s.onDup = "ir"[rng.IntN(2)]
		}
		for i := range s.values {
			s.values[i] = generateExpr(rng, s.source >= 0)
		}
		s.values[2] = expr{kind: 'k', val: int64(rng.IntN(6))}
		if s.source >= 0 && rng.IntN(2) == 0 {
			s.values[2] = expr{kind: 'c', col: 2, val: 2}
		}
		return s
	}
	if rng.IntN(4) == 0 {
		s.sub = &subquery{table: rng.IntN(modelTables), p: generatePred(rng), in: rng.IntN(2) == 0,
			not: rng.IntN(3) == 0, outer: rng.IntN(2), col: rng.IntN(2)}
	}
	if rng.IntN(8) == 0 {
		s.limit, s.by = true, rng.IntN(2)
	}
	return s
}
