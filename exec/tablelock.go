package exec

import (
	"slices"

	"txweave/dbms"
	"txweave/history"
	"txweave/instrument"
	"txweave/sql/control"
)

// excludes says whether a block asks for a table that nobody else may be using: it changes how the table is kept,
// empties or locks it.
func excludes(b *instrument.Block) bool {
	return b != nil && (b.Redefines != nil || b.Names() || b.Info.Truncates)
}

// heldUp says whether another transaction uses what a unit asks for alone, or has locked a table that the unit uses:
// its end lets it in.
func (s *runState) heldUp(t *track) bool {
	b := t.unit.block
	if b == nil {
		return false
	}
	if s.profile.TableChanges.Told == dbms.AloneUntold && takesLocks(b) &&
		s.plan.Txns[t.txn].Autocommit() && s.anyWrites(b, t) {
		return true
	}
	if b.Redefines != nil {
		return !s.beside(b.Redefines) && s.inUse(b.Redefines, t)
	}
	if b.Info.Truncates && s.inUse(&control.Redefinition{Table: b.Info.Target}, t) {
		return true
	}
	if b.Locks != nil && !b.Names() { // the server tells who waits: only readers would queue behind one who keeps them out
		return b.ShutsOut() && slices.ContainsFunc(b.Locks, func(l control.TableLock) bool {
			return s.inUse(&control.Redefinition{Table: l.Table}, t)
		})
	}
	return slices.ContainsFunc(s.tracks, func(o *track) bool {
		return o != t && s.holds(o) && (slices.ContainsFunc(b.Locks, func(l control.TableLock) bool {
			return l.Mode == control.AccessExclusive && o.used[l.Table] || o.written[l.Table]
		}) || slices.ContainsFunc(o.locks, func(l control.TableLock) bool { return conflicts(l, b) }))
	})
}

// alone says whether a block wants a table that nobody else may use meanwhile, not even to read it.
func (s *runState) alone(b *instrument.Block) bool {
	return b.Info.Truncates || b.Redefines != nil && !s.beside(b.Redefines)
}

// beside says whether a change of a table needs it for itself at no moment: what it waits for it waits for in the
// server, and readers do not queue behind it.
func (s *runState) beside(d *control.Redefinition) bool {
	return s.profile.TableChanges.SharedChanges && d.Beside != control.Alone
}

// anyWrites says whether another transaction that is open has written, or locked rows of, a table that a block writes
// or looks into for the foreign keys of what it writes.
func (s *runState) anyWrites(b *instrument.Block, but *track) bool {
	tables := s.lockedBy(b)
	return slices.ContainsFunc(s.tracks, func(o *track) bool {
		return o != but && s.holds(o) && slices.ContainsFunc(tables, func(t string) bool { return o.written[t] })
	})
}

// lockedBy are the tables of which a block may lock rows by what it writes, for its foreign keys, too.
func (s *runState) lockedBy(b *instrument.Block) (tables []string) {
	for _, target := range append([]string{b.Info.Target}, b.Info.Also...) {
		if target != "" {
			tables = append(tables, s.plan.Schema.Linked(target)...)
		}
	}
	return tables
}

// conflicts says whether a table that a transaction has locked keeps others from running a block.
func conflicts(l control.TableLock, b *instrument.Block) bool {
	if b.Locks != nil {
		return slices.ContainsFunc(b.Locks, func(m control.TableLock) bool {
			return m.Table == l.Table && m.Mode.Excludes(l.Mode)
		})
	}
	return (l.Mode == control.AccessExclusive || takesLocks(b)) && slices.Contains(b.Uses(), l.Table)
}

// takesLocks says whether a block writes, or reads what nobody else may write.
func takesLocks(b *instrument.Block) bool { return b.Info.Target != "" || b.Info.Locking }

// uses notes the tables that a block of a transaction uses, those that foreign keys make it look into included.
func (s *runState) uses(t *track, b *instrument.Block) {
	if t.used == nil {
		t.used, t.written = map[string]bool{}, map[string]bool{}
	}
	for _, table := range b.Uses() {
		t.used[table] = true
		t.written[table] = t.written[table] || takesLocks(b)
	}
	for _, table := range s.lockedBy(b) {
		t.used[table], t.written[table] = true, true
	}
}

// shutOut is the class of an error which says that a wait for a lock was in vain: where a table is the reason, the
// statement did nothing and is sent again when who uses the table has ended.
func (s *runState) shutOut(t *track, class dbms.ErrorClass) dbms.ErrorClass {
	if class == dbms.StatementLost && (excludes(t.unit.block) || s.heldUp(t)) {
		return dbms.WouldBlock
	}
	return class
}

// stillUsed says whether a statement that is replayed was refused for a table that something in the database itself,
// purge for one, uses for a moment.
func (r *Runner) stillUsed(b *instrument.Block, ans history.Answer) bool {
	return excludes(b) && ans.Err != nil && r.profile.Errors.Classify(ans.Err.Code, ans.Err.Message) == dbms.StatementLost
}

// locked notes what LOCK TABLES was answered. A transaction that does not get its locks does not go on: what is read
// around its statements would not be what they see.
func (s *runState) locked(t *track, e *history.Event) (gone bool, err error) {
	b := t.unit.block
	if b == nil || !b.Names() || e.Role != history.Target {
		return false, nil
	}
	if e.Err != nil {
		return true, s.abort(t)
	}
	t.locks = b.Locks
	return false, nil
}
