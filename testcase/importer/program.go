package importer

import (
	"slices"
	"strconv"
	"strings"
)

var (
	// call is a statement that a program sends: the object that sends it, and the text as a string. A program may keep what comes
	// back, and look at it.
	call = lazily(`^\s*(?:(?:p|pp|puts|print|println|printf|echo|log|list|rows|var_dump|print_r|dump|dd|fmt\.Print\w*|console\.(?:log|table|dir)|` +
		`System\.out\.print\w*)\b[\s(!]*(?:\w+\()?)?` +
		`(?:[\w.,:<>\[\]* ]*=\s*|(?:if|return|assert|require|await|err)\b[^"'` + "`" + `;]*?)?(?:await\s+)?(\w+)(?:\.\w+)??\.` +
		`((?i:must\w*|exec\w*|query\w*|execute\w*|run\w*|sql|raw|do|fetch\w*|get\w*|select\w*|update\w*))\(\s*(?:(?:ctx|context\.\w+\(\)|c)\s*,\s*)?(?:text\()?[rRuU]?` +
		`("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|` + "`[^`]*`" + `)\)?(.*)$`)
	// verb is the beginning or the end of a transaction that a program asks for by a call.
	verb = lazily(`^\s*(?:(?:require|assert|check|must|if|return|try|t|expect|\w+\.\w+)\b[^"'` + "`" + `;]*?[\s(])?` +
		`(?:[\w.,: ]*=\s*|await\s+)*(\w+)\.((?i:commit|rollback|begin|start_?transaction|begin_?transaction))\(\s*(?:ctx|context\.\w+\(\))?\s*\)`)
	// derived is an object that sends what another one's connection sends.
	derived = lazily(`^\s*(?:\w+\s+)?(\w+)\s*(?:,\s*\w+\s*)?:?=\s*(?:await\s+)?(\w+)\.(?i:cursor|createStatement)\(`)
	// derivedIn is the same for a block.
	derivedIn = lazily(`^\s*(?:async\s+)?with\s+(\w+)\.cursor\([^)]*\)\s+as\s+(\w+)\s*:`)
	// callBehind is a statement whose sender stands behind it: query("…").execute(&mut *tx1), new MySqlCommand("…", conn1).
	callBehind = lazily(`\b(?:query\w*!?(?:::<[^("]*>)?|\w*Command)\(\s*` +
		`r?#?("(?:[^"\\]|\\.)*")#?\s*` +
		`(?:\)(.*?)\.(?:execute|fetch\w*)\(\s*(?:&\s*)?(?:mut\s+)?\*?(\w+)|,\s*(\w+)\s*(?:,\s*\w+\s*)?\))`)
	// asks is a call with a statement, in whatever form.
	asks = lazily(`\.\w*(?i:exec|query|execute|select|insert|update|delete|prepare)\w*!?(?:::<[^("]*>)?\(\s*(?:ctx,\s*)?[rRuUfFbB]?("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')`)
	// opened is a transaction as an object of its own.
	opened = lazily(`^\s*(?:(?:const|let|var|final|auto|using|await|mut)\s+)*(?:[A-Z]\w*\s+)?(\w+)(?:\s*,\s*\w+)?\s*:?=\s*(?:await\s+)?\w+\.` +
		`(?i:begin|beginTx|begin_?transaction|transaction)\(`)
	cursors = lazily(`\.cursor\(`)
	// commits is what makes a connection of Python's commit each statement.
	commits = lazily(`(?i)\b(\w+)\.(?:autocommit\s*=\s*True|autocommit\(True\)|set_session\([^)]*autocommit\s*=\s*True)|autocommit\s*=\s*True`)
	// together at once: what runs side by side, or more than once, is in no order that the text shows.
	atOnce = lazily(`^\s*(?:go\s+(?:func\b|\w+\()|(?:for|while)\b|.*\b(?:threading\.|Thread\(|asyncio\.gather|Promise\.all|errgroup|std::thread|pool\.submit|concurrent\.))`)
	// unreadable is a call whose statement is no string by itself.
	unreadable = lazily(`^\s*(?:[\w.,: ]*=\s*)?(\w+)\.(?i:must(?:exec|query)|exec|execute|executeUpdate|executeQuery)\(\s*(?:ctx\s*,\s*)?\w+\s*[,)]`)
	holders    = lazily(`\?|%s|\$\d|:\w+`)
)

// helperCall is a function of the program's own that is given the connection first, and then the statement.
var helperCall = lazily(`^\s*(?:await\s+)?(?:\w+\.)?(?i:exec\w*|run\w*|query\w*|sql|send)\(\s*(\w+)\s*,\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\s*(\).*|,.*)$`)

