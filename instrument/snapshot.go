package instrument

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"txweave/dbms"
	"txweave/history"
	"txweave/sql"
)

// addSnapshot adds the reads of what a transaction's snapshot holds, where its statements must not be watched from
// inside.
func (p *Plan) addSnapshot(txn *TxnPlan) {
	if p.Profile.ReadModes.Observer != dbms.SnapshotObserver {
		return
	}
	var tables []string
	for _, b := range txn.Blocks {
		for _, t := range slices.Concat(b.Depends, b.Writes) {
			if !slices.Contains(tables, t) {
				tables = append(tables, t)
			}
		}
	}
	slices.Sort(tables)
	txn.Snapshot = p.versionSets(history.VSR, Committed, tables)
}

// addReturning has a write return the rows that it writes, with all their columns.
func (p *Plan) addReturning(b *Block) error {
	if b.Info.Target == "" {
		return nil
	}
	if b.Carries() {
		return errors.New(
			"it writes several tables, or rows that its condition is not about: at this level no read shows what it wrote of " +
				"those")
	}
	if p.Profile.Writes.Untold != nil {
		if err := p.Profile.Writes.Untold(b.Tree); err != nil {
			return fmt.Errorf("%w: at this level that is how txweave sees what a statement writes", err)
		}
	}
	if b.Info.Returns {
		return errors.New("it returns rows: at this level that is how txweave sees what a statement writes")
	}
	table := p.Schema.Table(b.Info.Target)
	name := table.Name
	if target := sql.Written(b.Tree); target != nil {
		if h := p.Schema.Heir(target.Name.Folded()); h != nil {
			name = h.Name
		}
		alias, err := aliasOf(p.syntax.Tree, target)
		if err != nil {
			return err
		}
		name = cmp.Or(alias, name)
	}
	b.Returning = " RETURNING " + strings.Join(qualify(name, table.Spelled()), ", ")
	b.AWR = &Probe{Role: history.AWR, Conn: Own, SQL: strings.TrimSpace(b.Returning), Tables: []string{table.Name},
		Written: !b.Info.Diff, Whole: b.Info.Diff}
	return nil
}

// aliasOf is the name that a statement gives to a table, as it is printed: as long as it stands, no column belongs to
// the table's own name. "" where it gives none.
func aliasOf(d *sql.Dialect, t *sql.Table) (string, error) {
	if t.Alias == nil {
		return "", nil
	}
	return d.PrintExpr(&sql.Column{Name: t.Alias})
}

// qualify names columns with their table: a statement may have others of the same name.
func qualify(table string, columns []string) []string {
	out := make([]string, len(columns))
	for i, c := range columns {
		out[i] = fmt.Sprintf("%s.%s", table, c)
	}
	return out
}
