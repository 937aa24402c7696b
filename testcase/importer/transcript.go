package importer

import (
	"regexp"
	"slices"
	"strings"
)

var (
	// mysqlPrompt is that of MySQL's clients and of SQLite's shell: mysql>, MariaDB [test]>, root@x [db]>, mysql
	// [conn1]>, that of servers in sandboxes, mysql [localhost:5726] {msandbox} (test) >, of MySQL Shell, MySQL
	// localhost:3306 ssl test SQL >, and of mycli and pgcli, root@localhost:test>.
	mysqlPrompt = regexp.MustCompile(`(?i)^(?:mysql\s[^>\n]{0,60}\ssql|mysql|mariadb|tidb|sqlite|obclient|sql|` +
		`(?:mysql |mariadb )?\(?[\w.-]+@[\w.%-]+(?::[\w()-]+)?\)?)` +
		`((?:\s?[\[({]{1,2}[^\])}\n]{0,60}[\])}]{1,2})*)\s?>\s*`)
	// psqlPrompt is psql's: the database, whether the statement goes on, how the transaction stands, and who asks.
	psqlPrompt = regexp.MustCompile(`^([\w.@-]{1,40})([=\-'"($])[*!^?]?[#>](?:\s+|$)`)
)

// prompt is a client's prompt in front of a statement.
type prompt struct {
	session string // that it names; "" for none
	whose   string // what tells it from that of another client, or of another database
	length  int    // 0 for no prompt
	psql    bool
	sqlite  bool
}

// promptOf reads a client's prompt at the beginning of a line.
func promptOf(line string) prompt {
	line = line[:min(len(line), 200)]
	if m := psqlPrompt.FindStringSubmatch(line); m != nil && m[2] == "=" {
		p := prompt{whose: m[1], length: len(m[0]), psql: true}
		if isSession(m[1]) {
			p.session = m[1]
		}
		return p
	}
	m := mysqlPrompt.FindStringSubmatch(line)
	if m == nil {
		return prompt{}
	}
	p := prompt{whose: strings.ToLower(strings.TrimSpace(m[0])), length: len(m[0])}
	p.sqlite = p.whose == "sqlite>"
	if inner := strings.Trim(m[1], " [](){}"); isSession(inner) {
		p.session = inner
	}
	return p
}

// withoutPrompt is a text without the prompts in front of it.
func withoutPrompt(text string) string {
	text = strings.TrimSpace(text)
	for p := promptOf(text); p.length > 0; p = promptOf(text) {
		text = strings.TrimSpace(text[p.length:])
	}
	return text
}

// prompts are those that a transcript has so far.
type prompts struct {
	seen, psql, sqlite bool
	whose              string
	two                int // the line where another client, or database, speaks, and no heading says in which terminal
}

// dotted says whether the client's own commands begin with a dot.
func (q *prompts) dotted() bool { return q.sqlite }

// prompted takes a prompt.
func (r *reader) prompted(p prompt) {
	if p.session != "" {
		r.tag = r.session(p.session)
	}
	q := &r.prompts
	changes := r.last() != nil && word(r.last().sql, 0) == "USE"
	if p.session == "" && r.sticky == "" && q.whose != "" && q.whose != p.whose && !changes && q.two == 0 {
		q.two = r.lineAt(r.pos)
	}
	if p.session == "" {
		q.whose = p.whose
	}
	q.seen, q.sqlite, q.psql, r.frame = true, p.sqlite, q.psql || p.psql, false
	r.pos += p.length
}

// continued cuts off what clients print in front of the further lines of a statement.
func continued(text string) string {
	lines := strings.Split(text, "\n")
	prompts := 0
	for i, line := range lines {
		if bare := strings.TrimLeft(line, " \t"); promptOf(bare).length > 0 ||
			wordMark.MatchString(bare[:min(len(bare), 100)]) {
			prompts++
		}
		if prompts > 0 {
			lines[i] = withoutContinuation(line)
		}
	}
	return strings.Join(lines, "\n")
}

func withoutContinuation(line string) string {
	bare := strings.TrimLeft(line, " \t")
	for _, mark := range []string{"->", "'>", `">`, "`>", "/*>"} {
		if rest, ok := strings.CutPrefix(bare, mark); ok && (rest == "" || rest[0] == ' ' || rest[0] == '\t') {
			return rest[min(len(rest), 1):]
		}
	}
	if m := psqlPrompt.FindStringSubmatch(bare[:min(len(bare), 100)]); m != nil && m[2] != "=" {
		return strings.TrimPrefix(bare[len(strings.TrimRight(m[0], " \t")):], " ")
	}
	return line
}

