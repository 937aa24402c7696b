package exec

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"txweave/history"
	"txweave/instrument"
	"txweave/sql"
	"txweave/sql/analysis"
	"txweave/sql/sqltext"
)

// In a third execution triggers are dropped, and what they do is sent in statements of its own: the rows that a
// statement wrote are told from what its table held before it and after it. A trigger that is not fired, or is for
// another row, shows then, though it does so with and without transactions alike.

// firing are the triggers of a case that is executed without them.
type firing struct{ triggers []sqltext.Trigger }

// The tables of a session that hold what the table of a trigger held before a statement, and the row that fires it.
const wasTable, oldRow, newRow = "txw_was", "txw_old", "txw_new"

// unfired drops the triggers of the case; nil where there are none, or some that do what is not known to be said
// otherwise.
func (r *Runner) unfired(blocks []*instrument.Block) (*firing, error) {
	schema := r.loaded.Schema
	if len(schema.Triggers) == 0 || !tellable(r.loaded, blocks) {
		return nil, nil
	}
	r.altered = true
	for _, t := range schema.Triggers {
		sql := "DROP TRIGGER \"" + t.Name + "\""
		if err := r.replayer.Must(r.ctx, sql); err != nil {
			return nil, err
		}
		r.note(replayConn, sql, false, nil)
	}
	return &firing{schema.Triggers}, nil
}

// tellable says whether all that the triggers of a case do can be told from the rows of their tables: each is fired
// once, behind its row, by a statement that gives each row which it writes a version of its own, fires no other, and
// does the same whichever row comes first.
func tellable(p *instrument.Plan, blocks []*instrument.Block) bool {
	fires := map[string]bool{}
	for i := range p.Schema.Triggers {
		t := &p.Schema.Triggers[i]
		for j := range i {
			if o := p.Schema.Triggers[j]; o.Table == t.Table && o.Event == t.Event {
				// which is fired first is up to the database
				return false
			}
		}
		fires[t.Table] = true
	}
	for i := range p.Schema.Triggers {
		if t := &p.Schema.Triggers[i]; fires[t.Writes] || !tellableOne(p, t) {
			return false
		}
	}
	for _, t := range p.Schema.Tables {
		if len(t.Cascades) > 0 || len(t.Deferred()) > 0 {
			// an action fires triggers, too; a COMMIT behind each statement would be refused
			return false
		}
	}
	return !slices.ContainsFunc(blocks, func(b *instrument.Block) bool { return !firesPlainly(p, b) })
}

// tellableOne is tellable of one trigger.
func tellableOne(p *instrument.Plan, t *sqltext.Trigger) bool {
	of, to := p.Schema.Table(t.Table), p.Schema.Table(t.Writes)
	if t.Before || t.Of || t.Replaces || !t.Block || of == nil || to == nil || of.Column(sqltext.PKey) == nil ||
		!commutes(t) {
		return false
	}
	for _, name := range t.Named { // what else it reads may change between two rows
		if name != t.Writes && p.Schema.Table(name) != nil {
			return false
		}
	}
	tree := sqltext.SyntaxOf(p.Profile.DBMS).Tree
	for _, s := range p.Case.Schema {
		stmt, err := tree.Parse(s.SQL)
		if table, ok := stmt.(*sql.CreateTable); err != nil || ok && !copies(table, t) {
			return false
		}
	}
	_, ok := ofRow(of, t.Body)
	if t.When != nil && ok {
		_, ok = ofRow(of, t.When)
	}
	return ok
}

// copies says whether a table is none of a trigger's, or a copy of its rows compares as they do, and has the number of
// each.
func copies(table *sql.CreateTable, t *sqltext.Trigger) bool {
	name := table.Name.Name.Folded()
	if name != t.Table && name != t.Writes {
		return true
	}
	return !sql.Has(table, func(n sql.Node) bool {
		switch n := n.(type) {
		case *sql.Collate, *sql.Collation:
			return true
		case *sql.Option:
			return name == t.Table && strings.Contains(n.Words, "ROWID")
		case *sql.Name:
			return name == t.Table && n.Folded() == "rowid"
		}
		return false
	})
}

