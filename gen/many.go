package gen

import (
	"txweave/sql"
	"txweave/sql/build"
	"txweave/testcase"
)

// A case may have one table with many rows: bugs of page splits, of purge and of large sorts need them.

// MostRows is the largest Options.Many.
const MostRows = 7000

// batch is how many rows one INSERT writes of a table that has more than batchFrom.
const (
	batchFrom = 200
	batch     = 100
)

// manyVKey comes before the vkeys of the first rows of a case with many, so that no statement's is one of them.
const manyVKey = 2_000_000

// makeRoom leaves out the first bases of pkeys that statements insert, where the pkeys of many rows, of which some
// numbers are left out, would lie between them: see insertBase.
func (g *generator) makeRoom() {
	for g.firstInserted() <= int64(2*g.o.Many) {
		g.skipped++
	}
	g.inserts = g.skipped
}

// firstInserted is above the pkeys of the rows that the case begins with.
func (g *generator) firstInserted() int64 { return firstInserted << g.skipped }

// drawMany gives one table many rows.
func (g *generator) drawMany() {
	if g.o.Many > 0 {
		oneOf(g, g.tables).rows += g.o.Many
	}
}

// firstRowVKey comes before the vkey of the first row.
func (g *generator) firstRowVKey() int64 {
	if g.o.Many > 0 {
		return manyVKey
	}
	return 0
}

// rowsOf is the INSERT of the rows from one to before another; vkey is the first one's.
func (g *generator) rowsOf(t *table, vkey int64, values [][]string, from, to int) testcase.Stmt {
	var rows []*sql.Row
	for r := from; r < to; r++ {
		row := t.naming(build.Int(t.pkeys[r]), vkey+int64(r-from))
		for i := range values {
			row = append(row, g.lit(values[i][r]))
		}
		rows = append(rows, build.Row(row...))
	}
	return g.finished(valuesOf(into(t), rows...))
}
