package mariadb

import (
	"strings"
	"testing"
)

// TestComplaint: of what mysqltest says the reason is left, with as much of a query as tells which it is.
func TestComplaint(t *testing.T) {
	long := "UPDATE t SET a = '" + strings.Repeat("x", 99) + "'\n WHERE b"
	for said, want := range map[string]string{
		"": "",
		"mysqltest: At line 3: query 'SELECT 1' failed with wrong errno X (1): 'y', instead of Z (2)...\nnot ok\n": "At line 3: " +
			"query 'SELECT 1' failed with wrong errno X (1): 'y', instead of Z (2)",
		"mysqltest: At line 4: query '" + long + "' succeeded - should have failed with error X (1)...\nnot ok\n": "At line 4: " +
			"query '" + long[:60] + "…' succeeded - should have failed with error X (1)",
	} {
		if got := complaint(said); got != want {
			t.Errorf("%q: %q, want %q", said, got, want)
		}
	}
}
