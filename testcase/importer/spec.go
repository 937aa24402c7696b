package importer

import (
	"slices"
	"strings"

	"txweave/sqltext"
)

var (
	specSession = lazily(`(?m)^\s*session\s+["\w]`)
	specStep    = lazily(`(?m)^\s*step\s+["\w][^\n{]*\{`)
	specLevel   = lazily(`(?i)^(begin|start\s+transaction)(?:\s+work|\s+transaction)?\s+isolation\s+level\s+(read\s+uncommitted|read\s+committed|repeatable\s+read|serializable)\s*,?(.*)$`)
	specDefault = lazily(`(?i)^set\s+(?:session\s+)?default_transaction_isolation\s*(?:=|to)\s*'?(read\s+uncommitted|read\s+committed|repeatable\s+read|serializable)'?$`)
)

// isSpec says whether a text is a spec of PostgreSQL's isolation tester.
func isSpec(text string) bool { return specSession.MatchString(text) && specStep.MatchString(text) }

// specReader reads a spec: words, names in quotes, and blocks in braces.
type specReader struct {
	s   *scanner
	pos int
}

// specName is a session of a spec.
type specParty struct {
	name            string
	setup, teardown []piece
}

// specStepOf is a step of a spec.
type specAction struct {
	session string
	pieces  []piece
}

// maxInterleavings is how many interleavings of a spec that names none are made.
const maxInterleavings = 1000

// readSpec reads a spec: each permutation is a schedule. Where it names none, every interleaving is, as isolationtester has it.
func readSpec(s *scanner) ([]*scanner, error) {
	r := &specReader{s: s}
	var setup []piece
	var parties []specParty
	steps := map[string]specAction{}
	var names []string
	var parts []*scanner
	for {
		word, at := r.word()
		switch word {
		case "":
			if len(parts) > 0 {
				return parts, nil
			}
			all := interleavings(parties, steps, names)
			if len(all) > maxInterleavings {
				return nil, s.errorf(at, "the spec names no permutation, which means all interleavings of its steps: more than %d", maxInterleavings)
			}
			for _, list := range all {
				parts = append(parts, s.permutation("permutation "+strings.Join(list, " "), at, setup, parties, steps, list))
			}
			return parts, nil
		case "setup", "teardown":
			body, err := r.body()
			if err != nil {
				return nil, err
			}
			switch {
			case word == "teardown" && len(parties) > 0:
				p := &parties[len(parties)-1]
				p.teardown = append(p.teardown, s.specSQL(body, p.name)...)
			case word == "teardown": // of the tables
			case len(parties) > 0:
				p := &parties[len(parties)-1]
				p.setup = append(p.setup, s.specSQL(body, p.name)...)
			default:
				setup = append(setup, s.specSQL(body, "")...)
			}
		case "session":
			name, _ := r.word()
			parties = append(parties, specParty{name: s.session(name)})
		case "step":
			name, at := r.word()
			body, err := r.body()
			if err != nil {
				return nil, err
			}
			if len(parties) == 0 {
				return nil, s.errorf(at, "step %s comes before any session", name)
			}
			owner := parties[len(parties)-1].name
			steps[name] = specAction{owner, s.specSQL(body, owner)}
			names = append(names, name)
		case "permutation":
			list := r.permutation()
			for _, name := range list {
				if _, known := steps[name]; !known {
					return nil, s.errorf(at, "the permutation names step %s, which no session has", quote(name))
				}
			}
			parts = append(parts, s.permutation("permutation "+strings.Join(list, " "), at, setup, parties, steps, list))
		default:
			return nil, s.errorf(at, "%s in a spec: want setup, teardown, session, step or permutation", quote(word))
		}
	}
}

