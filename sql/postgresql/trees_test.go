package postgresql_test

import (
	"testing"

	"txweave/internal/testkit/trees"
	"txweave/sql/postgresql"
)

// TestTreesPrintAndReadBackEqual: whatever tree is built, what is printed of it is read as that tree.
func TestTreesPrintAndReadBackEqual(t *testing.T) {
	trees.PrintAndRead(t, postgresql.New(postgresql.Server{Version: 18}), trees.PostgreSQL)
}

// TestHostileTextsAreReadOrRefused: what nests or goes on without end is read as far as the bounds let it.
func TestHostileTextsAreReadOrRefused(t *testing.T) {
	trees.Hostile(t, postgresql.New(postgresql.Server{Version: 18}))
}
