package gen

import (
	"fmt"
	"slices"

	"txweave/sql"
	"txweave/sql/build"
	"txweave/testcase"
)

// A trigger of the case writes rows that no two rows of the table which fires it share, or adds to them: what the rows
// are at the end does not depend on the order in which the statement meets its own. It fires no trigger that fires it
// in turn: it writes tables that come later.

// triggerFunc returns a trigger of a: when it fires, and its body; nil where there is none. It may write b.
type triggerFunc func(g *generator, a, b *table) *sql.CreateTrigger

// triggerTable weighs what triggers do.
var triggerTable = []production[triggerFunc]{
	{"trigger-set", 30, triggerSet, about{apart: true, what: "BEFORE triggers that change what is written",
		covers: triggerWords, needs: CanSetRow}},
	{"trigger-insert", 25, triggerInsert, about{apart: true, what: "AFTER triggers that insert into another table",
		covers: triggerWords, needs: CanTrigger}},
	{"trigger-update", 30, triggerUpdate, about{apart: true, what: "AFTER triggers that update another table",
		covers: triggerWords, needs: CanTrigger}},
	{"trigger-clash", 25, triggerClash,
		about{apart: true,
			what: "AFTER INSERT triggers that insert a row which is mostly there: the statement fails behind rows that it " +
				"has written",
			covers: triggerWords, needs: CanClash}},
	{"trigger-delete", 15, triggerDelete, about{apart: true, what: "AFTER DELETE triggers that delete from another table",
		covers: triggerWords, needs: CanTrigger}},
}

// triggerWords are the words of lists of bugs for triggers.
const triggerWords = "trigger; g:trigger"

// drawTriggers draws the triggers of a case, and returns the statements that make them.
func (g *generator) drawTriggers() (stmts []testcase.Stmt) {
	g.aside("trigger", func() {
		if g.wants("trigger") {
			delete(g.uses, "trigger")
			stmts = g.triggers()
		}
	})
	return stmts
}

// triggers draws the triggers of a case that has some.
func (g *generator) triggers() (stmts []testcase.Stmt) {
	var clashing *table // whose trigger may fail; nil: none
	for i := range g.between(1, 2) {
		g.startStmt()
		at := g.rng.IntN(len(g.tables))
		a, b := g.tables[at], g.tables[len(g.tables)-1]
		if at+1 < len(g.tables) {
			b = g.tables[g.between(at+1, len(g.tables)-1)]
		}
		n := g.drawTrigger(a, b)
		clash := n != nil && n.When != nil
		if n == nil || clash && g.fired(a) || clashing != nil && clashing == b {
			// rows of the case would fire it through another one
			continue
		}
		if clash {
			clashing = a
		}
		if _, sets := n.Body.(*sql.Set); !sets {
			a.fires = append(a.fires, b)
		}
		if g.d.Tree.Grammar.TriggerBlock && !clash {
			n.When = g.triggerWhen(a, n.Event)
		}
		if g.d.Tree.Grammar.TriggerBlock {
			n.Body = &sql.Block{Stmts: []sql.Stmt{n.Body}}
		}
		g.uses["trigger"] = true
		n.Name, n.Table, n.ForEachRow = object(fmt.Sprintf("tr%d", i)), object(a.name), true
		stmts = append(stmts, g.finished(n))
	}
	return stmts
}

// drawTrigger draws a trigger of a table that writes b, or its own row; nil where none fits.
func (g *generator) drawTrigger(a, b *table) (n *sql.CreateTrigger) {
	made := choose(g, triggerTable)
	if a != b && !g.chancy(b) {
		n = made(g, a, b)
	}
	if _, can := g.d.Capabilities.Has[CanSetRow]; n == nil && can {
		n = triggerSet(g, a, b)
	}
	return n
}

// whenShare is how many triggers have a WHEN, in percent, where the dialect has that.
const whenShare = 70

