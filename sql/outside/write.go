package outside

import (
	"strconv"
	"strings"

	"txweave/sql"
	"txweave/sql/analysis"
	"txweave/sql/sqltext"
)

// mark notes that a column holds values of a source.
func (v *Values) mark(table, column string, s Source) {
	if p := (place{table, column}); s != None && v.columns[p] == None {
		v.columns[p], v.changed = s, true
	}
}

// markRows notes that it depends on a source which rows a table has.
func (v *Values) markRows(table string, s Source) {
	if s != None && v.rows[table] == None {
		v.rows[table], v.changed = s, true
	}
}

// follow follows values through one statement. Numbers that the set-up gets are the same each time. row is the table
// whose row the statement calls NEW and OLD, "" outside of triggers.
func (v *Values) follow(text string, setup bool, row string) {
	stmt, err := v.syntax.Tree.Parse(text)
	if err != nil {
		read := v.syntax.Quoting.Read(text)
		switch {
		case read.Kind == sqltext.Create:
			v.markRows(read.Target, v.unread(read))
		case len(v.sequences) > 0 && !setup && read.Kind.Writes():
			v.markRows(read.Target, Counter)
		}
		return
	}
	v.statement(stmt, setup, row)
}

// unread is where rows may have values from that a table gives them whose definition is in no dialect's tree: by its
// defaults and counters, and the columns of its versions' times (mariadb.com/kb, System-Versioned Tables).
func (v *Values) unread(table sqltext.Statement) (out Source) {
	session, _ := table.Calls()
	for _, name := range session {
		out = out.or(ofFunction(name, 0, nil))
	}
	for i, t := range table.Tokens {
		name, _ := t.Ident()
		switch {
		case v.sequences[name], !v.syntax.Traits.CountsInside && t.Is("auto_increment", "serial", "bigserial", "identity"):
			out = out.or(Counter)
		case t.Is("row") && i+1 < len(table.Tokens) && table.Tokens[i+1].Is("start", "end"):
			out = out.or(Clock)
		}
	}
	return out
}

// statement follows values through a tree. The statements of a body know nothing of each other's tables: each has a
// scope of its own.
func (v *Values) statement(stmt sql.Stmt, setup bool, row string) {
	switch n := stmt.(type) {
	case *sql.Block:
		for _, own := range n.Stmts {
			v.statement(own, setup, row)
		}
		return
	case *sql.CreateTrigger:
		v.called(n, setup)
		if n.Body != nil {
			v.statement(n.Body, setup, n.Table.Name.Folded())
		}
		return
	}
	v.scopeIn(row).each(stmt, func(s *scope, n sql.Node) bool {
		switch n := n.(type) {
		case *sql.Insert:
			s.insert(n, setup)
		case *sql.Update:
			s.set(n.Set, s.updated(n), tablesOf(n))
		case *sql.Delete:
			v.markRows(n.Table.Name.Folded(), s.deleted(n))
		case *sql.DeleteJoined:
			for _, t := range n.Targets {
				v.markRows(s.table(t.Name.Folded()), s.of(n.Where).or(s.from(n.From)))
			}
		case *sql.Merge:
			s.merge(n, setup)
		case *sql.CreateTable:
			if n.As != nil {
				s.filled(n.Name.Name.Folded(), nil, s.query(n.As))
			}
		case *sql.Setting:
			if c, ok := n.Target.(*sql.Column); ok && s.ofRow(c.Table) && !isNil(n.Value) {
				v.mark(row, c.Name.Folded(), s.of(n.Value))
			}
		}
		return true
	})
}

// updated is by what it is decided which rows an UPDATE writes, and deleted which ones of its table a DELETE does.
func (s *scope) updated(n *sql.Update) Source {
	return s.of(n.Where).or(s.from(n.Table)).or(s.from(n.From)).or(s.first(n.Order, n.Limit))
}

func (s *scope) deleted(n *sql.Delete) Source {
	return s.of(n.Where).or(s.from(n.Using)).or(s.first(n.Order, n.Limit))
}

// called follows the statements in the body of the function that a trigger calls, which is a text, and what they give
// the columns of the row that the trigger looks at. Of what surrounds them it reads only where the next one begins.
func (v *Values) called(n *sql.CreateTrigger, setup bool) {
	call, ok := n.Function.(*sql.Call)
	if !ok {
		return
	}
	row := n.Table.Name.Folded()
	for _, text := range v.pieces(v.bodies[call.Name.Folded()]) {
		if stmt, err := v.syntax.Tree.Parse(text); err == nil {
			v.statement(stmt, setup, row)
			continue
		}
		target, value, _ := strings.Cut(text, ":=")
		column, err := v.syntax.Tree.Parse("SELECT " + target)
		given, also := v.syntax.Tree.Parse("SELECT " + value)
		if err != nil || also != nil {
			continue
		}
		s := v.scopeIn(row)
		sql.Walk(column, func(x sql.Node) bool {
			if c, ok := x.(*sql.Column); ok && s.ofRow(c.Table) {
				v.mark(row, c.Name.Folded(), s.of(given))
			}
			return true
		})
	}
}

// pieces divides the body of a function into statements.
func (v *Values) pieces(body string) (out []string) {
	var piece strings.Builder
	for t := range v.syntax.Quoting.Tokens(body) {
		if t.Text == ";" || t.Is("begin", "then", "else", "loop") {
			out = append(out, piece.String())
			piece.Reset()
			continue
		}
		piece.WriteString(t.Text)
	}
	return append(out, piece.String())
}

