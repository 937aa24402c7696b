package importer

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	// call is a statement that a program sends: the object that sends it, and the text as a string. A program may keep what comes
	// back, and look at it.
	call = regexp.MustCompile(`^\s*(?:[\w.,:<>\[\]* ]*=\s*|(?:if|return|assert|require|await|err)\b[^"'` + "`" + `;]*?)?(?:await\s+)?(\w+)(?:\.\w+)??\.` +
		`((?i:must\w*|exec\w*|query\w*|execute\w*|run\w*|sql|raw|do|fetch\w*|get\w*|select\w*|update\w*))\(\s*(?:(?:ctx|context\.\w+\(\)|c)\s*,\s*)?(?:text\()?[rRuU]?` +
		`("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|` + "`[^`]*`" + `)\)?(.*)$`)
	// verb is the beginning or the end of a transaction that a program asks for by a call.
	verb = regexp.MustCompile(`^\s*(?:[\w.,: ]*=\s*|await\s+)*(\w+)\.((?i:commit|rollback|begin|start_?transaction|begin_?transaction))\(\s*(?:ctx|context\.\w+\(\))?\s*\)`)
	// derived is an object that sends what another one's connection sends.
	derived = regexp.MustCompile(`^\s*(?:\w+\s+)?(\w+)\s*(?:,\s*\w+\s*)?:?=\s*(?:await\s+)?(\w+)\.(?i:cursor|createStatement)\(`)
	// opened is a transaction as an object of its own.
	opened  = regexp.MustCompile(`^\s*(?:(?:const|let|var|final|auto)\s+)?(?:[A-Z]\w*\s+)?(\w+)(?:\s*,\s*\w+)?\s*:?=\s*(?:await\s+)?\w+\.(?i:begin|beginTx|begin_?transaction|transaction)\(`)
	cursors = regexp.MustCompile(`\.cursor\(`)
	// commits is what makes a connection of Python's commit each statement.
	commits = regexp.MustCompile(`(?i)\b(\w+)\.(?:autocommit\s*=\s*True|autocommit\(True\)|set_session\([^)]*autocommit\s*=\s*True)|autocommit\s*=\s*True`)
	// together at once: what runs side by side, or more than once, is in no order that the text shows.
	atOnce = regexp.MustCompile(`^\s*(?:go\s+(?:func\b|\w+\()|(?:for|while)\b|.*\b(?:threading\.|Thread\(|asyncio\.gather|Promise\.all|errgroup|std::thread|pool\.submit|concurrent\.))`)
	// unreadable is a call whose statement is no string by itself.
	unreadable = regexp.MustCompile(`^\s*(?:[\w.,: ]*=\s*)?(\w+)\.(?i:must(?:exec|query)|exec|execute|executeUpdate|executeQuery)\(\s*(?:ctx\s*,\s*)?\w+\s*[,)]`)
	holders    = regexp.MustCompile(`\?|%s|\$\d|:\w+`)
)

// isProgram says whether a text is a program that sends its statements one by one, and nothing else that has statements.
func isProgram(text string) bool {
	calls, ends := 0, 0
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if m := call.FindStringSubmatch(line); m != nil && isStatement(literal(m[3])) {
			calls++
		} else if verb.MatchString(line) {
			ends++
		} else if isStatement(line) && strings.HasSuffix(line, ";") {
			return false
		}
	}
	const least = 3
	return calls >= 2 && calls+ends >= least
}

// literal is what a string of a program says.
func literal(quoted string) string {
	inner := quoted[1 : len(quoted)-1]
	if quoted[0] == '`' {
		return strings.TrimSpace(inner)
	}
	if text, err := strconv.Unquote(`"` + strings.ReplaceAll(strings.ReplaceAll(inner, `\'`, `'`), `"`, `\"`) + `"`); err == nil && quoted[0] == '\'' {
		return strings.TrimSpace(text)
	}
	if text, err := strconv.Unquote(quoted); err == nil {
		return strings.TrimSpace(text)
	}
	return strings.TrimSpace(inner)
}

// readProgram reads a program whose statements are sent in the order in which they stand; the objects that send them are the
// sessions. What runs side by side or in a loop has no order that the text shows, and is refused.
func readProgram(s *scanner) ([]*scanner, error) {
	s.levels = levelsOf(s.text)
	p := programReader{s: s, of: map[string]string{}, open: map[string]bool{}, plain: map[string]bool{}}
	lines := strings.Split(s.text, "\n")
	for _, line := range lines {
		p.implicit = p.implicit || cursors.MatchString(line)
		if m := commits.FindStringSubmatch(line); m != nil {
			p.plain[m[1]] = true
		}
		if m := derived.FindStringSubmatch(line); m != nil {
			p.of[m[1]] = m[2]
		}
	}
	p.whoCommits(lines)
	for i, line := range lines {
		if err := p.line(i+1, line); err != nil {
			return nil, err
		}
	}
	if p.implicit || len(p.begins) > 0 {
		s.notes = append(s.notes, Note{1, "a transaction begins with the first statement, as the program's connections do it, unless they commit each statement", false})
	}
	s.tablesFirst()
	if err := s.doubt(); err != nil {
		return nil, err
	}
	return []*scanner{s}, nil
}

