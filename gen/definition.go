package gen

import (
	"strings"

	"txweave/sql"
	"txweave/sql/build"
)

// Definitions of columns, keys and tables, as trees.

// words is a statement as the dialect's tables spell a part of it, read once for all.
func (g *generator) words(format, part string) *sql.CreateTable {
	return g.d.Tree.Words(strings.Replace(format, "%s", part, 1)).(*sql.CreateTable)
}

// defined is a column of a declared type, with more of its constraints.
func (g *generator) defined(name, decl string, more ...sql.Constraint) *sql.ColumnDef {
	def := g.words("CREATE TABLE t (c %s)", decl).Columns[0]
	def.Name, def.Constraints = build.Name(name), append(def.Constraints, more...)
	return def
}

// notNull is NOT NULL.
func notNull() sql.Constraint { return &sql.Nullable{Not: true} }

// ended gives a table what a text of the dialect's says behind its definitions.
func (g *generator) ended(t *sql.CreateTable, tail string) {
	if tail != "" {
		t.Options = append(t.Options, g.words("CREATE TABLE t (c INT)%s", tail).Options...)
	}
}

// keyPart is a part of a key by its text: a column, how much of it, and its direction.
func (g *generator) keyPart(text string) *sql.Order {
	name, desc := strings.CutSuffix(text, " DESC")
	name, prefix, cut := strings.Cut(name, "(")
	x := sql.Expr(build.Column("", name))
	if cut {
		x = &sql.Prefix{X: build.Column("", name), Length: build.Number(strings.TrimSuffix(prefix, ")"))}
	}
	return build.Order(x, desc)
}

// keyParts are several of them.
func (g *generator) keyParts(texts ...string) []*sql.Order {
	out := make([]*sql.Order, len(texts))
	for i, text := range texts {
		out[i] = g.keyPart(text)
	}
	return out
}

// uniqueKey is a unique index among the definitions of a table.
func (g *generator) uniqueKey(name string, columns ...string) *sql.Unique {
	u := &sql.Unique{Columns: g.keyParts(columns...)}
	if g.d.TableForms.UniqueKeys {
		u.Index = build.Name(name)
	} else {
		u.Name = build.Name(name)
	}
	return u
}

// checkRemainder is CHECK (pkey % n = is).
func checkRemainder(n, is int) *sql.Check {
	return &sql.Check{X: build.Eq(build.Binary(build.Column("", "pkey"), sql.OpMod, build.Int(n)), build.Int(is))}
}

// refers is a foreign key.
func refers(columns []string, to *table, keys []string, act action) *sql.ForeignKey {
	return &sql.ForeignKey{Columns: build.Names(columns...), Table: object(to.name), Keys: build.Names(keys...),
		OnDelete: act.onDelete, OnUpdate: act.onUpdate, Deferrable: act.deferrable}
}
