package importer

import (
	"slices"
	"strings"

	"txweave/sql/sqltext"
)

// isSpec says whether a text is a spec of the isolation tester: a line begins with "session", another one with "step",
// with a brace.
func isSpec(s *source) bool {
	session, step := false, false
	for _, line := range s.lines() {
		w := strings.Fields(line)
		session = session || len(w) == 2 && w[0] == "session"
		step = step || len(w) > 1 && w[0] == "step" && (strings.Contains(line, "{") || len(w) == 2)
	}
	return session && step && strings.Contains(s.text, "{")
}

// specParty is a session of a spec.
type specParty struct {
	name            string
	setup, teardown []piece
}

// specAction is a step of a spec.
type specAction struct {
	session string
	pieces  []piece
}

// spec is a spec while it is read: words, names in quotes, and blocks in braces.
type spec struct {
	*part
	s       *source
	pos     int
	setup   []piece
	parties []specParty
	steps   map[string]specAction
	order   []string // of the steps
	parts   []*part
}

// maxInterleavings is how many interleavings of a spec that names none are made.
const maxInterleavings = 1000

// readSpec reads a spec: each permutation is a schedule. Where it names none, every interleaving is, as isolationtester
// has it.
func readSpec(s *source) ([]*part, error) {
	r := &spec{part: newPart("", 1), s: s, steps: map[string]specAction{}}
	for {
		word, at := r.word()
		if word == "" {
			break
		}
		if err := r.clause(word, at); err != nil {
			return nil, err
		}
	}
	if len(r.parts) == 0 {
		all := r.interleavings()
		if len(all) > maxInterleavings {
			return nil, r.errorf(r.pos,
				"the spec names no permutation, which means all interleavings of its steps: more than %d",
				maxInterleavings)
		}
		for _, list := range all {
			r.parts = append(r.parts, r.permutation(list, len(s.text)))
		}
	}
	if len(r.parts) == 0 || len(r.steps) == 0 {
		return nil, s.errorf(1, "a spec without a step")
	}
	return r.parts, nil
}

// line returns the number of the line that a place is on.
func (r *spec) lineAt(at int) int { return 1 + strings.Count(r.s.text[:min(at, len(r.s.text))], "\n") }

func (r *spec) errorf(at int, format string, args ...any) error {
	return r.s.errorf(r.lineAt(at), format, args...)
}

// clause reads what begins with a word of the spec's own.
func (r *spec) clause(word string, at int) error {
	var party *specParty
	owner := ""
	if len(r.parties) > 0 {
		party = &r.parties[len(r.parties)-1]
		owner = party.name
	}
	switch word {
	case "setup", "teardown":
		list, err := r.body(owner)
		switch {
		case word == "teardown" && party != nil:
			party.teardown = append(party.teardown, list...)
		case word == "teardown": // of the tables
		case party != nil:
			party.setup = append(party.setup, list...)
		default:
			r.setup = append(r.setup, list...)
		}
		return err
	case "session":
		name, _ := r.word()
		r.parties = append(r.parties, specParty{name: r.session(name)})
	case "step":
		name, at := r.word()
		list, err := r.body(owner)
		if err == nil && party == nil {
			err = r.errorf(at, "step %s comes before any session", name)
		}
		r.steps[name] = specAction{owner, list}
		r.order = append(r.order, name)
		return err
	case "permutation":
		list := r.names()
		for _, name := range list {
			if _, known := r.steps[name]; !known {
				return r.errorf(at, "the permutation names step %s, which no session has", quote(name))
			}
		}
		r.parts = append(r.parts, r.permutation(list, at))
	default:
		return r.errorf(at, "%s in a spec: want setup, teardown, session, step or permutation", quote(word))
	}
	return nil
}

// interleavings lists the orders of all steps that keep each session's own, in the order in which isolationtester runs
// them; it stops soon after maxInterleavings.
func (r *spec) interleavings() (out [][]string) {
	left := make([][]string, len(r.parties))
	for i, p := range r.parties {
		left[i] = slices.DeleteFunc(slices.Clone(r.order), func(n string) bool { return r.steps[n].session != p.name })
	}
	var list []string
	var next func()
	next = func() {
		if len(list) == len(r.order) {
			out = append(out, slices.Clone(list))
		}
		for i := range left {
			if len(left[i]) == 0 || len(out) > maxInterleavings {
				continue
			}
			mine := left[i]
			left[i], list = mine[1:], append(list, mine[0])
			next()
			left[i], list = mine, list[:len(list)-1]
		}
	}
	next()
	return out
}

