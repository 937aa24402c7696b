package gen

import (
	"slices"
	"strconv"
	"strings"

	"txweave/sql"
	"txweave/sql/build"
)

// What rows hold, as far as the generator knows it: what the initial rows got, and the literals that statements have
// written since, whether or not these commit. Predicates compare with such values, so that they tell some rows of a
// table from the others.

// Shares of what rows are looked for by, in percent.
const (
	// wideShare: ranges of keys beside a predicate that leave out few rows rather than name few.
	wideShare = 55
	// anchorShare: free predicates that are widened or narrowed by one row, so that what they find is neither nothing nor
	// all.
	anchorShare = 30
	// goneShare: draws of a key that is known to be deleted which are kept: some statements look for rows that have gone.
	goneShare = 35
	// indexRangeShare: conditions on an indexed column that are ranges.
	indexRangeShare = 30
)

// order is what literals of a family are sorted by: numbers by number, all others as texts.
type order struct {
	number float64
	text   string
}

// orderOf returns the order of a literal; false for NULL and for what is no literal of that family alone.
func orderOf(f Family, lit string) (order, bool) {
	switch f {
	case FamInt, FamDouble, FamDecimal:
		n, err := strconv.ParseFloat(lit, 64)
		return order{number: n}, err == nil
	default:
		plain := strings.Count(lit, "'") == 2 && strings.HasSuffix(lit, "'") && !strings.ContainsAny(lit, "()|+")
		return order{text: lit}, plain
	}
}

// compare says which of two comes first: negative, 0 or positive.
func (a order) compare(b order) int {
	switch {
	case a.number < b.number:
		return -1
	case a.number > b.number:
		return 1
	}
	return strings.Compare(a.text, b.text)
}

// holds notes that a row may hold a literal in column c.
func (c *column) holds(lit string) {
	if c.special != nil {
		if slices.Contains(c.special.Values, lit) && !slices.Contains(c.held, lit) {
			c.held = append(c.held, lit)
		}
		return
	}
	at, ok := orderOf(c.fam, lit)
	if !ok {
		return
	}
	i, there := slices.BinarySearchFunc(c.held, at, func(lit string, at order) int {
		o, _ := orderOf(c.fam, lit)
		return o.compare(at)
	})
	if !there {
		c.held = slices.Insert(c.held, i, lit)
	}
	for _, d := range c.computed {
		if out := d.calc(lit); out != "" {
			d.holds(out)
		}
	}
}

// known returns the literals that are useful to compare a column with: what rows hold, in ascending order, or what they
// could.
func (c *column) known() []string {
	if len(c.held) > 0 {
		return c.held
	}
	return c.pool
}

// numbered returns what a column holds that the database computes from a whole number; "" where it is none.
func numbered(calc func(n int64) int64) func(string) string {
	return func(lit string) string {
		n, err := strconv.ParseInt(lit, 10, 64)
		if err != nil {
			return ""
		}
		return strconv.FormatInt(calc(n), 10)
	}
}

// beginning returns what a column holds that has the first n characters of another one.
func beginning(n int) func(string) string {
	return func(lit string) string {
		text := []rune(strings.Trim(lit, "'"))
		return "'" + string(text[:min(n, len(text))]) + "'"
	}
}

// split returns those literals of a sorted list of which an order comparison tells some from the others: not the ends
// that would leave nothing, or all.
func split(op sql.Op, pool []string) []string {
	switch {
	case len(pool) < 2:
		return pool
	case op == sql.OpLt || op == sql.OpGe:
		return pool[1:]
	case op == sql.OpGt || op == sql.OpLe:
		return pool[:len(pool)-1]
	}
	return pool
}

// compared returns a comparison of an expression with one of the values that it is known to have.
func (g *generator) compared(e expr) sql.Expr {
	op := oneOf(g, compareOps)
	return build.Binary(e.x, op, g.literal(e.fam, split(op, e.pool)).x)
}

// likelyColumn returns a column that predicates can tell rows by, where a few tries find one.
func (g *generator) likelyColumn(sc *scope, ok func(expr) bool) expr {
	c := g.anyColumn(sc)
	for try := 0; try < 3 && !ok(c); try++ {
		c = g.anyColumn(sc)
	}
	return c
}

func hasPool(e expr) bool { return len(e.pool) > 1 }

// width returns how far a range of keys reaches beyond its first one: not over a small table.
func (g *generator) width(t *table) int64 {
	most := min(4, len(t.pkeys)-2)
	if most < 1 {
		return 0
	}
	return int64(g.between(1, most))
}

// whereWide finds most of the rows by a range of keys, at least one of them and not all, and notes a row that is in it.
func whereWide(g *generator, sc *scope, _ int) sql.Expr {
	r := sc.refs[0]
	keys := slices.Compact(slices.Sorted(slices.Values(r.base.pkeys)))
	if len(keys) < 3 {
		return whereRange(g, sc, 0)
	}
	at := g.between(1, len(keys)-2)
	g.named = append(g.named, keys[at])
	switch g.between(0, 4) {
	case 0:
		return build.Binary(r.pkey(), sql.OpNe, build.Int(keys[at-1]))
	case 1:
		return build.Binary(r.pkey(), sql.OpLe, build.Int(keys[at]))
	case 2:
		return build.Between(r.pkey(), build.Int(keys[g.between(0, 1)]), build.Int(keys[at]))
	default:
		return build.Binary(r.pkey(), sql.OpGe, build.Int(keys[min(at, 1+g.between(0, 2))]))
	}
}

// anchored widens or narrows a predicate by one row of a base table of the scope, in some cases.
func (g *generator) anchored(sc *scope, cond sql.Expr) sql.Expr {
	bases := sc.bases()
	if len(bases) == 0 || !g.pct(anchorShare) {
		return cond
	}
	r := oneOf(g, bases)
	k := g.key(r.base)
	if g.pct(60) {
		return build.Paren(build.Any(cond, build.Eq(r.pkey(), build.Int(k))))
	}
	return build.All(cond, build.Binary(r.pkey(), sql.OpNe, build.Int(k)))
}
