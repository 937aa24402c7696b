package sqltext

import (
	"strings"

	"txweave/sql/functions"
)

// names makes a set of words.
func names(list string) map[string]bool {
	out := map[string]bool{}
	for _, n := range strings.Fields(list) {
		out[n] = true
	}
	return out
}

// call reads the arguments of the call at a token, whose parenthesis is the next one: how many there are, and the
// literals among them.
func (s Statement) call(at int) (arguments int, literals []string) {
	depth := 0
	for _, t := range s.Tokens[at+1:] {
		depth += t.Nesting()
		switch {
		case depth == 0:
			return arguments, literals
		case arguments == 0 && t.Text != "(", depth == 1 && t.Text == ",":
			arguments++
		}
		if t.Kind == Literal {
			literals = append(literals, t.Unquote())
		}
	}
	return arguments, literals
}

// DatesContents returns the name of a function of dates that the statement calls with what is no literal, in lower
// case; "": of none.
func (s Statement) DatesContents() string {
	for i := range s.Tokens[:max(len(s.Tokens)-1, 0)] {
		name, ok := s.Tokens[i].Ident()
		f, _ := functions.Of(name)
		if !ok || f.Volatility != functions.UnlessATime || s.Tokens[i+1].Text != "(" {
			continue
		}
		depth := 0
		for _, t := range s.Tokens[i+1:] {
			if depth += t.Nesting(); depth == 0 {
				break
			}
			if _, names := t.Ident(); names {
				return name
			}
		}
	}
	return ""
}

// bareFunctions are those that need no parentheses.
var bareFunctions = wordSet(
	names(`current_timestamp localtime localtimestamp current_date current_time utc_date utc_time utc_timestamp
	current_user current_role`))

// Calls returns the names of the functions that the statement may call, in lower case, in order, among those
// that vary (functions.Varies) or that reach out of the database.
func (s Statement) Calls() (session, harmful []string) {
	for i, t := range s.Tokens {
		called := i+1 < len(s.Tokens) && s.Tokens[i+1].Text == "("
		if !called && (t.Kind != Word || !bareFunctions.has(t.Text)) {
			continue
		}
		name, ok := t.Ident()
		if !ok || i > 0 && s.Tokens[i-1].Text == "." {
			continue
		}
		if called && functions.ReachesOut(name) {
			harmful = append(harmful, name)
		}
		if t.Kind == Word && bareFunctions[name] || called && s.callsSession(i, name) {
			session = append(session, name)
		}
	}
	return session, harmful
}

// callsSession says whether the call at a token is one of a function that depends on the session.
func (s Statement) callsSession(i int, name string) bool {
	arguments, literals := s.call(i)
	return functions.Varies(name, arguments, literals)
}