// beginsFrame says whether a line are the names of columns as psql prints them, two or more, in a text that shows no
// prompt: the rule below it is a remark otherwise.
func (r *reader) beginsFrame(line string) bool {
	next := strings.TrimSpace(lineOf(strings.TrimPrefix(r.text[r.pos+len(r.rest()):], "\n")))
	return isColumnRule(next) && strings.Contains(next, "-+-") && strings.Count(line, "|") == strings.Count(next, "+")
}

// answersPrompt takes a line that psql or SQLite's shell prints; false for another one.
func (r *reader) answersPrompt(p *piece, line string) bool {
	next := lineOf(strings.TrimPrefix(r.text[r.pos+len(r.rest()):], "\n"))
	first, _, _ := strings.Cut(line, " ")
	switch {
	case r.frame && line != "" && !r.speaks(line):
		if !isColumnRule(strings.ReplaceAll(line, " ", "-")) {
			r.row(p, r.cells(line))
		}
	case (r.prompts.psql || r.beginsFrame(line)) && isColumnRule(strings.TrimSpace(next)) && strings.Contains(next, "--"):
		r.frame, r.ruled = true, ""
		p.answer().Columns = nil
		r.row(p, r.cells(line))
	case r.prompts.sqlite && strings.HasPrefix(next, "--") && isColumnRule(strings.ReplaceAll(next, "  ", "-")):
		r.frame, r.ruled = true, next
		p.answer().Columns = nil
		r.row(p, r.cells(line))
	case r.tags(p, first) && strings.ToUpper(line) == line && !strings.HasSuffix(line, ";"):
	case r.prompts.psql && isMessage(line):
		r.failed(p, line)
	case r.prompts.sqlite && (strings.Contains(line, "|") || !strings.Contains(line, " ") ||
		strings.HasPrefix(strings.ToLower(line), "runtime error")) && !begins(line):
		r.failed(p, line)
	case r.prompts.sqlite && begins(line) && p.tag == r.sticky && (returnsRows(p.sql) || word(p.sql, 0) == "PRAGMA"):
		if _, mark := r.statementEnd(r.pos); mark > 0 {
			r.err = r.src.errorf(r.lineAt(r.pos),
				"%s: a row of the statement above, or one without a prompt: put the prompt in front", quote(line))
		}
		p.comments = append(p.comments, line)
	default:
		return false
	}
	return true
}

// cells divides a row of a printed table at its bars, or where the rule of SQLite's columns has blanks.
func (r *reader) cells(line string) (out []string) {
	if r.ruled == "" {
		return cellsOf("|" + line + "|")
	}
	rest := []rune(strings.TrimRight(r.rest(), " "))
	for _, rule := range strings.Split(r.ruled, "  ") {
		out = append(out, strings.TrimSpace(string(rest[:min(len(rule), len(rest))])))
		rest = rest[min(len(rule)+2, len(rest)):]
	}
	return out
}

// speaks says whether a line among the rows of a table is none of them: a prompt, a session's mark or a statement.
func (r *reader) speaks(line string) bool {
	return promptOf(line).length > 0 || isClosed(withoutMark(line)) || r.signs.marks && r.marked("", line)
}

// tags says whether a word is what psql prints of a statement that returns no rows: the last one, or one that stands
// beside it on its line.
func (r *reader) tags(p *piece, first string) bool {
	return slices.ContainsFunc(*r.list(), func(q piece) bool { return q.line == p.line && isTag(first, q.sql) })
}

// isTag says whether a word is what psql prints of a statement that returns no rows.
func isTag(first, sql string) bool {
	own := word(sql, 0)
	return first == own || first == "COMMIT" && own == "END" || first == "ROLLBACK" && (own == "ABORT" ||
		own == "END" || own == "COMMIT")
}

// isColumnRule says whether a line is what psql draws below the columns' names.
func isColumnRule(line string) bool {
	return strings.Contains(line, "-") && strings.Trim(line, "-+") == ""
}

// isMessage says whether a line is a message of PostgreSQL's.
func isMessage(line string) bool {
	kind, _, ok := strings.Cut(line, ":")
	kind, _, _ = strings.Cut(kind, " ")
	switch kind {
	case "ERROR", "FATAL", "WARNING", "DETAIL", "HINT", "CONTEXT", "NOTICE", "LINE":
		return ok
	}
	return strings.Trim(line, " ^") == ""
}
