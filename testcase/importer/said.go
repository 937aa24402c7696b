package importer

import (
	"slices"
	"strconv"
	"strings"

	"txweave/sql/sqltext"
)

// What a remark says of an answer. The forms are those of docs/reference/import-formats.md, Remarks.
type saying struct {
	rows     [][]string // nil: not said; none where there are none
	cells    bool       // … values of a query of one column
	count    int        // of rows; -1: not said
	affected bool       // … affected
	fine     bool       // no error
	message  string     // of an error, in part; "" for none
	loose    bool       // … maybe not as the database has it
	expected bool       // it is what should come, and not what came
}

// arrows begin remarks of what came.
var arrows = []string{"-->", "->", "=>", "→", "⇒"}

// tellers are the words behind which it stands what came.
var tellers = strings.Fields(`returns return returned result results gives sees saw shows prints reads output got actual
	actually is was : =`)

// expecters are those behind which it stands what should come.
var expecters = strings.Fields(`expected expects expect should must`)

// told reads what a remark says of an answer: led, that words or an arrow say that it is of that; stated, that it is of
// one of the forms.
func told(text string) (s saying, led, stated bool) {
	s.count = -1
	text = strings.TrimRight(strings.TrimSpace(text), " .;!")
	for _, word := range []string{"actual", "but got", "but returns", "but sees", "but was", "got"} {
		if before, after, ok := cutWord(text, word); ok && before != "" {
			text, led = after, true
			break
		}
	}
	text, words := s.lead(text)
	led = led || words
	return s, led, s.form(text, led)
}

// cutWord cuts a text at a word, behind which it goes on.
func cutWord(text, word string) (before, after string, ok bool) {
	at := strings.Index(strings.ToLower(text), " "+word)
	if at < 0 {
		return text, "", false
	}
	after = strings.TrimLeft(text[at+1+len(word):], " :=")
	return strings.TrimRight(text[:at], " ,;("), strings.TrimRight(after, ")"), after != ""
}

// lead takes the words, and arrows, in front of what a remark says of an answer.
func (s *saying) lead(text string) (rest string, led bool) {
	for {
		text = strings.TrimLeft(text, " :")
		if bare := strings.TrimLeft(text, "=>"); bare != text { // or what is left of an arrow behind a mark of remarks
			text, led = bare, true
			continue
		}
		at := slices.IndexFunc(arrows, func(a string) bool { return strings.HasPrefix(text, a) })
		if at >= 0 {
			text, led = text[len(arrows[at]):], true
			continue
		}
		word, after, _ := strings.Cut(text, " ")
		word = strings.ToLower(strings.TrimRight(word, ":="))
		switch {
		case slices.Contains(expecters, word):
			s.expected = true
		case word == "be" || word == "see" || word == "give" || word == "show" || word == "read" || word == "print":
			if !s.expected {
				return text, led
			}
		case !slices.Contains(tellers, word):
			return text, led
		}
		text, led = after, true
	}
}

// form reads what stands behind the words.
func (s *saying) form(text string, led bool) bool {
	low := strings.ToLower(strings.Trim(text, "()"))
	w := strings.Fields(low)
	switch {
	case len(w) == 0:
		return false
	case low == "nothing" || low == "none" || low == "empty" || low == "empty set" || low == "no rows" || low == "no row":
		s.rows = [][]string{}
		return led || low != "nothing" && low != "none"
	case low == "ok" || low == "success" || low == "succeeds":
		s.fine = true
		return true
	case low == "deadlock" || low == "deadlock detected" || low == "deadlock found":
		s.message = "deadlock"
		return true
	case strings.HasPrefix(low, "error:"):
		s.message, s.loose = strings.TrimSpace(text[strings.Index(text, ":")+1:]), true
		return s.message != ""
	case len(w) > 1 && len(w) < 4 && (w[1] == "row" || w[1] == "rows"):
		return s.counts(w)
	}
	rows, cells := valuesOf(text)
	if rows == nil || cells && !led {
		return false
	}
	s.rows, s.cells = rows, cells
	return true
}

// counts reads 2 rows, 1 row affected.
func (s *saying) counts(w []string) bool {
	n, err := strconv.Atoi(w[0])
	affected := len(w) == 3 && slices.Contains([]string{"affected", "updated", "deleted", "inserted", "changed"}, w[2])
	if err != nil || n < 0 || len(w) == 3 && !affected && w[2] != "returned" && w[2] != "found" {
		return false
	}
	s.count, s.affected = n, affected
	return true
}

// valuesOf reads rows in parentheses, (1, 'a'), (2, NULL), pairs, 1 => 10, 2 => 20, or values of one column, 1, 2; nil
// where a text is none of these.
func valuesOf(text string) (rows [][]string, cells bool) {
	tokens := lexer.Significant(text, -1)
	for i := 0; i < len(tokens); {
		if len(rows) > 0 {
			if tokens[i].Text != "," || i+1 == len(tokens) {
				return nil, false
			}
			i++
		}
		var row []string
		n := 0
		if tokens[i].Text == "(" {
			row, n = tupleOf(tokens[i:])
		} else {
			row, n = pairOf(tokens[i:])
		}
		lone := tokens[i].Text != "(" && len(row) == 1
		if n == 0 || len(rows) > 0 && cells != lone {
			return nil, false
		}
		cells, rows, i = lone, append(rows, row), i+n
	}
	return rows, cells
}

// pairOf reads a value, or a row of two as Hermitage writes it, 1 => 10, from the front of tokens.
func pairOf(tokens []sqltext.Token) (row []string, n int) {
	cell, n := cellOf(tokens)
	if n == 0 {
		return nil, 0
	}
	row = []string{cell}
	at := n
	for at < len(tokens) && (tokens[at].Text == "=" || tokens[at].Text == ">" || tokens[at].Text == "=>") {
		at++
	}
	if at == n || at == len(tokens) {
		return row, n
	}
	if cell, size := cellOf(tokens[at:]); size > 0 {
		return append(row, cell), at + size
	}
	return row, n
}

// tupleOf reads a row in parentheses from the front of tokens, and returns how many of them it has; 0 for none.
func tupleOf(tokens []sqltext.Token) (row []string, n int) {
	for n = 1; n < len(tokens); n++ {
		cell, size := cellOf(tokens[n:])
		if size == 0 || n+size == len(tokens) {
			return nil, 0
		}
		row, n = append(row, cell), n+size
		switch tokens[n].Text {
		case ")":
			return row, n + 1
		case ",":
		default:
			return nil, 0
		}
	}
	return nil, 0
}

// cellOf reads a value from the front of tokens: a number, a text in quotes, or NULL.
func cellOf(tokens []sqltext.Token) (cell string, n int) {
	t := tokens[0]
	switch {
	case t.Kind == sqltext.Literal, t.Kind == sqltext.Name && strings.HasPrefix(t.Text, `"`):
		return t.Unquote(), 1
	case t.Is("null"):
		return "NULL", 1
	}
	const longest = 4 // a sign, digits, a point, digits
	for size := min(longest, len(tokens)); size > 0; size-- {
		number := strings.ReplaceAll(sqltext.Join(tokens[:size]), " ", "")
		if _, err := strconv.ParseFloat(number, 64); err == nil && strings.ContainsAny(number, "0123456789") {
			return number, size
		}
	}
	return "", 0
}
