package testcase

import (
	"regexp"
	"strings"

	"txweave/sqltext"
)

// Script is what people write down of sessions side by side: a set-up, then the statements of the sessions in the order in
// which they are submitted. Its transactions begin and end by statements like any other, and it may hold what a case has no
// place for: settings, savepoints, definitions, locks of tables. It is run as it stands.
type Script struct {
	Target    string
	Isolation string   // level that every session begins with; "" where the text says none
	Sessions  []string // their names, as the text has them, in order of appearance
	Setup     []ScriptStmt
	Steps     []ScriptStmt
}

// ScriptStmt is one statement of a script.
type ScriptStmt struct {
	Session  int // index into Sessions; -1 in the set-up
	Line     int // of the text, from 1
	SQL      string
	Comments []string // what the text says of it, without comment marks
	Printed  *Printed // what the text says it was answered; nil where it says nothing that can be compared
	// Idle are sessions that must have answered before it is sent: somebody waits for them.
	Idle []int
}

// Levels returns the isolation level that each step runs at, as the script sets it: "" where it sets none, and the level of
// the session is the one it begins with.
func (s *Script) Levels() []string {
	session := make([]string, len(s.Sessions))
	once := make([]string, len(s.Sessions)) // for the next transaction only
	open := make([]bool, len(s.Sessions))
	for i := range session {
		session[i] = s.Isolation
	}
	out := make([]string, len(s.Steps))
	for i, st := range s.Steps {
		n := st.Session
		if level, scope := SetsLevel(st.SQL); level != "" {
			if scope == "" && !open[n] {
				once[n] = level
			} else if scope != "global" {
				session[n] = level
			}
		}
		kind := scriptKind(st.SQL)
		open[n] = kind == opens || open[n] && kind != ends
		out[i] = session[n]
		if once[n] != "" {
			out[i] = once[n]
		}
		if kind == ends || kind == plain && !open[n] {
			once[n] = ""
		}
	}
	return out
}

var setsLevel = regexp.MustCompile(`(?i)^set\s+(?:@@)?(global\b|session\b|local\b)?[\s.]*(?:(transaction)\s+isolation\s+level\s+|(?:tx|transaction)_isolation\s*:?=\s*)` +
	`['"]?(read[ -]uncommitted|read[ -]committed|repeatable[ -]read|serializable)['"]?$`)

// SetsLevel returns the isolation level that a SET asks for and nothing else, and for whom: "global", "session", or "" for the
// next transaction only.
func SetsLevel(sql string) (level, scope string) {
	m := setsLevel.FindStringSubmatch(strings.Join(strings.Fields(sql), " "))
	if m == nil {
		return "", ""
	}
	scope = strings.ToLower(m[1])
	if scope == "local" || scope == "" && m[2] == "" {
		scope = "session"
	}
	return strings.ReplaceAll(strings.ToLower(m[3]), " ", "-"), scope
}

// Printed is an answer as a client printed it.
type Printed struct {
	Columns  []string
	Rows     [][]string // nil where no rows were printed; values as the client prints them, NULL as "NULL"
	Count    int        // how many rows were said to be returned or affected; -1 where that is not said
	Affected bool       // Count is of affected rows
	Err      int        // code of the error; 0 for none
	Waited   bool       // the text says that it waited
}

// Unit is a transaction of a script as its statements make it: those from BEGIN to its end, or one statement outside any.
type Unit struct {
	Session  int
	Steps    []int // indices into Script.Steps
	Explicit bool  // it begins with BEGIN, or autocommit is off
	Ends     bool  // its last statement ends it
	Data     bool  // it reads or writes rows; what does not, such as a setting, belongs to what comes after it
}

// unitState follows one session.
type unitState struct {
	open       int // its unit that has not ended; -1 for none
	autocommit bool
}

