// Package memory says how much memory this process has needed.
package memory

import "golang.org/x/sys/unix"

// PeakMiB is the most memory that the process has had; 0 where nobody tells.
func PeakMiB() float64 {
	var usage unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return float64(usage.Maxrss) / maxrssPerMiB
}