// commutes says whether it is the same in which order rows fire a trigger: each writes rows of its own, or adds to a
// number.
func commutes(t *sqltext.Trigger) bool {
	if sql.Has(t.Body, seesOthers) || t.When != nil && sql.Has(t.When, seesOthers) {
		return false
	}
	switch n := t.Body.(type) {
	case *sql.Insert: // a number that the database gives goes by which row comes first
		s, ok := analysis.SpelledBy(n)
		key := len(s.Rows) == 1 && s.Value(s.Rows[0], sqltext.PKey) != nil &&
			!analysis.IsNull(s.Value(s.Rows[0], sqltext.PKey))
		return ok && (key || !sql.Has(n, isMadeUp))
	case *sql.Delete:
		return true
	case *sql.Update:
		return adds(n) || findsOne(n.Where)
	}
	return false
}

// seesOthers says whether a part of a trigger may see what the rows before have left: a query, a count or a limit does;
// and what is done there is not known to be the same in a statement of its own.
func seesOthers(n sql.Node) bool {
	switch n := n.(type) {
	case *sql.Raise, *sql.Select, *sql.Whole, *sql.Compound, *sql.Collate, *sql.Limit, *sql.OnConflict:
		return true
	case *sql.Insert, *sql.Update, *sql.Delete:
		return len(sql.Returned(n)) > 0
	case *sql.Name:
		return slices.Contains([]string{"rowid", "oid", "_rowid_"}, n.Folded())
	case *sql.Call:
		return slices.Contains([]string{"changes", "total_changes", "last_insert_rowid", "random", "randomblob"},
			n.Name.Folded())
	}
	return false
}

func isMadeUp(n sql.Node) bool {
	switch n := n.(type) {
	case *sql.DefaultValue:
		return true
	case *sql.Literal:
		return n.Kind == sql.Null
	}
	return false
}

// adds says whether an UPDATE adds to one number what is no other one of the row that fires it, in rows that it does
// not find by that number.
func adds(n *sql.Update) bool {
	if len(n.Set) != 1 || len(n.Set[0].Columns) != 1 || n.Where == nil || n.From != nil {
		return false
	}
	column := n.Set[0].Columns[0].Name.Folded()
	sum, ok := n.Set[0].Value.(*sql.Binary)
	if !ok || sum.Op != sql.OpAdd && sum.Op != sql.OpSub {
		return false
	}
	named := func(x sql.Expr) string {
		if c, ok := x.(*sql.Column); ok && c.Table == nil {
			return c.Name.Folded()
		}
		return ""
	}
	_, literal := sum.Right.(*sql.Literal)
	other := named(sum.Right)
	return named(sum.Left) == column && (literal || other != "" && other != column) &&
		!sql.Has(n.Where, func(n sql.Node) bool {
			name, is := n.(*sql.Name)
			return is && name.Folded() == column
		})
}

// findsOne says whether a condition is that of the row with the pkey of the one that fires the trigger.
func findsOne(where sql.Expr) bool {
	equal, ok := where.(*sql.Binary)
	if !ok || equal.Op != sql.OpEq {
		return false
	}
	own, ok1 := equal.Left.(*sql.Column)
	row, ok2 := equal.Right.(*sql.Column)
	return ok1 && ok2 && own.Table != nil && own.Name.Folded() == sqltext.PKey && row.Name.Folded() == sqltext.PKey &&
		isRow(row.Table) && !isRow(own.Table)
}

// isRow says whether a name is that of the row which fires a trigger, before or after.
func isRow(n *sql.Name) bool { return n.Folded() == "new" || n.Folded() == "old" }

