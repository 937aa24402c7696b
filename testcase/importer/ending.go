package importer

import (
	"slices"
	"strings"

	"txweave/sql/sqltext"
)

// statementEnd returns where the statement that starts there ends, and how long the mark behind it is. It ends with its
// semicolon, with another delimiter that the text has set, with \g or \G, or where a line begins that is no part of it.
func (r *reader) statementEnd(start int) (end, mark int) {
	body := sqltext.Body{}
	quoting := sqltext.SyntaxOf(r.src.target).Quoting
	for at := start; at < len(r.text); {
		if r.delimiter != "" && strings.HasPrefix(r.text[at:], r.delimiter) {
			return at, len(r.delimiter)
		}
		t := lexer.Next(r.text, at)
		if i := strings.Index(t.Text, r.delimiter); r.delimiter != "" && t.Kind == sqltext.Word && i > 0 {
			return at + i, len(r.delimiter) // END$$: a word may have such letters
		}
		if t.Text[0] == '$' && quoting.Dollars {
			if quoted := quoting.Next(r.text, at); quoted.Kind == sqltext.Literal && !quoted.Open {
				t = quoted // $$ … $$
			}
		}
		switch {
		case t.Kind == sqltext.Symbol && t.Text == ";" && r.delimiter == "" && body.Ends():
			return at, 1
		case t.Text == `\` && at+1 < len(r.text) && (r.text[at+1] == 'G' || r.text[at+1] == 'g'):
			return at, commandLength(r.text[at:])
		case t.Kind == sqltext.Blank && strings.Contains(t.Text, "\n") && r.lineEnds(start, at, t.Text, &body):
			return at, 0
		}
		body.Take(t)
		at += len(t.Text)
	}
	return len(r.text), 0
}

// commandLength is how long the client's command is that sends a statement, \G, \g or \gx; 0 for one that does more,
// such as \gset.
func commandLength(text string) int {
	first, _, _ := strings.Cut(strings.Fields(text)[0], ";")
	if n := len(first); n == 2 || first == `\gx` {
		return n
	}
	return 0
}

// lineEnds says whether a statement ends, without a semicolon, with the line that ends at a place.
func (r *reader) lineEnds(start, at int, blank string, body *sqltext.Body) bool {
	next := at + len(blank)
	line := lineOf(r.text[next:])
	so := r.text[start:at]
	switch {
	case r.foreign(so, next):
		return true
	case isWhole(so):
		return strings.Count(blank, "\n") > 1 || !slices.Contains(strings.Fields(ends), word(line, 0))
	case body.Holds():
		return false
	case r.signs.marks && markedBehind(lastLine(so)):
		return true
	case strings.Count(blank, "\n") > 1 && beginsAnew(line), isWhole(strings.TrimRight(line, "; \t")) && begins(line):
		return true
	}
	return r.loose && follows(so, line)
}

// lastLine is the line that a text ends in.
func lastLine(text string) string {
	_, line, _ := cutLast(text)
	return line
}

// isWhole says whether a text is a statement of one word or two that begins or ends a transaction.
func isWhole(text string) bool {
	w := words(text, 4)
	switch strings.Join(w, " ") {
	case "BEGIN", "BEGIN WORK", "BEGIN TRANSACTION", "BEGIN PESSIMISTIC", "BEGIN OPTIMISTIC", "START TRANSACTION",
		"COMMIT", "ROLLBACK", "BEGIN IMMEDIATE":
		return true
	}
	return false
}

// markedBehind says whether a text ends in a remark with a session's name.
func markedBehind(text string) bool {
	_, said := behindRemark(text)
	name, _ := suffixMark(said)
	return name != ""
}

// beginsAnew says whether a line begins a statement with a word that no other statement goes on with.
func beginsAnew(line string) bool {
	switch word(line, 0) {
	case "BEGIN", "START", "COMMIT", "ROLLBACK", "CREATE", "DROP", "INSERT", "UPDATE", "DELETE":
		return begins(line) || word(line, 0) == "UPDATE" || word(line, 0) == "DELETE"
	}
	return false
}

// foreign says whether the line that begins there is no part of the statement before it.
func (r *reader) foreign(before string, at int) bool {
	line, number := strings.TrimSpace(lineOf(r.text[at:])), r.lineAt(at)
	switch {
	case line == "" || r.bare:
		return false
	case r.fences.opens(number), r.signs.tables && r.fences.isTable(number), r.signs.marks && r.marked(before, line):
		return true
	case r.signs.prompts && promptOf(line).length > 0, strings.HasSuffix(line, ":") && !strings.ContainsAny(line,
		"'\"`"): // no line of a statement ends so
		return true
	case isAnswerLine(line) && !strings.HasPrefix(line, "||"):
		return true
	}
	below := lineOf(strings.TrimPrefix(r.text[at+len(lineOf(r.text[at:])):], "\n"))
	return r.prompts.psql && isRule(below)
}

// marked says whether a line begins with a session's mark, or is a heading.
func (r *reader) marked(before, line string) bool {
	m := frontMark(line)
	rest := line[m.length:]
	if m.length > 0 && (begins(rest) || isDelimiter(rest) || r.spoke(normal(m.name)) && isAnswer(rest)) {
		return true
	}
	return headingOf(line) != "" && !needs(before, line)
}

// unfinished are the words after which a statement goes on, whatever the next line looks like.
var unfinished = strings.Fields("select distinct from into update join table set where and or not by having " +
	"values in " +
	"like between as union all using")

// needs says whether a line that reads like a session's name is a part of the statement before it: "FROM t1".
func needs(before, line string) bool {
	if strings.HasSuffix(line, ":") {
		return false
	}
	var last, other sqltext.Token
	queries := 0 // that have no FROM yet
	for _, t := range lexer.Significant(before, -1) {
		switch {
		case t.Is("select", "delete"):
			queries++
		case t.Is("from"):
			queries--
		}
		last, other = t, last
	}
	switch {
	case last.Is("update"):
		return !other.Is("for", "key") // FOR UPDATE, FOR NO KEY UPDATE
	case last.Is(unfinished...):
		return true
	case last.Is("on"):
		return other.Text != "="
	case last.Kind == sqltext.Symbol && strings.ContainsAny(last.Text, ",=<>+(/"):
		return true
	}
	return queries > 0 && strings.EqualFold(sqltext.FirstWord(line), "from")
}

// follows says, in a text without semicolons, whether a line begins another statement than the one before it.
func follows(before, line string) bool {
	if beginsAnew(line) {
		return true
	}
	switch word(line, 0) {
	case "SELECT":
		w := words(before, -1)
		first, last := w[0], w[len(w)-1]
		makes := first == "INSERT" || first == "REPLACE" || first == "CREATE"
		return first != "WITH" && !slices.Contains([]string{"(", ",", "UNION", "ALL", "AS", "EXPLAIN"}, last) &&
			(!makes || slices.Contains(w, "VALUES") || last == ")")
	case "SET":
		return word(before, 0) != "UPDATE" && word(before, 0) != "INSERT"
	case "REPLACE", "ALTER", "SAVEPOINT", "RELEASE", "TRUNCATE", "SHOW", "LOCK", "UNLOCK":
		return true
	}
	return false
}