// interleavings lists the orders of all steps that keep each session's own, in the order in which isolationtester runs them; it
// stops soon after maxInterleavings.
func interleavings(parties []specParty, steps map[string]specAction, names []string) (out [][]string) {
	left := make([][]string, len(parties))
	for i, p := range parties {
		left[i] = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return steps[n].session != p.name })
	}
	var list []string
	var next func()
	next = func() {
		if len(list) == len(names) {
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

// permutation makes one schedule of a spec.
func (s *scanner) permutation(title string, at int, setup []piece, parties []specParty, steps map[string]specAction, names []string) *scanner {
	p := s.part(title, s.lineOf(min(at, len(s.text))))
	p.names = s.names
	p.out = append(p.out, setup...)
	for _, party := range parties {
		used := slices.ContainsFunc(names, func(n string) bool { return steps[n].session == party.name })
		if used {
			p.out = append(p.out, party.setup...)
		}
	}
	for _, n := range names {
		p.out = append(p.out, steps[n].pieces...)
	}
	for _, party := range parties {
		if slices.ContainsFunc(names, func(n string) bool { return steps[n].session == party.name }) {
			p.out = append(p.out, party.teardown...) // the tester runs it, too, and prints what it answers
		}
	}
	return p
}

// word reads a word or a name in quotes, and where it stands; "" at the end.
func (r *specReader) word() (string, int) {
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
func (r *specReader) space() {
	text := r.s.text
	for r.pos < len(text) {
		switch {
		case strings.IndexByte(" \t\n\r", text[r.pos]) >= 0:
			r.pos++
		case text[r.pos] == '#', strings.HasPrefix(text[r.pos:], "--"):
			for r.pos < len(text) && text[r.pos] != '\n' {
				r.pos++
			}
		default:
			return
		}
	}
}

// span is where a block of SQL stands.
type span struct{ from, to int }

// body reads a block in braces.
func (r *specReader) body() (span, error) {
	r.space()
	if r.pos >= len(r.s.text) || r.s.text[r.pos] != '{' {
		return span{}, r.s.errorf(min(r.pos, len(r.s.text)), "SQL in braces is expected here")
	}
	end := strings.IndexByte(r.s.text[r.pos:], '}')
	if end < 0 {
		return span{}, r.s.errorf(r.pos, "a brace that does not close")
	}
	out := span{r.pos + 1, r.pos + end}
	r.pos += end + 1
	return out, nil
}

// permutation reads the names of steps up to the next word of the spec's own; what they wait for is left out.
func (r *specReader) permutation() (list []string) {
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

// specSQL splits a block into statements; PostgreSQL's way to begin at a level becomes the target's.
func (s *scanner) specSQL(b span, session string) (out []piece) {
	inner := s.part("", 1)
	inner.text, inner.base = s.text[b.from:b.to], s.lineOf(b.from)-1
	if session == "" {
		session = setupTag
	}
	for at := 0; at < len(inner.text); {
		start := at
		end, mark := inner.statementEnd(at)
		at = end + max(mark, 1)
		sql := lexer.Trim(inner.text[start:min(end, len(inner.text))])
		if sql == "" {
			continue
		}
		line := inner.lineOf(start + strings.Index(inner.text[start:], sql))
		for _, one := range s.levelled(sql) {
			out = append(out, piece{line: line, tag: session, sql: one})
		}
	}
	return out
}

// levelled rewrites a BEGIN with a level, or the level that a session begins with, as the target has them.
func (s *scanner) levelled(sql string) []string {
	if s.target == "postgresql" {
		return []string{sql}
	}
	flat := strings.Join(strings.Fields(sql), " ")
	if m := specDefault.FindStringSubmatch(flat); m != nil {
		if s.ansi {
			return nil
		}
		return []string{"SET SESSION TRANSACTION ISOLATION LEVEL " + strings.ToUpper(m[1])}
	}
	if m := specLevel.FindStringSubmatch(flat); m != nil && sqltext.KindOf(sql) == sqltext.Begin {
		rest := strings.TrimSpace(m[3])
		if s.ansi {
			return []string{"BEGIN"}
		}
		if rest != "" && !strings.EqualFold(rest, "deferrable") {
			return []string{"SET TRANSACTION ISOLATION LEVEL " + strings.ToUpper(m[2]), "START TRANSACTION " + rest}
		}
		return []string{"SET TRANSACTION ISOLATION LEVEL " + strings.ToUpper(m[2]), "BEGIN"}
	}
	return []string{sql}
}
