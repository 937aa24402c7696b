package gen

import "testing"

// TestDialects are the dialects of the DBMSs, for the package's own tests.
var TestDialects []*Dialect

// testDialect returns one by its name.
func testDialect(t testing.TB, name string) *Dialect {
	t.Helper()
	for _, d := range TestDialects {
		if d.Name == name {
			return d
		}
	}
	t.Fatalf("no dialect %q", name)
	return nil
}
