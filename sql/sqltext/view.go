package sqltext

import (
	"slices"

	"txweave/sql"
)

// ViewDefinition is a view of a case: a query under a name.
type ViewDefinition struct {
	Name  string // in lower case
	Query string
}

// Trigger is a trigger of a case with one statement as its body.
type Trigger struct {
	Name, Table string // in lower case
	Event       Kind   // Insert, Update or Delete
	Named       []string
	Writes      string // the table that its body writes, in lower case; "": none but the row that fires it
	Replaces    bool   // its body is REPLACE
	Block       bool   // its body stands between BEGIN and END
	Before, Of  bool   // it is fired before its row is written; by an UPDATE of some columns alone
	When        sql.Expr
	Body        sql.Stmt
}

// Sets returns the first column that the trigger gives the row that fires it, of those which a predicate picks; ""
// where it gives none of these.
func (t *Trigger) Sets(picked func(column string) bool) string {
	set, _ := t.Body.(*sql.Set)
	if set == nil {
		return ""
	}
	for _, s := range set.Settings {
		if c := rowColumn(s); c != nil && picked(c.Name.Folded()) {
			return c.Name.Folded()
		}
	}
	return ""
}

// rowColumn is the column of the row that fires a trigger to which a setting gives a value; nil where it sets something
// else.
func rowColumn(s *sql.Setting) *sql.Column {
	c, ok := s.Target.(*sql.Column)
	if !ok || s.Scope != "" || c.Schema != nil || c.Table.Folded() != "new" {
		return nil
	}
	return c
}

// View returns the view of that name, or nil.
func (s *Schema) View(name string) *ViewDefinition {
	i := slices.IndexFunc(s.Views, func(v ViewDefinition) bool { return v.Name == name })
	if i < 0 {
		return nil
	}
	return &s.Views[i]
}

// Fired returns the triggers of a table that a statement of a kind fires.
func (s *Schema) Fired(table string, kind Kind) []Trigger {
	return s.triggers(func(t Trigger) bool { return t.Table == table && t.Event == kind })
}

// On returns the triggers of a table.
func (s *Schema) On(table string) []Trigger {
	return s.triggers(func(t Trigger) bool { return t.Table == table })
}

func (s *Schema) triggers(of func(Trigger) bool) []Trigger {
	return slices.DeleteFunc(slices.Clone(s.Triggers), func(t Trigger) bool { return !of(t) })
}

// TriggerOf understands CREATE TRIGGER name, BEFORE or AFTER, INSERT, UPDATE or DELETE, ON table FOR EACH ROW and one
// statement; or in the other form, which may leave FOR EACH ROW out and have OF columns, WHEN and a condition, and has
// the statement between BEGIN and END. ok is false for a trigger that says more, and where the statement is more than
// SET, or a plain write of one table.
func TriggerOf(n *sql.CreateTrigger) (t Trigger, ok bool) {
	t = Trigger{Name: n.Name.Name.Folded(), Table: n.Table.Name.Folded(), Before: n.Time == "BEFORE",
		Of: len(n.Columns) > 0, When: n.When, Body: n.Body}
	event, known := map[string]Kind{"INSERT": Insert, "UPDATE": Update, "DELETE": Delete}[n.Event]
	t.Event = event
	if b, ok := n.Body.(*sql.Block); ok && len(b.Stmts) == 1 {
		t.Body, t.Block = b.Stmts[0], true
	}
	more := n.OrReplace || n.Temp || n.IfNotExists || n.Constraint || n.Definer != nil || n.Follows != "" ||
		n.Function != nil || n.Deferrable != "" || len(n.Referencing) > 0
	more = more || n.Body == nil
	if !known || more || !t.Before && n.Time != "AFTER" || !t.Block &&
		(!n.ForEachRow || t.Of || t.When != nil) || !t.does() {
		return t, false
	}
	for _, part := range []sql.Node{t.When, t.Body} {
		if part != nil {
			t.names(part)
		}
	}
	return t, true
}

// does notes what the body writes; false where it is something else.
func (t *Trigger) does() bool {
	switch n := t.Body.(type) {
	case *sql.Set:
		return true
	case *sql.Insert:
		t.Writes, t.Replaces = n.Table.Name.Folded(), n.Replace
		return n.With == nil && n.Or == "" && !n.Ignore && n.Priority == ""
	case *sql.Update:
		table, one := n.Table.(*sql.Table)
		if !one {
			return false
		}
		t.Writes = table.Name.Folded()
		return n.With == nil && n.Or == "" && !n.Ignore && n.Priority == ""
	case *sql.Delete:
		t.Writes = n.Table.Name.Folded()
		return n.With == nil && !n.Ignore && !n.Quick && n.Priority == ""
	}
	return false
}

// names notes what a part may name, but for the columns of the row.
func (t *Trigger) names(part sql.Node) {
	sql.Walk(part, func(n sql.Node) bool {
		switch n := n.(type) {
		case *sql.Column:
			if name := n.Table.Folded(); name == "new" || name == "old" {
				return false
			}
		case *sql.Name:
			t.Named = append(t.Named, n.Folded())
		}
		return true
	})
}

// OnlyRow says whether what a trigger sets is its row, and no setting.
func (t *Trigger) OnlyRow() bool {
	set, ok := t.Body.(*sql.Set)
	return !ok || !slices.ContainsFunc(set.Settings, func(s *sql.Setting) bool { return rowColumn(s) == nil })
}
