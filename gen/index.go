package gen

import (
	"fmt"
	"strings"

	"txweave/sqltext"
)

// uniqueTable weighs what makes a column unique: the definition, from that of a unique index.
var uniqueTable = []production[func(t *table, c *column, plain string) string]{
	{"unique-plain", 70, func(_ *table, _ *column, plain string) string { return plain }, about{apart: true, what: "a unique index"}},
	{"unique-deferrable", 15, uniqueDeferrable, about{apart: true, what: "UNIQUE … DEFERRABLE, checked when the statement is done", covers: "deferrable", needs: CanDefer}},
	{"unique-exclude", 15, uniqueExclude, about{apart: true, what: "EXCLUDE USING btree or hash (… WITH =)", covers: "exclusion constraint", needs: CanExclude}},
}

// uniqueDef is what makes a column of t unique.
func (g *generator) uniqueDef(t *table, c *column) string {
	return choose(g, uniqueTable)(t, c, fmt.Sprintf(g.d.UniqueDef, t.name+"_u_"+c.name, c.name))
}

func uniqueDeferrable(t *table, c *column, plain string) string {
	c.unnamed, t.defers = true, true
	return plain + " DEFERRABLE"
}

func uniqueExclude(t *table, c *column, _ string) string {
	c.unnamed = true
	method := "btree"
	if c.fam == FamString {
		method = "hash"
	}
	return fmt.Sprintf("CONSTRAINT %s_u_%s EXCLUDE USING %s (%[2]s WITH =)", t.name, c.name, method)
}

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
		where = fmt.Sprintf("%s %s %s", c.name, oneOf(g, []string{"<", ">=", "<>"}), g.literal(c.fam, c.pool).lit)
	}
	t.partial = append(t.partial, name)
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
	parts, _ := sqltext.SplitList("("+cols+")", 0) // an expression has commas, too
	return fmt.Sprintf("CREATE INDEX %s ON %s USING hash (%s)", name, t.name, strings.TrimSuffix(strings.TrimSpace(parts[0]), " DESC"))
}

// indexBrin holds the smallest and the largest values of ranges of pages.
func indexBrin(_ *generator, t *table, name, _ string) string {
	return fmt.Sprintf("CREATE INDEX %s ON %s USING brin (pkey)", name, t.name)
}

// indexGin holds the elements of an array.
func indexGin(g *generator, t *table, name, cols string) string {
	return indexOf(g, t, name, cols, "array", "gin")
}

// indexGist holds ranges by what encloses them.
func indexGist(g *generator, t *table, name, cols string) string {
	return indexOf(g, t, name, cols, "range-type", "gist")
}

// indexOf is an index of a column of a special type, where the table has one.
func indexOf(g *generator, t *table, name, cols, special, method string) string {
	for _, c := range t.cols {
		if c.special != nil && c.special.Name == special {
			return fmt.Sprintf("CREATE INDEX %s ON %s USING %s (%s)", name, t.name, method, c.name)
		}
	}
	return indexPlain(g, t, name, cols)
}

// fulltext is an index of the words of a column, which no query asks for: what it holds becomes visible with the COMMIT, by its rules.
func (g *generator) fulltext(t *table) []string {
	if !g.wants("fulltext-index") {
		return nil
	}
	delete(g.uses, "fulltext-index")
	var texts []string
	for _, c := range t.cols {
		if (c.kind == KindText || c.kind == KindVarchar) && c.special == nil && c.fam == FamString && c.parent == nil { // MySQL would want another index for that
			texts = append(texts, c.name)
		}
	}
	if len(texts) == 0 || t.partitioned {
		return nil
	}
	g.uses["fulltext-index"] = true
	return []string{fmt.Sprintf("FULLTEXT INDEX %s_f (%s)", t.name, texts[g.beside("fulltext-index").IntN(len(texts))])}
}