// programReader follows what a program sends.
type programReader struct {
	s        *scanner
	of       map[string]string // the connection of a cursor
	implicit bool              // transactions begin by themselves
	plain    map[string]bool   // connections that commit each statement; "": all
	begins   map[string]bool   // connections that commit and never begin
	open     map[string]bool
}

// whoCommits finds the connections that commit what they never begin: their transactions begin by themselves.
func (p *programReader) whoCommits(lines []string) {
	begun := map[string]bool{}
	p.begins = map[string]bool{}
	for _, line := range lines {
		if m := opened.FindStringSubmatch(line); m != nil {
			begun[m[1]] = true
		} else if m := verb.FindStringSubmatch(line); m != nil {
			if name := strings.ToLower(m[2]); name == "commit" || name == "rollback" {
				p.begins[p.connection(m[1])] = true
			} else {
				begun[p.connection(m[1])] = true
			}
		} else if m := call.FindStringSubmatch(line); m != nil {
			switch w := word(literal(m[3]), 0); {
			case w == "BEGIN" || w == "START", autocommit.MatchString(literal(m[3])):
				begun[p.connection(m[1])] = true
			}
		}
	}
	for who := range begun {
		delete(p.begins, who)
	}
}

func (p *programReader) connection(name string) string {
	if of := p.of[name]; of != "" {
		return of
	}
	return name
}

func (p *programReader) send(line int, who, sql, rest string) {
	tag := p.s.session(who)
	first := word(sql, 0)
	switch {
	case first == "BEGIN" || first == "START":
		p.open[who] = true
	case first == "COMMIT" || first == "ROLLBACK":
		if (p.implicit || p.begins[who]) && !p.open[who] {
			return // of nothing, or of tables
		}
		p.open[who] = false
	case (p.implicit || p.begins[who]) && !p.open[who] && !p.plain[who] && !p.plain[""] && slices.Contains([]string{"SELECT", "INSERT", "UPDATE", "DELETE", "WITH", "REPLACE"}, first):
		p.open[who] = true
		p.s.out = append(p.s.out, piece{line: line, tag: tag, sql: "BEGIN", own: true})
	}
	x := piece{line: line, tag: tag, sql: sql, own: true}
	if rest = strings.Trim(rest, ");. \t"); rest != "" {
		x.comments = append(x.comments, rest)
	}
	p.s.out = append(p.s.out, x)
}

// line reads one line of the program.
func (p *programReader) line(n int, line string) error {
	if len(p.s.out) > maxStatements {
		return p.s.errorf(0, "more than %d statements: no report is that long", maxStatements)
	}
	fail := func(format string) error {
		s := &scanner{name: p.s.name, text: "", base: n - 1}
		return s.errorf(0, format, quote(strings.TrimSpace(line)))
	}
	if atOnce.MatchString(line) {
		return fail("%s: what a program runs side by side, or more than once, is in no order that the text shows: write the statements in the order in which they ran")
	}
	if m := call.FindStringSubmatch(line); m != nil {
		sql := strings.TrimRight(literal(m[3]), "; \t\n")
		switch {
		case !isStatement(sql):
			return nil
		case strings.HasPrefix(strings.TrimSpace(m[4]), ",") && holders.MatchString(sql):
			return fail("%s has values that stand beside the statement: write them into it")
		case strings.HasPrefix(strings.TrimSpace(m[4]), "+"), strings.HasPrefix(strings.TrimSpace(m[4]), "%"):
			return fail("%s puts its statement together: write it out")
		}
		for _, one := range statements(sql) {
			p.send(n, p.connection(m[1]), one, m[4])
		}
		return nil
	}
	if m := opened.FindStringSubmatch(line); m != nil {
		p.send(n, m[1], "BEGIN", "")
		return nil
	}
	if m := verb.FindStringSubmatch(line); m != nil {
		sql := strings.ToUpper(m[2])
		if sql != "COMMIT" && sql != "ROLLBACK" {
			sql = "BEGIN"
		}
		p.send(n, p.connection(m[1]), sql, "")
		return nil
	}
	if m := unreadable.FindStringSubmatch(line); m != nil {
		return fail("%s sends a statement that does not stand there: write it out")
	}
	return nil
}
