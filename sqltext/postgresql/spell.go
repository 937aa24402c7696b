package postgresql

import (
	"strings"

	"txweave/sqltext"
)

// spell writes what the common parser prints as PostgreSQL takes it: shared locks, LIMIT with an offset, joins without a
// condition.
func spell(sql string) string {
	var tokens []sqltext.Token
	for t := range sqltext.PostgreSQL.Tokens(sql) {
		tokens = append(tokens, t)
	}
	w := &speller{tokens: tokens}
	for i := 0; i < len(tokens); {
		i = w.next(i)
	}
	return w.String()
}

type speller struct {
	strings.Builder
	tokens []sqltext.Token
}

// solid returns the number of the first token from i on that is neither white space nor a comment.
func (w *speller) solid(i int) int {
	for i < len(w.tokens) && (w.tokens[i].Kind == sqltext.Blank || w.tokens[i].Kind == sqltext.Comment) {
		i++
	}
	return i
}

// at returns token i, an empty one behind the last.
func (w *speller) at(i int) sqltext.Token {
	if i < len(w.tokens) {
		return w.tokens[i]
	}
	return sqltext.Token{}
}

// next writes what begins at token i and returns where it goes on.
func (w *speller) next(i int) int {
	t := w.tokens[i]
	switch {
	case t.Is("lock"):
		in := w.solid(i + 1)
		share := w.solid(in + 1)
		if mode := w.solid(share + 1); w.at(in).Is("in") && w.at(share).Is("share") && w.at(mode).Is("mode") {
			w.WriteString("FOR SHARE")
			return mode + 1
		}
	case t.Is("limit"):
		offset := w.solid(i + 1)
		comma := w.solid(offset + 1)
		if rows := w.solid(comma + 1); w.at(comma).Text == "," {
			w.WriteString("LIMIT " + w.at(rows).Text + " OFFSET " + w.at(offset).Text)
			return rows + 1
		}
	case t.Is("join") && w.unconditional(i):
		w.WriteString("CROSS JOIN")
		return i + 1
	}
	w.WriteString(t.Text)
	return i + 1
}

// unconditional says whether the JOIN at i is one that stands alone and has no condition.
func (w *speller) unconditional(i int) bool {
	before := i - 1
	for before >= 0 && w.tokens[before].Kind == sqltext.Blank {
		before--
	}
	if before >= 0 && w.tokens[before].Is("left", "right", "outer", "natural", "cross") {
		return false
	}
	at := w.solid(i + 1)
	if w.at(at).Text == "(" {
		depth := 0
		for ; at < len(w.tokens); at++ {
			if depth += w.tokens[at].Nesting(); depth == 0 {
				break
			}
		}
	}
	at = w.solid(at + 1)
	if w.at(at).Is("as") {
		at = w.solid(w.solid(at+1) + 1)
	}
	return !w.at(at).Is("on", "using")
}
