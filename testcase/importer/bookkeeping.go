package importer

import (
	"fmt"
	"slices"
	"strings"

	"txweave/sqltext"
	"txweave/testcase"
)

// Where the numbers of bookkeeping begin: those of rows, and of the versions that statements write.
const (
	firstRow     = 1
	firstVersion = 1000001
)

// Keep adds the bookkeeping columns to the tables of a case and their values to its statements, where that can be done without
// changing what the case does: its own keys stay what they are. The error says which statement does not allow it.
func Keep(c *testcase.Case) (*testcase.Case, error) {
	k := &keeper{c: c.Clone().PlacedAs(c), row: firstRow, version: firstVersion, named: map[string]bool{}, kept: map[string]bool{}, written: map[string][]string{}}
	if err := k.lower(); err != nil {
		return nil, err
	}
	k.schema = k.c.ReadSchema()
	for i := range k.c.Schema {
		if err := k.table(&k.c.Schema[i]); err != nil {
			return nil, err
		}
	}
	for i := range k.c.Rows {
		s := &k.c.Rows[i]
		sql, err := k.insert(s.SQL, 0)
		if err != nil {
			return nil, fmt.Errorf("rows, statement %d: %w", i, err)
		}
		s.SQL = sql
	}
	for n := range k.c.Txns {
		for i := range k.c.Txns[n].Stmts {
			s := &k.c.Txns[n].Stmts[i]
			sql, err := k.statement(s.SQL)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", k.c.At(testcase.Ref{Txn: n, Stmt: i}), err)
			}
			s.SQL = sql
		}
	}
	return k.c, nil
}

type keeper struct {
	c            *testcase.Case
	schema       *sqltext.Schema // before
	row, version int64
	copies       int             // INSERT … SELECT so far
	named        map[string]bool // tables that name their rows by pkey themselves
	kept         map[string]bool // tables that have all three columns already
	// written are the columns' names as the tables' definitions write them, quoted or not: every DBMS has quotes of its own.
	written map[string][]string
}

// lower writes the names of tables in small letters, in which all that watches them has them: MySQL and MariaDB tell Tab from tab.
func (k *keeper) lower() error {
	written := map[string]string{} // as the text makes them
	for _, s := range k.c.Schema {
		read := sqltext.Read(s.SQL)
		if read.Kind != sqltext.Create || read.Target == "" {
			continue
		}
		for _, t := range lexer.Significant(s.SQL, -1) {
			name, ok := t.Ident()
			if !ok || name != read.Target {
				continue
			}
			if other := written[name]; other != "" && other != t.Unquote() {
				return fmt.Errorf("tables %s and %s differ by capitals alone", other, t.Unquote())
			}
			written[name] = t.Unquote()
			break
		}
	}
	change := func(list []testcase.Stmt) {
		for i := range list {
			list[i].SQL = inSmall(list[i].SQL, written)
		}
	}
	change(k.c.Schema)
	change(k.c.Rows)
	for n := range k.c.Txns {
		change(k.c.Txns[n].Stmts)
	}
	return nil
}

// inSmall writes those names in small letters.
func inSmall(sql string, names map[string]string) string {
	var b strings.Builder
	for t := range lexer.Tokens(sql) {
		text := t.Text
		if name, ok := t.Ident(); ok && names[name] != "" && names[name] != name {
			text = strings.ToLower(text)
		}
		b.WriteString(text)
	}
	return b.String()
}

// table adds the columns to a CREATE TABLE.
func (k *keeper) table(s *testcase.Stmt) error {
	d, ok := sqltext.SplitTable(s.SQL)
	if !ok {
		if sqltext.Read(s.SQL).Creates() == "table" {
			return fmt.Errorf("the columns of %s are not written out", sqltext.Read(s.SQL).Target)
		}
		return nil
	}
	t := k.schema.Table(d.Name)
	if t == nil {
		return fmt.Errorf("table %s cannot be read", d.Name)
	}
	pkey, vkey := t.Column(sqltext.PKey), t.Column(sqltext.VKey)
	if vkey != nil && pkey != nil && t.Column(sqltext.PVKey) != nil {
		k.kept[t.Name] = true
		return nil
	}
	if vkey != nil || t.Column(sqltext.PVKey) != nil {
		return fmt.Errorf("table %s has some of the columns pkey, vkey and pvkey, and not all", d.Name)
	}
	added := []string{sqltext.VKey + " BIGINT NOT NULL", sqltext.PVKey + " BIGINT NOT NULL"}
	if pkey == nil {
		added = append([]string{sqltext.PKey + " BIGINT NOT NULL"}, added...)
	} else if k.named[t.Name] = pkey.NotNull; !pkey.NotNull {
		return fmt.Errorf("table %s has a column %s that may be NULL", t.Name, sqltext.PKey)
	}
	for _, x := range d.Items {
		if _, kind := x.Kind(); kind == sqltext.ColumnElement {
			k.written[t.Name] = append(k.written[t.Name], sqltext.Significant(string(x), 1)[0].Text)
		}
	}
	at := len(d.Items)
	for i, x := range d.Items {
		if _, kind := x.Kind(); kind != sqltext.ColumnElement {
			at = i
			break
		}
	}
	items := make([]sqltext.TableElement, len(added))
	for i, a := range added {
		items[i] = sqltext.TableElement(a)
	}
	d.Items = slices.Insert(d.Items, at, items...)
	s.SQL = d.Text()
	return nil
}

