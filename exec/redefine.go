package exec

import (
	"slices"

	"txweave/sql/control"
)

// inUse says whether a transaction that is open has used the table that a statement changes, or any where it does not
// say which.
func (s *runState) inUse(d *control.Redefinition, but *track) bool {
	table := d.Table
	if table == "" && (d.Makes != "" || d.Drops != "") {
		return false // no other statement uses it
	}
	return slices.ContainsFunc(s.tracks, func(t *track) bool {
		return t != but && s.holds(t) && (t.used[table] || table == "" && len(t.used) > 0)
	})
}

// holds says whether a transaction may hold what its statements have used: it is open, or a statement in autocommit
// that the server has and has not answered. One that waits for a table which it locks before all else holds nothing.
func (s *runState) holds(t *track) bool {
	if t.retry && t.unit.block != nil && t.unit.block.ShutsOut() {
		return false
	}
	return !t.ended && !t.aborted && (t.flying || !s.plan.Txns[t.txn].Autocommit())
}

// maxTries is how often a change of a table is sent.
const maxTries = 40

// insist sends a change or a lock of a table again that is still refused though every other transaction has ended:
// something in the database itself uses the table. What goes on being refused is left out.
func (s *runState) insist(t *track) error {
	s.waiters = slices.DeleteFunc(s.waiters, func(o *track) bool { return o == t })
	t.retry = false
	if t.unit.tries < maxTries {
		s.sleep(20 * pause)
		if err := s.advance(t); err != nil {
			return err
		}
		return s.catchUp()
	}
	t.unit.run.Lost = true
	if t.unit.block.Locks != nil {
		if err := s.abort(t); err != nil {
			return err
		}
		return s.catchUp()
	}
	if err := s.finish(t); err != nil {
		return err
	}
	return s.catchUp()
}
