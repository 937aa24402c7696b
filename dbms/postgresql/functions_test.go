package postgresql

import (
	"slices"
	"strings"
	"testing"
)

// TestVolatileFunctions: a function of which the server says that it changes between two calls is refused where answers
// are judged, or reaches out of the database, or is no more than waiting.
func TestVolatileFunctions(t *testing.T) {
	s := sessions(t, server(t), "read-committed", 1)[0]
	a, err := s.Query(t.Context(),
		"SELECT DISTINCT proname, proargtypes = '' FROM pg_proc p JOIN pg_type r ON r.oid = prorettype"+
			" WHERE provolatile = 'v' AND pronamespace = 'pg_catalog'::regnamespace AND typname NOT LIKE '%handler' AND "+
			"typname NOT IN ('trigger', 'internal')"+
			" AND NOT 'internal'::regtype = ANY (proargtypes) ORDER BY 1")
	if err != nil || a.Err != nil {
		t.Fatal(err, a.Err)
	}
	waits := []string{"pg_sleep", "pg_sleep_for", "pg_sleep_until"}
	internal := []string{"amvalidate", "dsnowball_lexize", "plpgsql_validator", "plpgsql_inline_handler"}
	count := 0
	for i := range a.Rows.Len() {
		name := strings.ToLower(a.Rows.Cell(i, 0).S)
		read := Syntax.Quoting.Read("SELECT " + name + "()")
		session, harmful := read.Calls()
		if count++; len(session)+len(harmful) == 0 && !slices.Contains(waits, name) && !slices.Contains(internal, name) {
			t.Errorf("%s is volatile, and nobody refuses it", name)
		}
	}
	if count < 100 {
		t.Errorf("the server has %d volatile functions", count)
	}
}

// TestFunctionsAreKnown: every function of the server's that SQL can call stands in the catalogue, so that a case may
// call it, or is refused with its reason.
func TestFunctionsAreKnown(t *testing.T) {
	s := sessions(t, server(t), "read-committed", 1)[0]
	a, err := s.Query(t.Context(),
		"SELECT DISTINCT proname FROM pg_proc p JOIN pg_type r ON r.oid = prorettype WHERE pronamespace = "+
			"'pg_catalog'::regnamespace"+
			" AND typname NOT LIKE '%handler' AND typname NOT IN ('trigger', 'event_trigger', 'internal', 'cstring')"+
			" AND NOT 'internal'::regtype = ANY (proargtypes) AND NOT 'cstring'::regtype = ANY (proargtypes) ORDER BY 1")
	if err != nil || a.Err != nil {
		t.Fatal(err, a.Err)
	}
	for i := range a.Rows.Len() {
		if name := a.Rows.Cell(i, 0).S; name == strings.ToLower(name) {
			if _, known := Syntax.Functions.Has(name); !known {
				t.Errorf("%s is not in the catalogue", name)
			}
		}
	}
	if n := a.Rows.Len(); n < 1000 {
		t.Errorf("the server has %d functions", n)
	}
}