// statement adds the values to a statement of a transaction.
func (k *keeper) statement(sql string) (string, error) {
	s := sqltext.Read(sql)
	if s.Kind.Writes() && (k.schema.Table(s.Target) == nil || k.kept[s.Target]) {
		return sql, nil // as it is: the oracles say what they think of it
	}
	switch s.Kind {
	case sqltext.Insert:
		k.version++
		return k.insert(sql, k.version)
	case sqltext.Update:
		k.version++
		return k.update(sql, s)
	}
	return sql, nil
}

// insert gives every row a number of its own, and all of them the version; 0: each row one of its own.
func (k *keeper) insert(sql string, version int64) (string, error) {
	s := sqltext.Read(sql)
	t := k.schema.Table(s.Target)
	if t == nil {
		return "", fmt.Errorf("table %s is not of the schema", s.Target)
	}
	if k.kept[t.Name] {
		return sql, nil
	}
	head, verb, tail := takenApart(sql, s)
	v, ok := sqltext.SplitValues(head)
	if !ok {
		if version == 0 {
			return "", fmt.Errorf("the rows that it inserts are not written out: they cannot be numbered")
		}
		return k.insertSelect(head, verb, tail, t, s)
	}
	columns, written := v.Columns, strings.TrimSuffix(strings.TrimPrefix(v.List, "("), ")")
	if columns == nil {
		columns, written = t.Names(), strings.Join(k.written[t.Name], ", ")
	}
	rows := make([]string, len(v.Cells))
	for i, cells := range v.Cells {
		if len(cells) != len(columns) {
			return "", fmt.Errorf("a row has %d values for %d columns", len(cells), len(columns))
		}
		k.row++
		own := version
		if own == 0 {
			own = k.row
		}
		cells = append(slices.Clone(cells), fmt.Sprint(own), "0")
		if !k.named[t.Name] {
			cells = append(cells, fmt.Sprint(k.row))
		}
		rows[i] = "(" + strings.Join(cells, ", ") + ")"
	}
	return fmt.Sprintf("%s INTO %s (%s) VALUES %s%s", verb, s.Written, k.columns(t, written), strings.Join(rows, ", "), k.met(tail)), nil
}

// columns are those that an INSERT writes, with those of the bookkeeping.
func (k *keeper) columns(t *sqltext.Table, written string) string {
	list := []string{written, sqltext.VKey, sqltext.PVKey}
	if !k.named[t.Name] {
		list = append(list, sqltext.PKey)
	}
	return strings.Join(list, ", ")
}

// met is what an INSERT does with the row that it meets: where it updates that, it keeps the version that it overwrites.
func (k *keeper) met(tail string) string {
	at := 0
	for t := range lexer.Tokens(tail) {
		at += len(t.Text)
		if t.Is("set") || t.Is("update") && !strings.Contains(strings.ToUpper(tail[:at]), "CONFLICT") {
			return fmt.Sprintf("%s %s = %s, %s = %d,%s", tail[:at], sqltext.PVKey, sqltext.VKey, sqltext.VKey, k.version, tail[at:])
		}
	}
	return tail
}

// takenApart is an INSERT as INSERT INTO without its options, the verb with them, and what stands behind its rows: what becomes of rows
// that it meets, what it returns.
func takenApart(sql string, s sqltext.Statement) (head, verb, tail string) {
	at, depth, table := 0, 0, -1
	var words []string
	rest := len(sql)
	for t := range lexer.Tokens(sql) {
		from := at
		at += len(t.Text)
		depth += t.Nesting()
		switch {
		case table < 0 && t.Text == s.Written:
			table = from
		case table < 0 && t.Kind == sqltext.Word && !t.Is("into"):
			words = append(words, strings.ToUpper(t.Text))
		case table >= 0 && depth == 0 && (t.Is("returning") || t.Is("on") && sqltext.Significant(sql[at:], 1) != nil && sqltext.Significant(sql[at:], 1)[0].Is("duplicate", "conflict")):
			rest = min(rest, from)
		}
	}
	if table < 0 {
		return sql, "INSERT", ""
	}
	if rest < len(sql) {
		tail = " " + strings.TrimSpace(sql[rest:])
	}
	return "INSERT INTO " + strings.TrimSpace(sql[table:rest]), strings.Join(words, " "), tail
}

