//go:build !linux

package memory

// maxrssPerMiB is how many of getrusage's units make a MiB: bytes on macOS.
const maxrssPerMiB = 1 << 20
