package gen

import (
	"fmt"
	"slices"
	"strconv"

	"txweave/sql"
	"txweave/sql/build"
	"txweave/testcase"
)

// words is the pool of strings. Lower-case letters and digits only, so that no collation merges two of them;
// the non-ASCII letters equal no other letter in any Unicode collation.
var words = []string{"a", "b", "c", "ab", "ba", "abc", "bca", "aab", "x1", "x2", "cab", "b7", "zz", "ж", "a中", "жb", "",
	"q0q", "m", "mn"}

// fewRows are the rows that most tables have at least, where their number is drawn: of fewer no condition tells some
// from the others. emptyShare: tables that may have fewer, and none, in percent. emptyCase: cases that drew no rows and
// stay without any.
const (
	fewRows    = 3
	emptyShare = 8
	emptyCase  = 40
)

// maxRows bounds the initial rows of a table where their number is drawn, so that a join of many references to it ends.
const maxRows = 25

// rows draws the initial rows and returns what writes one INSERT for each.
func (g *generator) rows() (inserts []func() testcase.Stmt) {
	total := g.small(g.o.Rows)
	for _, f := range AllFamilies {
		for range g.between(8, 14) {
			g.pools[f] = append(g.pools[f], g.rawLiteral(f))
		}
	}
	g.shareRows(total)
	g.drawMany()
	vkey := g.firstRowVKey()
	for _, t := range g.tables {
		for _, c := range t.cols {
			c.pool = g.pool(c)
		}
		g.rowKeys(t)
		values := g.valuesOf(t)
		seen := map[string]bool{}
		for r := range t.rows {
			g.keyRow(t, values, r, seen)
			vkey++
			t.pkey.holds(strconv.FormatInt(t.pkeys[r], 10))
			for i, c := range t.cols {
				c.holds(values[i][r])
				c.rows = append(c.rows, values[i][r])
			}
			pkey, vkey := t.pkeys[r], vkey
			if t.rows <= batchFrom || len(t.heirs) > 0 {
				inserts = append(inserts, func() testcase.Stmt { return g.rowOf(t, pkey, vkey, values, r) })
			} else if r%batch == 0 {
				inserts = append(inserts, func() testcase.Stmt { return g.rowsOf(t, vkey, values, r, min(t.rows, r+batch)) })
			}
		}
	}
	return inserts
}

// valuesOf draws the values of the initial rows of t, by column.
func (g *generator) valuesOf(t *table) [][]string {
	values := make([][]string, len(t.cols))
	for i, c := range t.cols {
		values[i] = g.initialValues(c, t.rows)
		if c.with != nil {
			values[i] = g.following(c, values[slices.Index(t.cols, c.with)])
		}
	}
	g.apart(t, values)
	return values
}

// rowOf is the INSERT of a row of those whose values are given by column.
func (g *generator) rowOf(t *table, pkey, vkey int64, values [][]string, r int) testcase.Stmt {
	row := t.naming(build.Int(pkey), vkey)
	for i := range values {
		row = append(row, g.lit(values[i][r]))
	}
	return g.finished(valuesOf(intoPartOf(t, pkey), build.Row(row...)))
}

// naming returns the values of a new row's bookkeeping columns.
func (t *table) naming(pkey sql.Expr, vkey int64) []sql.Expr {
	return []sql.Expr{pkey, build.Int(vkey), build.Int(0)}[:len(t.bookkeeping())]
}

// into returns INSERT INTO t (pkey, vkey, pvkey, c0, …).
func into(t *table) *sql.Insert {
	n := &sql.Insert{Table: build.Table(t.name, ""), Columns: build.Names(t.bookkeeping()...)}
	for _, c := range t.cols {
		n.Columns = append(n.Columns, build.Name(c.name))
	}
	return n
}

// valuesOf gives an INSERT rows of values.
func valuesOf(n *sql.Insert, rows ...*sql.Row) *sql.Insert {
	n.Source = build.Query(&sql.Values{Rows: rows})
	return n
}

// rowKeys draws the initial pkeys of t, ascending with gaps, its hot keys, and the pool of pkey literals.
func (g *generator) rowKeys(t *table) {
	key := int64(0)
	for range t.rows {
		key++
		if g.pct(10) && key < 900 {
			key++
		}
		t.pkeys = append(t.pkeys, key)
	}
	t.met = append(t.met, t.pkeys...)
	for range min(3, t.rows) {
		t.hot = append(t.hot, oneOf(g, t.pkeys))
	}
	for _, k := range t.pkeys {
		t.pkey.pool = append(t.pkey.pool, strconv.FormatInt(k, 10))
	}
	if t.rows == 0 {
		t.pkeys, t.hot, t.pkey.pool = []int64{1}, []int64{1}, []string{"1"}
	}
}

