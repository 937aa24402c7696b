package plain

import (
	"slices"

	"txweave/fault"
	"txweave/finding"
	"txweave/history"
	"txweave/sql"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// start is a case to begin with; around says that reads stand around the statement that the finding names.
type start struct {
	*testcase.Case
	around bool
	first  finding.Difference // to be seen, of a finding that differs by plan
}

// starts lists the cases to begin with: as it is, with all columns printed, with what a write that the finding names
// was about to find read before it or in its stead, with what was seen too early rolled back. A case of one transaction
// whose write is wrong by itself has reads around that write.
func (m *maker) starts(c *testcase.Case) (out []start) {
	add := func(around bool, cases ...*testcase.Case) {
		for _, x := range cases {
			if x != nil {
				out = append(out, start{Case: x, around: around})
			}
		}
	}
	switch m.finding.Class {
	case finding.ClassPlan:
		return m.planStarts(c)
	case finding.ClassReplay, finding.ClassUnexpected:
		add(false, c)
		return out
	}
	named := refs(m.finding.Named())
	if m.finding.Class == finding.ClassInconsistent && len(c.Txns) == 1 && len(named) > 0 {
		if x := readsAround(c, named[0]); x != nil {
			add(true, x)
			return out
		}
	}
	var before *testcase.Case
	if m.serializable() || c.Schedule.Serial() { // elsewhere a query and a write after it may see different states
		before = readsBefore(c, named)
	}
	add(false, c, selectAll(c), before, selectAllOf(before))
	if m.finding.Class == finding.ClassSnapshot {
		add(false, readsInstead(c, named))
	}
	for _, x := range slices.Clone(out) {
		add(false, m.rolledBack(x.Case, named))
	}
	return out
}

// rolledBack makes the transaction whose uncommitted change was seen one that is rolled back: what it commits in the
// end, an order of transactions might give too. nil where the finding is of another kind.
func (m *maker) rolledBack(c *testcase.Case, readers []testcase.Ref) *testcase.Case {
	if len(m.finding.Differences) == 0 || m.finding.Differences[0].What.Base() != fault.DirtyRead || len(readers) == 0 {
		return nil
	}
	d := c.Clone()
	for n := range d.Txns {
		if named := slices.Contains(m.finding.Transactions(), n); named && n != readers[0].Txn &&
			sqltext.KindOf(d.Txns[n].End.SQL) == sqltext.Commit {
			d.Txns[n].End.SQL = "ROLLBACK"
			return d
		}
	}
	return nil
}

func selectAllOf(c *testcase.Case) *testcase.Case {
	if c == nil {
		return nil
	}
	return selectAll(c)
}

// found is the query for the rows that a write is about to find; "" where that cannot be told.
func found(c *testcase.Case, text string) string {
	dialect := sqltext.SyntaxOf(c.Target).Tree
	stmt, err := dialect.Parse(text)
	if err != nil {
		return ""
	}
	all := &sql.Select{Items: []*sql.Item{{X: &sql.Star{}}}}
	var q sql.Query
	switch x := stmt.(type) {
	case *sql.Insert:
		if rowsOf(x) == nil {
			return ""
		}
		all.From = &sql.Table{Name: x.Table.Name} // what was seen before it
	case *sql.Update:
		if x.From != nil || len(x.Order) > 0 || x.Limit != nil || len(x.Returning) > 0 || tables(x.Table) != 1 {
			return ""
		}
		q.With, all.From, all.Where = x.With, x.Table, x.Where
	case *sql.Delete:
		if x.Using != nil || len(x.Order) > 0 || x.Limit != nil || len(x.Returning) > 0 {
			return ""
		}
		q.With, all.From, all.Where = x.With, x.Table, x.Where
	default:
		return ""
	}
	q.Body = all
	text, err = dialect.Print(&q)
	if err != nil {
		return ""
	}
	return text
}

// writtenBy is the table that a write of one table writes; "" for others.
func writtenBy(c *testcase.Case, text string) (table string, kind sqltext.Kind) {
	stmt, err := sqltext.SyntaxOf(c.Target).Tree.Parse(text)
	if err != nil {
		return "", sqltext.Other
	}
	t := sql.Written(stmt)
	if t == nil {
		return "", sqltext.Other
	}
	return t.Name.Value, sqltext.KindOf(text)
}

// readsBefore reads what the named writes are about to find, each in its own transaction; nil where none of them is
// such a write.
func readsBefore(c *testcase.Case, named []testcase.Ref) *testcase.Case {
	d := c.Clone()
	named = slices.Clone(named)
	slices.SortFunc(named, func(a, b testcase.Ref) int { return b.Stmt - a.Stmt }) // so that the places of the rest stay
	did := false
	for _, ref := range named {
		if ref.Txn >= len(d.Txns) || ref.Stmt >= len(d.Txns[ref.Txn].Stmts) || d.Txns[ref.Txn].Autocommit() {
			// which is that statement alone
			continue
		}
		if text := found(c, d.Txns[ref.Txn].Stmts[ref.Stmt].SQL); text != "" {
			d.InsertBefore(ref, text)
			did = true
		}
	}
	if !did {
		return nil
	}
	return d
}

// readsInstead has the first of the named writes only read what it was about to find; nil where it is no such write.
func readsInstead(c *testcase.Case, named []testcase.Ref) *testcase.Case {
	if len(named) == 0 || named[0].Txn >= len(c.Txns) || named[0].Stmt >= len(c.Txns[named[0].Txn].Stmts) {
		return nil
	}
	text := found(c, c.Txns[named[0].Txn].Stmts[named[0].Stmt].SQL)
	if text == "" {
		return nil
	}
	d := c.Clone()
	s := &d.Txns[named[0].Txn].Stmts[named[0].Stmt]
	s.SQL, s.Comments = text, nil
	return d
}

// sameRows says whether a statement is an UPDATE of one table that finds the same rows whenever it runs: all writes of
// the case are UPDATEs that move no row, and none of them touches what its WHERE clause asks for. It is the first
// statement of its transaction, but for locking reads, which take no snapshot.
func sameRows(c *testcase.Case, at testcase.Ref) bool {
	if at.Txn >= len(c.Txns) || at.Stmt >= len(c.Txns[at.Txn].Stmts) {
		return false
	}
	dialect := sqltext.SyntaxOf(c.Target).Tree
	u := updates{fixed: keysOf(c)}
	if u.fixed == nil {
		return false
	}
	for n := range c.Txns {
		for i, s := range c.Txns[n].Stmts {
			stmt, err := dialect.Parse(s.SQL)
			if err != nil || !u.take(stmt, n == at.Txn && i < at.Stmt, testcase.Ref{Txn: n, Stmt: i} == at) {
				return false
			}
		}
	}
	return !slices.ContainsFunc(u.written, func(name string) bool { return u.fixed[name] })
}

// updates are what the UPDATEs of a case write, and the columns by which the rows are found and lie.
type updates struct {
	fixed   map[string]bool
	written []string
}

// take takes a statement; before says that it stands before the UPDATE in question, in its transaction, and is that it
// is that one. It returns false where a statement may change which rows are found.
func (u *updates) take(stmt sql.Stmt, before, is bool) bool {
	if q, query := stmt.(*sql.Query); query {
		return !is && (!before || locks(q))
	}
	up, update := stmt.(*sql.Update)
	if !update || before || !plainUpdate(up) || is && len(up.Order) > 0 {
		return false
	}
	for _, as := range up.Set {
		for _, col := range as.Columns {
			u.written = append(u.written, col.Name.Folded())
		}
	}
	if is && up.Where != nil {
		addNames(u.fixed, up.Where)
	}
	return true
}

// plainUpdate says whether an UPDATE changes what its WHERE clause finds in one table, by that table alone.
func plainUpdate(up *sql.Update) bool {
	return !up.Ignore && up.Or == "" && up.With == nil && up.From == nil && up.Limit == nil && tables(up) == 1 &&
		!sql.Has(up, isQuery)
}

// locks says whether a query has a lock clause.
func locks(q *sql.Query) bool {
	return sql.Has(q, func(n sql.Node) bool {
		_, lock := n.(*sql.Lock)
		return lock
	})
}

// addNames adds the names below a node to a set.
func addNames(to map[string]bool, n sql.Node) {
	sql.Walk(n, func(n sql.Node) bool {
		if name, ok := n.(*sql.Name); ok {
			to[name.Folded()] = true
		}
		return true
	})
}

// keysOf are the columns that place the rows of a case's tables in a key or an index, or are computed; nil where there
// is more to a table than columns and indexes.
func keysOf(c *testcase.Case) map[string]bool {
	keys := map[string]bool{}
	for _, s := range c.Schema {
		stmt, err := sqltext.SyntaxOf(c.Target).Tree.Parse(s.SQL)
		if err != nil {
			return nil
		}
		switch x := stmt.(type) {
		case *sql.CreateIndex:
			addNames(keys, x)
		case *sql.CreateTable:
			if sql.Has(x, judges) {
				return nil
			}
			for _, k := range x.Constraints {
				addNames(keys, k)
			}
			for _, d := range x.Columns {
				if slices.ContainsFunc(d.Constraints, places) {
					keys[d.Name.Folded()] = true
				}
			}
		default:
			return nil // a view, a trigger
		}
	}
	return keys
}

// judges says whether a node is a constraint by which a table refuses rows that have no key in common with others.
func judges(n sql.Node) bool {
	switch n.(type) {
	case *sql.Check, *sql.ForeignKey:
		return true
	}
	return false
}

// places says whether a column's constraint makes it a key, or computes it.
func places(x sql.Constraint) bool {
	switch x.(type) {
	case *sql.PrimaryKey, *sql.Unique, *sql.Generated:
		return true
	}
	return false
}

// readsAround reads what a write is about to find, and the whole table after it, and before an INSERT.
func readsAround(c *testcase.Case, ref testcase.Ref) *testcase.Case {
	if ref.Txn >= len(c.Txns) || ref.Stmt >= len(c.Txns[ref.Txn].Stmts) || c.Txns[ref.Txn].Autocommit() {
		return nil
	}
	text := c.Txns[ref.Txn].Stmts[ref.Stmt].SQL
	table, kind := writtenBy(c, text)
	before := ""
	if kind != sqltext.Insert {
		before = found(c, text)
	}
	if table == "" || kind != sqltext.Insert && before == "" {
		return nil
	}
	d := c.Clone()
	all := "SELECT * FROM " + table
	d.InsertBefore(testcase.Ref{Txn: ref.Txn, Stmt: ref.Stmt + 1}, all)
	if before != "" {
		d.InsertBefore(ref, before)
	}
	return d
}

// contradicts shows a write that is wrong by itself: it says that it changed another number of rows than it did, or it
// found another number than a query with its WHERE clause. It is the first write of the case: what the table held
// before is known.
func contradicts(x *executed, c *testcase.Case) *finding.Plain {
	events := targets(x.run.Trace, 0)
	i := slices.IndexFunc(events, func(e *history.Event) bool { return sqltext.KindOf(e.Text).Writes() })
	if len(c.Txns) != 1 || i < 0 || i+1 >= len(events) || events[i+1].Rows == nil {
		return nil
	}
	e := events[i]
	kind := sqltext.KindOf(e.Text)
	if sqltext.FirstWord(e.Text) == "MERGE" { // rows that are new and rows that are gone count
		return nil
	}
	changed := differing(x.initial[c.Read(e.Text).Target()], events[i+1].Rows, kind)
	matched := changed
	if kind != sqltext.Insert && i > 0 && events[i-1].Rows != nil {
		matched = events[i-1].Rows.Len()
	}
	if e.Err != nil && changed > 0 || e.Err == nil && (int(e.Affected) != changed || matched != changed) {
		return x.plain()
	}
	return nil
}

// targets are a transaction's statements as they were sent.
func targets(t *history.Trace, txn int) []*history.Event {
	var out []*history.Event
	for _, e := range t.Events {
		if e.Txn == txn && e.Role == history.Target {
			out = append(out, e)
		}
	}
	return out
}

// differing counts the rows that a write has changed: those that are gone, of an INSERT those that are new.
func differing(before, after *history.Rows, kind sqltext.Kind) int {
	if kind == sqltext.Insert {
		before, after = after, before
	}
	left := map[string]int{}
	for i := range after.Len() {
		left[history.RowString(after.Row(i))]++
	}
	n := 0
	for i := range before.Len() {
		row := history.RowString(before.Row(i))
		if left[row]--; left[row] < 0 {
			n++
		}
	}
	return n
}
