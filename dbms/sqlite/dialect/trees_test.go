package dialect_test

import (
	"flag"
	"os"
	"testing"

	"txweave/internal/testkit/effort"
	"txweave/internal/testkit/trees"
)

func TestMain(m *testing.M) {
	flag.Parse()
	effort.Checks()
	os.Exit(m.Run())
}

// TestTreesPrintAndReadBackEqual: whatever tree is built, what is printed of it is read as that tree.
func TestTreesPrintAndReadBackEqual(t *testing.T) { trees.PrintAndRead(t, dialect, trees.SQLite) }