// tablesOf are the tables that an UPDATE writes.
func tablesOf(n *sql.Update) (out []string) {
	for _, w := range analysis.WrittenBy(n) {
		out = append(out, w.Table)
	}
	return out
}

// table is the table that a statement calls so.
func (s *scope) table(name string) string {
	if t, ok := s.tables[name]; ok {
		return t
	}
	return name
}

// set follows assignments to rows that a source chooses.
func (s *scope) set(list []*sql.Assign, rows Source, tables []string) {
	for _, a := range list {
		for _, c := range a.Columns {
			source := rows.or(s.of(a.Value))
			for _, table := range tables {
				if c.Table == nil || s.table(c.Table.Folded()) == table {
					s.v.mark(table, c.Name.Folded(), source)
				}
			}
		}
	}
	for _, table := range tables {
		if t := s.v.tables[table]; t != nil {
			for column, source := range t.stamps {
				s.v.mark(table, column, source)
			}
		}
	}
}

func (s *scope) insert(n *sql.Insert, setup bool) {
	table := n.Table.Name.Folded()
	s.given(n, table, setup)
	switch {
	case len(n.Set) > 0:
		for _, a := range n.Set {
			for _, c := range a.Columns {
				s.v.mark(table, c.Name.Folded(), s.of(a.Value))
			}
		}
	case n.Source != nil:
		s.filled(table, n.Columns, s.query(n.Source))
	}
	s.set(n.Duplicate, None, changed(n.Duplicate, table))
	for _, c := range n.Conflicts {
		s.set(c.Set, s.of(c.Where), changed(c.Set, table))
	}
}

func changed(set []*sql.Assign, table string) []string {
	if len(set) == 0 {
		return nil
	}
	return []string{table}
}

// given follows what the database gives the columns that a statement leaves to it.
func (s *scope) given(n sql.Stmt, table string, setup bool) {
	t := s.v.tables[table]
	if t == nil || t.query != nil {
		return
	}
	as := &sqltext.Table{Name: table, Columns: t.columns}
	for _, w := range analysis.WrittenBy(n) {
		if !w.Inserts {
			continue
		}
		for _, c := range t.columns {
			switch {
			case w.Gives(as, c):
			case c.Counts && !s.v.syntax.Traits.CountsInside && (!setup || c.Random):
				s.v.mark(table, c.Name, Counter)
			case t.defaults[c.Name] != Counter || !setup:
				s.v.mark(table, c.Name, t.defaults[c.Name])
			}
		}
	}
}

// filled follows what a query gives into the columns of a table.
func (s *scope) filled(table string, names []*sql.Name, r result) {
	s.v.markRows(table, r.rows)
	var columns []string
	for _, name := range names {
		columns = append(columns, name.Folded())
	}
	if t := s.v.tables[table]; t != nil && len(names) == 0 {
		for _, c := range t.columns {
			columns = append(columns, c.Name)
		}
	}
	for i := range min(len(columns), len(r.outputs)) {
		s.v.mark(table, columns[i], r.outputs[i].source)
	}
}

func (s *scope) merge(n *sql.Merge, setup bool) {
	table := n.Table.Name.Folded()
	on := s.of(n.On).or(s.from(n.Source))
	s.given(n, table, setup)
	for _, when := range n.Whens {
		chosen := on.or(s.of(when.Cond))
		switch when.Do {
		case "UPDATE":
			s.set(when.Set, chosen, []string{table})
		case "INSERT":
			r := result{rows: chosen}
			if when.Row != nil {
				for _, x := range when.Row.Items {
					r.outputs = append(r.outputs, output{"", s.of(x)})
				}
			}
			s.filled(table, when.Columns, r)
		case "DELETE":
			s.v.markRows(table, chosen)
		}
	}
}

// compute follows values into the columns that the database computes of others.
func (v *Values) compute() {
	for name, t := range v.tables {
		s := v.scopeIn("")
		s.add(name, s.ofTable(name))
		s.tables[name] = name
		for column, x := range t.made {
			v.mark(name, column, s.of(x))
		}
	}
}

// count follows how far the set-up has the counter of a table.
func (v *Values) count(stmt sql.Stmt) {
	n, ok := stmt.(*sql.Insert)
	if !ok {
		return
	}
	t := v.tables[n.Table.Name.Folded()]
	if t == nil || t.last < 0 {
		return
	}
	for i, c := range t.columns {
		if c.Counts {
			t.counted(n, i)
		}
	}
}

// counted follows the counter of a column through the rows that an INSERT spells.
func (t *relation) counted(n *sql.Insert, column int) {
	at := column
	if len(n.Columns) > 0 {
		at = -1
		for i, name := range n.Columns {
			if name.Folded() == t.columns[column].Name {
				at = i
			}
		}
	}
	rows := []*sql.Row{{}}
	if n.Source != nil {
		values, ok := n.Source.Body.(*sql.Values)
		if !ok {
			t.last = -1
			return
		}
		rows = values.Rows
	}
	for _, row := range rows {
		number, err := int64(0), error(nil)
		if at >= 0 && at < len(row.Items) {
			if l, ok := sql.Bare(row.Items[at]).(*sql.Literal); ok && l.Kind == sql.Number {
				number, err = strconv.ParseInt(strings.TrimSpace(l.Text), 10, 64)
			}
		}
		switch {
		case err != nil:
			t.last = -1
			return
		case number > 0 && !t.columns[column].Random:
			t.last = max(t.last, number)
		default:
			t.last++
		}
	}
}
