package importer

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"txweave/sqltext"
	"txweave/testcase"
)

// doubt is the error where a text was read in a way that no person would mean: where statements are taken as one session's, or
// one more session's, because what says whose they are was not understood. A mark in front of each statement leaves no doubt.
func (s *scanner) doubt() error {
	begun, implicit := map[string]int{}, map[string]bool{}
	first := 0 // where a transaction of a text without any mark begins
	for i := range s.out {
		p := &s.out[i]
		if p.tag == setupTag {
			continue
		}
		switch sqltext.KindOf(p.sql) {
		case sqltext.Begin:
			if p.tag == "" && len(s.tags()) > 0 && !slices.ContainsFunc(s.out[:i], func(q piece) bool { return q.ofSession() }) {
				return s.parseError(p.line, "a transaction begins, and it is not clear whose: put the session in front of each statement (T1> …;) or on a line above it")
			}
			if at := begun[p.tag]; at > 0 && !p.own && !p.headed && (s.tells() || s.indentedApart(at, p.line)) {
				return &testcase.ParseError{Name: s.name, Line: p.line, Msg: fmt.Sprintf("a transaction begins where the one of line %d is open, and it is not clear "+
					"which statements are whose: put the session in front of each (T1> …;) or on a line above it", at)}
			}
			if p.tag == "" && first > 0 && s.speaksOfSeveral() {
				return &testcase.ParseError{Name: s.name, Line: p.line, Msg: fmt.Sprintf("another transaction begins here than in line %d, and the text speaks of several sessions: "+
					"put the session in front of each statement (T1> …;) or on a line above it", first)}
			}
			begun[p.tag] = p.line
			if p.tag == "" && first == 0 {
				first = p.line
			}
		case sqltext.Commit, sqltext.Rollback:
			if open := others(begun, p.tag); !p.own && !p.headed && begun[p.tag] == 0 && !implicit[p.tag] && len(open) > 0 && word(p.sql, 2) != "TO" && word(p.sql, 1) != "TO" {
				return &testcase.ParseError{Name: s.name, Line: p.line, Msg: fmt.Sprintf("it ends a transaction, and it is not clear whose: those of %s are open: "+
					"put the session in front of each statement (T1> …;) or on a line above it", strings.Join(s.called(open), " and "))}
			}
			delete(begun, p.tag)
		case sqltext.Set:
			implicit[p.tag] = implicit[p.tag] || autocommit.MatchString(p.sql)
		}
	}
	if at := s.counts(); at > 0 {
		return &testcase.ParseError{Name: s.name, Line: at, Msg: "each of these marks comes once, and one begins a transaction that another one ends: do they count the statements? " +
			"Put the session in front of each (T1> …;)"}
	}
	for _, j := range s.jumps {
		if s.heads[j.session] {
			return &testcase.ParseError{Name: s.name, Line: j.line, Msg: fmt.Sprintf("it says to go on in %s here, and what that does stands under a heading of its own: "+
				"write the statements in the order in which they are sent, each with its session in front", s.called([]string{j.session})[0])}
		}
	}
	if len(s.cases) > 1 && len(s.tags()) > 1 {
		return &testcase.ParseError{Name: s.name, Line: s.cases[1], Msg: fmt.Sprintf("another case begins here (the one before in line %d): one at a time, please", s.cases[0])}
	}
	if len(s.tags()) < 2 {
		for i, line := range strings.Split(s.text, "\n") {
			if scheduleLine.MatchString(line) {
				return s.parseError(s.base+i+1, "a schedule of several sessions, and no mark or heading says which statements are whose: put the session in front of each (T1> …;)")
			}
		}
	}
	for _, line := range s.unclear {
		i := slices.IndexFunc(s.out, func(p piece) bool { return p.line > line })
		if i >= 0 && !s.out[i].own && !s.out[i].headed && s.out[i].tag != setupTag && (s.out[i].tag != "" || !defines(s.out[i].sql)) && word(s.out[i].sql, 0) != "CREATE" {
			return s.parseError(line, "it speaks of several sessions, and it is not clear whose the statements below it are: put the session in front of each (T1> …;)")
		}
	}
	if err := s.untold(); err != nil {
		return err
	}
	if err := s.cells(); err != nil {
		return err
	}
	return s.twoNames()
}

// firstWindow takes what stands above "In another window:" as the first session's, from where it begins a transaction.
func (s *scanner) firstWindow() {
	at := slices.IndexFunc(s.out, func(p piece) bool { return p.ofSession() })
	if at <= 0 || !otherWindow.MatchString(s.names[s.out[at].tag]) || s.out[at].own {
		return
	}
	if !slices.ContainsFunc(s.out[at:], func(p piece) bool { return p.tag == normal("first session") }) {
		return // nobody goes back to it: what follows may be either's
	}
	from := slices.IndexFunc(s.out[:at], func(p piece) bool { return p.tag == "" && sqltext.KindOf(p.sql) == sqltext.Begin })
	if from < 0 || slices.ContainsFunc(s.out[from:at], func(p piece) bool { return p.tag != "" || p.own }) {
		return
	}
	for i := range s.out[from:at] {
		p := &s.out[from+i]
		p.tag, p.headed = s.session("first session"), true
	}
}

