package export

import (
	"fmt"
	"slices"
	"strings"
)

// Spelling is what the formats need to know of a DBMS.
type Spelling struct {
	DBMS string // its name
	// Session is sent on every connection before what the level wants.
	Session []string
	// Alone is sent besides on a connection that has the tables to itself and makes and drops them: it waits for what the
	// server has open in the background, where the sessions of a case are refused.
	Alone []string
	// Check are the statements by which the database says whether tables are whole; nil: there are none.
	Check func(tables []string) []string
	// Waits is a query, in two halves, for how many sessions wait for a lock; "" where there is none. It must not be
	// one that the server caches.
	Waits [2]string
	// NoMTR says that the DBMS has no mysqltest; MTRHead are the first lines of its tests.
	NoMTR   bool
	MTRHead []string
	// ErrorNames are the names that these use for the usual error codes; Refused is the code of who waited in vain for a
	// table.
	ErrorNames map[int]string
	Refused    int
	// Tool runs tests as the maintainers do; nil where txweave knows of none.
	Tool *Tool
	// Locks says that GET_LOCK and RELEASE_LOCK exist: session scripts then keep each other's pace.
	Locks bool
	// Shell is the client, where it runs commands of the shell after ".shell": its session scripts keep pace with files.
	Shell *Shell
	// Driver of database/sql: import path and name.
	GoImport, GoDriver string
}

// mtr says whether mysqltest runs tests of the DBMS that can wait for each other's sessions.
func (s *Spelling) mtr() bool { return s.Waits[0] != "" && !s.NoMTR }

// testedByMTR names the DBMSs of which mtr tests can be written.
func testedByMTR() string {
	var names []string
	for _, s := range spellings {
		if s.mtr() {
			names = append(names, s.DBMS)
		}
	}
	return strings.Join(names, ", ")
}

// Shell is a client whose database is a file, and that runs commands of the shell.
type Shell struct {
	Program, Options string
	File             string   // the database
	Beside           []string // what it makes beside that
	First            string   // the statements that make the file
}

// spellings are those of the DBMSs that are known by name.
var spellings []*Spelling

// Register makes a DBMS known. Package registry calls it before main begins.
func Register(s *Spelling) { spellings = append(spellings, s) }

// spellingOf returns the spelling of a DBMS.
func spellingOf(name string) (*Spelling, error) {
	i := slices.IndexFunc(spellings, func(s *Spelling) bool { return s.DBMS == name })
	if i < 0 {
		return nil, fmt.Errorf("nothing is known of how %q is spelled", name)
	}
	return spellings[i], nil
}

// specLevels are the levels as specs of the isolation tester spell them.
var specLevels = map[string]string{
	"read-uncommitted": "read uncommitted", "read-committed": "read committed", "repeatable-read": "repeatable read",
	"snapshot": "repeatable read", "serializable": "serializable",
}
