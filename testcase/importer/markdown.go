package importer

import (
	"slices"
	"strings"

	"txweave/sqltext"
)

var (
	fenceLine  = lazily("^\\s*(?:>\\s*)?(```+|~~~+)\\s*([\\w+-]*)")
	jiraFence  = lazily(`^\s*\{(?:code|noformat)(?::[^}]*)?\}\s*$`)
	jiraTitle  = lazily(`\btitle=([^|}]+)`)
	otherLangs = lazily(`(?i)^(?:json|ya?ml|go|java|python|py|bash|sh|shell|log|diff|c|cpp|c\+\+|xml|html|js|toml|ini|conf|dockerfile)$`)
	// results are headings of what a report expects, saw, and ran on.
	results = lazily(`(?i)\b(?:expect|instead|actual|version|environment|output|stack ?trace|log|workaround|cause|analysis|answers)\w*\b`)
	marks   = lazily("[*_`#>]+|^\\s*(?:[-+]|\\d+[.)])\\s+")
)

// fenced says whether statements stand in fences, with prose around them.
func fenced(text string) bool {
	inside := false
	for _, line := range strings.Split(text, "\n") {
		if fenceLine.MatchString(line) || jiraFence.MatchString(line) {
			inside = !inside
			continue
		}
		if inside && (isStatement(withoutPrompt(line)) || commentTag.MatchString(line)) {
			return true
		}
	}
	return false
}

// maxFences is how many fences a text may have.
const maxFences = 1000

// block is what stands in one fence.
type block struct {
	line    int // of its first line, from 1
	lines   []string
	heading string // the last one above it
	lead    string // the last line of prose above it
	tag     string // session that the prose right above names
	setup   bool   // tables and rows in a sentence
}

// readFenced reads the fences of a Markdown text. Fences without statements, and those below a heading that speaks of results,
// are what somebody saw. A fence that has sessions of its own, and comes after one that has too and in which all has ended, is
// another schedule over the same set-up.
func readFenced(s *scanner) ([]*scanner, error) {
	blocks := blocksOf(s)
	if len(blocks) > maxFences {
		return nil, s.errorf(0, "more than %d fences: no report has that many", maxFences)
	}
	var shared []piece // set-up before the first schedule
	var parts []*scanner
	var current *scanner
	for _, b := range blocks {
		if s.isRows(b, current, &shared) || current.isOrder(b) {
			continue
		}
		if !b.speaksSQL() || current != nil && results.MatchString(b.heading+" "+b.lead) && len(current.out) > 0 &&
			(current.ended() || b.tag == "" && len(current.tags()) > 1) {
			s.notes = append(s.notes, Note{b.line, "a fence that is no part of the schedule is left out", false})
			continue
		}
		p := s.part(b.lead, b.line)
		if isMTR(strings.Join(b.lines, "\n")) {
			if current != nil && current.ended() {
				s.notes = append(s.notes, Note{b.line, "an mtr test after the schedule is left out", false})
				continue
			}
			p.text, p.base = strings.Join(b.lines, "\n"), b.line-1
			tests, err := readMTR(p)
			if err != nil {
				return nil, err
			}
			tests[0].out = append(slices.Clone(shared), tests[0].out...)
			parts = append(parts, tests...)
			current = tests[len(tests)-1]
			continue
		}
		p.text, p.base = withoutContinuations(strings.Join(b.lines, "\n")), b.line-1
		p.names = map[string]string{}
		if b.tag != "" {
			p.sticky, p.headed = p.session(b.tag), b.line
		}
		if err := p.scan(); err != nil {
			return nil, err
		}
		sessions := p.tags()
		other := contrast.MatchString(b.lead+":") && p.transacts()
		if other {
			p.contrasts = []int{b.line}
		}
		switch {
		case current == nil && len(sessions) == 0 && !p.transacts():
			shared = append(shared, p.out...)
			for i := range shared {
				shared[i].tag = setupTag
			}
		case current == nil, other && len(current.contrasts) > 0 && current.ended(), b.tag == "" && len(sessions) > 1 && len(current.tags()) > 1 && current.ended() && p.transacts():
			p.out = append(slices.Clone(shared), p.out...)
			parts = append(parts, p)
			current = p
			current.fences = 1
		default:
			current.fences++
			current.spoken = append(current.spoken, p.spoken...)
			current.out, current.order = append(current.out, p.out...), append(current.order, p.order...)
			current.callAs(p)
		}
	}
	if current == nil && len(shared) > 0 {
		p := s.part("", shared[0].line)
		for i := range shared {
			shared[i].tag = ""
		}
		p.out = shared
		parts = []*scanner{p}
	}
	if len(parts) == 0 {
		return nil, s.errorf(0, "no fence holds statements that can be read")
	}
	parts[0].notes = append(s.notes, parts[0].notes...)
	s.missed(parts)
	return parts, nil
}

