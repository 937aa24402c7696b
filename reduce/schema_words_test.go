package reduce

import (
	"slices"
	"testing"
)

// TestDefaultGoes: DEFAULT goes with the whole of its value.
func TestDefaultGoes(t *testing.T) {
	for sql, want := range map[string]string{
		"c BIGINT DEFAULT -1":                                "c BIGINT",
		"c BIGINT DEFAULT 7":                                 "c BIGINT",
		"c DATE DEFAULT DATE '2018-01-01' NOT NULL":          "c DATE NOT NULL",
		"c DATETIME DEFAULT TIMESTAMP '2018-01-01 00:00:00'": "c DATETIME",
		"c BLOB DEFAULT x'00'":                               "c BLOB",
		"c TEXT DEFAULT 'a' NOT NULL":                        "c TEXT NOT NULL",
		"c DOUBLE DEFAULT -8.50e0":                           "c DOUBLE",
	} {
		if got := withoutWords(sql); !slices.Contains(got, want) {
			t.Errorf("%s: %q, want %q among them", sql, got, want)
		}
	}
}
