package sqltext_test

import (
	"slices"
	"strings"
	"testing"

	"txweave/sql/sqltext"
)

// TestCalls: what a statement calls whose value is another one in another session, or at another time, with parentheses
// or without.
func TestCalls(t *testing.T) {
	for sql, want := range map[string]string{
		"SELECT CURRENT_TIMESTAMP, LOCALTIMESTAMP":                             "current_timestamp localtimestamp",
		"UPDATE t SET a = NOW(), b = Current_Time":                             "now current_time",
		"SELECT UUID(), Rand ()":                                               "uuid rand",
		"SELECT UNIX_TIMESTAMP(), UNIX_TIMESTAMP('2020-01-01')":                "unix_timestamp",
		"SELECT date('now'), date('2020-01-01'), strftime('%s')":               "date strftime",
		"SELECT age(a, b), age(a)":                                             "age",
		"SELECT 'now()', \"rand\", `uuid`, t.now, now FROM t":                  "",
		"SELECT current_query(), mxid_age('1'), to_regclass('t'), pg_sleep(1)": "current_query mxid_age to_regclass",
	} {
		s := sqltext.Read(sql)
		if got, _ := s.Calls(); !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s: %q, want %q", sql, got, want)
		}
	}
}

// TestPlain: comments nest in PostgreSQL, and # begins none there.
func TestPlain(t *testing.T) {
	for _, c := range []struct {
		q    sqltext.Quoting
		sql  string
		want bool
	}{
		{sqltext.PostgreSQL, "SELECT pg_terminate_backend(pg_backend_pid())", true},
		{sqltext.PostgreSQL, "SELECT 1 /* a */", false},
		{sqltext.PostgreSQL, "SELECT /* /* */ 1", false},
		{sqltext.PostgreSQL, "SELECT 1 # 2", true},
		{sqltext.PostgreSQL, "SELECT 'a", false},
		{sqltext.MySQL, "KILL CONNECTION_ID()", true},
		{sqltext.MySQL, "KILL CONNECTION_ID() # a", false},
		{sqltext.MySQL, "KILL /*! 1, */ CONNECTION_ID()", false},
		{sqltext.MySQL, "KILL 1 -- a", false},
	} {
		if got := c.q.Plain(c.sql); got != c.want {
			t.Errorf("%s: %v", c.sql, got)
		}
	}
}