// Each INSERT … SELECT numbers its rows by those that it reads: it adds a number to theirs that is twice that of the one before, so that no
// sum comes again.
const (
	firstCopy = 1 << 20
	mostCopy  = 40
)

// insertSelect numbers the rows of INSERT … SELECT from one table by theirs.
func (k *keeper) insertSelect(sql, verb, tail string, t *sqltext.Table, s sqltext.Statement) (string, error) {
	unknown := fmt.Errorf("the rows that it inserts are not written out, and no row of one table each: they cannot be numbered")
	columns, at := "", strings.Index(sql, s.Written)+len(s.Written)
	query := strings.TrimSpace(sql[at:])
	if strings.HasPrefix(query, "(") && word(strings.TrimLeft(query, "( "), 0) != "SELECT" {
		_, end := sqltext.SplitList(query, 0)
		if end < 0 {
			return "", unknown
		}
		columns, query = query[1:end], strings.TrimSpace(query[end+1:])
	}
	if columns == "" {
		columns = strings.Join(k.written[t.Name], ", ")
	}
	q, ok := k.oneTable(query)
	if !ok || k.copies >= mostCopy {
		return "", unknown
	}
	number := fmt.Sprint(int64(firstCopy) << k.copies)
	if q.from != nil {
		number += " + " + q.name + "." + sqltext.PKey
	}
	k.copies++
	list := []string{q.list, fmt.Sprint(k.version), "0"}
	if !k.named[t.Name] {
		list = append(list, number)
	}
	return fmt.Sprintf("%s INTO %s (%s) SELECT %s%s%s", verb, s.Written, k.columns(t, columns), strings.Join(list, ", "), q.rest, k.met(tail)), nil
}

// query is a query of one table, or of none.
type query struct {
	list, rest string // what it selects; FROM and all that follows
	from       *sqltext.Table
	name       string // by which it is called
}

// oneTable takes a query apart that gives a row for each of a table's, or one row of no table.
func (k *keeper) oneTable(sql string) (q query, ok bool) {
	at, depth, list, end := 0, 0, -1, len(sql)
	for t := range lexer.Tokens(sql) {
		from := at
		at += len(t.Text)
		switch depth += t.Nesting(); {
		case depth != 0:
		case t.Is("union", "except", "intersect", "group", "having", "distinct", "join", "window", "with"), t.Is("limit") && end == len(sql):
			return q, false
		case t.Is("select") && list < 0:
			list = at
		case t.Is("from") && end == len(sql):
			end = from
		}
	}
	if list < 0 || !strings.EqualFold(strings.TrimSpace(sql[:list]), "select") {
		return q, false
	}
	q.list, q.rest = strings.TrimSpace(sql[list:end]), " "+strings.TrimSpace(sql[end:])
	if q.rest == " " {
		q.rest = ""
		return q, !strings.ContainsAny(q.list, "*")
	}
	f := sqltext.Significant(q.rest, 5)
	if len(f) < 2 {
		return q, false
	}
	name, named := f[1].Ident()
	if q.from = k.schema.Table(name); !named || q.from == nil || k.kept[name] {
		return q, false
	}
	q.name = f[1].Text
	f = f[2:]
	if len(f) > 0 && f[0].Is("as") {
		f = f[1:]
	}
	if len(f) > 0 && f[0].Text == "," || len(f) > 1 && f[1].Text == "," {
		return q, false
	}
	if len(f) > 0 && !f[0].Is("where", "order", "for", "lock", "limit") {
		if _, named := f[0].Ident(); !named {
			return q, false
		}
		q.name = f[0].Text
	}
	if q.list == "*" || q.list == q.name+".*" {
		q.list = strings.Join(k.written[q.from.Name], ", ")
	}
	counts := slices.ContainsFunc(sqltext.Significant(q.list, -1), func(t sqltext.Token) bool { return t.Is("count", "sum", "min", "max", "avg", "over", "group_concat") })
	return q, !counts && !strings.Contains(q.list, "*")
}

// update makes the statement keep the version that it overwrites and write its own.
func (k *keeper) update(sql string, s sqltext.Statement) (string, error) {
	depth, at, tables := 0, 0, 0
	for t := range lexer.Tokens(sql) {
		depth += t.Nesting()
		switch {
		case depth == 0 && (t.Text == "," || t.Is("join")):
			tables++
		case depth == 0 && t.Is("set"):
			if tables > 0 {
				return sql, nil // the versions of its tables are their contents
			}
			end := at + len(t.Text)
			return fmt.Sprintf("%s %s = %s, %s = %d,%s", sql[:end], sqltext.PVKey, sqltext.VKey, sqltext.VKey, k.version, sql[end:]), nil
		}
		at += len(t.Text)
	}
	return "", fmt.Errorf("%s cannot be read", quote(sql))
}
