package finding

import (
	"maps"
	"path"
	"slices"
	"strings"

	"txweave/sql/sqltext"
)

// session stands before the name of a setting that a session makes for itself.
const session = "session "

// Session notes the variable, or the level, that a statement sets for its session.
func (e *Environment) Session(stmt string) {
	if name, value, ok := sessionSetting(stmt); ok {
		e.Settings[session+name] = value
	}
}

// Default says whether a statement sets a variable of its session to what it is on every server where nobody has set
// it.
func (e *Environment) Default(stmt string) bool {
	name, value, ok := sessionSetting(stmt)
	global, known := e.Settings[name]
	return ok && known && !e.set(name) && same(value, global)
}

// sessionSetting reads a statement that sets one session variable, or the isolation level.
func sessionSetting(stmt string) (name, value string, ok bool) {
	rest, ok := strings.CutPrefix(stmt, "SET SESSION ")
	if !ok {
		return "", "", false
	}
	if level, ok := strings.CutPrefix(rest, "TRANSACTION ISOLATION LEVEL "); ok {
		return "isolation level", level, true
	}
	name, value, ok = strings.Cut(rest, " = ")
	return name, strings.Trim(value, "'"), ok
}

// idle says whether a setting of a DBMS changes no answer.
func idle(dbms, setting string) bool {
	return slices.ContainsFunc(sqltext.SyntaxOf(dbms).Idle, func(pattern string) bool {
		is, _ := path.Match(pattern, setting)
		return is
	})
}

// allowing are modes of sql_mode that refuse statements and change no answer.
var allowing = []string{"ONLY_FULL_GROUP_BY", "NO_AUTO_CREATE_USER"}

// SettingsToRepeat lists the settings, name and value, that somebody who repeats the finding has to make: those that
// are not the server's own and may change an answer, a session's above the server's. The level is not among them. Of a
// server that ends or hangs all that somebody has set may matter.
func (e *Environment) SettingsToRepeat(class string) [][2]string {
	var out [][2]string
	for _, name := range slices.Sorted(maps.Keys(e.Settings)) {
		value := e.Settings[name]
		variable, own := strings.CutPrefix(name, session)
		global, known := e.Settings[variable]
		switch _, over := e.Settings[session+variable]; {
		case (class == ClassCrash || class == ClassHang) && slices.Contains(e.Changed, name):
			out = append(out, [2]string{name, value})
		case idle(e.DBMS, variable):
		case own && known && !e.set(variable) && same(value, global):
		case !own && (over || !e.set(variable)):
		default:
			out = append(out, [2]string{variable, value})
		}
	}
	return out
}

// set says whether somebody has set a variable of the server; true where that is not known.
func (e *Environment) set(name string) bool {
	return e.Changed == nil || slices.Contains(e.Changed, name)
}

// same says whether two values of a setting are one, as far as answers go.
func same(a, b string) bool {
	modes := func(s string) []string {
		words := strings.Split(strings.ToUpper(s), ",")
		words = slices.DeleteFunc(words, func(w string) bool { return w == "" || slices.Contains(allowing, w) })
		slices.Sort(words)
		return words
	}
	return slices.Equal(modes(a), modes(b))
}
