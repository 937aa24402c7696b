package exec

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"txweave/history"
	"txweave/instrument"
	"txweave/sqltext"
)

// In a third execution triggers are dropped, and what they do is sent in statements of its own: the rows that a statement wrote are told
// from what its table held before it and after it. A trigger that is not fired, or is for another row, shows then, though it does so with
// and without transactions alike.

// firing are the triggers of a case that is executed without them.
type firing struct{ triggers []sqltext.Trigger }

// The tables of a session that hold what the table of a trigger held before a statement, and the row that fires it.
const wasTable, oldRow, newRow = "txw_was", "txw_old", "txw_new"

// unfired drops the triggers of the case; nil where there are none, or some that do what is not known to be said otherwise.
func (r *Runner) unfired(blocks []*instrument.Block) (*firing, error) {
	schema := r.loaded.Schema
	if len(schema.Triggers) == 0 || !tellable(r.loaded, blocks) {
		return nil, nil
	}
	r.altered = true
	for _, t := range schema.Triggers {
		sql := "DROP TRIGGER " + t.Name
		if err := r.replayer.Must(r.ctx, sql); err != nil {
			return nil, err
		}
		r.note(replayConn, sql, false, nil)
	}
	return &firing{schema.Triggers}, nil
}

// tellable says whether all that the triggers of a case do can be told from the rows of their tables: each is fired once, behind its row, by
// a statement that gives each row which it writes a version of its own, fires no other, and does the same whichever row comes first.
func tellable(p *instrument.Plan, blocks []*instrument.Block) bool {
	fires := map[string]bool{}
	for i := range p.Schema.Triggers {
		t := &p.Schema.Triggers[i]
		for j := range i {
			if o := p.Schema.Triggers[j]; o.Table == t.Table && o.Event == t.Event { // which is fired first is up to SQLite
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
		if len(t.Cascades) > 0 || len(t.Deferred()) > 0 { // an action fires triggers, too; a COMMIT behind each statement would be refused
			return false
		}
	}
	return !slices.ContainsFunc(blocks, func(b *instrument.Block) bool { return !firesPlainly(p, b) })
}

// tellableOne is tellable of one trigger.
func tellableOne(p *instrument.Plan, t *sqltext.Trigger) bool {
	of, to := p.Schema.Table(t.Table), p.Schema.Table(t.Writes)
	if t.Before || t.Of || t.Replaces || !t.Block || of == nil || to == nil || of.Column(sqltext.PKey) == nil || !commutes(t) {
		return false
	}
	for _, name := range t.Named { // what else it reads may change between two rows
		if name != t.Writes && p.Schema.Table(name) != nil {
			return false
		}
	}
	for _, s := range p.Case.Schema { // a row's copy compares otherwise
		d, ok := sqltext.SplitTable(s.SQL)
		name, text := strings.ToLower(d.Name), strings.ToUpper(s.SQL)
		if ok && (name == t.Table || name == t.Writes) && strings.Contains(text, "COLLATE") || ok && name == t.Table && strings.Contains(text, "ROWID") {
			return false
		}
	}
	_, ok1 := ofRow(of, t.Condition)
	_, ok2 := ofRow(of, t.Does)
	return ok1 && ok2
}

// commutes says whether it is the same in which order rows fire a trigger: each writes rows of its own, or adds to a number.
func commutes(t *sqltext.Trigger) bool {
	is := func(at int, words ...string) bool {
		for i, w := range words {
			if at < 0 || at+i >= len(t.Body) || w != "…" && !t.Body[at+i].Is(w) && t.Body[at+i].Text != w {
				return false
			}
		}
		return true
	}
	for _, x := range slices.Concat(t.Body, sqltext.Significant(t.Condition, -1)) { // a query, a count or a limit would see what the rows before have left
		if x.Is("raise", "or", "rowid", "oid", "_rowid_", "collate", "select", "limit", "conflict", "returning", "changes", "total_changes", "last_insert_rowid", "random") {
			return false
		}
	}
	switch where := len(t.Body) - 7; { // ends in: t.pkey = NEW.pkey
	case is(0, "insert", "into", "…", "("), is(0, "insert", "into", "…", "values"):
		return !slices.ContainsFunc(t.Body, func(x sqltext.Token) bool { return x.Is("null", "default") }) || namesKey(t)
	case is(0, "delete", "from"):
		return true
	case is(0, "update", "…", "set", "…", "=", "…", "+", "…", "where"), is(0, "update", "…", "set", "…", "=", "…", "-", "…", "where"):
		return t.Body[3].Text == t.Body[5].Text && !slices.ContainsFunc(t.Body[9:], func(x sqltext.Token) bool { return strings.EqualFold(x.Text, t.Body[3].Text) })
	default:
		return is(0, "update") && (is(where, "…", ".", sqltext.PKey, "=", "new", ".", sqltext.PKey) || is(where, "…", ".", sqltext.PKey, "=", "old", ".", sqltext.PKey)) &&
			is(where-1, "where")
	}
}

// namesKey says whether an INSERT names the column pkey, and gives it a value: a number that the database gives goes by which row comes first.
func namesKey(t *sqltext.Trigger) bool {
	v, ok := sqltext.SplitValues(t.Does)
	at := slices.Index(v.Columns, sqltext.PKey)
	return ok && len(v.Cells) == 1 && at >= 0 && !strings.EqualFold(v.Cells[0][at], "NULL")
}

// firesPlainly says whether what a statement writes, and what its triggers do then, is told from its table's rows.
func firesPlainly(p *instrument.Plan, b *instrument.Block) bool {
	if b.Redefines != nil {
		return false
	}
	fired := p.Schema.On(b.Info.Target)
	if len(fired) == 0 {
		return true
	}
	for t := range sqltext.Tokens(b.SQL) {
		if t.Is("ignore", "replace", "abort", "fail", "rollback") {
			return false
		}
		name, ok := t.Ident() // what it reads its trigger has written for the rows before
		if ok && slices.ContainsFunc(fired, func(t sqltext.Trigger) bool { return t.Writes == name }) {
			return false
		}
	}
	switch b.Info.Kind {
	case sqltext.Insert:
		return b.Info.Plain
	case sqltext.Update:
		return b.Info.VKey != 0 && !b.Info.Unkeyed
	}
	return true
}

// answer runs one statement of a replay, and what the triggers would do that it would fire.
func (r *Runner) answer(f *firing, b *instrument.Block, sql string) (history.Answer, error) {
	query := b.Info.Kind == sqltext.Select
	if f == nil || query || !slices.ContainsFunc(f.triggers, func(t sqltext.Trigger) bool { return t.Table == b.Info.Target && t.Event == b.Info.Kind }) {
		return r.guarded(r.occasion(b, history.Target), sql, query, b.Info.Returns)
	}
	table := b.Info.Target
	if err := r.apart("BEGIN", "DROP TABLE IF EXISTS temp."+wasTable, fmt.Sprintf("CREATE TEMP TABLE %s AS SELECT * FROM %s", wasTable, table)); err != nil {
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

// fire does what the triggers would which a statement would have fired; it returns the error with which one of them fails.
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
	of := r.loaded.Schema.Table(t.Table)
	if t.Condition != "" {
		condition, _ := ofRow(of, t.Condition)
		sql := "SELECT CASE WHEN (" + condition + ") THEN 1 ELSE 0 END"
		is, err := r.guarded(Occasion{}, sql, true, false)
		r.note(replayConn, sql, true, is.Err)
		if err != nil || is.Err != nil || is.Rows.Cell(0, 0).String() != "1" {
			return is.Err, err
		}
	}
	sql, _ := ofRow(of, t.Does)
	ans, err := r.guarded(Occasion{}, sql, false, false)
	r.note(replayConn, sql, false, ans.Err)
	return ans.Err, err
}

// ofRow writes a text of a trigger's with the row at hand in place of OLD and NEW; false where these are something else. A column of such a row has no
// affinity by SQLite 3.53: NEW.a < '15' holds of 16 where a is an INT. Nor has an expression that begins with a plus
// (sqlite.org/datatype3.html, section 3.2). What is another name of the row's number is an INTEGER.
func ofRow(of *sqltext.Table, text string) (string, bool) {
	var out strings.Builder
	tokens := slices.Collect(sqltext.Tokens(text))
	for i := 0; i < len(tokens); i++ {
		row := ""
		switch t := tokens[i]; {
		case t.Is("old"):
			row = oldRow
		case t.Is("new"):
			row = newRow
		default:
			out.WriteString(t.Text)
			continue
		}
		if i+2 >= len(tokens) || tokens[i+1].Text != "." || i > 0 && tokens[i-1].Text == "." {
			return "", false
		}
		name, ok := tokens[i+2].Ident()
		c := of.Column(name)
		if !ok || c == nil {
			return "", false
		}
		form := "+(SELECT %s FROM %s)"
		if strings.EqualFold(c.Type, "INTEGER") && slices.Equal(of.Key, []string{c.Name}) {
			form = "CAST((SELECT %s FROM %s) AS INTEGER)"
		}
		fmt.Fprintf(&out, form, tokens[i+2].Text, row)
		i += 2
	}
	return out.String(), true
}
