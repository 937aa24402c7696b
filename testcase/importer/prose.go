package importer

import (
	"slices"
	"strconv"
	"strings"
)

// mention is a session that a line names which is no statement.
type mention struct {
	session string // or everyone
	line    int
}

// everyone are all sessions.
const everyone = "*"

var (
	// orders are how prose hands over to a session: "Client 1 executes:", "now in session 2", "switch to terminal 1 and run".
	orders = lazily(`(?i)[:：]\s*$|中|执行|里|^\W*(?:now|then|next|and|back|again|switch|go|open|start|connect|use|run|execute|step|continue|return)\b|` +
		`^\W*(?:in|on|from|at|with|using)\b|\b(?:executes?|runs?|issues?|sends?|starts?|begins?|does|do|tries|updates?|inserts?|deletes?|selects?|reads?|writes?|commits?|continues?)\b`)
	// tales are how prose tells what became of a statement.
	tales = lazily(`(?i)\b(?:block(?:s|ed|ing)?|wait(?:s|ing|ed)?|hangs?|hung|is|was|are|were|has|had|sees?|saw|gets?|got|returns?|returned|shows?|fails?|failed|` +
		`errors?|deadlock|should|must|expect(?:s|ed)?|result|still|cannot|can't|does not|doesn't|holds?|because|but|while|when|until|which|that)\b`)
	// likeSQL is what a misspelt statement has and prose has not.
	likeSQL      = lazily(`(?i);|\b(?:from|into|set|values|where|table)\b.*[=(*]|[=*(].*\b(?:from|into|set|values|where|table)\b`)
	wholeSession = lazily(`(?i)^(?:` + anySession + `)$`)
	// behind is a session's mark behind a statement.
	behind = lazily(`(?im);[ \t]*(?:--|#|/\*)[ \t]*(?:` + anySession + `)[ \t]*(?:$|[,.:;(]|\*/)`)
)

// decoration stands around a heading.
const decoration = "-=#*/_~<>[]():;,. \t"

// prose takes a line between statements that is none. One that hands over to a session is a heading; others are left out, with a
// note. A remark on a line of its own may hand over too. It is false for what may be meant as a statement, and for other remarks.
func (s *scanner) prose() bool {
	const longest = 300 // of what people say between statements
	line := strings.TrimSpace(s.front())
	if len(line) > longest {
		return false
	}
	remark := isRemark(line) || strings.HasPrefix(line, "/*") && strings.Index(line, "*/") == len(line)-2
	switch {
	case s.tag != "" || s.dump || s.serial || strings.HasPrefix(line, "/*!"):
		return false
	case !remark && (strings.HasPrefix(line, "/*") || isStatement(line) || likeSQL.MatchString(line) && !likeProse(line)):
		return false
	}
	name := handsOver(line)
	if name == "" && !remark && s.speaksBelow() {
		name = subjectOf(line)
	}
	if name != "" && remark && toldSQL.MatchString(line) && !s.quotesNext(line) {
		return false // it tells of a statement, and does not hand over
	}
	if name == "" && remark {
		name = s.labelled(line)
	} else if name != "" && remark && wholeSession.FindString(strings.Trim(line, decoration)) == "" {
		s.jumps = append(s.jumps, mention{s.session(name), s.lineOf(s.pos)})
	} else if name != "" && !remark {
		s.head(s.session(name))
	}
	if m := stageLine.FindStringSubmatch(line); m != nil && !remark {
		s.stage, _ = strconv.Atoi(m[1])
		s.pos += len(s.rest())
		return true
	}
	if endsAll(line) {
		s.vows = append(s.vows, mention{everyone, s.lineOf(s.pos)})
	}
	s.beginsCase(line)
	if all := speaksOf(line); name == "" && len(all) == 1 {
		s.spoken = append(s.spoken, mention{normal(all[0]), s.lineOf(s.pos)})
		if ending.MatchString(line) {
			s.vows = append(s.vows, mention{normal(all[0]), s.lineOf(s.pos)})
		}
	} else if name == "" && ending.MatchString(line) {
		for _, who := range all {
			s.vows = append(s.vows, mention{normal(who), s.lineOf(s.pos)})
		}
	}
	if name != "" && ending.MatchString(line) {
		s.vows = append(s.vows, mention{normal(name), s.lineOf(s.pos)})
	}
	if name == "" {
		s.undecided(line, remark)
	}
	who, sql := deedOf(line)
	switch {
	case !remark && who != "" && slices.Contains(s.tags(), normal(who)) && !s.says(word(sql, 0)):
		s.notes = append(s.notes, Note{s.lineOf(s.pos), quote(line) + " is taken as a statement: " + sql, false})
		s.out = append(s.out, piece{line: s.lineOf(s.pos), tag: s.session(who), sql: sql})
	case !remark && outcome.MatchString(line) && s.saidAgain():
		s.notes = append(s.notes, Note{s.lineOf(s.pos), "what follows only repeats statements: left out, with " + quote(line), false})
		s.pos = len(s.text)
		return true
	case name != "" && !s.marked():
		s.sticky, s.headed = s.session(name), s.lineOf(s.pos)
	case remark || s.talks && len(s.out) > 0:
		return false // a remark on the statement before it, or what a client printed
	default:
		s.headed = 0
		tale := strings.Trim(line, decoration)
		if s.note(tale); len(s.out) > 0 && (waitsRemark.MatchString(tale) || errorRemark.MatchString(tale)) {
			break // kept, and compared with what comes now
		}
		s.inline(s.lineOf(s.pos), line)
		s.notes = append(s.notes, Note{s.lineOf(s.pos), "left out: " + quote(line) + " is no SQL statement", false})
	}
	s.pos += len(s.rest())
	return true
}

