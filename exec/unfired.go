package exec

import (
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
// a statement that gives each row which it writes a version of its own, and fires no other.
func tellable(p *instrument.Plan, blocks []*instrument.Block) bool {
	fires := map[string]bool{}
	for _, t := range p.Schema.Triggers {
		fires[t.Table] = true
	}
	for _, s := range p.Case.Schema {
		if d, ok := sqltext.SplitTable(s.SQL); ok && fires[strings.ToLower(d.Name)] && strings.Contains(strings.ToUpper(s.SQL), "COLLATE") {
			return false // a copy of a row compares otherwise
		}
	}
	for _, t := range p.Schema.Tables {
		if fires[t.Name] && len(t.Cascades) > 0 || len(t.Deferred()) > 0 { // an action fires triggers, too; a COMMIT behind each statement would be refused
			return false
		}
	}
	for _, t := range p.Schema.Triggers {
		if t.Before || t.Replaces || t.Writes == "" || fires[t.Writes] || p.Schema.Table(t.Table) == nil || p.Schema.Table(t.Table).Column(sqltext.PKey) == nil {
			return false
		}
	}
	for _, b := range blocks {
		if b.Redefines != nil {
			return false
		}
		if !fires[b.Info.Target] {
			continue
		}
		switch b.Info.Kind {
		case sqltext.Insert:
			if !b.Info.Plain {
				return false
			}
		case sqltext.Update:
			if b.Info.VKey == 0 || b.Info.Unkeyed {
				return false
			}
		}
		for t := range sqltext.Tokens(b.SQL) {
			if t.Is("ignore", "replace", "abort", "fail", "rollback") {
				return false
			}
		}
	}
	return true
}

// answer runs one statement of a replay, and what the triggers would do that it would fire.
func (r *Runner) answer(f *firing, b *instrument.Block, sql string) (history.Answer, error) {
	query := b.Info.Kind == sqltext.Select
	if f == nil || query || !slices.ContainsFunc(f.triggers, func(t sqltext.Trigger) bool { return t.Table == b.Info.Target && t.Event == b.Info.Kind }) {
		return r.guarded(sql, query, b.Info.Returns)
	}
	table := b.Info.Target
	if err := r.apart("BEGIN", "DROP TABLE IF EXISTS temp."+wasTable, fmt.Sprintf("CREATE TEMP TABLE %s AS SELECT * FROM %s", wasTable, table)); err != nil {
		return history.Answer{}, err
	}
	ans, err := r.guarded(sql, false, b.Info.Returns)
	if err != nil {
		return ans, err
	}
	if ans.Err == nil {
		failed, err := f.fire(r, b)
		if err != nil {
			return ans, err
		}
		if failed != nil { // the statement fails with its trigger
			ans = history.Answer{Affected: -1, Err: failed}
		}
	}
	end := "COMMIT"
	if ans.Err != nil {
		end = "ROLLBACK"
	}
	return ans, r.apart(end)
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

// body runs a trigger's body for the row at hand, where that fires it.
func (r *Runner) body(t *sqltext.Trigger) (*history.DBError, error) {
	if t.When != nil {
		is, err := r.replayer.Read(r.ctx, "SELECT "+ofRow(t.When))
		if err != nil {
			return nil, err
		}
		if v, ok := is.Row(0)[0].Int64(); !ok || v == 0 {
			return nil, nil
		}
	}
	sql := ofRow(t.Body)
	ans, err := r.guarded(sql, false, false)
	r.note(replayConn, sql, false, ans.Err)
	return ans.Err, err
}

// ofRow writes what tokens of a trigger say with the row at hand in place of OLD and NEW. These have no affinity, by SQLite 3.53: NEW.a < '15' holds of 16
// where a is an INT. Nor has an expression that begins with a plus (sqlite.org/datatype3.html, section 3.2).
func ofRow(tokens []sqltext.Token) string {
	var out strings.Builder
	for i := 0; i < len(tokens); i++ {
		row := ""
		switch t := tokens[i]; {
		case i+2 >= len(tokens) || tokens[i+1].Text != ".":
		case t.Is("old"):
			row = oldRow
		case t.Is("new"):
			row = newRow
		}
		const operators = "<>=!|"
		if i > 0 && !(strings.Contains(operators, tokens[i].Text) && strings.Contains(operators, tokens[i-1].Text)) { // >= is two tokens
			out.WriteByte(' ')
		}
		if row == "" {
			out.WriteString(tokens[i].Text)
			continue
		}
		fmt.Fprintf(&out, "+(SELECT %s FROM %s)", tokens[i+2].Text, row)
		i += 2
	}
	return out.String()
}
