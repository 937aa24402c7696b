package testcase

import (
	"strings"

	"txweave/sql/control"
	"txweave/sql/sqltext"
)

// Script is what people write down of sessions side by side: a set-up, then the statements of the sessions in the order
// in which they are submitted. Its transactions begin and end by statements like any other, and it may hold what a case
// has no place for: settings, savepoints, definitions, locks of tables. It is run as it stands.
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

// Printed is an answer as a client printed it.
type Printed struct {
	Columns  []string
	Rows     [][]string // nil where no rows were printed; values as the client prints them, NULL as "NULL"
	Count    int        // how many rows were said to be returned or affected; -1 where that is not said
	Affected bool       // Count is of affected rows
	Err      string     // code of the error, or its SQLSTATE; "" for none
	Message  string     // of the error, from a client that prints no code; "" for none
	Waited   bool       // the text says that it waited
	Fine     bool       // … that there was no error
	Cells    bool       // Rows are of a query of one column, as far as it has one
	Expected bool       // it is what the text says should come
	Loose    bool       // Message is in the words of who wrote the text
}

// SwitchesAutocommit says whether a statement sets autocommit.
func SwitchesAutocommit(sql string) bool {
	_, ok := AutocommitOf(sql)
	return ok
}

// AutocommitOf reads SET autocommit = …; ok says whether it is one.
func AutocommitOf(sql string) (on, ok bool) {
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

// Sets are the names, in lower case, of the settings that the script changes anywhere, for whomever.
func (s *Script) Sets() (names []string) {
	d := sqltext.SyntaxOf(s.Target).Tree
	for _, list := range [][]ScriptStmt{s.Setup, s.Steps} {
		for i := range list {
			names = append(names, control.Read(d, list[i].SQL).Settings()...)
		}
	}
	return names
}

// ChangesServer says whether the script changes more than its database: settings of the whole server, or transactions
// in two phases, which outlive their session.
func (s *Script) ChangesServer() bool {
	for _, list := range [][]ScriptStmt{s.Setup, s.Steps} {
		for i := range list {
			st := sqltext.Read(list[i].SQL)
			switch {
			case st.Kind == sqltext.XA, st.Kind == sqltext.Lock && st.Tokens[0].Is("flush"), st.Kind == sqltext.Other &&
				sqltext.FirstWord(list[i].SQL) == "FLUSH":
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