// otherWindow is a session that is called another one.
var otherWindow = lazily(`(?i)^(?:another|other|second|2nd)\b`)

// scheduleLine is an order of sessions by their numbers, on a line of its own.
var scheduleLine = lazily(`^\s*\d(?:-\d){2,}\s*$`)

// counts says where a text begins whose marks count its statements, or its times, as if each were a session: t1, t2, t3; 0 where they do not.
func (s *scanner) counts() int {
	first, marks, from, stem := 0, 0, 0, ""
	for i := range s.out {
		p := &s.out[i]
		if !p.ofSession() {
			continue
		}
		if marks == 0 {
			stem = strings.TrimRight(p.tag, "0123456789")
		}
		n, err := strconv.Atoi(strings.TrimPrefix(p.tag, stem))
		if marks == 0 {
			from = n
		}
		if err != nil || n != from+marks || from > 1 {
			return 0
		}
		marks++
		switch kind := sqltext.KindOf(p.sql); {
		case first == 0 && kind == sqltext.Begin:
			first = p.line
		case first > 0 && marks > 2 && (kind == sqltext.Commit || kind == sqltext.Rollback):
			return first
		}
	}
	return 0
}

// caseHeading is where one of several experiments begins.
var caseHeading = lazily(`(?i)^\W*(?:case|scenario|experiment|variant|example|attempt)\s*(?:no\.?\s*)?#?(?:\d+|[A-H])\b[^;]{0,60}$`)

// letters takes the letters behind the statements of a text without any other mark as their sessions: "BEGIN -- A".
func (s *scanner) letters() {
	if len(s.tags()) > 0 {
		return
	}
	seen, all := map[string]int{}, 0
	letter := func(p *piece) string {
		if len(p.comments) == 0 || p.tag == setupTag || defines(p.sql) && word(p.sql, 0) != "INSERT" {
			return ""
		}
		if m := letterRemark.FindStringSubmatch(p.comments[0]); m != nil {
			return m[1] + m[2]
		}
		return ""
	}
	first := -1
	for i := range s.out {
		if l := letter(&s.out[i]); l != "" {
			seen[l]++
			all++
			if first < 0 {
				first = i
			}
		} else if first >= 0 && !defines(s.out[i].sql) {
			return
		}
	}
	if !areSessions(seen) {
		return
	}
	for i := range s.out {
		if l := letter(&s.out[i]); l != "" {
			p := &s.out[i]
			p.tag, p.own = s.session("session "+l), true
			if p.comments[0] = strings.TrimLeft(strings.TrimPrefix(p.comments[0], l), " .,:;)"); p.comments[0] == "" {
				p.comments = p.comments[1:]
			}
		}
	}
}

// letterRemark is a session's letter behind its statement.
var letterRemark = lazily(`^([A-H])(?:[.,:;)]|\s|$)|^(#?\d{1,2})(?:[.,:;)]|$)`)

// tells says whether the text tells of several sessions, or has anything beside its statements that may say who goes on.
func (s *scanner) tells() bool {
	if len(s.tags()) > 1 {
		return true
	}
	if s.speaksOfSeveral() {
		return true
	}
	return len(s.notes) > 0 || len(s.prosaic) > 0 || s.fences > 1 || slices.ContainsFunc(s.out, func(p piece) bool { return len(p.comments) > 0 })
}

// speaksOfSeveral says whether lines of prose name several sessions, one each.
func (s *scanner) speaksOfSeveral() bool {
	return slices.ContainsFunc(s.spoken, func(m mention) bool { return m.session != s.spoken[0].session })
}

// others are the sessions but one that have a transaction open.
func others(begun map[string]int, tag string) (out []string) {
	for t := range begun {
		if t != tag && t != "" {
			out = append(out, t)
		}
	}
	sort.Strings(out)
	return out
}

// called are sessions as the text calls them.
func (s *scanner) called(tags []string) []string {
	out := slices.Clone(tags)
	for i, t := range out {
		if name := s.names[t]; name != "" {
			out[i] = name
		}
	}
	return out
}

var (
	transactionTag = lazily(`^(?:t|tx|txn|trx|transaction)(\d+|[a-z])$`)
	sessionTag     = lazily(`^(?:session|s)(\d+|[a-z])$`)
)

// twoNames is the error where a text has statements of session 1 and of transaction 1, as lines above them say.
func (s *scanner) twoNames() error {
	first := map[string]*piece{}
	for i := range s.out {
		p := &s.out[i]
		m, n := transactionTag.FindStringSubmatch(p.tag), sessionTag.FindStringSubmatch(p.tag)
		if p.own || m == nil && n == nil {
			continue
		}
		number := ""
		if m != nil {
			number = m[1]
		} else {
			number = n[1]
		}
		q := first[number]
		switch {
		case q == nil:
			first[number] = p
		case transactionTag.MatchString(q.tag) != (m != nil):
			return &testcase.ParseError{Name: s.name, Line: p.line, Msg: fmt.Sprintf("it speaks of %s and of %s: if they are one, give them one name",
				s.called([]string{q.tag})[0], s.called([]string{p.tag})[0])}
		}
	}
	return nil
}

