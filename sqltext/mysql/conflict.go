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

// arbiter is where an INSERT says which key it means, behind ON CONFLICT, and what it does then.
type arbiter struct {
	at, end int    // of the clause as far as its key
	key     string // with its brackets; "" for none
	nothing bool   // DO NOTHING, in place of DO UPDATE
	rest    int    // where the text goes on
}

// arbiterOf finds it; ok is false where there is none, or one that means more than a list of columns.
func arbiterOf(sql string) (a arbiter, ok bool) {
	if !mentions(sql, "conflict") {
		return a, false
	}
	var tokens []sqltext.Token // and where they begin
	var places []int
	depth, at := 0, 0
	for t := range sqltext.Tokens(sql) {
		if t.Kind != sqltext.Blank {
			tokens, places = append(tokens, t), append(places, at)
		}
		at += len(t.Text)
	}
	for i := range tokens {
		depth += tokens[i].Nesting()
		if depth != 0 || !tokens[i].Is("on") || i+2 >= len(tokens) || !tokens[i+1].Is("conflict") {
			continue
		}
		a.at, a.end = places[i], places[i+1]+len(tokens[i+1].Text)
		next := i + 2
		if tokens[next].Text == "(" {
			for ; next < len(tokens) && tokens[next].Text != ")"; next++ {
				if next > i+2 && tokens[next].Text != "," && tokens[next].Kind != sqltext.Word && tokens[next].Kind != sqltext.Name || tokens[next].Is("collate", "where") {
					return a, false
				}
			}
			if next == len(tokens) {
				return a, false
			}
			a.end = places[next] + 1
			a.key = sql[places[i+2]:a.end]
			next++
		}
		if next+1 >= len(tokens) || !tokens[next].Is("do") || !tokens[next+1].Is("nothing", "update") {
			return a, false
		}
		a.nothing, a.rest = tokens[next+1].Is("nothing"), places[next+1]+len(tokens[next+1].Text)
		return a, a.key != "" || a.nothing
	}
	return a, false
}

// withoutArbiter writes an INSERT that names its key, or does nothing, as one that the grammar's words can say. What is printed of it
// gets that back from the whole text.
func withoutArbiter(sql string) string {
	a, ok := arbiterOf(sql)
	switch {
	case !ok:
		return sql
	case !a.nothing:
		return sql[:a.end-len(a.key)] + sql[a.end:]
	case mentions(sql, "or"): // INSERT OR …: what holds there is not said
		return sql
	}
	first := strings.Index(sql, sqltext.Significant(sql, 1)[0].Text) + len("INSERT")
	return sql[:first] + " OR IGNORE" + sql[first:a.at] + sql[a.rest:]
}

// withArbiter gives it back to what was printed.
func withArbiter(sql, whole string) string {
	a, ok := arbiterOf(whole)
	const nothing, update = "INSERT OR IGNORE", "ON CONFLICT DO UPDATE SET"
	switch {
	case !ok:
		return sql
	case a.nothing && strings.HasPrefix(sql, nothing):
		return "INSERT" + strings.TrimPrefix(sql, nothing) + strings.TrimRight(" ON CONFLICT "+a.key, " ") + " DO NOTHING"
	case !a.nothing:
		return strings.Replace(sql, update, "ON CONFLICT "+a.key+" DO UPDATE SET", 1)
	}
	return sql
}