// callAs takes the names of another part's sessions that have none here.
func (s *scanner) callAs(p *scanner) {
	for tag, name := range p.names {
		if s.names[tag] == "" {
			s.names[tag] = name
		}
	}
}

// blocksOf finds the fences and what stands above them.
func blocksOf(s *scanner) []*block {
	var out []*block
	var current *block
	head, lead, tag := "", "", ""
	for i, line := range strings.Split(s.text, "\n") {
		m := fenceLine.FindStringSubmatch(line)
		switch {
		case m != nil || jiraFence.MatchString(line):
			if current != nil {
				out = append(out, current)
				current, lead, tag = nil, "", ""
				continue
			}
			current = &block{line: i + 2, heading: head, lead: lead, tag: tag}
			if t := jiraTitle.FindStringSubmatch(line); m == nil && t != nil {
				current.lead, current.tag = t[1], namedSession(t[1])
			}
			if m != nil && otherLangs.MatchString(m[2]) {
				current.heading = "log"
				current.lines = nil
			}
		case current != nil:
			current.lines = append(current.lines, strings.TrimPrefix(line, "> "))
		case strings.TrimSpace(line) == "":
		default:
			if trimmed := strings.TrimSpace(line); strings.HasPrefix(trimmed, "#") || strings.HasPrefix(trimmed, "h3. ") {
				head = line
			}
			lead = strings.Trim(strings.TrimSpace(marks.ReplaceAllString(line, " ")), ": ")
			tag = namedSession(lead)
			if b := s.spelledOut(line); b != nil {
				b.line, b.heading = i+1, head
				out = append(out, b)
			} else if s.inline(i+1, line); !inlineSQL.MatchString(line) && (isStatement(withoutPrompt(line)) && strings.HasSuffix(strings.TrimSpace(line), ";") || strings.Contains(line, "|") &&
				slices.ContainsFunc(cellsOf(line, true), func(cell string) bool { return isStatement(withoutPrompt(asCode(cell))) })) {
				s.notes = append(s.notes, Note{i + 1, "left out: " + quote(strings.TrimSpace(line)) + " stands outside the fences", true})
			}
		}
	}
	if current != nil {
		out = append(out, current)
	}
	return out
}

// spelledOut makes a block of a sentence that says which statements a session runs: "In session 1 run `COMMIT`".
func (s *scanner) spelledOut(line string) *block {
	found := inlineSQL.FindAllStringSubmatch(line, -1)
	if len(found) == 0 {
		return nil
	}
	said := inlineSQL.ReplaceAllString(line, " ")
	all := speaksOf(said)
	b := &block{}
	switch m := codeMark.FindStringSubmatch(line); {
	case m != nil:
		b.tag = m[1]
		found = found[:1]
		if tale := strings.Trim(line[len(m[0])-1+len(found[0][0]):], " \t-=>→"); tale != "" && !inlineSQL.MatchString(tale) {
			found[0][1] = strings.TrimSuffix(strings.TrimSpace(found[0][1]), ";") + "; -- " + tale
		} else if tale != "" {
			return nil
		}
	case setupCode.MatchString(line) && defines(found[0][1]):
		b.setup = true
	case len(all) != 1 || !orders.MatchString(said) || tales.MatchString(said):
		return nil
	default:
		b.tag = all[0]
	}
	for _, m := range found {
		if !isStatement(m[1]) {
			return nil
		}
		if b.setup {
			m[1] = "/* init */ " + m[1]
		}
		if sql := strings.TrimSpace(m[1]); strings.Contains(sql, "; -- ") {
			b.lines = append(b.lines, sql)
		} else {
			b.lines = append(b.lines, strings.TrimSuffix(sql, ";")+";")
		}
	}
	return b
}

