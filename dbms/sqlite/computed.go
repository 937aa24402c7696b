package sqlite

import (
	"fmt"
	"strings"

	"txweave/sql"
)

// computed returns a query for each stored generated column of the tables that a schema makes. It answers nothing where
// each row holds in it what its expression gives, and else one row that says so. PRAGMA integrity_check reads what is
// stored and does not work it out again. The value that was stored has got the type of its column; the comparison gives
// it to that of the expression, too. A column of floating-point numbers is passed over, as it rounds the largest
// integers.
func computed(schema []string) []string {
	var out []string
	for _, text := range schema {
		table, columns := storedColumns(text)
		for _, c := range columns {
			out = append(out,
				fmt.Sprintf(
					"SELECT 'generated column %[2]s of table %[1]s is not what its expression gives in ' || odd || ' rows' "+
						"FROM (SELECT COUNT(*) AS odd FROM %[1]s NOT INDEXED WHERE %[2]s IS NOT (%[3]s)) WHERE odd > 0",
					table, c[0], c[1]))
		}
	}
	return out
}

// storedColumns returns the stored generated columns of a CREATE TABLE, with their expressions.
func storedColumns(text string) (table string, columns [][2]string) {
	stmt, _ := Syntax.Tree.Parse(text)
	n, ok := stmt.(*sql.CreateTable)
	if !ok || len(n.Columns) == 0 {
		return "", nil
	}
	for _, c := range n.Columns {
		for _, x := range c.Constraints {
			if g, ok := x.(*sql.Generated); ok && g.Kept == "STORED" && !rounds(c.Type) {
				columns = append(columns, [2]string{written(text, c.Name), written(text, g.X)})
			}
		}
	}
	return written(text, n.Name), columns
}

// written is a part of a statement as it is written there.
func written(text string, n sql.Node) string {
	from, to, _ := sql.Span(n)
	return text[from:to]
}

// rounds says whether a column is declared as one of floating-point numbers (sqlite.org/datatype3.html, 3.1).
func rounds(declared *sql.Type) bool {
	if declared == nil {
		return false
	}
	words := strings.ToUpper(declared.Words)
	return strings.Contains(words, "REAL") || strings.Contains(words, "FLOA") || strings.Contains(words, "DOUB")
}
