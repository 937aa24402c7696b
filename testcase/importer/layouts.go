package importer

import (
	"fmt"
	"slices"
	"strings"
)

var (
	// boxed writes the lines of boxes as tables have them.
	boxed = strings.NewReplacer("│", "|", "┃", "|", "║", "|", "─", "-", "━", "-", "═", "-",
		"┌", "+", "┐", "+", "└", "+", "┘", "+", "├", "+", "┤", "+", "┬", "+", "┴", "+", "┼", "+",
		"╔", "+", "╗", "+", "╚", "+", "╝", "+", "╠", "+", "╣", "+", "╦", "+", "╩", "+", "╬", "+", "╪", "+")
	boxStart = lazily(`^\s*[│┃║┌├└╔╠╚]`)
	// monospaced is code in a line of Jira's.
	monospaced = lazily(`\{\{([^{}\n]+)\}\}`)
	// inFront is a session's mark in front of what it does; beside are those of one line, with bars between.
	inFront = lazily(`(?i)^\s*(` + anySession + `)\s?[:>]\s*`)
	// chatLine is the head of what somebody wrote in a chat: a name and a time.
	chatLine = lazily(`^\s*\**([A-Za-z][\w.-]{0,20})\**(?: APP)?[ \t,]+\[?\d{1,2}:\d\d(?::\d\d)?(?:\s?[AP]M)?\]?:?\s*$`)
	// deadlockHead begins InnoDB's report of a deadlock, which ends with deadlockEnd.
	deadlockHead = lazily(`^\s*(?:LATEST DETECTED DEADLOCK|\*\*\* \(1\) TRANSACTION:)\s*$`)
	deadlockEnd  = lazily(`^\s*\*\*\* WE ROLL BACK TRANSACTION \(\d+\)`)
	// clientOwn is a command of psql's or of SQLite's shell, which no server sees; psqlAutocommit is one that changes what a server is sent.
	clientOwn = lazily(`^((?:\s*\S{0,40}?[=#>]\S{0,3}\s)?\s*)(\\(?:timing|set|unset|pset|c|connect|x|echo|encoding|conninfo|d\w*\+?|l\+?|a|t|watch|q|g|gx)\b.*|` +
		`\.(?:open|mode|headers?|timeout|timer|echo|changes|width|nullvalue|eqp|bail|print|tables|schema|separator|log|stats|shell|show|once|output|prompt|explain)\b.*)$`)
	psqlAutocommit = lazily(`(?i)^\\set\s+autocommit\s+'?off\b`)
	// arrow is what somebody sends in a diagram of Mermaid's.
	arrow   = lazily(`^\s*(\w[\w -]{0,20}?)\s*-{1,2}(?:>>|>|x|\))[+-]?\s*\w[\w -]*?\s*:\s*(.+?)\s*$`)
	mermaid = lazily("^\\s*(?:```|~~~|:::)\\s*mermaid\\b")
	dotMark = lazily(`(?i)^\s*(` + anySession + `)\.\s?([a-z].*)$`)
	// closeMark is a session with a colon and nothing behind it, wideMark one with nothing but blanks.
	closeMark = lazily(`(?i)^\s*(` + anySession + `):([A-Za-z(].*)$`)
	wideMark  = lazily(`(?i)^\s*(` + anySession + `)(?:\t| {2})\s*(\S.*)$`)
	// hashPrompt is a session as a shell's prompt; letterBracket and barMark are letters and numbers with brackets around them, or a bar
	// behind; timeMark is a session behind the time or the step of its statement.
	hashPrompt    = lazily(`(?i)^\s*(` + anySession + `)\s?[#$%]\s+(\S.*)$`)
	letterBracket = lazily(`^\s*\[([A-Ha-h])\]:?\s+(\S.*)$`)
	barMark       = lazily(`^\s*(\d{1,2}|[A-H])\s*\|\s*([^|]*[^|\s])\s*$`)
	timeMark      = lazily(`(?i)^\s*(?:t|step\s?|time\s?)\d{1,3}\s*[:.)|-]?\s+(` + anySession + `)\s*[:>]?\s+(\S.*)$`)
	atMark        = lazily(`^\s*@(\d{1,2}|[a-z]\w{0,10})[: ]\s*(.+)$`)
	bulleted      = lazily(`^(\s*)(?:[-*+•]|\d{1,2}[.)]) +`)
)

