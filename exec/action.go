package exec

import (
	"txweave/history"
	"txweave/instrument"
)

// action is one statement of a unit.
type action struct {
	role  history.Role
	conn  instrument.Conn
	sql   string
	query bool
	// snapshot says that it reads what the transaction's snapshot is about to hold, returning that the rows which the
	// statement returns are its after-write read.
	snapshot, returning bool
	returns             bool     // it is a write that returns rows by itself
	nth                 int      // of its statement's of the role
	tables              []string // of a read
	written             bool     // it reads the rows that its statement has written, by their version key
}

// probes are the actions that make reads, which are not the first ones of their role where there are some before them.
func probes(reads []instrument.Probe, before int) (out []action) {
	for i, p := range reads {
		out = append(out, action{role: p.Role, conn: p.Conn, sql: p.SQL, query: true, nth: before + i, tables: p.Tables,
			written: p.Written})
	}
	return out
}
