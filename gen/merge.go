package gen

import (
	"slices"

	"txweave/sql"
	"txweave/sql/build"
)

// MERGE. Which of its rows comes first is up to the plan: so no two of them can fail in different ways.

// Shares, in percent: mergeRows are the MERGEs whose source is a list of rows, of which some are there already;
// mergeAnd the WHEN clauses with a condition; mergeDelete those of the others that delete rows that match; mergeInsert
// those that insert.
const (
	mergeRows   = 45
	mergeAnd    = 35
	mergeDelete = 25
	mergeInsert = 80
)

// stmtMerge is MERGE of a table with another one, or with a list of rows.
func stmtMerge(g *generator) sql.Stmt {
	if g.inserts >= maxInserts {
		return stmtUpdate(g)
	}
	t := g.table()
	if len(t.heirs) > 0 { // a row that is there it would not find, as it inserts into one of them alone
		return stmtUpdate(g)
	}
	if g.pct(mergeRows) && !slices.ContainsFunc(t.own, func(c *column) bool { return c.special != nil }) {
		return g.mergeRows(t)
	}
	if len(g.tables) < 2 {
		return stmtUpdate(g)
	}
	g.banned = t
	other := g.table()
	sc := &scope{flat: true, refs: []*ref{{alias: t.name, base: t, cols: tableColumns(t)}}}
	source := g.addTable(sc, other)
	from := sc.refs[1]
	on := build.Eq(sc.refs[0].pkey(), from.pkey())
	if t.pair == nil && g.pct(30) { // a row may match several: it cannot be changed twice
		on = g.joinOn(sc)
	}
	vkey := g.vkey()
	var inserts *sql.MergeWhen
	if g.pct(mergeInsert) {
		base := g.insertBase()
		inserts = g.mergeInsert(t, from, t.naming(from.shifted(base), vkey), func(c *column) sql.Expr {
			return g.mergeValue(c, base, from)
		})
		k := base + g.nameKey(other)
		t.pkeys = append(t.pkeys, k)
		g.wrote(t, k)
	}
	return g.merge(sc, source, on, vkey, inserts)
}

// mergeValue is what a row gets that a row of another table makes: values that no two rows share in unique columns.
func (g *generator) mergeValue(c *column, base int64, from *ref) sql.Expr {
	switch {
	case c.unique || c.discerns:
		if !c.notNull && g.pct(40) {
			return build.Null()
		}
		if c.fam == FamInt {
			return from.shifted(base)
		}
		return build.Call("CONCAT", build.Text("x"), from.shifted(base))
	case c.parent != nil:
		return g.lit(g.reference(c))
	case c.special != nil:
		return g.lit(g.specialValue(c))
	case c.max != 0:
		return g.literal(c.fam, c.pool).x
	}
	return g.assign(c, &scope{flat: true, refs: []*ref{from}}).x
}

// mergeRows is MERGE of a list of rows: those that are there are found by their pkey.
func (g *generator) mergeRows(t *table) sql.Stmt {
	g.banned = t
	met := metShare
	if t.shrinks || !slices.Equal(t.primary, []string{"pkey"}) {
		met = 0
	}
	vkey := g.vkey()
	given := &ref{alias: g.newAlias()}
	var in []*column // columns whose values the list gives, row by row
	for _, c := range t.cols {
		if c.unique || slices.Contains(t.own, c) || c.special == nil && c.parent == nil && g.pct(40) {
			in = append(in, c)
			given.cols = append(given.cols, &column{name: c.name, kind: c.kind, fam: c.fam, bound: c.bound, notNull: true,
				pool: c.known()})
		}
	}
	given.cols = append(given.cols, &column{name: "pkey", kind: KindBigint, fam: FamInt, bound: pkeyBound, notNull: true,
		pool: t.pkey.known()})
	var rows []sql.Body
	var keys []int64
	base := int64(0)
	for range choose(g, insertRows) {
		key := int64(0)
		if len(t.met) > 0 && g.pct(met) {
			key = oneOf(g, t.met)
		}
		if key == 0 || slices.Contains(keys, key) {
			if base == 0 {
				base = g.insertBase()
			}
			base++
			key = base
		}
		keys = append(keys, key)
		rows = append(rows, g.mergeRow(t, in, key, len(rows) == 0))
	}
	if met > 0 {
		t.met, t.stays = append(t.met, keys...), true
	}
	t.pkeys = append(t.pkeys, keys...)
	sc := &scope{flat: true, refs: []*ref{{alias: t.name, base: t, cols: tableColumns(t)}, given}}
	inserts := g.mergeInsert(t, given, t.naming(given.pkey(), vkey), func(c *column) sql.Expr {
		switch {
		case slices.Contains(in, c):
			return given.col(c)
		case c.parent != nil:
			return g.lit(g.reference(c))
		case c.special != nil:
			return g.lit(g.specialValue(c))
		}
		return g.literal(c.fam, c.pool).x
	})
	source := build.Derived(build.Query(build.Compound("UNION ALL", rows...)), given.alias)
	g.wrote(t, keys...)
	return g.merge(sc, source, build.Eq(sc.refs[0].pkey(), given.pkey()), vkey, inserts)
}

