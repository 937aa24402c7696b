package display

import (
	"fmt"
	"io"
	"time"

	"txweave/finding"
)

// Steps returns what shows on a terminal how many of the things of a name are done, and how long the rest takes at
// this pace, at most until limit is over; 0: no limit. A log has none of it.
func (c *Console) Steps(name string, limit time.Duration) func(done, all int) {
	begun := time.Now()
	return func(done, all int) {
		if c.tty && c.Due() {
			c.Show(steps(name, done, all, time.Since(begun), limit))
		}
	}
}

// Before is a writer that leaves the progress line before it writes to another one.
func (c *Console) Before(w io.Writer) io.Writer { return &behind{c, w} }

type behind struct {
	console *Console
	w       io.Writer
}

func (b *behind) Write(text []byte) (int, error) {
	b.console.End()
	return b.w.Write(text)
}

// steps are the parts of the line.
func steps(name string, done, all int, elapsed, limit time.Duration) []string {
	clock := elapsed.Truncate(time.Second).String()
	left := time.Duration(0)
	if done > 0 {
		left = time.Duration(float64(elapsed) / float64(done) * float64(all-done))
	}
	if limit > 0 && (done == 0 || left > limit-elapsed) {
		left = limit - elapsed
	}
	if left > 0 {
		clock += ", " + left.Truncate(time.Second).String() + " left"
	}
	return []string{clock, fmt.Sprintf("%d of %s", done, finding.Count(all, name))}
}
