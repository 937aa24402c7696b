package instrument

import (
	"fmt"
	"slices"

	"txweave/dbms"
	"txweave/sql"
	"txweave/sql/control"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// control understands a statement that neither reads nor writes rows.
func (p *Plan) control(b *Block, kind sqltext.Kind) error {
	b.Info = &sqltext.Analysis{Kind: kind}
	s := p.Profile.Read(b.SQL)
	if locks, ok := s.TableLocks(); ok {
		return p.lock(b, locks)
	}
	if locks, ok := s.ModeLocks(); ok {
		return p.lockModes(b, locks)
	}
	d, ok := s.Redefinition()
	if !ok {
		return nil
	}
	for _, name := range d.DropIndexes {
		table, loose := p.looseIndexes()[name]
		if !loose {
			return fmt.Errorf("index %s is none that the case defines without making columns unique", name)
		}
		if p.Profile.TableChanges.Told != dbms.AllTold && d.Table == "" {
			d.Table = table
		}
	}
	if p.Profile.TableChanges.SharedChanges && p.Profile.ReadModes.Observer == dbms.SnapshotObserver && d.Table != "" &&
		d.Beside == control.Alone &&
		!p.Case.Txns[b.Txn].Autocommit() {
		return fmt.Errorf(
			"it keeps the observer's reads from table %s until the transaction ends: let it stand alone, in autocommit", d.Table)
	}
	if b.Redefines = &d; d.Table != "" {
		b.Info.Tables = []string{d.Table}
	}
	if t := p.Schema.Table(d.Table); t != nil && s.Tree != nil && sql.Has(s.Tree, func(n sql.Node) bool {
		name, ok := n.(*sql.Name)
		return ok && name.Folded() == sqltext.VKey
	}) {
		t.Covered = true
	}
	return p.checkColumns(&d)
}

// checkColumns refuses a change of tables by which a column of the schema's comes or goes.
func (p *Plan) checkColumns(d *control.Redefinition) error {
	for _, t := range p.Schema.Tables {
		if d.Table != "" && d.Table != t.Name {
			continue
		}
		for _, c := range slices.Concat(d.AddColumns, d.DropColumns) {
			if t.Column(c) != nil {
				return fmt.Errorf("column %s is one of the schema's: only such that no statement uses may come and go", c)
			}
		}
	}
	return nil
}

// looseIndexes are the indexes of a case that make nothing unique, their tables by their names, in lower case: answers
// are the same without.
func (p *Plan) looseIndexes() map[string]string {
	tables := map[string]string{}
	add := func(stmts []testcase.Stmt) {
		for _, s := range stmts {
			table, indexes := indexed(p.parse(s.SQL))
			for _, name := range indexes {
				if name != nil {
					tables[name.Folded()] = table.Name.Folded()
				}
			}
		}
	}
	add(p.Case.Schema)
	for i := range p.Case.Txns {
		add(p.Case.Txns[i].Stmts)
	}
	return tables
}

// indexed are the indexes that a statement gives a table, and that make nothing unique. A name may be nil.
func indexed(stmt sql.Stmt) (table *sql.Object, indexes []*sql.Name) {
	index := func(n sql.Node) {
		if x, ok := n.(*sql.Index); ok {
			indexes = append(indexes, x.Name)
		}
	}
	switch n := stmt.(type) {
	case *sql.CreateIndex:
		if !n.Unique && n.Name != nil {
			return n.Table, []*sql.Name{n.Name.Name}
		}
	case *sql.CreateTable:
		for _, c := range n.Constraints {
			index(c)
		}
		return n.Name, indexes
	case *sql.AlterTable:
		for _, action := range n.Actions {
			if a, ok := action.(*sql.AddConstraint); ok {
				index(a.Constraint)
			}
		}
		return n.Table, indexes
	}
	return nil, nil
}

// starred refuses a statement that prints all columns of a table of which one comes or goes: it names them all.
func (p *Plan) starred() error {
	come := map[string]string{} // a column by its table; "": of any
	for i := range p.Txns {
		for _, b := range p.Txns[i].Blocks {
			if b.Redefines == nil {
				continue
			}
			for _, c := range slices.Concat(b.Redefines.AddColumns, b.Redefines.DropColumns) {
				come[b.Redefines.Table] = c
			}
		}
	}
	if len(come) == 0 {
		return nil
	}
	for i := range p.Txns {
		for _, b := range p.Txns[i].Blocks {
			if c := p.printsOf(b, come); c != "" {
				return fmt.Errorf("%s: * prints the column %s, which comes or goes: only such that no statement uses may", p.at(b),
					c)
			}
		}
	}
	return nil
}

// printsOf is the column that a block prints by a *, of those that come or go by their tables; "": none.
func (p *Plan) printsOf(b *Block, come map[string]string) string {
	stmt := p.parse(b.SQL)
	if stmt == nil || !b.Info.Kind.IsTarget() || !printsAll(stmt) {
		return ""
	}
	for _, t := range append(control.Read(p.syntax.Tree, b.SQL).Tables(), "") {
		if c := come[t]; c != "" {
			return c
		}
	}
	return ""
}

// printsAll says whether a statement has a * among what it prints. Whether there are rows does not depend on what they
// hold.
func printsAll(stmt sql.Stmt) (found bool) {
	sql.Walk(stmt, func(n sql.Node) bool {
		if item, ok := n.(*sql.Item); ok {
			_, star := item.X.(*sql.Star)
			found = found || star
		}
		_, exists := n.(*sql.Exists)
		return !exists
	})
	return found
}

// AddsColumns says whether statements of the case add columns that its schema does not name.
func (p *Plan) AddsColumns() bool {
	return slices.ContainsFunc(p.Txns, func(t TxnPlan) bool {
		return slices.ContainsFunc(t.Blocks, func(b *Block) bool {
			return b.Redefines != nil && len(b.Redefines.AddColumns) > 0
		})
	})
}

// Undone are the statements of a transaction, by position, that a ROLLBACK TO a savepoint undoes where none of its
// statements about savepoints fails.
func (p *Plan) Undone(txn int) map[int]bool {
	set := control.Savepoints{Hide: p.Profile.Transactions.SavepointsHide}
	undone := map[int]bool{}
	var done []int
	for i, b := range p.Txns[txn].Blocks {
		if !b.Info.Kind.IsSavepoint() {
			done = append(done, i)
			continue
		}
		left := set.Apply(p.Profile.Read(b.SQL), len(done))
		for _, u := range done[left:] {
			undone[u] = true
		}
		done = done[:left]
	}
	return undone
}

// hinted refuses a statement that names, in a hint, an index which a transaction makes: without the change of the table
// it is answered with an error.
func (p *Plan) hinted() error {
	own, come := map[string]bool{}, map[string]bool{}
	collect := func(stmts []testcase.Stmt, into map[string]bool) {
		for _, s := range stmts {
			for _, name := range indexNames(p.parse(s.SQL)) {
				into[name] = true
			}
		}
	}
	collect(p.Case.Schema, own)
	for i := range p.Case.Txns {
		collect(p.Case.Txns[i].Stmts, come)
	}
	for i := range p.Txns {
		for _, b := range p.Txns[i].Blocks {
			if b.Redefines != nil {
				continue
			}
			for _, name := range hintedIn(p.parse(b.SQL)) {
				if come[name] && !own[name] {
					return fmt.Errorf("%s: a hint names the index %s, which comes in a transaction: only such that no statement names may",
						p.at(b), name)
				}
			}
		}
	}
	return nil
}

// indexNames are the names of the indexes that a statement makes, in lower case: one without a name has that of its
// first column.
func indexNames(stmt sql.Stmt) (out []string) {
	if n, ok := stmt.(*sql.CreateIndex); ok && n.Name != nil {
		return []string{n.Name.Name.Folded()}
	}
	if stmt == nil {
		return nil
	}
	sql.Walk(stmt, func(n sql.Node) bool {
		if x, ok := n.(*sql.Index); ok && x.Name != nil {
			out = append(out, x.Name.Folded())
		} else if ok && len(x.Columns) > 0 {
			if c, plain := sql.Bare(x.Columns[0].X).(*sql.Column); plain {
				out = append(out, c.Name.Folded())
			}
		}
		return true
	})
	return out
}

// hintedIn are the indexes that the hints of a statement name, in lower case.
func hintedIn(stmt sql.Stmt) (out []string) {
	if stmt == nil {
		return nil
	}
	sql.Walk(stmt, func(n sql.Node) bool {
		if h, ok := n.(*sql.IndexHint); ok {
			for _, name := range h.Indexes {
				out = append(out, name.Folded())
			}
		}
		return true
	})
	return out
}
