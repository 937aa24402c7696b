package guide

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"txweave/sql"
	"txweave/sql/build"
	"txweave/sql/control"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// filling is what the rows and statements of a pattern become.
type filling struct {
	m *mutator
	// certain says that every step does to its row what the pattern says, and that one can tell.
	certain bool
	again   int              // in how many of 100 cases a read is followed by another one of the same row
	from    []*testcase.Case // whose statements are taken
	rows    map[byte][2]string
	begin   []string
	// statements made to find one row, by their texts, the table and the key; "": one cannot be
	pins map[[3]string]string
}

// pin is the mutator's, once for each statement and row.
func (f *filling) pin(text, table, key string) (pinned string, ok bool) {
	at := [3]string{text, table, key}
	pinned, known := f.pins[at]
	if !known {
		pinned, _ = f.m.pin(text, table, key)
		f.pins[at] = pinned
	}
	return pinned, pinned != ""
}

// chooseRows draws the three rows: of one table or of several that are written.
func (f *filling) chooseRows() bool {
	tables := f.writtenTables()
	clear(f.rows)
	for _, name := range []byte("xyz") {
		table, ok := f.drawTable(name, tables)
		if !ok || f.m.schema.Table(table) == nil {
			return false
		}
		f.rows[name] = [2]string{table, f.drawKey(table)}
	}
	return true
}

// writtenTables are the tables that the rows may be of, as often as they are written: those that have rows, or mostly.
func (f *filling) writtenTables() []string {
	var tables, filled []string
	for _, c := range f.from {
		for _, p := range f.m.targets(c, func(_ *testcase.Txn, s control.Statement) bool { return s.Kind.Writes() }) {
			tables = append(tables, f.m.statement(c.Txns[p.txn].Stmts[p.stmt].SQL).Target())
		}
	}
	for _, t := range f.m.schema.Tables { // those that nobody writes take a write of a version
		if f.certain && t.Column(sqltext.VKey) != nil {
			tables = append(tables, t.Name)
		}
	}
	for _, t := range tables {
		if len(f.m.values(t, sqltext.PKey)) > 0 {
			filled = append(filled, t)
		}
	}
	if len(filled) > 0 && (f.certain || f.m.pct(85)) { // what nobody can find nobody meets
		return filled
	}
	return tables
}

// drawTable draws the table of a row: y's is often x's, or one that the others are not of.
func (f *filling) drawTable(name byte, tables []string) (table string, ok bool) {
	table, ok = one(f.m, tables)
	switch {
	case name == 'y' && f.m.pct(30):
		return f.rows['x'][0], ok
	case name == 'y' || name == 'z' && f.m.pct(70):
		if apart := slices.DeleteFunc(slices.Clone(tables), func(t string) bool {
			return t == f.rows['x'][0] || t == f.rows['y'][0]
		}); len(apart) > 0 {
			return one(f.m, apart)
		}
	}
	return table, ok
}

// drawKey draws the key of a row of a table that is none of the rows yet, where there is one.
func (f *filling) drawKey(table string) string {
	keys := f.m.keys(table)
	if initial := f.m.values(table, sqltext.PKey); f.certain && len(initial) > 0 {
		keys = initial
	}
	others := slices.DeleteFunc(slices.Clone(keys), func(key string) bool {
		at := [2]string{table, key}
		return f.rows['x'] == at || f.rows['y'] == at
	})
	if len(others) > 0 {
		keys = others
	}
	key, ok := one(f.m, keys)
	if !ok {
		return "1"
	}
	return key
}

// step is the statement of a step of a pattern that neither begins nor ends a transaction.
func (f *filling) step(s string) (string, bool) {
	switch s[0] {
	case 's':
		return "SAVEPOINT a", true
	case 't':
		return "ROLLBACK TO SAVEPOINT a", true
	case 'l':
		return "RELEASE SAVEPOINT a", true
	case 'p':
		return f.scan(f.rows[s[2]][0], ""), true
	case 'i':
		if text, ok := f.insert(f.rows[s[2]][0], func(string) bool { return true }); ok {
			return text, true
		}
		return f.statement(true, f.rows[s[2]])
	case 'n':
		return f.born(s[2])
	case 'd':
		return f.certainly(sqltext.Delete, f.rows[s[2]])
	case 'w':
		if f.certain {
			return f.overwrite(f.rows[s[2]])
		}
	case 'r':
		if f.certain {
			return f.witness(f.rows[s[2]]), true
		}
	}
	return f.statement(s[0] == 'w', f.rows[s[2]])
}

