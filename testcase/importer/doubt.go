package importer

import (
	"slices"
	"strconv"
	"strings"

	"txweave/sql/sqltext"
)

// howToSay ends each error about a session that is in doubt.
const howToSay = ": put the session in front of each statement (T1> …;) or on a line above it (-- session 1)"

// doubt is the error where it is not clear which session sends a statement.
func (p *part) doubt(s *source) error {
	for _, check := range []func(*source) error{p.between, p.nested, p.counting, p.numbers, p.twoNames, p.hinted} {
		if err := check(s); err != nil {
			return err
		}
	}
	return nil
}

// between is the error of a statement without a mark among those of sessions.
func (p *part) between(s *source) error {
	first := slices.IndexFunc(p.out, func(q piece) bool { return q.ofSession() })
	for i := range p.out {
		q := &p.out[i]
		if first < 0 || q.tag != "" {
			continue
		}
		rest := p.out[i:]
		switch k := sqltext.KindOf(q.sql); {
		case i < first && (k == sqltext.Begin || k == sqltext.Commit || k == sqltext.Rollback):
			return s.errorf(q.line,
				"%s: a transaction above the first session's statement, and it is not clear whose%s", quote(q.sql),
				howToSay)
		case i > first && slices.ContainsFunc(rest, func(q piece) bool { return q.ofSession() }):
			return s.errorf(q.line, "%s: a statement without a session among those of %s%s", quote(q.sql),
				strings.Join(p.called(), " and "), howToSay)
		case i > first && (k == sqltext.Commit || k == sqltext.Rollback || !ended(p.out[:i]) && k != sqltext.Select):
			return s.errorf(q.line, "%s: a statement without a session, while transactions of sessions are open%s",
				quote(q.sql), howToSay)
		}
	}
	return nil
}

// called are the sessions as the text calls them.
func (p *part) called() []string {
	out := p.tags()
	for i, tag := range out {
		out[i] = p.names[tag]
	}
	return out
}

// nested is the error of a transaction that begins where one of its session is open, or that ends where none is while
// another's is, where no mark stands on its line: a heading may have been missed.
func (p *part) nested(s *source) error {
	begun, implicit := map[string]int{}, map[string]bool{}
	for i := range p.out {
		q := &p.out[i]
		switch sqltext.KindOf(q.sql) {
		case sqltext.Begin:
			if at := begun[q.tag]; at > 0 && !q.own {
				return s.errorf(q.line,
					"a transaction begins where the one of line %d is open, and it is not clear which statements are "+
						"whose%s", at, howToSay)
			}
			begun[q.tag] = q.line
		case sqltext.Commit, sqltext.Rollback:
			above := &p.out[max(0, i-1)]
			sure := q.own || implicit[q.tag] || q.fence > 0 && above.fence == q.fence && above.tag == q.tag &&
				sqltext.KindOf(above.sql).Writes() // nobody else's heading can be between
			if begun[q.tag] == 0 && !sure && len(begun) > 0 {
				return s.errorf(q.line,
					"it ends a transaction, and that of another session is open: it is not clear whose%s", howToSay)
			}
			delete(begun, q.tag)
		case sqltext.Set:
			implicit[q.tag] = implicit[q.tag] || strings.Contains(strings.ToLower(q.sql), "autocommit")
		}
	}
	return nil
}

// counting is the error of marks that count their statements, or times, as if each were a session: t1, t2, t3.
func (p *part) counting(s *source) error {
	first, marks, from, stem := 0, 0, 0, ""
	for i := range p.out {
		q := &p.out[i]
		if !q.ofSession() {
			continue
		}
		if marks == 0 {
			stem = strings.TrimRight(q.tag, "0123456789")
		}
		n, err := strconv.Atoi(strings.TrimPrefix(q.tag, stem))
		if marks == 0 {
			from = n
		}
		if err != nil || n != from+marks || from > 1 {
			return nil
		}
		marks++
		switch kind := sqltext.KindOf(q.sql); {
		case first == 0 && kind == sqltext.Begin:
			first = q.line
		case first > 0 && marks > 2 && (kind == sqltext.Commit || kind == sqltext.Rollback):
			return s.errorf(first,
				"each of these marks comes once, and one begins a transaction that another one ends: do they count "+
					"the statements?%s",
				strings.TrimPrefix(howToSay, ":"))
		}
	}
	return nil
}

