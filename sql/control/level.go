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

// Level returns the level that a statement asks for: SET TRANSACTION, SET SESSION CHARACTERISTICS, BEGIN ISOLATION LEVEL, or a SET of the
// setting that is one. ok is false where it asks for none.
func (s Statement) Level() (l Level, ok bool) {
	switch n := s.Tree.(type) {
	case *sql.Begin:
		if n.Mode == "OPTIMISTIC" || n.Mode == "PESSIMISTIC" { // of TiDB (docs.pingcap.com/tidb, BEGIN): what it is but for that the session says
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
	switch v := x.Value.(type) {
	case *sql.Literal:
		l.Name = levelName(v.Characters())
	case *sql.Column:
		l.Name = levelName(v.Name.Value)
	}
	return l, l.Name != ""
}
