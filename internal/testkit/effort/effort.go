// Package effort says how much a test does. A full run (go test, ./test.sh --all) tries everything. A quick one
// (go test -short, ./test.sh) tries a tenth of the random cases and leaves the dearest tests out; so does every run
// under the race detector, which makes tests five to twenty times slower.
package effort

import (
	"flag"
	"testing"
)

// Cases returns how many of n random cases a test is to try: all of them, or a tenth in a quick run.
func Cases(n int) int {
	if testing.Short() {
		return (n + 9) / 10
	}
	return n
}

// Flag registers the number of cases of a sampling test, for those who want more of them: Cases(n) unless it is given.
func Flag(name string, n int, usage string) func() int {
	given := flag.Int(name, 0, usage)
	return func() int {
		if *given > 0 {
			return *given
		}
		return Cases(n)
	}
}

// Full leaves the rest of a test to full runs.
func Full(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("a full run does this (without -short)")
	}
}

// Checks makes Cases of the 100 checks of each property of a package, of which rapid tries a fifth under -short. Its
// TestMain calls it, once flags are read.
func Checks() {
	if f := flag.Lookup("rapid.checks"); f != nil && f.Value.String() == f.DefValue && testing.Short() {
		_ = f.Value.Set("10") // a number is a number
	}
}
