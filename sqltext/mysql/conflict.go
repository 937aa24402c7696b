package mysql

import (
	"strings"

	"txweave/sqltext"
)

// SQLite spells what a write does to rows that are in its way in words that the grammar does not know; each has one of MySQL's that
// means the same: OR IGNORE and IGNORE, ON CONFLICT DO UPDATE SET and ON DUPLICATE KEY UPDATE, excluded.c and VALUES(c).

// conflicts are these words, as a statement has them and as the grammar knows them.
var conflicts = [][2]string{{"OR IGNORE", "IGNORE"}, {"ON CONFLICT DO UPDATE SET", "ON DUPLICATE KEY UPDATE"}}

// fromSQLite writes a statement in the grammar's words.
func fromSQLite(sql string) string {
	if !mentions(sql, "or", "conflict") {
		return sql
	}
	return respell(sql, 0)
}

// toSQLite writes what was printed in the grammar's words in SQLite's.
func toSQLite(sql string) string {
	if !mentions(sql, "ignore", "duplicate") {
		return sql
	}
	return respell(sql, 1)
}

func mentions(sql string, words ...string) bool {
	first := sqltext.Significant(sql, 1)
	if len(first) == 0 || !first[0].Is("insert", "update") {
		return false
	}
	for t := range sqltext.Tokens(sql) {
		if t.Is(words...) {
			return true
		}
	}
	return false
}

// respell replaces the words of one side, 0 or 1, by those of the other: OR IGNORE behind the first word, the clause at its depth and
// what it says of the row that is to be inserted behind it.
func respell(sql string, side int) string {
	var b strings.Builder
	depth, words := 0, 0
	clause := false
	ignore, update := strings.Fields(conflicts[0][side]), strings.Fields(conflicts[1][side])
	tokens := make([]sqltext.Token, 0, 64)
	for t := range sqltext.Tokens(sql) {
		tokens = append(tokens, t)
	}
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		depth += t.Nesting()
		switch n := 0; {
		case words == 1 && depth == 0 && follows(tokens[i:], ignore, &n):
			b.WriteString(conflicts[0][1-side])
			i += n - 1
			words++
			continue
		case depth == 0 && follows(tokens[i:], update, &n):
			b.WriteString(conflicts[1][1-side])
			i += n - 1
			clause = true
			continue
		case clause && side == 0 && t.Is("excluded") && i+2 < len(tokens) && tokens[i+1].Text == ".":
			b.WriteString("VALUES(" + tokens[i+2].Text + ")")
			i += 2
			continue
		case clause && side == 1 && t.Is("values") && i+3 < len(tokens) && tokens[i+1].Text == "(" && tokens[i+3].Text == ")":
			b.WriteString("excluded." + tokens[i+2].Text)
			i += 3
			continue
		}
		if t.Kind == sqltext.Word {
			words++
		}
		b.WriteString(t.Text)
	}
	return b.String()
}

// follows says whether tokens begin with words, and sets n to how many tokens these are, blanks included.
func follows(tokens []sqltext.Token, words []string, n *int) bool {
	at := 0
	for i, w := range words {
		for i > 0 && at < len(tokens) && tokens[at].Kind == sqltext.Blank {
			at++
		}
		if at >= len(tokens) || !tokens[at].Is(strings.ToLower(w)) {
			return false
		}
		at++
	}
	*n = at
	return true
}
