package gen

import (
	"fmt"
	"strings"
)

// Kinds of indexes, beyond those that every DBMS has.

func indexPlain(_ *generator, t *table, name, cols string) string {
	return fmt.Sprintf("CREATE INDEX %s ON %s (%s)", name, t.name, cols)
}

// indexPartial holds the rows of which a condition is true.
func indexPartial(g *generator, t *table, name, cols string) string {
	c := g.among(t, func(c *column) bool { return true })
	if c == nil {
		return indexPlain(g, t, name, cols)
	}
	where := c.name + " IS NOT NULL"
	if g.pct(65) {
		where = fmt.Sprintf("%s %s %s", c.name, oneOf(g, []string{"<", ">=", "<>"}), g.literal(c.fam, c.pool).sql)
	}
	return indexPlain(g, t, name, cols) + " WHERE " + where
}

// indexInclude holds another column beside those that it is ordered by.
func indexInclude(g *generator, t *table, name, cols string) string {
	c := g.among(t, func(c *column) bool { return !strings.Contains(cols, c.name) })
	if c == nil {
		return indexPlain(g, t, name, cols)
	}
	return indexPlain(g, t, name, cols) + " INCLUDE (" + c.name + ")"
}

// indexHash holds one column, in no order.
func indexHash(_ *generator, t *table, name, cols string) string {
	first, _, _ := strings.Cut(cols, ", ")
	return fmt.Sprintf("CREATE INDEX %s ON %s USING hash (%s)", name, t.name, strings.TrimSuffix(first, " DESC"))
}

// indexBrin holds the smallest and the largest values of ranges of pages.
func indexBrin(_ *generator, t *table, name, cols string) string {
	return fmt.Sprintf("CREATE INDEX %s ON %s USING brin (%s)", name, t.name, strings.ReplaceAll(cols, " DESC", ""))
}