// firesPlainly says whether what a statement writes, and what its triggers do then, is told from its table's rows.
func firesPlainly(p *instrument.Plan, b *instrument.Block) bool {
	if b.Redefines != nil {
		return false
	}
	fired := p.Schema.On(b.Info.Target)
	if len(fired) == 0 {
		return true
	}
	reads := func(n sql.Node) bool { // what it reads its trigger has written for the rows before
		name, is := n.(*sql.Name)
		return is && slices.ContainsFunc(fired, func(t sqltext.Trigger) bool { return t.Writes == name.Folded() })
	}
	if b.Tree == nil || resolves(b.Tree) || sql.Has(b.Tree, reads) {
		return false
	}
	switch b.Info.Kind {
	case sqltext.Insert:
		return b.Info.Plain
	case sqltext.Update:
		return b.Info.VKey != 0 && !b.Info.Unkeyed
	}
	return true
}

// resolves says whether a statement does something else than to fail where a row is in its way.
func resolves(stmt sql.Stmt) bool {
	switch n := stmt.(type) {
	case *sql.Insert:
		return n.Ignore || n.Replace || n.Or != ""
	case *sql.Update:
		return n.Ignore || n.Or != ""
	}
	return false
}

// answer runs one statement of a replay, and what the triggers would do that it would fire.
func (r *Runner) answer(f *firing, b *instrument.Block, sql string) (history.Answer, error) {
	query := b.Info.Kind == sqltext.Select
	if f == nil || query || !slices.ContainsFunc(f.triggers, func(t sqltext.Trigger) bool {
		return t.Table == b.Info.Target && t.Event == b.Info.Kind
	}) {
		return r.guarded(r.occasion(b, history.Target), sql, query, b.Info.Returns)
	}
	table := b.Info.Target
	if err := r.apart("BEGIN", "DROP TABLE IF EXISTS temp."+wasTable,
		fmt.Sprintf("CREATE TEMP TABLE %s AS SELECT * FROM %s", wasTable, table)); err != nil {
		return history.Answer{}, errors.Join(err, r.takeBack())
	}
	ans, err := r.guarded(r.occasion(b, history.Target), sql, false, b.Info.Returns)
	if err == nil && ans.Err == nil {
		var failed *history.DBError
		if failed, err = f.fire(r, b); failed != nil { // the statement fails with its trigger
			ans = history.Answer{Affected: -1, Err: failed}
		}
	}
	if err != nil || ans.Err != nil {
		return ans, errors.Join(err, r.takeBack())
	}
	return ans, r.apart("COMMIT")
}

// takeBack rolls the transaction back, unless the database has done so: it does where it is interrupted in a write.
func (r *Runner) takeBack() error {
	ans, err := r.guarded(Occasion{}, "ROLLBACK", false, false)
	if err == nil && ans.Err == nil {
		r.note(replayConn, "ROLLBACK", false, nil)
	}
	return err
}

// apart runs statements of the tool's own.
func (r *Runner) apart(sqls ...string) error {
	for _, sql := range sqls {
		r.doing.begin(replayConn, sql)
		if err := r.replayer.Must(r.ctx, sql); err != nil {
			return err
		}
		r.note(replayConn, sql, false, nil)
	}
	return nil
}

// wrote are the queries for the rows that a statement has written, by its kind.
var wrote = map[sqltext.Kind]string{
	sqltext.Insert: "SELECT pkey FROM %[1]s WHERE pkey NOT IN (SELECT pkey FROM %[2]s) ORDER BY pkey",
	sqltext.Delete: "SELECT pkey FROM %[2]s WHERE pkey NOT IN (SELECT pkey FROM %[1]s) ORDER BY pkey",
	sqltext.Update: "SELECT pkey FROM (SELECT * FROM %[1]s EXCEPT SELECT * FROM %[2]s) ORDER BY pkey",
}

