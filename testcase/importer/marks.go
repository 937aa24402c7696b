package importer

import (
	"slices"
	"strconv"
	"strings"

	"txweave/sqltext"
)

// tallied is what a text's sessions are told by where it takes the whole text to say so: "/* 7 */ BEGIN" is a session's mark if
// other lines have it too, and else counts the statements.
type tallied struct {
	comments bool            // a number or a letter in a comment is a session
	digits   bool            // a number with a colon or a bracket is
	brackets bool            // a number in square brackets is
	hashes   bool            // a number behind # is
	steps    bool            // a number behind # counts the statements
	lists    bool            // a number with a parenthesis or a dot is a session, and no number of a step
	names    map[string]bool // words that are
}

var (
	bracketNumber = lazily(`^\[\d+\]`)
	listTag       = lazily(`^\(?(\d{1,2})[.)]\s+`)
	hashTag       = lazily(`^#(\d{1,3})\s*[:.)>|]?\s+`)
	// noNames stand in front of statements and name no session.
	noNames = strings.Fields(`mysql mariadb tidb sqlite sqlite3 postgres psql sql note result results expected actual output step query statement test example
		then now and also or with here where so todo update case bug fix warning error info debug setup init prepare answer mysqltest obclient ysqlsh`)
)

// marksOf counts what stands in front of the statements of a text.
func marksOf(text string) *tallied {
	comments, digits, brackets, hashes, names := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	prompts := 0 // behind #
	listed, begins := map[string]int{}, 0
	const longest = 2000
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line[:min(len(line), longest)])
		line = line[len(clockTime.FindString(line)):]
		if m := countedTag.FindStringSubmatch(line); m != nil {
			comments[m[1]]++
		}
		if m := letterTag.FindStringSubmatch(line); m != nil && isStatement(line[len(m[0]):]) && !isLetter(m[1][0]) {
			digits[m[1]]++
		}
		if m := bracketTag.FindStringSubmatch(line); m != nil && bracketNumber.MatchString(line) && isStatement(line[len(m[0]):]) {
			brackets[m[1]]++
		}
		if m := listTag.FindStringSubmatch(line); m != nil && isStatement(line[len(m[0]):]) {
			if first := sqltext.KindOf(line[len(m[0]):]) == sqltext.Begin; first {
				begins++
			} else if listed[m[1]] == 0 {
				begins = -most // who begins with something else
			}
			listed[m[1]]++
		}
		if m := hashTag.FindStringSubmatch(line); m != nil && isStatement(line[len(m[0]):]) {
			hashes[m[1]]++
		} else if m != nil && isStatement(withoutPrompt(line[len(m[0]):])) {
			prompts++
		}
		if m := nameTag.FindStringSubmatch(line); m != nil && isStatement(line[len(m[0]):]) && !slices.Contains(noNames, strings.ToLower(m[1])) {
			names[strings.ToLower(m[1])]++
		}
	}
	out := &tallied{comments: areSessions(comments), digits: areSessions(digits), brackets: areSessions(brackets), hashes: areSessions(hashes), names: map[string]bool{}}
	out.lists = areSessions(listed) && begins == len(listed)
	out.hashes = out.hashes && prompts == 0
	out.steps = len(hashes)+prompts > 1 && !out.hashes
	for name, n := range names {
		if n > 1 && len(names) > 1 {
			out.names[name] = true
		}
	}
	return out
}

// most is how many sessions a text has that it does not call so.
const most = 16

// areSessions says whether marks are those of sessions: a few, each of which comes again.
func areSessions(seen map[string]int) bool {
	all := 0
	for _, n := range seen {
		all += n
	}
	return len(seen) > 1 && len(seen) <= most && all >= 2*len(seen)
}