// calls are the calls of a line, where several stand on it: "a.commit(); b.commit();".
func calls(line string) (out []string) {
	depth, quote, from := 0, byte(0), 0
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case quote != 0 && c == '\\' && quote != '`':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case strings.HasPrefix(line[i:], "//"):
			return append(out, line[from:])
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ';' && depth == 0:
			out, from = append(out, line[from:i+1]), i+1
		}
	}
	if strings.TrimSpace(line[from:]) != "" || len(out) == 0 {
		out = append(out, line[from:])
	}
	return out
}

// sent takes a line of a program apart that sends a statement: who sends it, what, and what stands behind.
func sent(line string) (who, quoted, rest string, ok bool) {
	if m := call.FindStringSubmatch(line); m != nil {
		return m[1], m[3], m[4], true
	}
	if m := callBehind.FindStringSubmatch(line); m != nil {
		return m[3] + m[4], m[1], m[2], true
	}
	if m := helperCall.FindStringSubmatch(line); m != nil {
		return m[1], m[2], m[3], true
	}
	return "", "", "", false
}

// arrows are PHP's and C++'s way to call; a name of PHP's has a dollar in front.
var arrows, dollars = lazily(`(\w|\))->(\w)`), lazily(`(^|[^\w'"$])\$([A-Za-z_])`)

// wholeCalls are the lines of a program; a text in backquotes, or in three quotes as Python has it, that goes over several stands on its first one.
func wholeCalls(text string) []string {
	lines := strings.Split(tripled.Replace(text), "\n")
	for i := 0; i < len(lines); i++ {
		const most = 200 // lines of one text
		if strings.HasPrefix(strings.TrimSpace(lines[i]), "```") || strings.Count(lines[i], "`")%2 == 0 {
			continue
		}
		for j := i + 1; j < min(len(lines), i+most); j++ {
			if strings.HasPrefix(strings.TrimSpace(lines[j]), "```") {
				break
			}
			if strings.Count(lines[j], "`")%2 == 1 {
				lines[i] = strings.Join(lines[i:j+1], " ")
				clear(lines[i+1 : j+1])
				i = j
				break
			}
		}
	}
	return lines
}

var tripled = strings.NewReplacer(`"""`, "`", "'''", "`")

// asCalls writes the calls of a line as most languages have them.
func asCalls(line string) string {
	if !strings.Contains(line, "->") {
		return line
	}
	return dollars.ReplaceAllString(arrows.ReplaceAllString(line, "$1.$2"), "$1$2")
}

// isProgram says whether a text is a program that sends its statements one by one, and nothing else that has statements.
func isProgram(text string) bool {
	sends, ends := 0, 0
	for _, line := range wholeCalls(text) {
		line = asCalls(strings.TrimSpace(line))
		if isStatement(line) && strings.HasSuffix(line, ";") {
			return false
		}
		for _, one := range calls(line) {
			if _, quoted, _, ok := sent(one); ok && isStatement(literal(quoted)) {
				sends++
			} else if verb.MatchString(one) {
				ends++
			}
		}
	}
	const least = 3
	return sends >= 2 && sends+ends >= least
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
	p := programReader{s: s, of: map[string]string{}, open: map[string]bool{}, plain: map[string]bool{}, senders: map[string]bool{}}
	lines := wholeCalls(s.text)
	for i := range lines {
		lines[i] = asCalls(lines[i])
	}
	for _, line := range lines {
		for _, one := range calls(line) {
			if who, _, _, ok := sent(one); ok {
				p.senders[who] = true
			}
		}
		p.implicit = p.implicit || cursors.MatchString(line)
		if m := commits.FindStringSubmatch(line); m != nil {
			p.plain[m[1]] = true
		}
	}
	p.whoCommits(lines)
	clear(p.of)
	for i, line := range lines {
		for _, one := range calls(line) {
			if err := p.line(i+1, one); err != nil {
				return nil, err
			}
		}
	}
	if p.implicit || len(p.begins) > 0 {
		s.notes = append(s.notes, Note{1, "a transaction begins with the first statement, as the program's connections do it, unless they commit each statement", false})
	}
	s.tablesFirst()
	if !slices.ContainsFunc(s.out, func(x piece) bool { return word(x.sql, 0) == "CREATE" }) {
		var said []piece // tables and rows in the prose around it
		for _, x := range sentences(s) {
			if defines(x.sql) && word(x.sql, 0) != "DROP" {
				x.tag = setupTag
				said = append(said, x)
			}
		}
		s.out = append(said, s.out...)
	}
	if err := s.doubt(); err != nil {
		return nil, err
	}
	return []*scanner{s}, nil
}