// twoNames is the error where headings call sessions of one number by two words: session 1 and connection 1.
func (p *part) twoNames(s *source) error {
	first := map[string]*piece{}
	for i := range p.out {
		q := &p.out[i]
		stem := strings.TrimRight(q.tag, "0123456789")
		if len(stem) == len(q.tag) || !q.ofSession() {
			continue
		}
		number := q.tag[len(stem):]
		switch o := first[number]; {
		case o == nil:
			first[number] = q
		case o.tag != q.tag && (!o.own || !q.own):
			return s.errorf(q.line, "it speaks of %s and of %s: if they are one, give them one name", p.names[o.tag],
				p.names[q.tag])
		}
	}
	return nil
}

// numbers is the error of numbers behind statements that are in another order than these, or come again.
func (p *part) numbers(s *source) error {
	last, counted, wrong, control := 0, 0, 0, false
	for i := range p.out {
		q := &p.out[i]
		if len(q.comments) == 0 || defines(q.sql) && word(q.sql, 0) != "INSERT" {
			continue
		}
		text := strings.TrimPrefix(strings.TrimLeft(strings.ToLower(q.comments[0]), "(#["), "step ")
		digits := text[:len(text)-len(strings.TrimLeft(text, "0123456789"))]
		if rest := text[len(digits):]; digits == "" || len(digits) > 3 || rest != "" && !strings.ContainsRune(").],:;",
			rune(rest[0])) && !strings.HasPrefix(rest, " (") {
			continue
		}
		n := numberOf(digits)
		if counted++; n <= last && wrong == 0 {
			wrong = q.line
		}
		k := sqltext.KindOf(q.sql)
		last, control = n, control || k == sqltext.Begin || k == sqltext.Commit || k == sqltext.Rollback
	}
	const least = 4
	if counted >= least && wrong > 0 && control { // a number behind a SELECT alone is what it answered
		return s.errorf(wrong,
			"the numbers behind the statements go back here: write the statements in the order in which they are "+
				"sent, and each one's session as a name (-- T1)")
	}
	return nil
}

// speaksOfOther says whether a remark names another session than one.
func speaksOfOther(text, tag string) bool {
	for i := range text {
		if i == 0 || !isLetter(text[i-1]) {
			name := sessionName.FindString(text[i:])
			if tag != "" && len(name) > 1 && (len(name) > 2 || isShort(name[1:])) && normal(name) != tag {
				return true
			}
		}
	}
	return false
}

// speaks says whether a remark speaks of a session: by its name, or by a word for one.
func speaks(text string) bool {
	for i := range text {
		if i == 0 || !isLetter(text[i-1]) {
			if name := sessionName.FindString(text[i:]); len(name) > 2 && (strings.ContainsAny(name, " _#-") ||
				strings.ContainsAny(name, "0123456789")) {
				return true
			}
		}
	}
	isOther := func(c rune) bool { return c < 'a' || c > 'z' }
	return slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(text), isOther), func(w string) bool {
		return slices.Contains(sessionWords, strings.TrimSuffix(w, "s"))
	})
}

// sessionWords are words for one.
var sessionWords = strings.Fields("session connection client terminal window tab console")

func isLetter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= '0' && c <= '9'
}

// hinted is the error of a remark on a line of its own that speaks of a session, above a statement that has no mark of
// its own: a heading has nothing beside the session's name.
func (p *part) hinted(s *source) error {
	begun := false
	for i := range p.out {
		q := &p.out[i]
		at := 0
		for _, line := range p.hints {
			if line < q.line && line > q.head && (i == 0 || line >= p.out[i-1].line) {
				at = line
			}
		}
		k := sqltext.KindOf(q.sql)
		begun = begun || q.tag != "" && q.tag != setupTag || k != sqltext.Set && k != sqltext.Insert &&
			k < sqltext.Create
		if at > 0 && begun && !q.own && q.tag != setupTag {
			return s.errorf(at, "a remark that speaks of a session, above a statement without a mark: a heading has "+
				"nothing but the session's name (-- session 1); "+
				"or put the session in front of each statement (T1> …;)")
		}
	}
	return nil
}