// laidOut writes layouts in which people and programs show schedules as statements with marks; lines stay where they are.
func (s *scanner) laidOut() {
	lines := strings.Split(s.text, "\n")
	for i, line := range lines {
		if boxStart.MatchString(line) {
			line = boxed.Replace(line)
		}
		if strings.Contains(line, "{{") {
			line = monospaced.ReplaceAllStringFunc(line, func(m string) string {
				if inner := strings.TrimSpace(m[2 : len(m)-2]); isStatement(inner) {
					return "`" + inner + "`"
				}
				return m
			})
		}
		lines[i] = line
	}
	s.mails(lines)
	s.traces(lines)
	s.records(lines)
	markups(lines)
	spelt(lines)
	s.shells(lines)
	consoles(lines)
	s.clientsOwn(lines)
	s.deadlocks(lines)
	s.diagrams(lines)
	s.shownTables(lines)
	chained(lines)
	s.sentences(lines)
	s.prepares(lines)
	chats(lines)
	heads(lines)
	besides(lines)
	dotted(lines)
	marksLast(lines)
	prompts(lines)
	for i := range lines {
		if moment.MatchString(lines[i]) {
			lines[i] = ""
		}
	}
	named(lines)
	unbulleted(lines)
	s.text = strings.Join(lines, "\n")
}

// clientsOwn leaves out commands of clients, which no server sees.
func (s *scanner) clientsOwn(lines []string) {
	for i, line := range lines {
		m := clientOwn.FindStringSubmatch(line)
		if m == nil || changesDatabase.MatchString(line) {
			continue
		}
		missing, said := psqlAutocommit.MatchString(m[2]), ""
		if missing {
			said = ": each session that says so begins a transaction with its next statement, which BEGIN says here"
		}
		s.notes = append(s.notes, Note{i + 1, fmt.Sprintf("left out: %s is the client's own%s", quote(strings.TrimSpace(m[2])), said), missing})
		lines[i] = ""
	}
}

// deadlocks leaves out InnoDB's reports of deadlocks: they tell of each transaction the statement that waited, and no other.
func (s *scanner) deadlocks(lines []string) {
	for i := 0; i < len(lines); i++ {
		if !deadlockHead.MatchString(lines[i]) {
			continue
		}
		end := i + slices.IndexFunc(lines[i:], deadlockEnd.MatchString)
		if end < i {
			continue
		}
		s.notes = append(s.notes, Note{i + 1, "InnoDB's report of a deadlock is left out: of each transaction it has the statement that waited, and no other", false})
		for ; i <= end; i++ {
			lines[i] = ""
		}
	}
}

// diagrams writes what is sent in sequence diagrams of Mermaid's as statements of who sends it.
func (s *scanner) diagrams(lines []string) {
	inside := false
	for i, line := range lines {
		switch {
		case mermaid.MatchString(line):
			inside = true
		case inside && strings.HasPrefix(strings.TrimSpace(line), "```"):
			inside = false
		case inside:
			lines[i] = ""
			if m := arrow.FindStringSubmatch(line); m != nil && isStatement(m[2]) {
				lines[i] = "/* " + sessionOf(m[1]) + " */ " + strings.TrimSuffix(m[2], ";") + ";"
			}
		}
	}
}

// sessionOf is a name as that of a session.
func sessionOf(name string) string {
	if wholeSession.MatchString(name) {
		return name
	}
	return "session " + name
}

// chats writes the heads of what people wrote in a chat as headings of sessions, numbered as they come.
func chats(lines []string) {
	var names []string
	n := 0
	for _, line := range lines {
		if m := chatLine.FindStringSubmatch(line); m != nil {
			n++
			if !slices.Contains(names, m[1]) {
				names = append(names, m[1])
			}
		}
	}
	if len(names) < 2 || len(names) > most || n <= len(names) {
		return
	}
	for i, line := range lines {
		if m := chatLine.FindStringSubmatch(line); m != nil {
			lines[i] = fmt.Sprintf("session %d (%s):", 1+slices.Index(names, m[1]), m[1])
		}
	}
}

// ownHead is a line that may name a session in its text's own way, above what that session does: "Alice:", "**The writer:**".
var (
	ownHead = lazily(`^\s*(?:#+\s+|--+\s*|//+\s*)?[*_]{0,2}((?:the\s+)?[A-Za-z][\w-]{0,20}(?: [A-Za-z0-9][\w-]{0,20})?)(?: \([^()]{0,40}\))?:[*_]{0,2}\s*$`)
	// saidHead is a remark that says over which connection the statements below it are sent.
	saidHead = lazily(`(?i)^\s*(?:--+|#+|//+)\s*(?:connection|session|client|user|console|window|tab|data ?source)\s*[:=]\s*(\S.{0,60}?)\s*$`)
	noHead   = lazily(`(?i)\b(?:set-?up|schema|tables?|data|rows?|initial\w*|expect\w*|actual\w*|results?|outputs?|returns?|prints?|shows?|get|gets|see|sees|` +
		`then|next|now|finally|after\w*|before|first|second|third|last|again|case|cases|works?|not|fails?|ok|bug|note|notes|hint|example|` +
		`steps?|query|queries|statements?|run|repeat|reproduce|test|verify|check|clean\w*|teardown|version|create|insert|update|` +
		`delete|select|begin|commit|rollback|left|right|upper|lower|both|each|where|with|and|or|this|that|here|it|also|same|other|detail|statement|context|log|warning|error|answer|sql|code)\b`)
)