// likeProse says whether a line that has some of SQL's words is none for all that.
func likeProse(line string) bool {
	return everywhere.MatchString(line) || tellsOfRows(line) || colon.MatchString(line) && plain.MatchString(line)
}

// beginsCase remembers a line with which one of several experiments begins.
func (s *scanner) beginsCase(line string) {
	if caseHeading.MatchString(line) && !orderStart.MatchString(line) {
		s.cases = append(s.cases, s.lineOf(s.pos))
	}
	if contrast.MatchString(line) {
		s.contrasts = append(s.contrasts, s.lineOf(s.pos))
	}
}

// says whether the next line of the text that is not blank is such a statement.
func (s *scanner) says(verb string) bool {
	for line := range strings.Lines(s.text[s.pos+len(s.rest()):]) {
		if strings.TrimSpace(line) != "" {
			first := word(withoutPrompt(line), 0)
			return first == verb || first == "START" && verb == "BEGIN"
		}
	}
	return false
}

// label is a session's name in front of what it does, on a line of its own.
var label = lazily(`(?i)^\W*(` + anySession + `)\s*[:(–-]\s*[\pL ,'-]{2,40}\W*$`)

// head remembers a session that a line of its own names.
func (s *scanner) head(tag string) {
	if s.heads == nil {
		s.heads = map[string]bool{}
	}
	s.heads[tag] = true
}

// styled is a remark that begins with a session's name, and how it is marked as one.
var styled = lazily(`(?i)^((?:--+|#+|//+|/\*+)\s*)(` + anySession + `)\b`)

// nextSpeaks says whether the next line is a statement.
func (s *scanner) nextSpeaks() bool {
	return isStatement(strings.TrimSpace(lineOf(strings.TrimPrefix(s.text[s.pos+len(s.rest()):], "\n"))))
}

