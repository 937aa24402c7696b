//go:build !unix

package cputime

import "time"

var began = time.Now()

// Process returns the time since the start, for want of processor time.
func Process() time.Duration { return time.Since(began) }
