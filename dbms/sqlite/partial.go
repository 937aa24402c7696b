package sqlite

import (
	"fmt"

	"txweave/sql"
)

// partials returns a query for each index with a WHERE clause that a schema makes. It answers nothing where the index
// holds as many rows as there are of which the clause is true, and else one row that says so. PRAGMA integrity_check
// finds an entry that is missing there, and passes over one too many: but a query with the same clause takes each entry
// for a row of which it is true, and does not ask again.
func partials(schema []string) []string {
	var out []string
	for _, text := range schema {
		name, table, where := partial(text)
		if where == "" {
			continue
		}
		out = append(out,
			fmt.Sprintf(
				"SELECT 'index %[1]s has ' || held || ' entries, and its WHERE clause is true for ' || matched || ' rows' "+
					"FROM (SELECT (SELECT COUNT(*) FROM %[2]s INDEXED BY %[1]s WHERE %[3]s) AS held, (SELECT COUNT(*) FROM %[2]s NOT "+
					"INDEXED WHERE %[3]s) AS matched) "+
					"WHERE held <> matched", name, table, where))
	}
	return out
}

// partial takes CREATE INDEX name ON table (…) WHERE … apart; where is "" for every other statement.
func partial(text string) (name, table, where string) {
	stmt, _ := Syntax.Tree.Parse(text)
	n, ok := stmt.(*sql.CreateIndex)
	if !ok || n.Where == nil || n.Name == nil {
		return "", "", ""
	}
	return written(text, n.Name), written(text, n.Table), written(text, n.Where)
}