// setupLabel is what stands in front of tables and rows on their line.
var setupLabel = lazily(`(?i)^(?:the )?(?:tables?|schema|ddl|data|rows|set-?up|preparation|before all|beforehand|given|initially|` +
	`initial (?:state|data|rows)|where|with|assume)(?: \w{1,20})?(?: (?:is|are|was|were))?:\s+|^\w{1,20} (?:is|was|are|were)(?: (?:simply|just|made by|made with|created (?:as|by|with)))?:\s+`)

// labelled is what stands behind such a label, where that is a statement that makes tables or rows; else "".
func labelled(line string) string {
	if m := setupLabel.FindString(line); m != "" && defines(line[len(m):]) {
		return line[len(m):]
	}
	return ""
}

// defines says whether a text begins with a statement that makes tables or rows.
func defines(text string) bool {
	switch word(text, 0) {
	case "CREATE", "INSERT", "DROP":
		return isStatement(text)
	}
	return false
}

// tablesFirst makes the tables and rows with which a text ends, after sessions have used them, its set-up.
func (s *scanner) tablesFirst() {
	from := len(s.out)
	for from > 0 && (defines(s.out[from-1].sql) || word(s.out[from-1].sql, 0) == "ALTER") {
		from--
	}
	for from < len(s.out) && word(s.out[from].sql, 0) != "CREATE" {
		from++
	}
	used := false
	for i := from; i < len(s.out) && from > 0; i++ {
		used = used || s.usedBefore(i)
	}
	if !used {
		return
	}
	last := slices.Clone(s.out[from:])
	for i := range last {
		last[i].tag = setupTag
	}
	s.notes = append(s.notes, Note{last[0].line, "the tables and rows with which the text ends are its set-up", false})
	s.out = append(last, s.out[:from]...)
}

// usedBefore says whether a statement makes a table that sessions have used before and nothing has made.
func (s *scanner) usedBefore(at int) bool {
	read := sqltext.Read(s.out[at].sql)
	if read.Kind != sqltext.Create || read.Target == "" {
		return false
	}
	used := false
	for _, p := range s.out[:at] {
		switch q := sqltext.Read(p.sql); {
		case q.Kind == sqltext.Create && q.Target == read.Target:
			return false
		case p.tag != setupTag && names(p.sql, read.Target):
			used = true
		}
	}
	return used
}

// names says whether a statement has such a name in it.
func names(sql, table string) bool {
	for t := range lexer.Tokens(sql) {
		if name, ok := t.Ident(); ok && name == table {
			return true
		}
	}
	return false
}

// numberRemark is a statement's number behind it.
var numberRemark = lazily(`^(?:step\s*)?[(\[#]?(\d{1,3})[)\].:]?(?:[ ,;(]|$)`)

// byNumber brings the statements of a text into the order in which it counts them, where it lists each session's by themselves.
func (s *scanner) byNumber() {
	numbers := make([]int, len(s.out))
	var steps []int
	counted, seen, last := 0, map[int]bool{}, map[string]int{}
	for i := range s.out {
		p := &s.out[i]
		if !p.ofSession() {
			continue
		}
		steps = append(steps, i)
		if p.behind && i > 0 && s.out[i-1].tag == p.tag && s.out[i-1].line == p.line {
			numbers[i] = numbers[i-1]
			continue
		}
		n := p.step
		if len(p.comments) > 0 && n == 0 {
			if m := numberRemark.FindStringSubmatch(p.comments[0]); m != nil {
				n, _ = strconv.Atoi(m[1])
			}
		}
		if n == 0 {
			continue
		}
		if seen[n] || n <= last[p.tag] {
			return
		}
		counted, seen[n], last[p.tag], numbers[i] = counted+1, true, n, n
	}
	const least = 4
	if counted < least || 2*counted < len(steps) || len(last) < 2 || !gapless(seen, len(steps)) {
		return
	}
	next := map[string]int{} // what has no number comes right before the next one of its session, or after its last
	for _, i := range slices.Backward(steps) {
		if tag := s.out[i].tag; numbers[i] == 0 {
			if numbers[i] = next[tag]; numbers[i] == 0 {
				numbers[i] = last[tag]
			}
		} else {
			next[tag] = numbers[i]
		}
	}
	order := slices.Clone(steps)
	sort.SliceStable(order, func(a, b int) bool { return numbers[order[a]] < numbers[order[b]] })
	if slices.Equal(order, steps) {
		return
	}
	s.putInOrder(steps, order, "their numbers")
}

// gapless says whether numbers count statements: they begin at 1 and nearly none is missing.
func gapless(seen map[int]bool, steps int) bool {
	most := 0
	for n := range seen {
		most = max(most, n)
	}
	return seen[1] && most <= steps
}