// overwrite is a write of a row for certain: an UPDATE, seldom a DELETE.
func (f *filling) overwrite(row [2]string) (string, bool) {
	if f.m.pct(15) {
		return f.certainly(sqltext.Delete, row)
	}
	return f.certainly(sqltext.Update, row)
}

// certainly is an UPDATE or a DELETE of the case or of a related one with that row in place of its condition; an UPDATE
// there is no DELETE, and of the row's version alone where there is none of either.
func (f *filling) certainly(kind sqltext.Kind, row [2]string) (string, bool) {
	table, key := row[0], row[1]
	named := f.m.schema.Table(table).Column(sqltext.VKey) != nil
	var fit []string
	for _, c := range f.from {
		for _, p := range f.m.targets(c, func(_ *testcase.Txn, s control.Statement) bool {
			return s.Kind == kind && s.Target() == table
		}) {
			text := c.Txns[p.txn].Stmts[p.stmt].SQL
			if a, err := f.m.parser.Analyze(f.m.schema, text); err != nil || kind == sqltext.Update && named && a.VKey == 0 {
				continue // a version without a name of its own may come twice
			}
			if at, ok := f.m.narrow(text, table, key); ok {
				fit = append(fit, at)
			}
		}
	}
	text, ok := one(f.m, fit)
	switch {
	case ok:
	case kind == sqltext.Delete: // none is wanted
		return f.certainly(sqltext.Update, row)
	case !named:
		return f.statement(true, row)
	default:
		versions := []*sql.Assign{
			{Columns: []*sql.Column{build.Column("", sqltext.PVKey)}, Value: build.Column("", sqltext.VKey)},
			{Columns: []*sql.Column{build.Column("", sqltext.VKey)}, Value: number(firstVKey)},
		}
		text = f.m.finished(&sql.Update{Table: build.Table(table, ""), Set: versions,
			Where: build.Binary(build.Column(table, sqltext.PKey), sql.OpEq, build.Number(key))})
	}
	return f.m.fresh(text)
}

// born is an INSERT of values into the table of a row; one of the rows that it adds is that row from there on.
func (f *filling) born(name byte) (string, bool) {
	table := f.rows[name][0]
	text, ok := f.insert(table, func(text string) bool { return f.m.firstKey(text) > 0 })
	if !ok {
		return f.statement(true, f.rows[name])
	}
	f.rows[name] = [2]string{table, strconv.FormatInt(f.m.firstKey(text), 10)}
	return text, true
}

// firstKey is the first pkey that an INSERT of values adds; 0 of other statements.
func (m *mutator) firstKey(text string) int64 {
	for _, n := range m.numbersOf(text) {
		if b := baseOf(n); b == n { // to which a query adds the pkeys that it finds
			return 0
		} else if b > 0 && m.statement(text).Kind == sqltext.Insert {
			return n
		}
	}
	return 0
}

// witness is a read that finds a row, one way or another, and prints which version of it it saw.
func (f *filling) witness(row [2]string) string {
	table, key := row[0], row[1]
	read := f.all(table)
	switch f.m.rng.IntN(6) {
	case 0, 1:
		return f.m.finished(build.Query(read))
	case 2:
		read.Where = ofKey(sql.OpEq, build.Number(key))
	case 3:
		if other, ok := one(f.m, f.m.initialKeys(table)); ok {
			op := sql.OpGe
			if n, _ := strconv.ParseInt(key, 10, 64); n < other {
				op = sql.OpLe
			}
			read.Where = ofKey(op, number(other))
		}
	}
	if read.Where == nil {
		read.Where = f.m.holds(table, key)
	}
	if read.Where == nil {
		read.Where = ofKey(sql.OpEq, build.Number(key))
	}
	return f.m.finished(build.Query(read))
}

// ofKey compares the row key of r0.
func ofKey(op sql.Op, with sql.Expr) sql.Expr {
	return build.Binary(build.Column("r0", sqltext.PKey), op, with)
}