// heads writes lines that name sessions in the text's own way, where one comes again, as headings of sessions numbered as they come.
func heads(lines []string) {
	speaks := func(i int) bool {
		for _, next := range lines[i+1:] {
			if next = strings.TrimSpace(next); next != "" && !fence.MatchString(next) {
				return isStatement(withoutPrompt(next))
			}
		}
		return false
	}
	seen := map[string]int{}
	var names []string
	name := func(i int) string {
		if m := saidHead.FindStringSubmatch(lines[i]); m != nil && !wholeSession.MatchString(m[1]) && speaks(i) {
			return strings.ToLower(m[1])
		}
		m := ownHead.FindStringSubmatch(lines[i])
		if m == nil || noHead.MatchString(m[1]) || handsOver(lines[i]) != "" || !speaks(i) {
			return ""
		}
		return strings.ToLower(m[1])
	}
	for i := range lines {
		if who := name(i); who != "" {
			if seen[who]++; seen[who] == 1 {
				names = append(names, who)
			}
		} else if ownHead.MatchString(lines[i]) && handsOver(lines[i]) != "" {
			return // sessions have other names
		}
	}
	if len(names) < 2 || !areSessions(seen) && !slices.ContainsFunc(names, func(who string) bool { return seen[who] > 1 }) {
		return
	}
	for i := range lines {
		if who := name(i); who != "" {
			lines[i] = fmt.Sprintf("session %d (%s):", 1+slices.Index(names, who), who)
		}
	}
}

// prepares writes a sentence behind which tables and rows stand on its line as those alone.
func (s *scanner) prepares(lines []string) {
	for i, line := range lines {
		if m := setupBehind.FindStringSubmatch(line); m != nil && isStatement(m[2]) && !strings.ContainsAny(m[1], ";`'|") {
			s.notes = append(s.notes, Note{i + 1, "left out: " + quote(strings.TrimSpace(m[1])) + " is no SQL statement", false})
			lines[i] = m[2]
		}
	}
}

// setupBehind is such a sentence.
var setupBehind = lazily(`(?i)^(\s*[^-#/\s].*[.,:;)]\s+(?:the )?(?:set-?up|preparation|schema|tables?|given|ddl)\s*(?:is|are)?:?)\s+(create\s+table\b.*;.*)$`)

// besides writes what two sessions do on one line, with a bar between and a mark in front of each, one behind the other.
func besides(lines []string) {
	for i, line := range lines {
		if !strings.Contains(line, "|") {
			continue
		}
		var b strings.Builder
		marks := 0
		for _, cell := range strings.Split(line, "|") {
			if cell = strings.TrimSpace(cell); cell == "" {
				continue
			}
			m := inFront.FindString(cell)
			if m == "" || !isStatement(cell[len(m):]) {
				marks = -1
				break
			}
			marks++
			if at := strings.Index(cell, "--"); at >= 0 && !strings.ContainsAny(cell[at:], "'\"") { // a remark ends with its line
				cell = cell[:at] + "/* " + strings.ReplaceAll(strings.TrimSpace(strings.TrimLeft(cell[at:], "- ")), "*/", "") + " */"
			} else if !strings.HasSuffix(cell, ";") {
				cell += ";"
			}
			b.WriteString(cell + " ")
		}
		if marks > 0 {
			lines[i] = strings.TrimRight(b.String(), " ")
		}
	}
}

// dotted writes "t1.update t set a = 1" and "@1 begin" with marks as others have them.
func dotted(lines []string) {
	for _, re := range []*pattern{dotMark, atMark, closeMark, wideMark, hashPrompt, letterBracket, barMark, timeMark} {
		seen := map[string]int{}
		for _, line := range lines {
			if m := re.FindStringSubmatch(line); m != nil && isStatement(m[2]) {
				seen[m[1]]++
			}
		}
		if !areSessions(seen) {
			continue
		}
		var names []string // of their own
		for i, line := range lines {
			if m := re.FindStringSubmatch(line); m != nil && isStatement(m[2]) {
				name := sessionOf(m[1])
				if len(m[1]) > 1 && !wholeSession.MatchString(m[1]) && !wholeNumber.MatchString(m[1]) {
					if !slices.Contains(names, m[1]) {
						names = append(names, m[1])
					}
					name = fmt.Sprintf("session %d", 1+slices.Index(names, m[1]))
				}
				lines[i] = "/* " + name + " */ " + m[2]
				if !strings.Contains(m[2], ";") {
					lines[i] += ";"
				}
			}
		}
	}
}