// permutation makes one schedule of a spec. The tester runs the teardown of its sessions, too, and prints what it
// answers.
func (r *spec) permutation(names []string, at int) *part {
	p := newPart("permutation "+strings.Join(names, " "), r.lineAt(at))
	p.names = r.part.names
	p.out = append(p.out, r.setup...)
	used := slices.DeleteFunc(slices.Clone(r.parties), func(party specParty) bool {
		return !slices.ContainsFunc(names, func(n string) bool { return r.steps[n].session == party.name })
	})
	for _, party := range used {
		p.out = append(p.out, party.setup...)
	}
	for _, n := range names {
		p.out = append(p.out, r.steps[n].pieces...)
	}
	for _, party := range used {
		p.out = append(p.out, party.teardown...)
	}
	return p
}

// word reads a word or a name in quotes, and where it stands; "" at the end.
func (r *spec) word() (string, int) {
	r.space()
	text, start := r.s.text, r.pos
	if start >= len(text) {
		return "", start
	}
	if text[start] == '"' {
		if end := strings.IndexByte(text[start+1:], '"'); end >= 0 {
			r.pos = start + end + 2
			return text[start+1 : start+1+end], start
		}
	}
	for r.pos < len(text) && strings.IndexByte(" \t\n\r{}()\"#,", text[r.pos]) < 0 {
		r.pos++
	}
	if r.pos == start {
		r.pos++
	}
	return text[start:r.pos], start
}

// space skips white space and comments.
func (r *spec) space() {
	text := r.s.text
	for r.pos < len(text) {
		switch {
		case strings.IndexByte(" \t\n\r", text[r.pos]) >= 0:
			r.pos++
		case text[r.pos] == '#', strings.HasPrefix(text[r.pos:], "--"):
			r.pos += len(lineOf(text[r.pos:]))
		default:
			return
		}
	}
}

// body reads a block in braces: its statements, of a session or of the set-up.
func (r *spec) body(session string) ([]piece, error) {
	r.space()
	if r.pos >= len(r.s.text) || r.s.text[r.pos] != '{' {
		return nil, r.errorf(r.pos, "SQL in braces is expected here")
	}
	end := strings.IndexByte(r.s.text[r.pos:], '}')
	if end < 0 {
		return nil, r.errorf(r.pos, "a brace that does not close")
	}
	from := r.pos + 1
	r.pos += end + 1
	if session == "" {
		session = setupTag
	}
	inner := &reader{part: newPart("", 1), src: r.s, text: r.s.text[from : r.pos-1], bare: true}
	var out []piece
	for at := 0; at < len(inner.text); {
		start := at
		end, mark := inner.statementEnd(at)
		at = end + max(mark, 1)
		if sql := lexer.Trim(inner.text[start:min(end, len(inner.text))]); sql != "" {
			line := r.lineAt(from + start + strings.Index(inner.text[start:], sql))
			out = append(out, piece{line: line, tag: session, sql: sql, own: true})
		}
	}
	return out, nil
}

// names reads the names of steps up to the next word of the spec's own; what they wait for is left out.
func (r *spec) names() (list []string) {
	for {
		at := r.pos
		word, _ := r.word()
		switch word {
		case "", "permutation", "session", "step", "setup", "teardown":
			r.pos = at
			return list
		case "(":
			for word != ")" && word != "" {
				word, _ = r.word()
			}
		default:
			list = append(list, word)
		}
	}
}

// setsWithin says that a transaction's own level is set within it.
func setsWithin(target string) bool { return len(sqltext.SyntaxOf(target).Tree.LevelOnce) > 0 }

// levelled rewrites a BEGIN with a level, or the level that a session begins with, as the target has them.
func levelled(target string, ansi bool, sql string) []string {
	kind := sqltext.KindOf(sql)
	if setsWithin(target) || kind != sqltext.Begin && kind != sqltext.Set {
		return []string{sql}
	}
	w := words(sql, -1)
	if kind == sqltext.Set {
		at := slices.Index(w, "DEFAULT_TRANSACTION_ISOLATION")
		switch {
		case at < 1 || at > 2 || len(w) < at+3:
			return []string{sql}
		case ansi:
			return nil
		}
		return []string{"SET SESSION TRANSACTION ISOLATION LEVEL " + strings.Join(w[at+2:], " ")}
	}
	at := slices.Index(w, "ISOLATION")
	if at < 0 || len(w) < at+3 {
		return []string{sql}
	}
	n := at + 3 // words of the level
	if w[at+2] != "SERIALIZABLE" {
		n++
	}
	level, rest := strings.Join(w[at+2:min(n, len(w))], " "), strings.TrimPrefix(strings.Join(w[min(n, len(w)):], " "),
		", ")
	switch {
	case ansi:
		return []string{"BEGIN"}
	case rest != "" && rest != "DEFERRABLE":
		return []string{"SET TRANSACTION ISOLATION LEVEL " + level, "START TRANSACTION " + rest}
	}
	return []string{"SET TRANSACTION ISOLATION LEVEL " + level, "BEGIN"}
}
