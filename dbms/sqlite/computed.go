package sqlite

import (
	"fmt"
	"slices"
	"strings"

	"txweave/sqltext"
)

// computed returns a query for each stored generated column of the tables that a schema makes. It answers nothing where each row holds in it what its expression
// gives, and else one row that says so. PRAGMA integrity_check reads what is stored and does not work it out again. The value that was stored has got the type of its
// column; the comparison gives it to that of the expression, too. A column of floating-point numbers is passed over, as it rounds the largest integers.
func computed(schema []string) []string {
	var out []string
	for _, sql := range schema {
		table, columns := storedColumns(sql)
		for _, c := range columns {
			out = append(out, fmt.Sprintf("SELECT 'generated column %[2]s of table %[1]s is not what its expression gives in ' || odd || ' rows' "+
				"FROM (SELECT COUNT(*) AS odd FROM %[1]s NOT INDEXED WHERE %[2]s IS NOT (%[3]s)) WHERE odd > 0", table, c[0], c[1]))
		}
	}
	return out
}

// storedColumns returns the stored generated columns of a CREATE TABLE, with their expressions.
func storedColumns(sql string) (table string, columns [][2]string) {
	var tokens []sqltext.Token
	var at []int
	offset := 0
	for t := range Syntax.Quoting.Tokens(sql) {
		if t.Kind != sqltext.Blank && t.Kind != sqltext.Comment {
			tokens, at = append(tokens, t), append(at, offset)
		}
		offset += len(t.Text)
	}
	if len(tokens) < 5 || !tokens[0].Is("create") || !tokens[1].Is("table") || tokens[3].Text != "(" {
		return "", nil
	}
	table = tokens[2].Text
	depth, first, from, to := 0, 4, -1, -1
	for i := 3; i < len(tokens); i++ {
		depth += tokens[i].Nesting()
		switch t := tokens[i]; {
		case depth == 1 && t.Is("as") && i+1 < len(tokens) && tokens[i+1].Text == "(":
			from, to = i+2, -1
		case depth == 1 && t.Text == ")" && from >= 0 && to < 0:
			to = i
		case depth == 1 && t.Is("stored") && to > from && !rounds(tokens[first+1:from]):
			columns = append(columns, [2]string{tokens[first].Text, sql[at[from]:at[to]]})
		}
		if depth == 1 && tokens[i].Text == "," {
			first, from, to = i+1, -1, -1
		}
	}
	return table, columns
}

// rounds says whether a column is declared as one of floating-point numbers (sqlite.org/datatype3.html, 3.1).
func rounds(declared []sqltext.Token) bool {
	return slices.ContainsFunc(declared, func(t sqltext.Token) bool {
		word := strings.ToUpper(t.Text)
		return strings.Contains(word, "REAL") || strings.Contains(word, "FLOA") || strings.Contains(word, "DOUB")
	})
}
