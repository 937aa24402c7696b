package instrument

import (
	"fmt"
	"slices"
	"strings"
	"txweave/dbms"
	"txweave/history"
	"txweave/sqltext"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/model"
)

// sessionFunctions give another value in another session, at another time or after other statements: what they
// return is no function of the database's contents, so no order of the statements explains it.
var sessionFunctions = names(`rand uuid uuid_short sys_guid random_bytes
	now current_timestamp localtime localtimestamp sysdate curdate current_date curtime current_time utc_date utc_time
	utc_timestamp unix_timestamp connection_id user current_user session_user system_user current_role database schema
	last_insert_id row_count found_rows sleep benchmark get_lock release_lock release_all_locks is_free_lock is_used_lock
	nextval lastval setval random randomblob changes total_changes last_insert_rowid`)

func names(list string) map[string]bool {
	out := map[string]bool{}
	for _, n := range strings.Fields(list) {
		out[n] = true
	}
	return out
}

// refuse returns why a node makes a statement unfit for the oracles; nil if it does not.
func (c *collector) refuse(n ast.Node) error {
	switch x := n.(type) {
	case *ast.TableName:
		if x.Schema.O != "" {
			return fmt.Errorf("table %s.%s: a case knows the tables of its own schema only", x.Schema.O, x.Name.O)
		}
		if !c.ctes[x.Name.L] && c.schema.Table(x.Name.L) == nil {
			return fmt.Errorf("unknown table %s", x.Name.O)
		}
	case *ast.VariableExpr:
		if x.IsSystem {
			return fmt.Errorf("system variable @@%s: its value is not part of the case", x.Name)
		}
		return fmt.Errorf("user variable @%s: its value is not part of the case", x.Name)
	case *ast.FuncCallExpr:
		if c.pipes && x.FnName.O == ast.Concat {
			return fmt.Errorf("the operator || cannot be printed again for this target: write CONCAT or another function")
		}
		if name := x.FnName.L; sessionFunctions[name] && (name != "unix_timestamp" || len(x.Args) == 0) {
			return fmt.Errorf("function %s: its value does not come from the database's contents", strings.ToUpper(x.FnName.O))
		}
	case *ast.SelectStmt:
		if x.SelectIntoOpt != nil {
			return fmt.Errorf("SELECT … INTO returns no rows")
		}
		if x.Kind != ast.SelectStmtKindSelect {
			return fmt.Errorf("TABLE and VALUES statements are not supported")
		}
	}
	return nil
}

// insertsVKey finds the version key that every row which an INSERT writes is given.
func (a *Analysis) insertsVKey(n *ast.InsertStmt, at int) error {
	if n.Select == nil {
		pkey := slices.IndexFunc(n.Columns, func(c *ast.ColumnName) bool { return c.Name.L == PKey })
		for _, row := range n.Lists {
			if at >= len(row) {
				return fmt.Errorf("INSERT has a row of %d values for %d columns", len(row), len(n.Columns))
			}
			key, err := literal(row[at])
			if err != nil || a.VKey != 0 && key != a.VKey {
				return fmt.Errorf("INSERT must give every row the same integer literal as %s", VKey)
			}
			a.VKey = key
			if pkey >= 0 && pkey < len(row) {
				if key, err := literal(row[pkey]); err == nil {
					a.PKeys = append(a.PKeys, key)
				}
			}
		}
		return nil
	}
	sel, ok := n.Select.(*ast.SelectStmt)
	if !ok || at >= len(sel.Fields.Fields) {
		return fmt.Errorf("INSERT … SELECT must take its %s from one plain query block", VKey)
	}
	for _, f := range sel.Fields.Fields[:at] {
		if f.WildCard != nil {
			return fmt.Errorf("INSERT … SELECT has a wildcard before its %s", VKey)
		}
	}
	key, err := literal(sel.Fields.Fields[at].Expr)
	if err != nil {
		return fmt.Errorf("INSERT … SELECT must select an integer literal as %s", VKey)
	}
	a.VKey = key
	return nil
}

// keepsVersions makes sure that ON DUPLICATE KEY UPDATE leaves a new version, or its writes would not show.
func (a *Analysis) keepsVersions(n *ast.InsertStmt) error {
	named := len(n.OnDuplicate) == 0
	for _, as := range n.OnDuplicate {
		switch as.Column.Name.L {
		case PKey:
			return fmt.Errorf("%s must never be updated", PKey)
		case VKey:
			key, err := literal(as.Expr)
			named = err == nil && key == a.VKey
		}
	}
	if !named {
		return fmt.Errorf("ON DUPLICATE KEY UPDATE must set %s to the literal that INSERT gives it, %d", VKey, a.VKey)
	}
	return nil
}

// checkView refuses a SELECT whose blocks read different views: where plain reads and locking reads differ, each
// block reads as its own lock clause says. It also refuses what replaces rows that only the writer could have shown.
func (a *Analysis) checkView(p *dbms.Profile) error {
	if a.Diff && a.Kind != sqltext.Delete && p.DMLView == dbms.Current && !p.DirtyObserver && p.SelectView != p.DMLView {
		return fmt.Errorf("REPLACE and ON DUPLICATE KEY UPDATE: at this level no read shows the rows that they replace")
	}
	if a.Kind == sqltext.Select && a.locked > 0 && (a.Subquery || a.SetOrCTE) && p.SelectView != p.DMLView {
		return fmt.Errorf("a locking SELECT of several query blocks: at this level those that lock read another view than the others")
	}
	return nil
}

// cascades says whether a foreign key writes rows of the child when the parent changes.
func cascades(r *ast.ReferenceDef) bool {
	writes := func(o model.ReferOptionType) bool {
		return o != model.ReferOptionNoOption && o != model.ReferOptionRestrict && o != model.ReferOptionNoAction
	}
	return r.OnDelete != nil && writes(r.OnDelete.ReferOpt) || r.OnUpdate != nil && writes(r.OnUpdate.ReferOpt)
}

// CheckKeys refuses a case in which an INSERT uses a primary key that may be free at one time and taken at another:
// present holds those of the initial rows by table. The INSERT then depends on a row that no probe shows where the
// table has no other unique key. REPLACE and its like, which are compared with what was there, may use it.
func (p *Plan) CheckKeys(present func(table string) []int64) error {
	used := map[history.Item]string{}
	shrinks := map[string]bool{}
	for _, txn := range p.Txns {
		for _, b := range txn.Blocks {
			shrinks[b.Info.Target] = shrinks[b.Info.Target] || b.Info.Diff
		}
	}
	for _, t := range p.Schema.Tables {
		if !shrinks[t.Name] {
			continue // the keys of its initial rows are taken at all times
		}
		for _, key := range present(t.Name) {
			used[history.Item{Table: t.Name, PKey: key}] = "the initial rows"
		}
	}
	for _, txn := range p.Txns {
		for _, b := range txn.Blocks {
			for _, key := range b.Info.PKeys {
				item := history.Item{Table: b.Info.Target, PKey: key}
				if by := used[item]; by != "" && !b.Info.Diff {
					return fmt.Errorf("%s: inserts %s %d into %s, as do %s: it must never be used again", b.Name(), PKey, key, item.Table, by)
				}
				used[item] = b.Name()
			}
		}
	}
	return nil
}
