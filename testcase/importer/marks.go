package importer

import (
	"regexp"
	"strings"
)

// mark is a session's mark in front of a statement.
type mark struct {
	name   string
	length int // with what stands around it; 0 for no mark
}

var (
	// wordMark is a name with > or : behind it, and perhaps a client's brackets between: T1> …, session 1: …, conn_0
	// [test]> ….
	wordMark = regexp.MustCompile(`^(?i)(` + sessionWord +
		`|[a-z_][\w-]{0,30}|\d{1,6})(?:\s?\[[^\]\n]{0,40}\])?\s?([>:])\s*`)
)

// noNames stand in front of > and : and name no session.
var noNames = map[string]bool{}

func init() {
	for _, w := range strings.Fields(`mysql mariadb tidb sqlite sqlite3 postgres psql sql obclient ysqlsh`) {
		noNames[w] = true
	}
}

// frontMark reads a session's mark at the beginning of a text: T1>, session 1:, /* s1 */, [S0], [1-0].
func frontMark(text string) mark {
	const longest = 100
	line := lineOf(text[:min(len(text), longest)])
	for _, around := range [][2]string{{"/*", "*/"}, {"[", "]"}} {
		if !strings.HasPrefix(line, around[0]) {
			continue
		}
		inner, rest, closed := strings.Cut(line[len(around[0]):], around[1])
		name := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(inner), ":"))
		if txn, statement, of := strings.Cut(name, "-"); of && around[0] == "[" && isNumber(txn) && len(txn) <= 6 &&
			isNumber(statement) {
			name = txn
		}
		if !closed || !isSession(name) && !isShort(name) && !isSetup(name) && (len(name) != 1 || !isLetter(name[0])) {
			return mark{}
		}
		rest = strings.TrimLeft(strings.TrimPrefix(rest, ":"), " \t")
		return mark{named(name), len(line) - len(rest)}
	}
	m := wordMark.FindStringSubmatch(line)
	if m == nil || noNames[strings.ToLower(m[1])] || m[2] == ":" && !isSession(m[1]) && !isShort(m[1]) &&
		!isSetup(m[1]) || m[2] == ":" && m[1][0] <= '9' {
		return mark{}
	}
	return mark{named(m[1]), len(m[0])}
}

// prefix takes a session's mark in front of a statement, or a client's prompt.
func (r *reader) prefix() bool {
	if r.tag != "" {
		return false
	}
	text := r.text[r.pos:]
	if r.signs.marks {
		m := frontMark(text)
		rest := strings.TrimSpace(lineOf(text[min(m.length, len(text)):]))
		if m.length > 0 && (begins(text[m.length:]) || isDelimiter(rest) || r.spoke(normal(m.name)) &&
			(isAnswer(rest) || isRemark(rest)) || isRemark(rest) && strings.HasPrefix(text, "/*")) {
			r.tag = r.session(m.name)
			r.pos += m.length
			return true
		}
	}
	if p := promptOf(lineOf(text)); r.signs.prompts && p.length > 0 {
		r.prompted(p)
		return true
	}
	return false
}

// suffixMark reads the session's name with which a remark begins, and what stands behind it; "" for none.
func suffixMark(said string) (name, rest string) {
	text := strings.TrimLeft(strings.TrimSuffix(strings.TrimSpace(said), "*/"), "-#/* \t")
	if text == said || text == "" {
		return "", ""
	}
	name = sessionName.FindString(text)
	if text[0] >= 'A' && text[0] <= 'H' && (len(text) == 1 || strings.IndexByte(".,:;", text[1]) >= 0) {
		return "session " + text[:1], strings.Trim(text[1:], ".,:; \t")
	}
	for _, other := range []string{"either", "both"} {
		if strings.HasPrefix(strings.ToLower(text)+" ", other+" ") || strings.HasPrefix(strings.ToLower(text),
			other+".") {
			name = other
		}
	}
	return name, strings.Trim(text[len(name):], ".,:; \t")
}

// suffix takes a session's mark behind a statement; what stands before it on the same line is that session's too. Below
// a heading it is a mark where nothing else stands there, and goes before the heading; else a remark, which may speak
// of another session.
func (r *reader) suffix(list *[]piece, said string) bool {
	name, rest := suffixMark(said)
	last := &(*list)[len(*list)-1]
	anybody := name == "either" || name == "both"
	if !r.signs.marks || name == "" || last.front || last.tag != "" && (rest != "" || anybody) {
		return false
	}
	tag := ""
	if !anybody {
		tag = r.session(name)
	}
	for i := len(*list) - 1; i >= 0 && !(*list)[i].own && (*list)[i].line >= last.line; i-- {
		p := &(*list)[i]
		if p.own = true; anybody && i > 0 { // whoever spoke before
			tag = (*list)[i-1].tag
		}
		p.tag = tag
		r.said[tag] = true
	}
	if rest != "" {
		last.comments = append(last.comments, rest)
		last.remarked(rest)
	}
	return true
}
