package dialect_test

import (
	"testing"

	"txweave/internal/testkit/trees"
)

// TestHostileTextsAreReadOrRefused: what nests or goes on without end is read as far as the bounds let it.
func TestHostileTextsAreReadOrRefused(t *testing.T) { trees.Hostile(t, dialect) }

// FuzzParse: whatever the text, it is read or refused.
func FuzzParse(f *testing.F) { trees.Fuzz(f, dialect) }
