package observe

import "txweave/history"

// Unmatched is what is known of the rows that refer to none, by foreign keys which are checked when a transaction
// commits.
type Unmatched struct {
	// Checked says that the case has such keys, Known that reads right before the COMMIT show what it checked, and nothing
	// came between.
	Checked, Known bool
	Rows           int // that these found
	// Read is one of the reads that found some.
	Read  string
	asked int
}

// read notes such a read. One that failed tells nothing.
func (o *Unmatched) read(e *history.Event) {
	if e.Err != nil || e.Rows == nil || e.Blocked {
		return
	}
	o.asked++
	o.Known = true
	o.Rows += e.Rows.Len()
	if e.Rows.Len() > 0 {
		o.Read = e.Text
	}
}