// fire does what the triggers would which a statement would have fired; it returns the error with which one of them
// fails.
func (f *firing) fire(r *Runner, b *instrument.Block) (*history.DBError, error) {
	table := b.Info.Target
	rows, err := r.replayer.Read(r.ctx, fmt.Sprintf(wrote[b.Info.Kind], table, wasTable))
	if err != nil {
		return nil, err
	}
	for i := range rows.Len() {
		pkey := rows.Row(i)[0].String()
		if err := r.apart("DROP TABLE IF EXISTS temp."+oldRow, "DROP TABLE IF EXISTS temp."+newRow,
			fmt.Sprintf("CREATE TEMP TABLE %s AS SELECT * FROM %s WHERE pkey = %s", oldRow, wasTable, pkey),
			fmt.Sprintf("CREATE TEMP TABLE %s AS SELECT * FROM %s WHERE pkey = %s", newRow, table, pkey)); err != nil {
			return nil, err
		}
		for _, t := range f.triggers {
			if t.Table != table || t.Event != b.Info.Kind {
				continue
			}
			if failed, err := r.body(&t); failed != nil || err != nil {
				return failed, err
			}
		}
	}
	return nil, nil
}

// body runs a trigger's body for the row at hand, where that fires it, and returns the error with which it fails.
func (r *Runner) body(t *sqltext.Trigger) (*history.DBError, error) {
	of, tree := r.loaded.Schema.Table(t.Table), sqltext.SyntaxOf(r.loaded.Profile.DBMS).Tree
	if t.When != nil {
		when, _ := ofRow(of, t.When)
		condition, err := tree.PrintExpr(when)
		if err != nil {
			return nil, err
		}
		sql := "SELECT CASE WHEN (" + condition + ") THEN 1 ELSE 0 END"
		is, err := r.guarded(Occasion{}, sql, true, false)
		r.note(replayConn, sql, true, is.Err)
		if err != nil || is.Err != nil || is.Rows.Cell(0, 0).String() != "1" {
			return is.Err, err
		}
	}
	body, _ := ofRow(of, t.Body)
	sql, err := tree.Print(body)
	if err != nil {
		return nil, err
	}
	ans, err := r.guarded(Occasion{}, sql, false, false)
	r.note(replayConn, sql, false, ans.Err)
	return ans.Err, err
}

// ofRow is a part of a trigger with the row at hand in place of OLD and NEW; false where these are something else. A
// column of such a row has no affinity where the engine gives it none: NEW.a < '15' holds of 16 where a is an INT. Nor
// has an expression that begins with a plus. What is another name of the row's number is an INTEGER.
func ofRow[N sql.Node](of *sqltext.Table, part N) (N, bool) {
	known := true
	sql.Walk(part, func(n sql.Node) bool {
		switch n := n.(type) {
		case *sql.Column:
			if isRow(n.Table) {
				known = known && n.Schema == nil && of.Column(n.Name.Folded()) != nil
				return false
			}
		case *sql.Name:
			known = known && !isRow(n)
		}
		return true
	})
	if !known {
		return part, false
	}
	return sql.Rewrite(part, func(n sql.Node) sql.Node {
		column, ok := n.(*sql.Column)
		if !ok || !isRow(column.Table) {
			return n
		}
		row := oldRow
		if column.Table.Folded() == "new" {
			row = newRow
		}
		value := &sql.Subquery{Query: &sql.Query{Body: &sql.Select{
			Items: []*sql.Item{{X: &sql.Column{Name: column.Name}}}, From: &sql.Table{Name: &sql.Name{Value: row}}}}}
		if c := of.Column(column.Name.Folded()); strings.EqualFold(c.Type, "INTEGER") &&
			slices.Equal(of.Key, []string{c.Name}) {
			return &sql.Cast{X: value, Type: &sql.Type{Words: "INTEGER"}}
		}
		return &sql.Unary{Op: sql.OpAdd, X: value}
	}), true
}