// pool draws the literals that a column's values come from: few, so that rows share values, and mostly from the
// pool of the case, so that columns do.
func (g *generator) pool(c *column) []string {
	if c.special != nil {
		return c.special.Values
	}
	var pool []string
	for range g.between(5, 10) {
		if g.pct(80) {
			pool = append(pool, oneOf(g, g.pools[c.fam]))
		} else {
			pool = append(pool, g.rawLiteral(c.fam))
		}
	}
	pool = c.checked(pool)
	return pool
}

// rawLiteral draws a non-NULL literal of a family.
func (g *generator) rawLiteral(f Family) string {
	switch f {
	case FamInt:
		if g.pct(10) {
			return strconv.Itoa(g.between(-2000, 100000))
		}
		return strconv.Itoa(g.between(-5, 15))
	case FamDouble:
		return fmt.Sprintf(g.d.ExprForms.DoubleLit, strconv.FormatFloat(float64(g.between(-12, 60))*0.25, 'f', 2, 64))
	case FamDecimal:
		n := g.between(-40, 200) * 25
		return decimal(n, g.decScale)
	case FamString:
		return "'" + oneOf(g, words) + "'"
	case FamDate:
		return fmt.Sprintf(g.d.ExprForms.DateLit, fmt.Sprintf("%d-%02d-%02d", g.between(2018, 2024), g.between(1, 3),
			g.between(1, 28)))
	default:
		return fmt.Sprintf(g.d.ExprForms.DatetimeLit, fmt.Sprintf("%d-%02d-%02d %02d:%02d:00",
			g.between(2018, 2024), g.between(1, 3), g.between(1, 28), g.between(0, 23), g.between(0, 3)*15))
	}
}

// number prints a whole number as a literal of a numeric family.
func (g *generator) number(f Family, n int) string {
	switch f {
	case FamDouble:
		return fmt.Sprintf(g.d.ExprForms.DoubleLit, fmt.Sprintf("%d.00", n))
	case FamDecimal:
		return fmt.Sprintf("%d.%0*d", n, g.decScale, 0)
	default:
		return strconv.Itoa(n)
	}
}

// decimal prints n·10^-scale with exactly scale digits after the point.
func decimal(n, scale int) string {
	sign := ""
	if n < 0 {
		sign, n = "-", -n
	}
	digits := fmt.Sprintf("%0*d", scale+1, n)
	return sign + digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
}

// shareRows says how many of so many rows each table has.
func (g *generator) shareRows(total int) {
	for i := range total {
		// The first table is the largest: the share of table i falls with its number.
		t := g.tables[0]
		if i < len(g.tables) {
			t = g.tables[i]
		} else if g.pct(75) {
			t = oneOf(g, g.tables)
		}
		if t.rows < maxRows || g.o.Rows.Min > 0 {
			t.rows++
		}
	}
	bare := total == 0 && g.pct(emptyCase)
	for _, t := range g.tables {
		if least := g.between(fewRows, 2*fewRows); !bare && t.rows < least && !g.pct(emptyShare) && g.o.Rows.Max >=
			fewRows*len(g.tables) {
			t.rows = least
		}
	}
}

// initialValues draws n values of a column; those of a unique column are distinct.
func (g *generator) initialValues(c *column, n int) []string {
	values := make([]string, n)
	for i := range values {
		values[i] = oneOf(g, c.pool)
		switch {
		case c.parent != nil && c.parent.owns(c):
			values[i] = g.ownReference(c, i)
		case c.parent != nil:
			values[i] = g.initialReference(c)
		}
	}
	if c.unique {
		g.uniqueValues(c, values)
	}
	if !c.notNull {
		for i := range values {
			if g.pct(15) {
				values[i] = "NULL"
			}
		}
	}
	return values
}

// uniqueValues draws the values of a unique column.
func (g *generator) uniqueValues(c *column, values []string) {
	c.pool = nil
	for i, at := range g.rng.Perm(len(values)) {
		if c.rowNumber {
			at++ // 0 stands for the next number in some dialects
		}
		values[i] = strconv.Itoa(at)
		if c.fam == FamString {
			values[i] = fmt.Sprintf("'k%d'", at)
		}
		c.pool = append(c.pool, values[i])
	}
	if len(values) == 0 {
		c.pool = []string{g.rawLiteral(c.fam)}
	}
}

// freshValue returns a literal that no row of a unique column holds: negative numbers and words with 'u'.
func (g *generator) freshValue(c *column) string {
	g.fresh++
	if c.fam == FamString {
		return fmt.Sprintf("'u%d'", g.fresh)
	}
	return strconv.Itoa(-1000 - g.fresh)
}