// prompted names the session of a remark that stands behind a client's prompt, and is nothing else.
func (s *scanner) prompted(remark string) string {
	before := s.text[strings.LastIndexByte(s.text[:s.pos], '\n')+1 : s.pos]
	if strings.TrimSpace(before) == "" || strings.TrimSpace(before) != strings.TrimSpace(barePrompt.FindString(strings.TrimSpace(before)+" ")) {
		return ""
	}
	return wholeSession.FindString(strings.Trim(remark, decoration))
}

// labelled names the session of a remark that stands like a heading, above a statement and below a blank line: "/* session 3: monitor */".
func (s *scanner) labelled(line string) string {
	m := styled.FindStringSubmatch(line)
	if m != nil && s.style != "" && m[1] == s.style && s.nextSpeaks() {
		return m[2]
	}
	m = label.FindStringSubmatch(line)
	if m == nil || tales.MatchString(line) || !isStatement(strings.TrimSpace(lineOf(strings.TrimPrefix(s.text[s.pos+len(s.rest()):], "\n")))) {
		return ""
	}
	if before := strings.TrimRight(s.text[:s.pos], " \t"); before != "" && !strings.HasSuffix(before, "\n\n") {
		return ""
	}
	return m[1]
}

// handsOver names the session that a line of prose hands over to; "" where it does not.
func handsOver(line string) string {
	if len(line) > longestProse || jointHead.MatchString(line) {
		return ""
	}
	line = strings.TrimRight(withLevel.ReplaceAllString(line, ""), " ")
	if name := wholeSession.FindString(strings.Trim(line, decoration)); name != "" {
		return name
	}
	if m := side.FindStringSubmatch(line); m != nil {
		return m[1] + " one"
	}
	if m := backTo.FindStringSubmatch(line); m != nil {
		return "session " + m[1]
	}
	if m := actsIn.FindStringSubmatch(line); m != nil && !tales.MatchString(line) {
		return m[1]
	}
	if m := goesBack.FindString(line); m != "" {
		if all := speaksOf(m); len(all) == 1 {
			return all[0]
		}
	}
	if m := lastSentence.FindStringSubmatch(line); m != nil { // whatever the one before it tells
		return handsOver(m[1])
	}
	if all := speaksOf(line); len(all) == 1 && len(line) <= 100 && orders.MatchString(line) && !tales.MatchString(line) {
		return all[0]
	}
	return ""
}

var (
	// withLevel is the level that a heading names behind the session.
	withLevel = lazily(`(?i)[ ,(]+(?:(?:with|at|in|under|using)\s+)?(?:the\s+)?isolation(?:\s+level)?[:= ]+(?:read|repeatable|serializable|snapshot)[\w -]*\)?:?\s*$`)
	// actsIn says what is done in a session: "Finish the transaction in session 1".
	actsIn = lazily(`(?i)^\W*(?:\d+[.)]\s*)?(?:(?:now|then|next|first|second|third|finally|and|again|also)[ ,]+)*` +
		`(?:start|begin|run|execute|do|finish|continue|resume|complete|end|commit|update|insert|delete|select|read|write|change|modify|issue|open)\b[^;]{0,50}\b` +
		`(?:in|on|from|at|using|with)\s+(?:the\s+)?(` + anySession + `)\W*$`)
	// goesBack is the clause with which a sentence hands over, whatever it tells behind the comma.
	goesBack = lazily(`(?i)^(?:(?:now|then|and|finally|so)[ ,]+)*(?:back|switch(?:ing)? back|going back|returning|over)\s+(?:to|in|on|at)\s[^,;.]{3,40},`)
)

// undecided remembers a line that hands over to nobody and names several sessions: what comes may be either's.
func (s *scanner) undecided(line string, remark bool) {
	switch {
	case remark && len(speaksOf(line)) > 1:
		s.headed = 0
	case !remark && unclear(line):
		s.unclear = append(s.unclear, s.lineOf(s.pos))
	}
}

