package gen

import (
	"strings"

	"txweave/sql"
	"txweave/sql/build"
)

// uniqueTable weighs what makes a column unique: the definition, from that of a unique index.
var uniqueTable = []production[func(t *table, c *column, plain *sql.Unique) sql.Constraint]{
	{"unique-plain", 70, func(_ *table, _ *column, plain *sql.Unique) sql.Constraint {
		return plain
	}, about{apart: true, what: "a unique index"}},
	{"unique-deferrable", 15, uniqueDeferrable,
		about{apart: true, what: "UNIQUE … DEFERRABLE, checked when the statement is done", covers: "deferrable",
			needs: CanDefer}},
	{"unique-exclude", 15, uniqueExclude, about{apart: true, what: "EXCLUDE USING btree or hash (… WITH =)",
		covers: "exclusion constraint", needs: CanExclude}},
}

// uniqueDef is what makes a column of t unique.
func (g *generator) uniqueDef(t *table, c *column) sql.Constraint {
	return choose(g, uniqueTable)(t, c, g.uniqueKey(t.name+"_u_"+c.name, c.name))
}

func uniqueDeferrable(t *table, c *column, plain *sql.Unique) sql.Constraint {
	c.unnamed, t.defers = true, true
	plain.Deferrable = "DEFERRABLE"
	return plain
}

func uniqueExclude(_ *table, c *column, plain *sql.Unique) sql.Constraint {
	c.unnamed = true
	method := "btree"
	if c.fam == FamString {
		method = "hash"
	}
	return &sql.Exclude{Name: plain.Name, Using: method, Elements: []*sql.Exclusion{{Key: plain.Columns[0], Op: sql.OpEq}}}
}

// indexFunc makes of the usual kind of an index another one, where the table has what that needs. Those of
// databases of which all are of that kind may stand in CREATE TABLE.
type indexFunc func(g *generator, t *table, n *sql.CreateIndex)

func indexPlain(*generator, *table, *sql.CreateIndex) {}

// indexPartial holds the rows of which a condition is true.
func indexPartial(g *generator, t *table, n *sql.CreateIndex) {
	c := g.among(t, func(c *column) bool { return true })
	if c == nil {
		return
	}
	n.Where = build.IsNull(build.Column("", c.name), true)
	if g.pct(65) {
		op := oneOf(g, []sql.Op{sql.OpLt, sql.OpGe, sql.OpNe})
		n.Where = build.Binary(build.Column("", c.name), op, g.literal(c.fam, c.pool).x)
	}
	t.partial = append(t.partial, n.Name.Name.Value)
}

// indexInclude holds another column beside those that it is ordered by.
func indexInclude(g *generator, t *table, n *sql.CreateIndex) {
	named := func(c *column) bool {
		return sql.Has(n, func(x sql.Node) bool {
			of, ok := x.(*sql.Column)
			return ok && strings.Contains(of.Name.Value, c.name)
		})
	}
	if c := g.among(t, func(c *column) bool { return !named(c) }); c != nil {
		n.Options = []*sql.Option{{Words: "INCLUDE", Value: build.Row(build.Column("", c.name))}}
	}
}

// indexHash holds one column, in no order.
func indexHash(_ *generator, _ *table, n *sql.CreateIndex) {
	n.Using, n.Columns = "hash", n.Columns[:1]
	n.Columns[0].Desc = false
}

// indexBrin holds the smallest and the largest values of ranges of pages.
func indexBrin(g *generator, _ *table, n *sql.CreateIndex) {
	n.Using, n.Columns = "brin", g.keyParts("pkey")
}

// indexGin holds the elements of an array.
func indexGin(g *generator, t *table, n *sql.CreateIndex) { g.indexOf(t, n, "array", "gin") }

// indexGist holds ranges by what encloses them.
func indexGist(g *generator, t *table, n *sql.CreateIndex) { g.indexOf(t, n, "range-type", "gist") }

// indexOf makes it one of a column of a special type, where the table has one.
func (g *generator) indexOf(t *table, n *sql.CreateIndex, special, method string) {
	for _, c := range t.cols {
		if c.special != nil && c.special.Name == special {
			n.Using, n.Columns = method, g.keyParts(c.name)
			return
		}
	}
}

// fulltext is an index of the words of a column, which no query asks for: what it holds becomes visible with the
// COMMIT, by its rules.
func (g *generator) fulltext(t *table) sql.Constraint {
	if !g.wants("fulltext-index") {
		return nil
	}
	delete(g.uses, "fulltext-index")
	var texts []string
	for _, c := range t.cols {
		if (c.kind == KindText || c.kind == KindVarchar) && c.special == nil && c.fam == FamString && c.parent == nil {
			// some would want another index for that
			texts = append(texts, c.name)
		}
	}
	if len(texts) == 0 || t.partitioned {
		return nil
	}
	g.uses["fulltext-index"] = true
	of := texts[g.beside("fulltext-index").IntN(len(texts))]
	return &sql.Index{Kind: "FULLTEXT", Name: build.Name(t.name + "_f"), Columns: g.keyParts(of)}
}
