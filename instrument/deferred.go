package instrument

import (
	"fmt"
	"slices"
	"strings"

	"txweave/history"
	"txweave/sql"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// deferred understands the foreign keys that are checked when a transaction commits. No statement of a transaction
// looks at them, so what stands for its statements without transactions, where each would be checked by itself, are the
// same tables without those keys: that is Loose. An error says that one of them does more than that.
func (p *Plan) deferred() error {
	for _, t := range p.Schema.Tables {
		for _, r := range t.Deferred() {
			parent := p.Schema.Table(r.Parent)
			switch {
			case r.Acts:
				return fmt.Errorf(
					"schema: table %s: a foreign key that is checked at COMMIT is read without ON DELETE and ON UPDATE, which do "+
						"not wait for that", t.Name)
			case r.Column == "" || r.Key == "" || parent == nil:
				return fmt.Errorf(
					"schema: table %s: a foreign key that is checked at COMMIT is read of one column, with the table of the schema "+
						"and the column that it refers to", t.Name)
			case !slices.ContainsFunc(parent.Keys(), func(key []sqltext.KeyPart) bool {
				return len(key) == 1 && key[0] == (sqltext.KeyPart{Column: r.Key})
			}):
				return fmt.Errorf("schema: table %s: the foreign key that is checked at COMMIT refers to %s, which is no key of %s",
					t.Name, r.Key, r.Parent)
			case !alike(t.Column(r.Column), parent.Column(r.Key)):
				return fmt.Errorf(
					"schema: table %s: a foreign key that is checked at COMMIT is read where both columns are numbers, or texts, or "+
						"dates", t.Name)
			}
			p.Deferred = append(p.Deferred, DeferredKey{Table: t.Name, Reference: r})
		}
	}
	if len(p.Deferred) == 0 {
		return nil
	}
	loose := *p.Case
	loose.Schema = make([]testcase.Stmt, len(p.Case.Schema))
	for i, s := range p.Case.Schema {
		if table, ok := p.parse(s.SQL).(*sql.CreateTable); ok {
			if kept := sqltext.WithoutDeferred(table); kept != table {
				text, err := p.syntax.Tree.Print(kept)
				if err != nil {
					return err
				}
				s.SQL = text
			}
		}
		loose.Schema[i] = s
	}
	p.Loose = &loose
	return nil
}

// alike says whether the values of two columns are compared in one way, whoever compares them. Of columns of other
// types a query compares otherwise than a foreign key may: 1 may be '01' in a query, but not where a key of TEXT is
// referred to, whose affinity the value takes first.
func alike(a, b *sqltext.Column) bool {
	return a != nil && b != nil && a.Class == b.Class && a.Class != sqltext.UnknownClass
}

// DeferredKey is a foreign key that is checked when a transaction commits, with the table that has it.
type DeferredKey struct {
	Table string
	sqltext.Reference
}

// Orphans asks for the rows that refer to none.
func (o *DeferredKey) Orphans() string {
	var on, where []string
	for i, column := range o.Columns {
		on = append(on, fmt.Sprintf("p.%s = c.%s", o.Keys[i], column))
		where = append(where, fmt.Sprintf("c.%s IS NOT NULL", column))
	}
	return fmt.Sprintf("SELECT c.%s FROM %s c LEFT JOIN %s p ON %s WHERE %s AND p.%s IS NULL",
		strings.Join(o.Columns, ", c."), o.Table, o.Parent, strings.Join(on, " AND "),
		strings.Join(where, " AND "), o.Keys[0])
}

// owes adds to a transaction the reads, right before its COMMIT, of the rows that refer to none, where these show what
// COMMIT is about to check.
func (p *Plan) owes(t *TxnPlan) {
	if len(p.Deferred) == 0 || !t.Profile.ReadModes.DeferredSeen || t.Autocommit() || t.Prepared() != "" ||
		!strings.EqualFold(t.End, "COMMIT") {
		return
	}
	for _, o := range p.Deferred {
		t.Orphans = append(t.Orphans, Probe{Role: history.Orphans, Conn: Own, SQL: o.Orphans(), Tables: []string{o.Table}})
	}
}
