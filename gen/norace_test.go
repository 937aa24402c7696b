//go:build !race

package gen

// defaultCases is how many cases TestSQLiteRuns executes by itself.
const defaultCases = 100
