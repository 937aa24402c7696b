package exec

import (
	"fmt"
	"sync"
	"time"
)

// Doing is what a runner is at, for whoever wonders why nothing happens. It may be asked at any time.
type Doing struct {
	mu    sync.Mutex
	what  string
	since time.Time
}

// begin says that a statement is on its way.
func (d *Doing) begin(who, sql string) {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.what, d.since = who+": "+sql, time.Now()
}

// String says which statement went last, to whom, and how long ago; "" before the first one.
func (d *Doing) String() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.what == "" {
		return ""
	}
	return fmt.Sprintf("%s, sent %s ago", clip(d.what), time.Since(d.since).Round(time.Second))
}
