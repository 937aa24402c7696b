//go:build !unix

package cputime

import "time"

var began = time.Now()

// process returns the time since the start, for want of processor time.
func process() time.Duration { return time.Since(began) }