// finished is the text of a statement that was made.
func (m *mutator) finished(n sql.Stmt) string {
	_, text, err := m.dialect().Finish(n)
	if err != nil { // a fault of the mutator's
		panic(fmt.Sprintf("guide: %v: %s", err, sql.Tell(n)))
	}
	return text
}

// holds is a condition that a row of a table, r0, fulfils as it is at first: a column is what it holds there. nil if
// none is known.
func (m *mutator) holds(table, key string) sql.Expr {
	keys := m.values(table, sqltext.PKey)
	at := slices.Index(keys, key)
	var out []sql.Expr
	for _, c := range m.schema.Table(table).Columns {
		held := m.values(table, c.Name)
		if at < 0 || sqltext.IsBookkeeping(c.Name) || len(held) != len(keys) || c.Class != sqltext.Exact &&
			c.Class != sqltext.Text && c.Class != sqltext.Temporal {
			continue
		}
		if l := m.literalOf(held[at]); l != nil {
			out = append(out, build.Binary(build.Column("r0", c.Name), sql.OpEq, l))
		}
	}
	condition, _ := one(m, out)
	return condition
}

// insert draws a statement that adds rows to a table, of those that fit.
func (f *filling) insert(table string, fits func(text string) bool) (string, bool) {
	var fit []string
	for _, c := range f.from {
		for _, p := range f.m.targets(c, func(_ *testcase.Txn, s control.Statement) bool {
			return s.Kind == sqltext.Insert && s.Target() == table
		}) {
			if text := c.Txns[p.txn].Stmts[p.stmt].SQL; fits(text) {
				fit = append(fit, text)
			}
		}
	}
	text, ok := one(f.m, fit)
	if !ok {
		return "", false
	}
	return f.m.fresh(text)
}

// statement draws one that reads or writes a row's table, aimed at the row where it names rows by their keys.
func (f *filling) statement(writes bool, row [2]string) (string, bool) {
	table, key := row[0], row[1]
	var fit, points []string
	for _, c := range f.from {
		for _, p := range f.m.targets(c, func(_ *testcase.Txn, s control.Statement) bool {
			if writes {
				return s.Kind.Writes() && s.Target() == table
			}
			return s.Kind == sqltext.Select && slices.Contains(s.Tables(), table)
		}) {
			text := c.Txns[p.txn].Stmts[p.stmt].SQL
			fit = append(fit, text)
			if at, ok := f.pin(text, table, key); ok {
				points = append(points, at)
			}
		}
	}
	if len(points) > 0 && f.m.pct(75) {
		fit = points
	}
	text, ok := one(f.m, fit)
	if !writes && (!ok || f.m.pct(40)) { // a read that says which rows it saw
		text, ok = f.scan(table, key), true
	}
	if !ok {
		return "", false
	}
	return f.m.fresh(text)
}

// scan reads a table's rows with their versions: all of them, a range, or, of a key that is not "", the one.
func (f *filling) scan(table, key string) string {
	read := f.all(table)
	switch {
	case f.m.pct(50):
	case key != "":
		read.Where = ofKey(sql.OpEq, build.Number(key))
	default:
		low, _ := one(f.m, f.m.keys(table))
		read.Where = ofKey(sql.OpGe, build.Number(cmp.Or(low, "1"))) // rows that come have greater ones
	}
	return f.m.finished(build.Query(read))
}

// all reads all rows of a table, r0, with their versions.
func (f *filling) all(table string) *sql.Select {
	items, share := []*sql.Item{build.Item(build.Column("r0", sqltext.PKey), "r0_p")}, 40
	if f.m.schema.Table(table).Column(sqltext.VKey) != nil {
		items = append(items, build.Item(build.Column("r0", sqltext.VKey), "r0_v"))
	} else if f.certain { // its contents are all that tells one version from another
		share = 100
	}
	for _, c := range f.m.schema.Table(table).Columns {
		if !sqltext.IsBookkeeping(c.Name) && f.m.pct(share) {
			items = append(items, build.Item(build.Column("r0", c.Name), "e_"+c.Name))
		}
	}
	return &sql.Select{Items: items, From: build.Table(table, "r0")}
}