// lastMark is a session in parentheses or brackets at the end of its statement's line.
var lastMark = lazily(`(?i)^(.*[^\s,(])\s+[(\[](` + anySession + `)[)\]]\s*;?\s*$`)

// marksLast writes sessions that stand in parentheses or brackets behind their statements in front of them, where nearly all have one.
func marksLast(lines []string) {
	seen, spoken, marked := map[string]int{}, 0, 0
	mark := func(line string) []string {
		m := lastMark.FindStringSubmatch(line)
		if m == nil || !isStatement(withoutPrompt(m[1])) {
			return nil
		}
		return m
	}
	for _, line := range lines {
		if m := mark(line); m != nil {
			marked++
			seen[normal(m[2])]++
		} else if isStatement(withoutPrompt(line)) && !defines(withoutPrompt(line)) {
			spoken++
		}
	}
	if !areSessions(seen) || marked < 4*spoken {
		return
	}
	for i, line := range lines {
		if m := mark(line); m != nil {
			lines[i] = "/* " + m[2] + " */ " + strings.TrimSuffix(withoutPrompt(m[1]), ";") + ";"
		}
	}
}

var (
	// processPrompt is a prompt of psql's with the process in front; bracketed, a session in brackets with an equals sign.
	processPrompt = lazily(`^\s*\[(\d{2,7})\]\s+[\w.-]{1,40}(=[*!^?]?[#>]\s)`)
	bracketed     = lazily(`(?i)^\s*\[(session|conn|connection|client|thread|trx|tx|txn)(?:_?id)?\s*[=:]\s*(\d{1,7})\]:?\s*(.*)$`)
)

// took is how long a statement took, behind it.
var took = lazily(`;?\s+\(\d+(?:\.\d+)?\s?(?:s|ms|sec)\)\s*$`)

var (
	// windowPrompt is a client's prompt with a name in brackets, of a database or of a window.
	windowPrompt = lazily(`(?i)^\s*(?:mysql|mariadb|tidb)\s*[\[(]+(\w+)[\])]+\s*>\s`)
	changesTo    = lazily(`(?i)>\s*(?:use\s|\\u\s|create\s+database|drop\s+database)`)
	// moment is a line that says when what stands below it is sent.
	moment = lazily(`(?i)^\s*t\s*[+=]\s*\d+(?:\.\d+)?\s*(?:s|ms)?:?\s*$`)
)

// prompts writes the prompts of windows that have names of their own, and go on in turn, with their sessions.
func prompts(lines []string) {
	var names []string
	turns, last := 0, ""
	for _, line := range lines {
		if m := windowPrompt.FindStringSubmatch(line); m != nil {
			if changesTo.MatchString(line) {
				return // one window, which goes to another database
			}
			if !slices.Contains(names, m[1]) {
				names = append(names, m[1])
			}
			if m[1] != last {
				turns, last = turns+1, m[1]
			}
		}
	}
	if len(names) < 2 || turns <= len(names) || slices.ContainsFunc(names, wholeSession.MatchString) {
		return
	}
	for i, line := range lines {
		if m := windowPrompt.FindStringSubmatch(line); m != nil {
			lines[i] = fmt.Sprintf("session %d> ", 1+slices.Index(names, m[1])) + line[len(m[0]):]
		}
	}
}

// named writes sessions that are told by a number of the server's in brackets as others have them.
func named(lines []string) {
	for i, line := range lines {
		if m := processPrompt.FindStringSubmatch(line); m != nil {
			lines[i] = "s" + m[1] + m[2] + line[len(m[0]):]
		} else if m := bracketed.FindStringSubmatch(line); m != nil && isStatement(m[3]) {
			m[3] = took.ReplaceAllString(m[3], "")
			lines[i] = "/* " + m[1] + " " + m[2] + " */ " + strings.TrimSuffix(m[3], ";") + ";"
		}
	}
}

// unbulleted takes the marks of a list away where its entries are statements, and sessions' names above them.
func unbulleted(lines []string) {
	found := 0
	for _, line := range lines {
		if m := bulleted.FindString(line); m != "" && strings.ContainsAny(m, "-*+•") && isStatement(line[len(m):]) && strings.Contains(line, ";") {
			found++
		}
	}
	if found < 2 {
		return
	}
	for i, line := range lines {
		m := bulleted.FindString(line)
		if m == "" {
			continue
		}
		if rest := line[len(m):]; isStatement(rest) && strings.ContainsAny(m, "-*+•") || wholeSession.MatchString(strings.Trim(rest, decoration)) {
			lines[i] = rest
		}
	}
}
