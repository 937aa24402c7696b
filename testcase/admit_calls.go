package testcase

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	tree "txweave/sql"
	"txweave/sql/functions"
	"txweave/sql/sqltext"
)

// calls is which functions, and which hints, the statements of a case may have.
type calls struct {
	of       functions.Database
	hints    []string
	settings []string        // that hints may make
	columns  map[string]bool // of the schema's tables
}

func (c *Case) calls(x *sqltext.Syntax) calls {
	known := calls{of: x.Functions, hints: x.Hints, settings: x.Admission.HintSettings,
		columns: map[string]bool{}}
	for _, s := range c.Schema {
		if stmt, err := x.Tree.Parse(s.SQL); err == nil {
			tree.Walk(stmt, func(n tree.Node) bool {
				if column, ok := n.(*tree.ColumnDef); ok {
					known.columns[column.Name.Folded()] = true
				}
				return true
			})
		}
	}
	return known
}

// in refuses what a tree calls that is not known of the database to stay inside of it. What a case calls is the
// database's own: it makes no functions.
func (c calls) in(stmt tree.Stmt) (err error) {
	tree.Walk(stmt, func(n tree.Node) bool {
		var name *tree.Name
		switch n := n.(type) {
		case *tree.Call:
			name = n.Name
		case *tree.TableCall:
			name = n.Name
		case *tree.Field:
			if err == nil && !c.field(n) {
				err = fmt.Errorf("(…).%s may call a function of that name", n.Name.Value)
			}
			return err == nil
		}
		if name != nil && err == nil {
			err = c.plain(name)
		}
		return err == nil
	})
	return err
}

// field says of (X).Y, which is a call of Y where X has no such column (postgresql.org/docs, 4.2.4, Field Selection),
// that it is a column of a table's row, or of a function that may be called.
func (c calls) field(n *tree.Field) bool {
	if n.Name == nil { // all its columns
		return true
	}
	name := n.Name.Folded()
	if f, known := c.of.Has(name); known {
		return f.Effect < functions.ServerLocks
	}
	row, bare := tree.Bare(n.X).(*tree.Column)
	return bare && row.Table == nil && !c.columns[row.Name.Folded()] && c.columns[name]
}

// plain says why a function must not be called.
func (c calls) plain(name *tree.Name) error {
	f, known := c.of.Has(name.Folded())
	switch {
	case known && f.Effect == functions.ServerLocks:
		return fmt.Errorf("function %s takes a lock of the whole server: %s", strings.ToUpper(name.Value), leaveOut)
	case known && f.Effect == functions.Outward:
		return fmt.Errorf("function %s reaches beyond the database", strings.ToUpper(name.Value))
	case !known:
		return fmt.Errorf("function %s: none of that name is known to stay inside the database", strings.ToUpper(name.Value))
	}
	return nil
}

// reachesOut is the first function that a statement calls which reaches beyond the database; "" for none. Locks of the
// whole server do not where it serves the script alone.
func (a *admission) reachesOut(s sqltext.Statement) string {
	_, harmful := s.Calls()
	for _, name := range harmful {
		if f, _ := functions.Of(name); f.Effect != functions.ServerLocks || !a.alone {
			return strings.ToUpper(name)
		}
	}
	return ""
}

// prompt refuses what waits, or takes locks, before anything runs: in the schema and the rows.
func (a *admission) prompt(s sqltext.Statement) error {
	for i, t := range s.Tokens {
		name, ok := t.Ident()
		if !ok || i+1 == len(s.Tokens) || s.Tokens[i+1].Text != "(" {
			continue
		}
		if f, _ := functions.Of(name); f.Effect == functions.Waits || f.Effect == functions.Locks {
			return fmt.Errorf("%s waits: rows are there before anything runs", strings.ToUpper(t.Text))
		}
	}
	return nil
}

// hinted refuses comments of hints that do more than advise the planner: each of them, wherever it stands and whatever
// version reads it.
func (c calls) hinted(sql string, q sqltext.Quoting) error {
	if c.hints == nil || !strings.Contains(sql, "/*+") {
		return nil
	}
	for t := range q.Tokens(sql) {
		inner, hints := strings.CutPrefix(t.Text, "/*+")
		if t.Kind != sqltext.Comment || !hints {
			continue
		}
		depth, name := 0, ""
		for _, w := range q.Read(strings.TrimSuffix(inner, "*/")).Tokens {
			word, isName := w.Ident()
			switch {
			case depth == 0 && isName && !slices.Contains(c.hints, strings.ToUpper(word)):
				return fmt.Errorf("hint %s is not known to advise the planner and no more", strings.ToUpper(word))
			case depth == 0 && isName:
				name = word
			case depth == 1 && isName && name == "set_var":
				if !slices.Contains(c.settings, word) {
					return fmt.Errorf("hint SET_VAR: %s is not a setting of the planner's", word)
				}
				name = ""
			case depth == 0 && w.Kind == sqltext.Literal, w.Kind == sqltext.Comment, w.Kind == sqltext.Executable:
				return errors.New("a hint is a name and what stands in parentheses")
			}
			depth += w.Nesting()
		}
	}
	return nil
}