// triggerWhen returns the WHEN of a trigger: a condition on the row alone, true for some rows and false for others. It
// is the same for a row whatever the statement has done to others. nil for some triggers, which fire for each row.
func (g *generator) triggerWhen(a *table, event string) sql.Expr {
	rng := g.beside("trigger-when")
	columns := slices.DeleteFunc(append(slices.Clone(a.cols), a.pkey), func(c *column) bool {
		return c.special != nil || len(c.known()) < 2
	})
	if rng.IntN(100) >= whenShare || len(columns) == 0 {
		return nil
	}
	c := columns[rng.IntN(len(columns))]
	rows := []string{"NEW", "OLD"}
	switch {
	case event == "INSERT":
		rows = rows[:1]
	case event == "DELETE":
		rows = rows[1:]
	case rng.IntN(100) < 25:
		return build.Binary(build.Column("NEW", c.name), sql.OpNe, build.Column("OLD", c.name))
	}
	op := compareOps[rng.IntN(len(compareOps))]
	values := split(op, c.known())
	of := build.Column(rows[rng.IntN(len(rows))], c.name)
	return build.Binary(of, op, g.lit(values[rng.IntN(len(values))]))
}

// fired says whether a trigger writes a table.
func (g *generator) fired(t *table) bool {
	return slices.ContainsFunc(g.tables, func(a *table) bool { return slices.Contains(a.fires, t) })
}

// referredBy says whether a foreign key refers to a column of t.
func (g *generator) referredBy(t *table, c *column) bool {
	return slices.ContainsFunc(g.tables, func(child *table) bool {
		return slices.ContainsFunc(child.cols, func(f *column) bool { return f.parent == t && f.parentKey == c })
	})
}

// plainColumn says whether any value of its family that is not too long can be written into a column of t.
func (t *table) plainColumn(c *column) bool {
	return c.special == nil && c.parent == nil && c.max == 0 && !c.unique && !c.discerns && !slices.Contains(t.own, c) &&
		!slices.Contains(t.pair, c) && !t.inPrimary(c)
}

// plainColumns lists those.
func (t *table) plainColumns() []*column {
	return slices.DeleteFunc(slices.Clone(t.cols), func(c *column) bool { return !t.plainColumn(c) })
}

// fromRow returns a value for column c of another table: one of the row's that fits, or a literal.
func (g *generator) fromRow(row string, a *table, c *column) sql.Expr {
	fit := slices.DeleteFunc(slices.Clone(a.cols), func(x *column) bool {
		return x.special != nil || x.kind != c.kind || x.bound > c.bound || c.notNull && !x.notNull
	})
	if len(fit) == 0 || g.pct(30) {
		return g.literal(c.fam, c.pool).x
	}
	return build.Column(row, oneOf(g, fit).name)
}

func triggerSet(g *generator, a, _ *table) *sql.CreateTrigger {
	// else initial rows that refer to it would be refused
	cols := slices.DeleteFunc(a.plainColumns(), func(c *column) bool { return g.referredBy(a, c) })
	if len(cols) == 0 {
		return nil
	}
	c := oneOf(g, cols)
	limit, to := g.literal(c.fam, c.pool).x, g.literal(c.fam, c.pool).x
	event, of := oneOf(g, []string{"INSERT", "UPDATE", "UPDATE"}), build.Column("NEW", c.name)
	value := build.Case(of, build.When(build.Binary(of, oneOf(g, []sql.Op{sql.OpLt, sql.OpGe, sql.OpEq}), limit), to))
	return &sql.CreateTrigger{Time: "BEFORE", Event: event,
		Body: &sql.Set{Settings: []*sql.Setting{{Target: of, Value: value}}}}
}

// takesRows says whether a row of t has no other key of its own than its pkey.
func (t *table) takesRows() bool {
	return t.pkeyIndex == "UNIQUE" && len(t.own) == 0 || slices.Equal(t.primary, []string{"pkey"})
}

