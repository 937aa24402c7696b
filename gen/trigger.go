package gen

import (
	"fmt"
	"slices"
	"strings"

	"txweave/testcase"
)

// A trigger of the case writes rows that no two rows of the table which fires it share, or adds to them: what the rows are at
// the end does not depend on the order in which the statement meets its own. It fires no trigger that fires it in turn:
// it writes tables that come later.

// triggerFunc returns a trigger of a: when it fires, and its body; "" where there is none. It may write b.
type triggerFunc func(g *generator, a, b *table) (when, body string)

// triggerTable weighs what triggers do.
var triggerTable = []production[triggerFunc]{
	{"trigger-set", 30, triggerSet, about{apart: true, what: "BEFORE triggers that change what is written", covers: triggerWords, needs: CanSetRow}},
	{"trigger-insert", 25, triggerInsert, about{apart: true, what: "AFTER triggers that insert into another table", covers: triggerWords, needs: CanTrigger}},
	{"trigger-update", 30, triggerUpdate, about{apart: true, what: "AFTER triggers that update another table", covers: triggerWords, needs: CanTrigger}},
	{"trigger-clash", 25, triggerClash, about{apart: true, what: "AFTER INSERT triggers that insert a row which is mostly there: the statement fails behind rows that it has written",
		covers: triggerWords, needs: CanClash}},
	{"trigger-delete", 15, triggerDelete, about{apart: true, what: "AFTER DELETE triggers that delete from another table", covers: triggerWords, needs: CanTrigger}},
}

// triggerWords are the words of lists of bugs for triggers.
const triggerWords = "trigger; g:trigger"

// drawTriggers draws the triggers of a case, and returns the statements that make them.
func (g *generator) drawTriggers() (stmts []testcase.Stmt) {
	g.aside("trigger", func() {
		if !g.wants("trigger") {
			return
		}
		delete(g.uses, "trigger")
		var clashing *table // whose trigger may fail; nil: none
		for i := range g.between(1, 2) {
			g.startStmt()
			at := g.rng.IntN(len(g.tables))
			a, b := g.tables[at], g.tables[len(g.tables)-1]
			if at+1 < len(g.tables) {
				b = g.tables[g.between(at+1, len(g.tables)-1)]
			}
			make := choose(g, triggerTable)
			when, body := "", ""
			if a != b && !g.chancy(b) {
				when, body = make(g, a, b)
			}
			if _, can := g.d.Has[CanSetRow]; body == "" && can {
				when, body = triggerSet(g, a, b)
			}
			clash := strings.HasPrefix(body, "WHEN ")
			if body == "" || clash && g.fired(a) || clashing != nil && clashing == b { // rows of the case would fire it through another one
				continue
			}
			if clash {
				clashing = a
			}
			if !strings.HasPrefix(body, "SET ") {
				a.fires = append(a.fires, b)
			}
			if g.d.TriggerBlock && !clash {
				body = g.triggerWhen(a, when) + "BEGIN " + body + "; END"
			}
			g.uses["trigger"] = true
			stmts = append(stmts, testcase.Stmt{SQL: fmt.Sprintf("CREATE TRIGGER tr%d %s ON %s FOR EACH ROW %s", i, when, a.name, body)})
		}
	})
	return stmts
}

// whenShare is how many triggers have a WHEN, in percent, where the dialect has that.
const whenShare = 70

// triggerWhen returns the WHEN of a trigger: a condition on the row alone, true for some rows and false for others. It is the same for a row whatever the statement has done
// to others. "" for some triggers, which fire for each row.
func (g *generator) triggerWhen(a *table, when string) string {
	rng := g.beside("trigger-when")
	columns := slices.DeleteFunc(append(slices.Clone(a.cols), a.pkey), func(c *column) bool { return c.special != nil || len(c.known()) < 2 })
	if rng.IntN(100) >= whenShare || len(columns) == 0 {
		return ""
	}
	c := columns[rng.IntN(len(columns))]
	rows := []string{"NEW", "OLD"}
	switch {
	case strings.HasSuffix(when, "INSERT"):
		rows = rows[:1]
	case strings.HasSuffix(when, "DELETE"):
		rows = rows[1:]
	case rng.IntN(100) < 25:
		return fmt.Sprintf("WHEN NEW.%[1]s <> OLD.%[1]s ", c.name)
	}
	op := compareOps[rng.IntN(len(compareOps))]
	values := split(op, c.known())
	return fmt.Sprintf("WHEN %s.%s %s %s ", rows[rng.IntN(len(rows))], c.name, op, values[rng.IntN(len(values))])
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
	return c.special == nil && c.parent == nil && c.max == 0 && !c.unique && !c.discerns && !slices.Contains(t.own, c) && !slices.Contains(t.pair, c) && !t.inPrimary(c)
}

// plainColumns lists those.
func (t *table) plainColumns() []*column {
	return slices.DeleteFunc(slices.Clone(t.cols), func(c *column) bool { return !t.plainColumn(c) })
}

