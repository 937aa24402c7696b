package importer

import "testing"

// TestPatternsCompile: each pattern is a regular expression, though none is compiled before it is used.
func TestPatternsCompile(t *testing.T) {
	if len(patterns) < 100 {
		t.Fatalf("%d patterns", len(patterns))
	}
	for _, p := range patterns {
		p.compiled()
	}
}