// counted finds the mark of a session that the whole text tells; n is how long it is, 0 for none.
func (s *scanner) counted(line string) (tag string, n int) {
	if m := armTag.FindStringSubmatch(line); m != nil && isStatement(line[len(m[0]):]) {
		if m[2] != "" {
			return "session " + m[2], len(m[0])
		}
		return m[1], len(m[0])
	}
	if s.marks == nil {
		return "", 0
	}
	if m := countedTag.FindStringSubmatch(line); m != nil && s.marks.comments {
		return "session " + m[1], len(m[0])
	}
	if m := listTag.FindStringSubmatch(line); m != nil && s.marks.lists && isStatement(line[len(m[0]):]) {
		return "session " + m[1], len(m[0])
	}
	if m := hashTag.FindStringSubmatch(line); m != nil && s.marks.hashes && isStatement(line[len(m[0]):]) {
		return "session " + m[1], len(m[0])
	}
	if m := letterTag.FindStringSubmatch(line); m != nil && isStatement(line[len(m[0]):]) && (s.marks.digits || isLetter(m[1][0])) {
		return "session " + m[1], len(m[0])
	} else if m != nil && !isLetter(m[1][0]) && isStatement(line[len(m[0]):]) {
		return "", 0
	}
	if m := nameTag.FindStringSubmatch(line); m != nil && s.marks.names[strings.ToLower(m[1])] &&
		(isStatement(line[len(m[0]):]) || resultLine.MatchString(line[len(m[0]):]) || slices.Contains(s.tags(), normal(m[1]))) {
		return m[1], len(m[0])
	}
	return "", 0
}

// named says whether a line goes on with a name by which the text tells a session.
func (s *scanner) named(line string) bool {
	_, n := s.counted(line)
	return n > 0
}

// hashed takes the number of a statement behind #, where the text counts them so.
func (s *scanner) hashed(line string) bool {
	m := hashTag.FindStringSubmatch(line)
	if m == nil || s.marks == nil || !s.marks.steps || !s.startsLine() || !isStatement(withoutPrompt(line[len(m[0]):])) {
		return false
	}
	s.step, _ = strconv.Atoi(m[1])
	s.stepped = true
	s.pos += len(m[0])
	return true
}

// suffix takes a session's mark behind a statement; what stands before it on the same line is that session's too. Below a heading it
// is a mark where nothing else stands there, and goes before the heading; else a remark, which may speak of another session.
func (s *scanner) suffix(list *[]piece) {
	if next := strings.TrimLeft(s.front(), " \t"); next == "" || strings.IndexByte("-#/", next[0]) < 0 {
		return
	}
	rest := strings.TrimLeft(s.rest(), " \t")
	skip, said, name := 0, "", ""
	if m := lineRest.FindStringSubmatch(rest); m != nil {
		skip, name = len(m[0]), m[1]
	} else if mark := commentMark.FindString(rest); mark != "" {
		if m := suffixTag.FindStringSubmatch(rest[len(mark):]); m != nil {
			skip, name, said = len(mark)+len(m[0]), m[1], rest[len(mark)+len(m[0]):]
		}
	}
	last := len(*list) - 1
	n := normal(name)
	if name == "" || (*list)[last].own || (*list)[last].tag != "" && (strings.TrimSpace(said) != "" || n == "either" || n == "both") {
		return
	}
	tag := ""
	if n != "either" && n != "both" {
		tag = s.session(name)
	}
	if (*list)[last].tag != "" {
		for i, line := last, (*list)[last].line; i >= 0 && !(*list)[i].own && (*list)[i].line == line; i-- {
			(*list)[i].tag, (*list)[i].own, (*list)[i].suffixed = tag, true, true
		}
	}
	for i := last; i >= 0 && (*list)[i].tag == "" && (*list)[i].line == (*list)[last].line; i-- {
		if tag == "" { // whoever spoke before
			for j := i - 1; j >= 0 && tag == ""; j-- {
				tag = (*list)[j].tag
			}
		}
		(*list)[i].tag = tag
	}
	s.pos += len(s.rest()) - len(rest) + skip
	s.note(said)
	s.pos += len(s.rest())
}
