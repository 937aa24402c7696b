package guide

import (
	"slices"
	"testing"

	"txweave/sqltext"
)

// TestWithin: a key that stands in a subquery is told from one of the statement's own, be it in parentheses.
func TestWithin(t *testing.T) {
	for sql, want := range map[string]bool{
		"SELECT (SELECT a FROM t WHERE pkey = 7) FROM s":         true,
		"SELECT a FROM t WHERE (b OR pkey = 7)":                  false,
		"SELECT (SELECT a FROM t) FROM s WHERE pkey = 7":         false,
		"UPDATE t SET a = ( SELECT (1) WHERE (pkey = 7)) ":       true,
		"DELETE FROM t WHERE a IN (1, 2) AND COALESCE(pkey = 7)": false,
	} {
		tokens := slices.Collect(sqltext.ANSI.Tokens(sql))
		at := slices.IndexFunc(tokens, func(t sqltext.Token) bool { return t.Text == "7" })
		if got := within(tokens, at); got != want {
			t.Errorf("%s: %v", sql, got)
		}
	}
}
