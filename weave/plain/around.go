package plain

import (
	"fmt"
	"slices"
	"strings"

	"txweave/finding"
	"txweave/history"
	"txweave/oracle/snapshot"
	"txweave/sqltext"
	"txweave/testcase"
)

// start is a case to begin with; around says that reads stand around the statement that the finding names.
type start struct {
	*testcase.Case
	around bool
}

// starts lists the cases to begin with: as it is, with all columns printed, with what a write that the finding names was
// about to find read before it or in its stead, with what was seen too early rolled back. A case of one transaction whose write is
// wrong by itself has reads around that write.
func (m *maker) starts(c *testcase.Case) (out []start) {
	add := func(around bool, cases ...*testcase.Case) {
		for _, x := range cases {
			if x != nil {
				out = append(out, start{x, around})
			}
		}
	}
	if m.finding.Class == finding.ClassReplay || m.finding.Class == finding.ClassUnexpected {
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
	if m.serializable() || serial(c) { // elsewhere a query and a write after it may see different states
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

// rolledBack makes the transaction whose uncommitted change was seen one that is rolled back: what it commits in the end, an
// order of transactions might give too. nil where the finding is of another kind.
func (m *maker) rolledBack(c *testcase.Case, readers []testcase.Ref) *testcase.Case {
	if len(m.finding.Differences) == 0 || !strings.HasSuffix(m.finding.Differences[0].What, snapshot.Dirty) &&
		!strings.HasSuffix(m.finding.Differences[0].What, "uncommitted-read") || len(readers) == 0 {
		return nil
	}
	d := c.Clone()
	for n := range d.Txns {
		if named := slices.Contains(m.finding.Transactions(), fmt.Sprint("T", n)); named && n != readers[0].Txn && sqltext.KindOf(d.Txns[n].End.SQL) == sqltext.Commit {
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
func found(sql string) string {
	s := sqltext.Read(sql)
	if _, values := sqltext.SplitValues(sql); values && s.Target != "" {
		return "SELECT * FROM " + s.Written // what was seen before it
	}
	if s.Target == "" || s.Kind != sqltext.Update && s.Kind != sqltext.Delete {
		return ""
	}
	where := ""
	if list, ok := listBetween(sql, []string{"where"}, []string{"order", "limit", "returning"}); ok {
		if list.to < len(sql) {
			return ""
		}
		where = " WHERE " + strings.TrimSpace(sql[list.from:list.to])
	} else if _, ok := listBetween(sql, []string{"order", "limit"}, nil); ok {
		return ""
	}
	return "SELECT * FROM " + s.Written + where
}

// insert puts a statement into a transaction, right where the schedule has the one that is there now.
func insert(c *testcase.Case, at testcase.Ref, sql string) {
	t := &c.Txns[at.Txn]
	t.Stmts = slices.Insert(t.Stmts, at.Stmt, testcase.Stmt{SQL: sql})
	seen := 0
	for i, n := range c.Schedule {
		if n != at.Txn {
			continue
		}
		if seen == at.Stmt+1 { // BEGIN is the first
			c.Schedule = slices.Insert(c.Schedule, i, n)
			return
		}
		seen++
	}
}

// readsBefore reads what the named writes are about to find, each in its own transaction; nil where none of them is such a
// write.
func readsBefore(c *testcase.Case, named []testcase.Ref) *testcase.Case {
	d := c.Clone()
	named = slices.Clone(named)
	slices.SortFunc(named, func(a, b testcase.Ref) int { return b.Stmt - a.Stmt }) // so that the places of the rest stay
	did := false
	for _, ref := range named {
		if ref.Txn >= len(d.Txns) || ref.Stmt >= len(d.Txns[ref.Txn].Stmts) {
			continue
		}
		if sql := found(d.Txns[ref.Txn].Stmts[ref.Stmt].SQL); sql != "" {
			insert(d, ref, sql)
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
	sql := found(c.Txns[named[0].Txn].Stmts[named[0].Stmt].SQL)
	if sql == "" {
		return nil
	}
	d := c.Clone()
	s := &d.Txns[named[0].Txn].Stmts[named[0].Stmt]
	s.SQL, s.Comments = sql, nil
	return d
}

// sameRows says whether a statement is an UPDATE of one table that finds the same rows whenever it runs: all writes of the case are
// UPDATEs that move no row, and none of them touches what its WHERE clause asks for. It is the first statement of its transaction, but for
// locking reads, which take no snapshot.
func sameRows(c *testcase.Case, at testcase.Ref) bool {
	if at.Txn >= len(c.Txns) || at.Stmt >= len(c.Txns[at.Txn].Stmts) {
		return false
	}
	for _, s := range c.Txns[at.Txn].Stmts[:at.Stmt] {
		if x := sqltext.Read(s.SQL); x.Kind != sqltext.Select || !slices.ContainsFunc(x.Tokens, func(t sqltext.Token) bool { return t.Is("for", "lock") }) {
			return false
		}
	}
	fixed := keysOf(c)
	if fixed == nil {
		return false
	}
	sql := c.Txns[at.Txn].Stmts[at.Stmt].SQL
	if sqltext.KindOf(sql) != sqltext.Update || len(sqltext.Read(sql).Named) != 1 ||
		slices.ContainsFunc(sqltext.Significant(sql, -1), func(t sqltext.Token) bool { return t.Is("order", "limit", "select", "ignore") }) {
		return false
	}
	if where, ok := listBetween(sql, []string{"where"}, nil); ok {
		for _, t := range sqltext.Significant(sql[where.from:where.to], -1) {
			if name, ok := t.Ident(); ok {
				fixed[name] = true
			}
		}
	}
	for n := range c.Txns {
		for i, s := range c.Txns[n].Stmts {
			kind := sqltext.KindOf(s.SQL)
			if !kind.Writes() && (testcase.Ref{Txn: n, Stmt: i}) != at {
				continue
			}
			list, ok := listBetween(s.SQL, []string{"set"}, afterSet)
			if kind != sqltext.Update || !ok || len(sqltext.Read(s.SQL).Named) != 1 ||
				slices.ContainsFunc(sqltext.Significant(s.SQL, -1), func(t sqltext.Token) bool { return t.Is("select", "ignore", "limit") }) {
				return false
			}
			for _, item := range items(s.SQL[list.from:list.to]) {
				if name, ok := assigned(item); !ok || fixed[name] {
					return false
				}
			}
		}
	}
	return true
}

// assigned is the column that an assignment writes; a table may stand before it.
func assigned(item string) (string, bool) {
	tokens := sqltext.Significant(item, 3)
	if len(tokens) == 3 && tokens[1].Text == "." {
		return tokens[2].Ident()
	}
	if len(tokens) == 0 {
		return "", false
	}
	return tokens[0].Ident()
}

// keysOf are the columns that place the rows of a case's tables in a key or an index, or are computed; nil where there is more to a
// table than columns and indexes.
func keysOf(c *testcase.Case) map[string]bool {
	keys := map[string]bool{}
	all := func(sql string) {
		for _, t := range sqltext.Significant(sql, -1) {
			if name, ok := t.Ident(); ok {
				keys[name] = true
			}
		}
	}
	for _, s := range c.Schema {
		t, ok := sqltext.SplitTable(s.SQL)
		if w := sqltext.Significant(s.SQL, 3); !ok && len(w) == 3 && (w[1].Is("index") || w[1].Is("unique") && w[2].Is("index")) {
			all(s.SQL)
			continue
		}
		if !ok {
			return nil // a view, a trigger
		}
		for _, x := range t.Items {
			if name, kind := x.Kind(); kind != sqltext.ColumnElement {
				if slices.ContainsFunc(sqltext.Significant(string(x), -1), func(t sqltext.Token) bool { return t.Is("check", "foreign", "references") }) {
					return nil
				}
				all(string(x))
			} else if slices.ContainsFunc(sqltext.Significant(string(x), -1), func(t sqltext.Token) bool { return t.Is("key", "unique", "references", "as") }) {
				keys[name] = true
			}
		}
	}
	return keys
}

// readsAround reads what a write is about to find, and the whole table after it, and before an INSERT.
func readsAround(c *testcase.Case, ref testcase.Ref) *testcase.Case {
	if ref.Txn >= len(c.Txns) || ref.Stmt >= len(c.Txns[ref.Txn].Stmts) {
		return nil
	}
	sql := c.Txns[ref.Txn].Stmts[ref.Stmt].SQL
	s := sqltext.Read(sql)
	before := ""
	if s.Kind != sqltext.Insert {
		if before = found(sql); before == "" {
			return nil
		}
	}
	if s.Target == "" {
		return nil
	}
	d := c.Clone()
	all := "SELECT * FROM " + s.Written
	insert(d, testcase.Ref{Txn: ref.Txn, Stmt: ref.Stmt + 1}, all)
	if before != "" {
		insert(d, ref, before)
	}
	return d
}

// contradicts shows a write that is wrong by itself: it says that it changed another number of rows than it did, or it found
// another number than a query with its WHERE clause. It is the first write of the case: what the table held before is known.
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
	changed := differing(x.initial[sqltext.Read(e.Text).Target], events[i+1].Rows, kind)
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
