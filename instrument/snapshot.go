package instrument

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"txweave/history"
	"txweave/sqltext"
)

// addSnapshot adds the reads of what a transaction's snapshot holds, where its statements must not be watched from inside.
func (p *Plan) addSnapshot(txn *TxnPlan) {
	if !p.Profile.SnapshotObserver {
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
		return errors.New("it writes several tables, or rows that its condition is not about: at this level no read shows what it wrote of those")
	}
	if sqltext.FirstWord(b.SQL) == "MERGE" {
		return errors.New("MERGE returns no rows before PostgreSQL 17: at this level that is how txweave sees what a statement writes")
	}
	if b.Info.Returns {
		return errors.New("it returns rows: at this level that is how txweave sees what a statement writes")
	}
	table := p.Schema.Table(b.Info.Target)
	name := table.Name
	if h := p.Schema.Heir(sqltext.Read(b.SQL).Target); h != nil {
		name = h.Name
	}
	name = cmp.Or(targetAlias(b.SQL), name)
	b.Returning = " RETURNING " + strings.Join(qualify(name, table.Names()), ", ")
	b.AWR = &Probe{Role: history.AWR, Conn: Own, SQL: strings.TrimSpace(b.Returning), Tables: []string{table.Name}, Written: !b.Info.Diff, Whole: b.Info.Diff}
	return nil
}

// targetAlias is the name that a write gives to its target: as long as it stands, no column belongs to the table's own name. "" where it gives none.
func targetAlias(sql string) string {
	t := sqltext.PostgreSQL.Significant(sql, -1)
	i := slices.IndexFunc(t, func(t sqltext.Token) bool { return t.Is("update", "from", "into") })
	if i != 0 && i != 1 { // behind WITH, which has names of its own
		return ""
	}
	i++
	if i < len(t) && t[i].Is("only") {
		i++
	}
	if i++; i < len(t) && t[i].Text == "*" {
		i++
	}
	switch {
	case i+1 < len(t) && t[i].Is("as"):
		return t[i+1].Text
	case i < len(t) && !t[0].Is("insert") && (t[i].Kind == sqltext.Word || t[i].Kind == sqltext.Name) && !t[i].Is("set", "using", "where", "returning"):
		return t[i].Text
	}
	return ""
}

// qualify names columns with their table: a statement may have others of the same name.
func qualify(table string, columns []string) []string {
	out := make([]string, len(columns))
	for i, c := range columns {
		out[i] = fmt.Sprintf("%s.%s", table, c)
	}
	return out
}
