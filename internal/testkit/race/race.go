// Package race says to tests whether the race detector watches them. It makes them five to twenty times slower, and is of
// no use where one goroutine does all the work: sampling tests do less then. test.sh runs the packages that use this
// package, and those that leave files out with "//go:build !race", without the detector too, where they do all of it.
package race

import "flag"

// Fewer returns how many of n random cases a test is to try: n, or a tenth of them under the race detector.
func Fewer(n int) int {
	if Enabled {
		return max(n/10, 1)
	}
	return n
}

// Checks makes Fewer of the 100 checks of each property of the test's binary. It is called before its flags are read.
func Checks() {
	if f := flag.Lookup("rapid.checks"); f != nil && Enabled {
		_ = f.Value.Set("10") // a number is a number
	}
}