// Units splits the steps of a script into transactions, in the order in which they begin. aborted says of a step that the
// database rolled its transaction back; nil: of none.
func (s *Script) Units(aborted func(step int) bool) []Unit {
	var out []Unit
	state := make([]unitState, len(s.Sessions))
	for i := range state {
		state[i] = unitState{open: -1, autocommit: true}
	}
	for i := range s.Steps {
		st := &state[s.Steps[i].Session]
		kind := scriptKind(s.Steps[i].SQL)
		if kind == opens || kind == defines && st.open >= 0 { // both commit what is open
			st.open = -1
		}
		if st.open < 0 {
			st.open = len(out)
			out = append(out, Unit{Session: s.Steps[i].Session, Explicit: kind == opens || !st.autocommit && kind == plain})
		}
		u := &out[st.open]
		u.Steps = append(u.Steps, i)
		u.Data = u.Data || kind == plain || kind == defines
		switch {
		case kind == ends:
			u.Ends, st.open = true, -1
		case aborted != nil && aborted(i), kind == defines, !u.Explicit:
			st.open = -1
		}
		if on, ok := autocommitOf(s.Steps[i].SQL); ok {
			st.autocommit = on
		}
	}
	return out
}

// scriptKinds are what a statement of a script does to transactions.
type scriptKinds uint8

const (
	plain   scriptKinds = iota
	opens               // BEGIN, START TRANSACTION, XA START
	ends                // COMMIT, ROLLBACK, XA COMMIT, XA ROLLBACK
	defines             // commits what is open, and is a transaction by itself
	setting             // neither reads nor writes rows
)

func scriptKind(sql string) scriptKinds {
	s := sqltext.Read(sql)
	second := ""
	if len(s.Tokens) > 1 {
		second = strings.ToUpper(s.Tokens[1].Text)
	}
	switch s.Kind {
	case sqltext.Begin:
		return opens
	case sqltext.Commit, sqltext.Rollback:
		return ends
	case sqltext.XA:
		switch second {
		case "START", "BEGIN":
			return opens
		case "COMMIT", "ROLLBACK":
			return ends
		}
		return plain
	case sqltext.Set:
		return setting
	case sqltext.Create, sqltext.Alter, sqltext.Define:
		if second == "TEMPORARY" {
			return plain
		}
		return defines
	case sqltext.Lock:
		return defines
	case sqltext.Other:
		switch sqltext.FirstWord(sql) {
		case "USE", "SHOW", "PREPARE", "DEALLOCATE":
			return setting
		}
	}
	return plain
}

// Opens says whether a statement opens a transaction.
func Opens(sql string) bool { return scriptKind(sql) == opens }

// SwitchesAutocommit says whether a statement sets autocommit.
func SwitchesAutocommit(sql string) bool {
	_, ok := autocommitOf(sql)
	return ok
}

// autocommitOf reads SET autocommit = …; ok says whether it is one.
func autocommitOf(sql string) (on, ok bool) {
	s := sqltext.Read(sql)
	if s.Kind != sqltext.Set {
		return false, false
	}
	for i, t := range s.Tokens {
		if !t.Is("autocommit") || i+1 >= len(s.Tokens) {
			continue
		}
		for _, v := range s.Tokens[i+1:] {
			switch strings.ToLower(v.Unquote()) {
			case "0", "off", "false":
				return false, true
			case "1", "on", "true":
				return true, true
			}
		}
	}
	return false, false
}

// ChangesServer says whether the script changes more than its database: settings of the whole server, or transactions in two
// phases, which outlive their session.
func (s *Script) ChangesServer() bool {
	for _, list := range [][]ScriptStmt{s.Setup, s.Steps} {
		for i := range list {
			st := sqltext.Read(list[i].SQL)
			switch {
			case st.Kind == sqltext.XA, st.Kind == sqltext.Lock && st.Tokens[0].Is("flush"), st.Kind == sqltext.Other && sqltext.FirstWord(list[i].SQL) == "FLUSH":
				return true
			case st.Kind == sqltext.Set:
				for _, t := range st.Tokens {
					if t.Is("global") {
						return true
					}
				}
			}
		}
	}
	return false
}
