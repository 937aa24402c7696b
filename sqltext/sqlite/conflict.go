package sqlite

import (
	"strings"

	"txweave/sqltext"
)

// arbiter is where an INSERT says which key it means, behind ON CONFLICT, and what it does then.
type arbiter struct {
	sqltext.Phrase
	at, do  int    // the words ON and DO
	key     string // between them, with its brackets; "" for none
	nothing bool   // DO NOTHING, in place of DO UPDATE SET
	cond    int    // the word WHERE behind the assignments; how many words there are where none stands
	end     int    // the word behind the clause: RETURNING, or how many there are
	where   string // the condition
}

// arbiterOf finds it; ok is false where there is none, or one that means more than a list of columns.
func arbiterOf(sql string) (a arbiter, ok bool) {
	if !strings.Contains(strings.ToLower(sql), "conflict") {
		return a, false
	}
	a.Phrase = sqltext.ANSI.Phrase(sql)
	if a.at = a.Find(0, "on", "conflict"); a.at < 0 || !a.At(0).Is("insert") {
		return a, false
	}
	if a.do = a.at + 2; a.At(a.do).Text == "(" {
		end := a.Close(a.do)
		for i := a.do + 1; i < end; i++ {
			if w := a.Words[i]; w.Text != "," && w.Kind != sqltext.Word && w.Kind != sqltext.Name || w.Is("collate", "where") {
				return a, false
			}
		}
		a.key = a.Part(a.do, end+1)
		a.do = end + 1
	}
	if a.nothing = a.Has(a.do, "do", "nothing"); !a.nothing && !a.Has(a.do, "do", "update", "set") {
		return a, false
	}
	if a.end = a.Find(a.do, "returning"); a.end < 0 {
		a.end = len(a.Words)
	}
	if a.cond = a.Find(a.do, "where"); a.cond < 0 {
		a.cond = a.end
	}
	a.where = a.Part(a.cond+1, a.end)
	return a, a.key != "" || a.nothing || a.where != ""
}

// withoutArbiter writes an INSERT that names its key, does nothing, or changes only some of the rows in its way as one that the common
// grammar's words can say. What is printed of it gets that back from the whole text.
func withoutArbiter(sql string) string {
	a, ok := arbiterOf(sql)
	switch {
	case !ok:
		return sql
	case !a.nothing:
		text := a.Part(0, a.at+2) + " " + a.Part(a.do, a.cond)
		if a.end < len(a.Words) {
			text += " " + a.Part(a.end, len(a.Words))
		}
		return text
	case a.At(1).Is("or"): // INSERT OR …: what holds there is not said
		return sql
	}
	text := "INSERT OR IGNORE " + a.Part(1, a.at)
	if rest := a.Part(a.do+2, len(a.Words)); rest != "" {
		text += " " + rest
	}
	return text
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
	case !a.nothing && strings.Contains(sql, update):
		if a.key != "" {
			sql = strings.Replace(sql, update, "ON CONFLICT "+a.key+" DO UPDATE SET", 1)
		}
		if a.where != "" {
			sql += " WHERE " + a.where
		}
	}
	return sql
}