// mergeRow is one row of such a list; the first one names its columns.
func (g *generator) mergeRow(t *table, in []*column, key int64, first bool) sql.Body {
	values, names := []sql.Expr{build.Int(key)}, []string{"pkey"}
	own := g.newKey(t)
	if len(own) > 0 {
		t.keys[key] = own
	}
	for _, c := range in {
		value := g.literal(c.fam, c.pool).lit
		if at := slices.Index(t.own, c); at >= 0 {
			value = own[at]
		} else if c.unique {
			if value = g.uniqueConst(c); value == "NULL" { // its type would not be known
				value = g.freshValue(c)
			}
		}
		c.holds(value)
		values, names = append(values, g.lit(value)), append(names, c.name)
	}
	items := build.Items(values...)
	for i, item := range items {
		if first {
			item.Alias = build.Name(names[i])
		}
	}
	return block(nil, nil, items...)
}

// mergeInsert is the WHEN clause that inserts rows, from the values of their bookkeeping columns and what each other
// column gets.
func (g *generator) mergeInsert(t *table, from *ref, row []sql.Expr, value func(*column) sql.Expr) *sql.MergeWhen {
	names := t.bookkeeping()
	for _, c := range t.cols {
		names, row = append(names, c.name), append(row, value(c))
	}
	cond := g.mergeAnd(&scope{flat: true, refs: []*ref{from}})
	return &sql.MergeWhen{Match: "NOT MATCHED", Cond: cond, Do: "INSERT", Columns: build.Names(names...),
		Row: build.Row(row...)}
}

// mergeAnd is the condition of a WHEN clause, of some.
func (g *generator) mergeAnd(sc *scope) sql.Expr {
	if !g.pct(mergeAnd) {
		return nil
	}
	return g.predicate(sc, 1)
}

// merge puts a MERGE together: what becomes of rows that match, and of others.
func (g *generator) merge(sc *scope, source sql.TableRef, on sql.Expr, vkey int64, inserts *sql.MergeWhen) sql.Stmt {
	t := sc.refs[0].base
	var actions []*sql.MergeWhen
	if g.pct(15) {
		actions = append(actions, &sql.MergeWhen{Do: "DO NOTHING"})
	}
	deletes := !t.stays && g.pct(mergeDelete)
	if set := g.mergeSet(sc, vkey); set != nil && (!deletes || g.pct(60)) {
		actions = append(actions, &sql.MergeWhen{Do: "UPDATE", Set: set})
	}
	if deletes || inserts == nil && len(actions) == 0 && !t.stays {
		actions, t.shrinks = append(actions, &sql.MergeWhen{Do: "DELETE"}), true
	}
	for i, action := range actions {
		action.Match, action.Cond = "MATCHED", g.mergeAnd(sc)
		if action.Cond == nil && i+1 < len(actions) { // nothing would be left for those behind it
			action.Cond = g.predicate(sc, 1)
		}
	}
	n := &sql.Merge{Table: build.Table(t.name, ""), Source: source, On: on, Whens: actions}
	if inserts != nil {
		if g.pct(20) { // its place among the others makes no difference
			n.Whens = append([]*sql.MergeWhen{inserts}, actions...)
		} else {
			n.Whens = append(actions, inserts)
		}
	}
	if inserts == nil && !slices.ContainsFunc(actions, func(a *sql.MergeWhen) bool { return a.Do != "DO NOTHING" }) {
		g.startStmt()
		return stmtUpdate(g)
	}
	g.wrote(t, g.named...)
	return n
}

// mergeSet returns what MERGE gives rows that match, none of which can fail; nil where they have no column for that.
func (g *generator) mergeSet(sc *scope, vkey int64) []*sql.Assign {
	t, from := sc.refs[0].base, sc.refs[1]
	set := g.apartFrom(sc.refs[0], "")
	if set == nil {
		return nil
	}
	for _, a := range set {
		for _, c := range from.cols {
			if from.base == nil && c.name == a.Columns[0].Name.Value && g.pct(60) {
				a.Value = from.col(c)
			}
		}
	}
	return append(g.versionOf(t, "", t.name, vkey), set...)
}
