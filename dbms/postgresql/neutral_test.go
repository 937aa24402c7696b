package postgresql

import (
	"slices"
	"strings"
	"testing"
)

// TestNeutral: what somebody has set for a user or a database of a server of the user's does not change what a case
// means there.
func TestNeutral(t *testing.T) {
	settings := map[string]string{"default_transaction_isolation": "serializable", "default_transaction_read_only": "on",
		"statement_timeout": "1",
		"lock_timeout":      "1", "idle_in_transaction_session_timeout": "1", "idle_session_timeout": "300",
		"search_path":                 "pg_catalog",
		"standard_conforming_strings": "off", "bytea_output": "escape", "\"DateStyle\"": "German",
		"\"IntervalStyle\"": "sql_standard",
		"\"TimeZone\"":      "Asia/Kathmandu", "extra_float_digits": "-15", "transform_null_equals": "on",
		"array_nulls":              "off",
		"session_replication_role": "replica", "jit": "on", "client_encoding": "LATIN1"}
	db := server(t).(*target)
	joined := *db // as if it were a user's
	var names []string
	for name := range settings {
		names = append(names, name)
	}
	slices.Sort(names)
	shown := "SELECT concat_ws(' ', current_setting('" + strings.ReplaceAll(strings.Join(names, "'), current_setting('"),
		`"`, "") + "'))"
	as := func(private bool) string {
		joined.private = nil
		if private {
			joined.private = db.private
		}
		s, err := joined.dial(t.Context(), db.database)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		r, err := s.Read(t.Context(), shown)
		if err != nil {
			t.Fatal(err)
		}
		return r.Cell(0, 0).S
	}
	want := as(false)
	for _, name := range names {
		if err := db.Connection.Must(t.Context(), "ALTER ROLE "+owner+" SET "+name+" = '"+settings[name]+"'"); err != nil {
			t.Fatal(err)
		}
	}
	defer func() {
		if err := db.Connection.Must(t.Context(), "ALTER ROLE "+owner+" RESET ALL"); err != nil {
			t.Error(err)
		}
	}()
	if as(true) == want {
		t.Error("the settings do not show")
	}
	if got := as(false); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}
