package guide

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"txweave/dbms"
	"txweave/instrument"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// fillingOf returns what patterns of a case are filled with.
func fillingOf(t *testing.T, g *aim, src generated, n int) *filling {
	t.Helper()
	c, err := src.Make(n)
	if err != nil {
		t.Fatal(err)
	}
	m := &mutator{rng: rand.New(rand.NewPCG(5, uint64(n))), profile: g.profile, parser: g.parser, c: c,
		schema: c.ReadSchema()}
	f := &filling{m: m, from: []*testcase.Case{c.Clone()}, rows: map[byte][2]string{}, pins: map[[3]string]string{},
		begin: []string{"BEGIN IMMEDIATE"}, certain: true}
	for k := range 2 {
		related, err := src.Again(c.Seed, uint64(k)+1)
		if err != nil {
			t.Fatal(err)
		}
		f.from = append(f.from, related)
	}
	return f
}

// TestCertainSteps: where a pattern is certain each write is one of its row, each read finds the row by what names or
// holds it and prints the version that it saw, and nobody takes SQLite's write lock before it writes.
func TestCertainSteps(t *testing.T) {
	for _, target := range profiles {
		g, src := aimAt(t, target[0], target[1])
		ways := map[string]bool{}
		for n := range 60 {
			f := fillingOf(t, g, src, n)
			if !f.chooseRows() {
				continue
			}
			m := f.m
			m.c.Txns, m.c.Schedule = nil, nil
			if !f.fill(&pattern{"G2-item", common, "r1x r1y r2x r2y w1x w2y c1 c2"}) {
				t.Fatalf("%s: case %d: not filled", target[0], n)
			}
			for i, txn := range m.c.Txns {
				if m.keepsOut(txn.Begin.SQL) {
					t.Errorf("%s: case %d: T%d keeps the other one out", target[0], n, i)
				}
				for k, row := range []string{"x", "y", "xy"[i : i+1]} {
					table, key, sql := f.rows[row[0]][0], f.rows[row[0]][1], txn.Stmts[k].SQL
					if k == 2 {
						if named := m.schema.Table(table).Column(sqltext.VKey) != nil; named && !strings.HasSuffix(sql,
							" WHERE "+table+".pkey = "+key) {
							t.Errorf("%s: case %d: T%d writes another row than %s of %s: %s", target[0], n, i, key, table, sql)
						}
						continue
					}
					way, ok := witnessed(m, sql, table, key)
					if ways[way] = true; !ok {
						t.Errorf("%s: case %d: T%d may not see row %s of %s: %s", target[0], n, i, key, table, sql)
					}
				}
			}
			if _, err := instrument.Instrument(m.c, g.profile); err != nil {
				t.Errorf("%s: case %d: %v\n%s", target[0], n, err, m.c.Print())
			}
		}
		if len(ways) != 5 {
			t.Errorf("%s: rows are found by %v", target[0], ways)
		}
	}
}

// TestBorn: a row that a pattern lets come is one of those that its INSERT adds, and what writes or deletes it behind
// that names it.
func TestBorn(t *testing.T) {
	for _, target := range profiles {
		g, src := aimAt(t, target[0], target[1])
		born, gone := 0, 0
		for n := range 60 {
			f := fillingOf(t, g, src, n)
			if !f.chooseRows() {
				continue
			}
			m, before := f.m, f.rows['x']
			m.c.Txns, m.c.Schedule = nil, nil
			if !f.fill(&pattern{"comes and goes", common, "n1x c1 w2x d2x c2"}) {
				continue // nobody writes that table
			}
			insert := m.c.Txns[0].Stmts[0].SQL
			if m.statement(insert).Kind == sqltext.Insert && f.rows['x'] != before {
				born++
				table, key := f.rows['x'][0], f.rows['x'][1]
				adds := func(form string) bool { return strings.Contains(insert, fmt.Sprintf(form, key)) }
				if !adds("(%s, ") && !adds("pkey = %s,") && !adds(", %s,") && !adds("SELECT %s AS pkey") &&
					!adds("UNION ALL SELECT %s)") && !adds("UNION ALL SELECT %s ") {
					t.Errorf("%s: case %d: row %s of %s does not come by %s", target[0], n, key, table, insert)
				}
			}
			for _, s := range m.c.Txns[1].Stmts {
				table, key := f.rows['x'][0], f.rows['x'][1]
				if named := m.schema.Table(table).Column(sqltext.VKey) != nil; named && !strings.HasSuffix(s.SQL,
					" WHERE "+table+".pkey = "+key) {
					t.Errorf("%s: case %d: another row than %s of %s: %s", target[0], n, key, table, s.SQL)
				}
			}
			if m.statement(m.c.Txns[1].Stmts[1].SQL).Kind == sqltext.Delete {
				gone++
			}
			if _, err := instrument.Instrument(m.c, g.profile); err != nil {
				t.Errorf("%s: case %d: %v\n%s", target[0], n, err, m.c.Print())
			}
		}
		if born < 30 || gone < 20 {
			t.Errorf("%s: %d rows of 60 came, and %d went", target[0], born, gone)
		}
	}
}

