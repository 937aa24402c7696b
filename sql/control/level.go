package control

import (
	"slices"
	"strings"

	"txweave/sql"
)

// LevelScope is for whom a statement asks for an isolation level.
type LevelScope uint8

// Whom it may be for.
const (
	LevelOnce    LevelScope = iota // one transaction: the one that it opens, that is open, or that comes next
	LevelSession                   // all further transactions of its session
	LevelServer                    // all sessions that begin later
)

// Level is an isolation level that a statement asks for.
type Level struct {
	Name string // in small letters, with a dash between its words
	For  LevelScope
	// Alone says that the statement does nothing else.
	Alone bool
}

// Level returns the level that a statement asks for: SET TRANSACTION, SET SESSION CHARACTERISTICS, BEGIN ISOLATION
// LEVEL, or a SET of the setting that is one. ok is false where it asks for none.
func (s Statement) Level() (l Level, ok bool) {
	switch n := s.Tree.(type) {
	case *sql.Begin:
		if n.Mode == "OPTIMISTIC" || n.Mode == "PESSIMISTIC" {
			// docs.pingcap.com/tidb/stable/sql-statement-begin: what it is but for that the session says
			return Level{Name: strings.ToLower(n.Mode)}, true
		}
		l.Name, ok = levelIn(n.Traits)
	case *sql.SetTransaction:
		l.Name, ok = levelIn(n.Traits)
		l.Alone = len(n.Traits) == 1
		switch n.Scope {
		case "":
		case "GLOBAL":
			l.For = LevelServer
		default:
			l.For = LevelSession
		}
	case *sql.Set:
		for _, x := range n.Settings {
			if of, is := s.levelSet(x); is {
				l, ok = of, true
			}
		}
		l.Alone = len(n.Settings) == 1
	}
	return l, ok
}

// levelIn is the level among what transactions are to have.
func levelIn(traits []*sql.Option) (name string, ok bool) {
	for _, t := range traits {
		if words, is := strings.CutPrefix(t.Words, "ISOLATION LEVEL "); is {
			name, ok = levelName(words), true
		}
	}
	return name, ok
}

func levelName(words string) string { return strings.ReplaceAll(strings.ToLower(words), " ", "-") }

// LevelPart returns the part of a level that a statement sets, and does nothing else, and whether it makes another
// level of one; nil for any other statement.
func (s Statement) LevelPart() (part *sql.LevelPart, on bool) {
	n, ok := s.Tree.(*sql.Set)
	if !ok || len(n.Settings) != 1 {
		return nil, false
	}
	name := settingName(n.Settings[0])
	for i := range s.of.LevelParts {
		if p := &s.of.LevelParts[i]; p.Setting == name {
			return p, slices.Contains(p.Values, strings.ToLower(wordOf(n.Settings[0].Value)))
		}
	}
	return nil, false
}

// Settings are the names, in lower case and without their scopes, of the settings that a statement changes.
func (s Statement) Settings() (names []string) {
	if n, ok := s.Tree.(*sql.Set); ok {
		for _, x := range n.Settings {
			names = append(names, settingName(x))
		}
	}
	return names
}

// Sets returns the value that a statement gives to a setting, whose name is in lower case: one word, number or literal,
// without its quotes, "" for any other. ok is false where it sets no such one.
func (s Statement) Sets(setting string) (value string, ok bool) {
	if n, is := s.Tree.(*sql.Set); is {
		for _, x := range n.Settings {
			if settingName(x) == setting {
				value, ok = wordOf(x.Value), true
			}
		}
	}
	return value, ok
}

// settingName is the name of a setting, in lower case and without its scope.
func settingName(x *sql.Setting) string {
	switch t := x.Target.(type) {
	case *sql.Column:
		return t.Name.Folded()
	case *sql.Variable:
		name := strings.ToLower(strings.TrimLeft(t.Text, "@"))
		if _, rest, scoped := strings.Cut(name, "."); scoped {
			return rest
		}
		return name
	}
	return ""
}

// wordOf is a value that is one word or literal, without its quotes; "" for any other one.
func wordOf(x sql.Expr) string {
	switch v := x.(type) {
	case *sql.Literal:
		return v.Characters()
	case *sql.Column:
		return v.Name.Value
	}
	return ""
}

// levelSet reads a setting that is a level. Where its name has @@ in front of it and no scope it is for one transaction
// (dev.mysql.com/doc/refman, SET TRANSACTION).
func (s Statement) levelSet(x *sql.Setting) (l Level, ok bool) {
	name, scope := "", x.Scope
	switch t := x.Target.(type) {
	case *sql.Column:
		name = t.Name.Folded()
	case *sql.Variable:
		var system bool
		if name, system = strings.CutPrefix(strings.ToLower(t.Text), "@@"); !system {
			return l, false
		}
		scope = "ONCE"
		if of, rest, scoped := strings.Cut(name, "."); scoped {
			name, scope = rest, strings.ToUpper(of)
		}
	}
	once := slices.Contains(s.of.LevelOnce, name)
	if !once && !slices.Contains(s.of.LevelOf, name) {
		return l, false
	}
	switch {
	case scope == "GLOBAL" || scope == "PERSIST":
		l.For = LevelServer
	case !once && scope != "ONCE":
		l.For = LevelSession
	}
	l.Name = levelName(wordOf(x.Value))
	return l, l.Name != ""
}
