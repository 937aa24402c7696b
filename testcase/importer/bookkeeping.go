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
	k := &keeper{c: c.Clone(), row: firstRow, version: firstVersion, named: map[string]bool{}, kept: map[string]bool{}, written: map[string][]string{}}
	k.schema = sqltext.ReadSchema(testcase.Texts(c.Schema))
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
				return nil, fmt.Errorf("%s: %w", testcase.Ref{Txn: n, Stmt: i}, err)
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
	named        map[string]bool // tables that name their rows by pkey themselves
	kept         map[string]bool // tables that have all three columns already
	// written are the columns' names as the tables' definitions write them, quoted or not: every DBMS has quotes of its own.
	written map[string][]string
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
	v, ok := sqltext.SplitValues(withInto(sql, s))
	if !ok {
		return "", fmt.Errorf("the rows that it inserts are not written out: they cannot be numbered")
	}
	columns, written := v.Columns, strings.TrimSuffix(strings.TrimPrefix(v.List, "("), ")")
	if columns == nil {
		columns, written = t.Names(), strings.Join(k.written[t.Name], ", ")
	}
	list := []string{written, sqltext.VKey, sqltext.PVKey}
	if !k.named[t.Name] {
		list = append(list, sqltext.PKey)
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
	verb := strings.ToUpper(s.Tokens[0].Text)
	return fmt.Sprintf("%s INTO %s (%s) VALUES %s", verb, s.Written, strings.Join(list, ", "), strings.Join(rows, ", ")), nil
}

// withInto writes INSERT t as INSERT INTO t.
func withInto(sql string, s sqltext.Statement) string {
	if len(s.Tokens) > 1 && !s.Tokens[1].Is("into") && s.Tokens[1].Text == s.Written {
		return s.Tokens[0].Text + " INTO " + strings.TrimSpace(sql[strings.Index(sql, s.Tokens[0].Text)+len(s.Tokens[0].Text):])
	}
	return sql
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
				return "", fmt.Errorf("it updates several tables")
			}
			end := at + len(t.Text)
			return fmt.Sprintf("%s %s = %s, %s = %d,%s", sql[:end], sqltext.PVKey, sqltext.VKey, sqltext.VKey, k.version, sql[end:]), nil
		}
		at += len(t.Text)
	}
	return "", fmt.Errorf("%s cannot be read", quote(sql))
}