// witnessed says in which way a read finds a row, and whether it finds the initial one, and prints which version it
// saw.
func witnessed(m *mutator, sql, table, key string) (way string, ok bool) {
	head, where, conditional := strings.Cut(sql, " WHERE ")
	if !strings.HasSuffix(head, " FROM "+table+" AS r0") || m.schema.Table(table).Column(sqltext.VKey) != nil &&
		!strings.Contains(head, "r0.vkey AS r0_v") {
		return "", false
	}
	if !conditional {
		return "all", true
	}
	var bound, at int
	_, _ = fmt.Sscan(key, &at)
	for _, op := range []string{"=", ">=", "<="} {
		if rest, is := strings.CutPrefix(where, "r0.pkey "+op+" "); is {
			_, _ = fmt.Sscan(rest, &bound)
			return op, op == "=" && at == bound || op == ">=" && at >= bound || op == "<=" && at <= bound
		}
	}
	column, value, _ := strings.Cut(strings.TrimPrefix(where, "r0."), " = ")
	i := slices.Index(m.values(table, sqltext.PKey), key)
	return "column", i >= 0 && m.values(table, column)[i] == value
}

// TestRowsOfPattern: no two rows of a pattern are one where there are others, and y is of another table than x mostly.
func TestRowsOfPattern(t *testing.T) {
	g, src := aimAt(t, "sqlite", "serializable")
	apart, several := 0, 0
	for n := range 100 {
		f := fillingOf(t, g, src, n)
		if !f.chooseRows() {
			continue
		}
		x, y, z := f.rows['x'], f.rows['y'], f.rows['z']
		if (x == y || z == x || z == y) && len(f.m.values(z[0], sqltext.PKey)) > 2 {
			t.Errorf("case %d: the rows are %v", n, f.rows)
		}
		if len(f.m.schema.Tables) > 1 {
			if several++; x[0] != y[0] {
				apart++
			}
		}
	}
	if apart < several/2 {
		t.Errorf("%d of %d are apart", apart, several)
	}
}

// TestBeside: where patterns are certain no transaction goes on beside them that writes, or takes the lock of one that
// does.
func TestBeside(t *testing.T) {
	c := &testcase.Case{}
	for _, x := range [][2]string{{"BEGIN", "SELECT 1"}, {"BEGIN", "UPDATE t SET a = 1"}, {"BEGIN IMMEDIATE", "SELECT 2"},
		{"BEGIN", "INSERT INTO t (a) VALUES (1)"}} {
		c.Txns = append(c.Txns, testcase.Txn{Begin: testcase.Stmt{SQL: x[0]}, Stmts: []testcase.Stmt{{SQL: "SELECT 3"},
			{SQL: x[1]}}, End: testcase.Stmt{SQL: "COMMIT"}})
	}
	p, err := dbms.Lookup("sqlite", "serializable")
	if err != nil {
		t.Fatal(err)
	}
	f := &filling{m: &mutator{profile: p}, from: []*testcase.Case{c}}
	if got := f.beside(); !slices.Equal(got, []int{0, 1, 2, 3}) {
		t.Errorf("beside any pattern: %v", got)
	}
	if f.certain = true; !slices.Equal(f.beside(), []int{0}) {
		t.Errorf("beside one that is certain: %v", f.beside())
	}
}

// TestReadsAgain: reads of a pattern may be followed by others of the same row, writes by none, up to the size that a
// case may have.
func TestReadsAgain(t *testing.T) {
	g, src := aimAt(t, "mariadb", "repeatable-read")
	for n := range 20 {
		f := fillingOf(t, g, src, n)
		if !f.chooseRows() {
			continue
		}
		m := f.m
		m.c.Txns, m.c.Schedule = nil, nil
		if f.again = 100; !f.fill(&pattern{"P2", common, "w2x r1x w2x c2 r1x c1"}) {
			t.Fatalf("case %d: not filled", n)
		}
		if err := m.check(); err != nil {
			t.Fatalf("case %d: %v\n%s", n, err, m.c.Print())
		}
		if reads, wrote := len(m.c.Txns[1].Stmts), len(m.c.Txns[0].Stmts); wrote != 2 || reads < 4 || reads+
			wrote > maxStmts/2 {
			t.Errorf("case %d: %d reads, %d writes\n%s", n, reads, wrote, m.c.Print())
		}
		for _, s := range m.c.Txns[1].Stmts {
			if _, ok := witnessed(m, s.SQL, f.rows['x'][0], f.rows['x'][1]); !ok {
				t.Errorf("case %d: no read of the row %v: %s", n, f.rows['x'], s.SQL)
			}
		}
	}
}