// fromRow returns a value for column c of another table: one of the row's that fits, or a literal.
func (g *generator) fromRow(row string, a *table, c *column) string {
	fit := slices.DeleteFunc(slices.Clone(a.cols), func(x *column) bool {
		return x.special != nil || x.kind != c.kind || x.bound > c.bound || c.notNull && !x.notNull
	})
	if len(fit) == 0 || g.pct(30) {
		return g.literal(c.fam, c.pool).sql
	}
	return row + "." + oneOf(g, fit).name
}

func triggerSet(g *generator, a, _ *table) (when, body string) {
	cols := slices.DeleteFunc(a.plainColumns(), func(c *column) bool { return g.referredBy(a, c) }) // else initial rows that refer to it would be refused
	if len(cols) == 0 {
		return "", ""
	}
	c := oneOf(g, cols)
	limit, to := g.literal(c.fam, c.pool).sql, g.literal(c.fam, c.pool).sql
	return "BEFORE " + oneOf(g, []string{"INSERT", "UPDATE", "UPDATE"}),
		fmt.Sprintf("SET NEW.%[1]s = CASE WHEN NEW.%[1]s %[2]s %[3]s THEN %[4]s ELSE NEW.%[1]s END", c.name, oneOf(g, []string{"<", ">=", "="}), limit, to)
}

// takesRows says whether a row of t has no other key of its own than its pkey.
func (t *table) takesRows() bool {
	return t.pkeyIndex == "UNIQUE" && len(t.own) == 0 || slices.Equal(t.primary, []string{"pkey"})
}

// triggerClash fails the statement that fires it where the row which it would insert is there. Of several rows, one that is spelled first
// comes first, so that it is the same row each time, and what OR IGNORE passes over is, too: no other statement fires it than INSERT. The rows
// of the case itself do not, which come before there is anything to undo.
func triggerClash(g *generator, a, b *table) (when, body string) {
	if !b.takesRows() {
		return "", ""
	}
	insert := g.insertFrom("NEW", fmt.Sprintf("NEW.pkey %% %d + 1", g.between(3, 9)), a, b)
	return "AFTER INSERT", fmt.Sprintf("WHEN NEW.pkey > %d BEGIN %s; END", firstInserted, insert)
}

func triggerInsert(g *generator, a, b *table) (when, body string) {
	if !b.takesRows() || g.inserts >= maxInserts {
		return "", ""
	}
	row := "NEW"
	when = "AFTER INSERT"
	if g.pct(35) {
		row, when = "OLD", "AFTER DELETE"
	}
	return when, g.insertFrom(row, fmt.Sprintf("%d + %s.pkey", g.insertBase(), row), a, b)
}

// insertFrom returns an INSERT into b of one row with a key, from a row of a.
func (g *generator) insertFrom(row, key string, a, b *table) string {
	version := row + ".vkey"
	if a.bare {
		version = "0"
	}
	values := []string{key, version, "0"}[:len(b.bookkeeping())]
	for _, c := range b.cols {
		switch {
		case b.plainColumn(c):
			values = append(values, g.fromRow(row, a, c))
		case c.parent != nil, !c.notNull && c.unique:
			values = append(values, "NULL")
		case c.special != nil, c.max != 0:
			values = append(values, oneOf(g, c.pool))
		case c.fam == FamInt:
			values = append(values, key)
		case c.fam == FamString:
			values = append(values, fmt.Sprintf("CONCAT('t', %s)", key))
		default:
			values = append(values, g.literal(c.fam, c.pool).sql)
		}
	}
	return insertHead(b) + " VALUES (" + strings.Join(values, ", ") + ")"
}

func triggerUpdate(g *generator, a, b *table) (when, body string) {
	cols := b.plainColumns()
	if len(cols) == 0 {
		return "", ""
	}
	c := oneOf(g, cols)
	event, row := "INSERT", "NEW"
	switch g.between(0, 3) {
	case 0:
		event, row = "DELETE", "OLD"
	case 1, 2:
		event = "UPDATE"
	}
	if isNumber(c) && g.pct(50) { // rows may share one, and add to it
		return "AFTER " + event, fmt.Sprintf("UPDATE %[1]s SET %[2]s = %[2]s + %[3]d WHERE %[1]s.pkey = %[4]s.pkey %% %[5]d + 1", b.name, c.name, g.between(1, 3), row, g.between(2, 6))
	}
	return "AFTER " + event, fmt.Sprintf("UPDATE %[1]s SET %[2]s = %[3]s WHERE %[1]s.pkey = %[4]s.pkey", b.name, c.name, g.fromRow(row, a, c), row)
}

func triggerDelete(_ *generator, _, b *table) (when, body string) {
	return "AFTER DELETE", fmt.Sprintf("DELETE FROM %[1]s WHERE %[1]s.pkey = OLD.pkey", b.name)
}