// programReader follows what a program sends.
type programReader struct {
	s        *scanner
	of       map[string]string // the connection of a cursor
	senders  map[string]bool   // objects that send statements
	implicit bool              // transactions begin by themselves
	plain    map[string]bool   // connections that commit each statement; "": all
	begins   map[string]bool   // connections that commit and never begin
	open     map[string]bool
}

// whoCommits finds the connections that commit what they never begin: their transactions begin by themselves.
func (p *programReader) whoCommits(lines []string) {
	begun := map[string]bool{}
	p.begins = map[string]bool{}
	var all []string
	for _, line := range lines {
		all = append(all, calls(line)...)
	}
	for _, line := range all {
		p.derive(line)
		if m := opened.FindStringSubmatch(line); m != nil {
			begun[p.connection(m[1])] = true
		} else if m := verb.FindStringSubmatch(line); m != nil && !strings.HasPrefix(strings.TrimSpace(line), "defer ") {
			if name := strings.ToLower(m[2]); name == "commit" || name == "rollback" {
				p.begins[p.connection(m[1])] = true
			} else {
				begun[p.connection(m[1])] = true
			}
		} else if who, quoted, _, ok := sent(line); ok {
			switch w := word(literal(quoted), 0); {
			case w == "BEGIN" || w == "START", autocommit.MatchString(literal(quoted)):
				begun[p.connection(who)] = true
			}
		}
	}
	for who := range begun {
		delete(p.begins, who)
	}
}

// derive notes whose connection a cursor is from this line on.
func (p *programReader) derive(line string) {
	if m := derived.FindStringSubmatch(line); m != nil {
		p.of[m[1]] = m[2]
	}
	if m := derivedIn.FindStringSubmatch(line); m != nil {
		p.of[m[2]] = m[1]
	}
	if m := openedOf.FindStringSubmatch(line); m != nil && p.senders[m[2]] && !p.senders[m[1]] { // … whose own statements it holds: SQLAlchemy
		p.of[m[1]] = m[2]
	}
	if m := ofConnection.FindStringSubmatch(line); m != nil { // a transaction that its connection's commands name
		p.of[m[1]] = m[2]
	}
}

// openedOf is a transaction as an object with the connection that it is of.
var openedOf = lazily(`^\s*(?:(?:const|let|var|final|auto|using)\s+)*(\w+)\s*:?=\s*(?:await\s+)?(\w+)\.(?i:begin|begin_?transaction|transaction)\(`)

// ofConnection is a transaction as an object beside its connection, which its statements name, too: C#.
var ofConnection = lazily(`^\s*(?:(?:using|await|var)\s+)*(\w+)\s*=\s*(?:await\s+)?(\w+)\.BeginTransaction(?:Async)?\(\s*(?:IsolationLevel\.\w+)?\s*\)`)

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

// programLevel is the level that a call asks for.
var (
	programLevel = lazily(`(?:IsolationLevel\.|sql\.Level|pgx\.)(ReadUncommitted|ReadCommitted|RepeatableRead|Serializable)\b`)
	wordsApart   = lazily(`([a-z])([A-Z])`)
)

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
	p.derive(line)
	if who, quoted, rest, ok := sent(line); ok {
		sql := strings.TrimRight(literal(quoted), "; \t\n")
		switch {
		case !isStatement(sql):
			return nil
		case (strings.HasPrefix(strings.TrimSpace(rest), ",") || strings.Contains(rest, ".bind(")) && holders.MatchString(sql):
			if sql, ok = withValues(sql, rest); !ok {
				return fail("%s has values that stand beside the statement: write them into it")
			}
			rest = ""
		case strings.HasPrefix(strings.TrimSpace(rest), "+"), strings.HasPrefix(strings.TrimSpace(rest), "%"):
			return fail("%s puts its statement together: write it out")
		}
		for _, one := range statements(sql) {
			p.send(n, p.connection(who), one, rest)
		}
		return nil
	}
	if m := opened.FindStringSubmatch(line); m != nil {
		if level := programLevel.FindStringSubmatch(line); level != nil {
			p.send(n, p.connection(m[1]), "SET TRANSACTION ISOLATION LEVEL "+strings.ToUpper(wordsApart.ReplaceAllString(level[1], "$1 $2")), "")
		}
		p.send(n, p.connection(m[1]), "BEGIN", "")
		return nil
	}
	if m := verb.FindStringSubmatch(line); m != nil && !strings.HasPrefix(strings.TrimSpace(line), "defer ") {
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
	if m := asks.FindStringSubmatch(line); m != nil && isStatement(literal(m[1])) {
		return fail("%s sends a statement in a way that is not read: write the statements by themselves, each with its session in front (T1> …;)")
	}
	return nil
}