// subject is the session with which a line begins that ends with a colon: "Session 2 then tries to delete it, and waits:".
var subject = lazily(`(?i)^\W*(?:\d+[.)]\s*)?(?:(?:then|now|finally|first|next|meanwhile|and|after that|afterwards|at last|again|so)[ ,]+)*` +
	`(?:the\s+)?(` + anySession + `)\s+\pL[^;]*[:：]\s*$`)

// jointly names several sessions that do the same.
var jointly = lazily(`(?i)` + anySession + `\s*(?:,|and|&|\+|/)\s*(?:the\s+)?` + anySession)

// jointHead is a heading that names several sessions, or all: "Session 1 and 2:", "Both sessions:".
var jointHead = lazily(`(?i)^\W*(?:(?:in|on|from|at)\s+)?(?:the\s+)?(?:(?:sessions?|connections?|transactions?|clients?|terminals?|windows?|txns?|conns?)\s*#?(?:\d+|(?-i:[A-H]))` +
	`\s*(?:,|and|&|\+|/)\s*#?(?:\d+|(?-i:[A-H]))|(?:both|all|each|every|each of the|two)\s+(?:sessions?|connections?|transactions?|clients?|terminals?|windows?))\W*$`)

// subjectOf names the session that a line of prose above a statement is about; "" where there is none.
func subjectOf(line string) string {
	if m := subject.FindStringSubmatch(line); m != nil && !jointly.MatchString(line) {
		return m[1]
	}
	return ""
}

// speaksBelow says whether the next line that is not blank is a statement.
func (s *scanner) speaksBelow() bool {
	for line := range strings.Lines(s.text[s.pos+len(s.rest()):]) {
		if line = strings.TrimSpace(line); line != "" {
			return isStatement(withoutPrompt(line))
		}
	}
	return false
}

// unclear says whether a line of prose that hands over to nobody names several sessions and ends as if one of them went on.
func unclear(line string) bool {
	return jointHead.MatchString(line) || colon.MatchString(line) && !outcome.MatchString(line) && len(speaksOf(line)) > 1
}

// lastSentence is the end of a line that speaks of what comes below it.
var lastSentence = lazily(`[\pL\pN)"'` + "`" + `][.!;]\s+([^.!;]{3,80}:)\s*$`)

// side is a window by its place alone, where all goes on: "left again".
var side = lazily(`(?i)^\W*(?:(?:back|again|now|then|in|on|to|the)[ ,]+)*(left|right|upper|lower)(?: one)?(?: again)?\W*$`)

// backTo is a session by its letter or number alone, where all goes on: "back to A:".
var backTo = lazily(`(?i)^\W*(?:(?:and|now|then|switch|return|over|go|again|back)[ ,]+)+(?:(?:to|in|on|at)\s+)?(?:the\s+)?#?((?-i:[A-H])|\d|first|second|third|original)(?: again)?\W*$`)

// speaksOf lists the sessions that a line names, each once.
func speaksOf(line string) (out []string) {
	if len(line) > longestProse || !numbered(line) {
		return nil
	}
	for _, name := range spokenSession.FindAllString(line, -1) {
		if !slices.ContainsFunc(out, func(o string) bool { return normal(o) == normal(name) }) {
			out = append(out, name)
		}
	}
	return out
}

// numbered says whether a line has what numbers a session: a digit, a capital by itself, or a word.
func numbered(line string) bool {
	lower := strings.ToLower(line)
	for word := range counted {
		if strings.Contains(lower, word) {
			return true
		}
	}
	for i := range len(line) {
		c := line[i]
		if c >= '0' && c <= '9' || c >= 'A' && c <= 'H' && (i == 0 || !isLetter(line[i-1])) && (i+1 == len(line) || !isLetter(line[i+1])) {
			return true
		}
	}
	return false
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// marked says whether statements of the text have marks of their own, in front or behind.
func (s *scanner) marked() bool {
	if s.behind == nil {
		found := behind.MatchString(s.text)
		s.behind = &found
	}
	return *s.behind || slices.ContainsFunc(s.out, func(p piece) bool { return p.own })
}