// triggerClash fails the statement that fires it where the row which it would insert is there. Of several rows, one
// that is spelled first comes first, so that it is the same row each time, and what OR IGNORE passes over is, too: no
// other statement fires it than INSERT. The rows of the case itself do not, which come before there is anything to
// undo.
func triggerClash(g *generator, a, b *table) *sql.CreateTrigger {
	if !b.takesRows() {
		return nil
	}
	pkey := build.Column("NEW", "pkey")
	insert := g.insertFrom("NEW", build.Binary(build.Binary(pkey, sql.OpMod, build.Int(g.between(3, 9))), sql.OpAdd,
		build.Int(1)), a, b)
	return &sql.CreateTrigger{Time: "AFTER", Event: "INSERT",
		When: build.Binary(pkey, sql.OpGt, build.Int(g.firstInserted())),
		Body: insert}
}

func triggerInsert(g *generator, a, b *table) *sql.CreateTrigger {
	if !b.takesRows() || g.inserts >= maxInserts {
		return nil
	}
	row, n := "NEW", &sql.CreateTrigger{Time: "AFTER", Event: "INSERT"}
	if g.pct(35) {
		row, n.Event = "OLD", "DELETE"
	}
	n.Body = g.insertFrom(row, build.Binary(build.Int(g.insertBase()), sql.OpAdd, build.Column(row, "pkey")), a, b)
	return n
}

// insertFrom returns an INSERT into b of one row with a key, from a row of a.
func (g *generator) insertFrom(row string, key sql.Expr, a, b *table) sql.Stmt {
	version := sql.Expr(build.Column(row, "vkey"))
	if a.bare {
		version = build.Int(0)
	}
	values := []sql.Expr{key, version, build.Int(0)}[:len(b.bookkeeping())]
	for _, c := range b.cols {
		switch {
		case b.plainColumn(c):
			values = append(values, g.fromRow(row, a, c))
		case c.parent != nil, !c.notNull && c.unique:
			values = append(values, build.Null())
		case c.special != nil, c.max != 0:
			values = append(values, g.lit(oneOf(g, c.pool)))
		case c.fam == FamInt:
			values = append(values, key)
		case c.fam == FamString:
			values = append(values, build.Call("CONCAT", build.Text("t"), key))
		default:
			values = append(values, g.literal(c.fam, c.pool).x)
		}
	}
	return valuesOf(into(b), build.Row(values...))
}

func triggerUpdate(g *generator, a, b *table) *sql.CreateTrigger {
	cols := b.plainColumns()
	if len(cols) == 0 {
		return nil
	}
	c := oneOf(g, cols)
	event, row := "INSERT", "NEW"
	switch g.between(0, 3) {
	case 0:
		event, row = "DELETE", "OLD"
	case 1, 2:
		event = "UPDATE"
	}
	n := &sql.CreateTrigger{Time: "AFTER", Event: event}
	target, key, pkey := build.Column("", c.name), build.Column(b.name, "pkey"), build.Column(row, "pkey")
	if isNumber(c) && g.pct(50) { // rows may share one, and add to it
		set := build.Set(target, build.Binary(target, sql.OpAdd, build.Int(g.between(1, 3))))
		some := build.Binary(build.Binary(pkey, sql.OpMod, build.Int(g.between(2, 6))), sql.OpAdd, build.Int(1))
		n.Body = &sql.Update{Table: build.Table(b.name, ""), Set: []*sql.Assign{set}, Where: build.Eq(key, some)}
		return n
	}
	n.Body = &sql.Update{Table: build.Table(b.name, ""), Set: []*sql.Assign{build.Set(target, g.fromRow(row, a, c))},
		Where: build.Eq(key, pkey)}
	return n
}

func triggerDelete(_ *generator, _, b *table) *sql.CreateTrigger {
	gone := build.Eq(build.Column(b.name, "pkey"), build.Column("OLD", "pkey"))
	return &sql.CreateTrigger{Time: "AFTER", Event: "DELETE", Body: &sql.Delete{Table: build.Table(b.name, ""),
		Where: gone}}
}
