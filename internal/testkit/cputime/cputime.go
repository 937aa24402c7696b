// Package cputime measures benchmarks by processor time, which other work on the machine changes less than the clock.
package cputime

import (
	"testing"
	"time"
)

// Loop runs f as a benchmark's loop does, and reports its processor time, the garbage collector's included: in total
// ("cpu-ms/op"), and for each of n transactions ("cpu-ns/txn").
func Loop(b *testing.B, n int, f func()) {
	b.Helper()
	b.ReportAllocs()
	before, runs := Process(), 0
	for b.Loop() {
		f()
		runs++
	}
	cpu := float64((Process() - before) / time.Duration(runs))
	b.ReportMetric(cpu/1e6, "cpu-ms/op")
	b.ReportMetric(cpu/float64(n), "cpu-ns/txn")
}