var (
	// codeMark is a session in front of its statement as code; setupCode, what stands in front of tables and rows.
	codeMark  = lazily("(?i)^\\s*(?:[-*+•]\\s+|\\d+[.)]\\s+)?\\**(" + anySession + ")\\**\\s*(?::|->|→|»|>|=>|-|–|—)\\**\\s*`")
	setupCode = lazily("(?i)^\\W*(?:\\d+[.)]\\s*)?(?:(?:first|then|now|and|next)[ ,]+)*" +
		"(?:create|insert|fill|add|make|set ?up|prepare|given|table|schema|rows?|data|with|populate)\\b[^`]{0,40}`")
)

// inline remembers statements as code in a line of prose outside the fences, which are not run.
func (s *scanner) inline(line int, text string) {
	whose := whoseSentence(text)
	for _, m := range inlineSQL.FindAllStringSubmatch(text, -1) {
		for _, sql := range statements(m[1]) {
			if len(whose) == 1 || defines(sql) && sqltext.Read(sql).Target != "" {
				s.unrun = append(s.unrun, unrun{line, sql})
			}
		}
	}
}

// unrun is a statement in a line of prose that nothing runs.
type unrun struct {
	line int
	sql  string
}

// missed notes those that no other line has: what is run may not be what the text is about.
func (s *scanner) missed(parts []*scanner) {
	for _, u := range s.unrun {
		if !slices.ContainsFunc(parts, func(p *scanner) bool {
			return slices.ContainsFunc(slices.Concat(p.out, p.order), func(q piece) bool { return strings.Contains(normalSQL(q.sql), normalSQL(u.sql)) })
		}) {
			parts[0].notes = append(parts[0].notes, Note{u.line, "left out: " + quote(u.sql) + " stands in a sentence, and nothing says that it is sent", true})
		}
	}
}

// named finds the one session that a line of prose speaks of.
var spokenSession = lazily(`(?i)\b(?:` + spelledSession + `)\b|` +
	`\b(?:session|transaction|txn|trx|tx|connection|conn|client|terminal|window|thread|user|psql|shell|tab|pane|console|prompt|sess)(?:[ _#-]{0,2}\d+|[ _#-]{1,2}(?-i:[A-H]))\b|` + foreignSession)

func namedSession(line string) string {
	if m := lastSentence.FindStringSubmatch(line + ":"); m != nil && len(speaksOf(line)) > 1 {
		line = strings.TrimSuffix(m[1], ":")
	}
	if len(line) > 60 {
		return ""
	}
	if m := heading.FindStringSubmatch(line); m != nil {
		return m[1]
	}
	all := spokenSession.FindAllString(line, -1)
	if len(all) != 1 {
		return ""
	}
	return all[0]
}

// speaksSQL says whether one of its lines begins a statement.
func (b *block) speaksSQL() bool {
	return slices.ContainsFunc(b.lines, func(line string) bool { return isStatement(withoutPrompt(line)) || commentTag.MatchString(line) })
}

// withoutPrompt is a line without what a client, or a report, puts in front of a statement.
func withoutPrompt(line string) string {
	line = strings.TrimSpace(line)
	for _, re := range []*pattern{clockTime, stepNumber, commentTag, countedTag, promptTag, bracketTag, parenTag, sandbox, barePrompt} {
		line = strings.TrimSpace(strings.TrimPrefix(line, re.FindString(line)))
	}
	return line
}

var continuation = lazily("(?m)^[ \\t]*(?:-|'|\"|`|/\\*)>[ \\t]?")

// withoutContinuations blanks what a client prints in front of the further lines of a statement.
func withoutContinuations(text string) string {
	if !anyPrompt.MatchString(text) {
		return text
	}
	return continuation.ReplaceAllStringFunc(text, func(m string) string { return strings.Repeat(" ", len(m)) })
}

// tags are the sessions of what was read.
func (s *scanner) tags() []string {
	var out []string
	for _, p := range s.out {
		if p.tag != "" && p.tag != setupTag && !slices.Contains(out, p.tag) {
			out = append(out, p.tag)
		}
	}
	return out
}

// transacts says whether it holds a transaction, or rows are read or changed.
func (s *scanner) transacts() bool {
	return slices.ContainsFunc(s.out, func(p piece) bool {
		switch word(p.sql, 0) {
		case "BEGIN", "START", "COMMIT", "ROLLBACK", "SELECT", "UPDATE", "DELETE", "WITH":
			return true
		}
		return false
	})
}

// ended says whether every transaction that has begun has ended.
func (s *scanner) ended() bool { return ended(s.out) }
