package sqltext

import (
	"slices"
	"testing"
)

func TestReturned(t *testing.T) {
	for sql, want := range map[string][]string{
		"UPDATE t SET a = 1":                                           nil,
		"SELECT a FROM returning":                                      nil,
		"DELETE FROM t WHERE a IN (1, 2) RETURNING pkey, A":            {"pkey", "a"},
		"INSERT INTO t VALUES (1) RETURNING `pkey`, a + 1, t.b, 1 + 1": {"pkey", "", "", ""},
		"UPDATE t SET a = 1 RETURNING *":                               {""},
		"UPDATE t SET a = 1 RETURNING pkey, f(a, b), c AS d, e;":       {"pkey", "", "", "e"},
		"UPDATE t SET a = 1 RETURNING /* x */ pkey -- y":               {"pkey"},
	} {
		if got := Returned(sql); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", sql, got, want)
		}
	}
}
