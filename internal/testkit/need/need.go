// Package need tells what a test does where something is missing that the machine must have: a server, a program.
package need

import (
	"os"
	"testing"
)

// Missing ends a test that lacks something: it is skipped, or fails where TXWEAVE_REQUIRE_SERVERS is set, as test.sh
// does.
func Missing(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("TXWEAVE_REQUIRE_SERVERS") == "" {
		t.Skipf(format, args...)
	}
	t.Fatalf(format, args...)
}
