package sqlite

import (
	"fmt"
	"strings"

	"txweave/sqltext"
)

// partials returns a query for each index with a WHERE clause that a schema makes. It answers nothing where the index holds as many rows
// as there are of which the clause is true, and else one row that says so. PRAGMA integrity_check finds an entry that is missing there,
// and passes over one too many: but a query with the same clause takes each entry for a row of which it is true, and does not ask again.
func partials(schema []string) []string {
	var out []string
	for _, sql := range schema {
		name, table, where := partial(sql)
		if where == "" {
			continue
		}
		out = append(out, fmt.Sprintf("SELECT 'index %[1]s has ' || held || ' entries, and its WHERE clause is true for ' || matched || ' rows' "+
			"FROM (SELECT (SELECT COUNT(*) FROM %[2]s INDEXED BY %[1]s WHERE %[3]s) AS held, (SELECT COUNT(*) FROM %[2]s NOT INDEXED WHERE %[3]s) AS matched) "+
			"WHERE held <> matched", name, table, where))
	}
	return out
}

// partial takes CREATE INDEX name ON table (…) WHERE … apart; where is "" for every other statement.
func partial(sql string) (name, table, where string) {
	at, depth := 0, 0
	var head []string // of plain words, so far
	for t := range Syntax.Quoting.Tokens(sql) {
		at += len(t.Text)
		depth += t.Nesting()
		switch {
		case t.Kind == sqltext.Blank || t.Kind == sqltext.Comment:
		case depth == 0 && t.Is("where"):
			if len(head) < 4 || !strings.EqualFold(head[0], "CREATE") || !strings.EqualFold(head[len(head)-2], "ON") || !strings.EqualFold(head[len(head)-4], "INDEX") {
				return "", "", ""
			}
			return head[len(head)-3], head[len(head)-1], strings.TrimRight(sql[at:], "; \n")
		case depth == 0 && t.Text != ")":
			head = append(head, t.Text)
		}
	}
	return "", "", ""
}
