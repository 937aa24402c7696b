package planted

import (
	"slices"
	"strings"

	"txweave/sql/control"
	"txweave/testcase"
)

// opens returns the frame of the transaction that a statement, whose verb is v, opens; NoFrame for others.
func (c *faultConn) opens(v, sql string) control.Frame {
	switch v {
	case "BEGIN", "START":
		return control.Begun
	case "XA", "SET":
		return c.profile.Read(sql).Opens()
	}
	return control.NoFrame
}

// endedBy returns COMMIT or ROLLBACK where a statement, whose verb is v, ends the transaction so; "" for others.
func (x *faultTxn) endedBy(v, sql string) string {
	switch v {
	case "COMMIT", "ROLLBACK":
		return v
	case "KILL", "SELECT":
		ends := x.conn.profile.Tree.Terminate
		if (v == "KILL" || len(ends) > 0 && strings.Contains(sql, ends[0])) && x.conn.profile.Read(sql).Disconnects() {
			return "ROLLBACK" // of its own session
		}
	case "XA", "SET":
		if s := x.conn.profile.Read(sql); s.Ends(x.frame) && s.RollsBack() {
			return "ROLLBACK"
		} else if s.Ends(x.frame) {
			return "COMMIT"
		}
	}
	return ""
}

// keeps says whether a fault cannot strike in the transaction, if there is one: it begins it anew, which XA does not
// let happen.
func (x *faultTxn) keeps(f *Fault) bool {
	return x != nil && x.frame == control.Prepared &&
		(slices.Contains(f.verbs, "BEGIN") || slices.Contains(f.verbs, rollbackTo))
}

// begin opens a transaction in the history; one that is open still was ended by another connection, or goes on nowhere.
func (c *faultConn) begin(frame control.Frame) {
	t := c.target
	t.mu.Lock()
	defer t.mu.Unlock()
	if c.txn != nil {
		c.txn.ended = t.clock
	}
	wakes := c.refused
	c.txn = &faultTxn{conn: c, txn: -1, frame: frame, read: map[string]bool{}, wrote: map[string]bool{},
		waitedFor: map[string][]int64{},
		deleted:   map[string][]int64{}, done: map[testcase.StmtID]bool{}, wakes: wakes, writesToTable: map[string]int{}}
	t.txns = append(t.txns, c.txn)
	t.prune()
}
