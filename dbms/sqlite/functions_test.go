package sqlite

import (
	"database/sql"
	"slices"
	"strings"
	"testing"
)

// TestFunctionsThatChange: a function of which the engine does not say that it is a function of its arguments
// (SQLITE_DETERMINISTIC, sqlite.org/c3ref/c_deterministic.html) is refused where answers are judged, or reaches out of
// the database, or tells of the engine alone.
func TestFunctionsThatChange(t *testing.T) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query("SELECT DISTINCT name FROM pragma_function_list WHERE type = 's' AND flags & 0x800 = 0 ORDER " +
		"BY 1")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	ofEngine := strings.Fields("sqlite_compileoption_get sqlite_compileoption_used sqlite_source_id sqlite_version")
	// of tables that no case has
	ofExtension := strings.Fields(
		"bm25 fts5 fts5_get_locale fts5_insttoken fts5_locale geopoly_debug highlight match rtreecheck rtreedepth " +
			"rtreenode snippet")
	count := 0
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		text := "SELECT " + name + "()"
		if strings.HasPrefix(name, "current_") {
			text = "SELECT " + name
		}
		read := Syntax.Quoting.Read(text)
		session, harmful := read.Calls()
		if count++; len(session)+len(harmful) == 0 && !slices.Contains(ofEngine, name) &&
			!slices.Contains(ofExtension, name) {
			t.Errorf("%s may change, and nobody refuses it", name)
		}
	}
	if err := rows.Err(); err != nil || count < 10 {
		t.Errorf("%d functions: %v", count, err)
	}
}

// TestFunctionsAreKnown: every function of the engine's stands in the catalogue, so that a case may call it, or is
// refused with its reason.
func TestFunctionsAreKnown(t *testing.T) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query("SELECT DISTINCT name FROM pragma_function_list WHERE name GLOB '[a-z]*' ORDER BY 1")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	count := 0
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		if _, known := Syntax.Functions.Has(name); !known {
			t.Errorf("%s is not in the catalogue", name)
		}
		count++
	}
	if err := rows.Err(); err != nil || count < 100 {
		t.Errorf("%d functions: %v", count, err)
	}
}
