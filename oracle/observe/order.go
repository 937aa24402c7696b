package observe

import (
	"math"
	"slices"

	"txweave/dbms"
	"txweave/history"
	"txweave/instrument"
	"txweave/sql/control"
)

// transactions tells how and when each transaction began and ended, by the client's clock and by the database's.
func (o *observer) transactions() {
	o.out.Txns = make([]ObservedTxn, len(o.run.Txns))
	for i, outcome := range o.run.Txns {
		o.out.Txns[i] = ObservedTxn{Session: o.plan.Txns[i].Session, Promise: o.plan.Txns[i].Profile, Outcome: outcome,
			Sent:  math.MaxInt64,
			Alone: o.plan.Txns[i].Autocommit(), ReadOnly: o.plan.Txns[i].ReadOnly(), Deferred: o.plan.Txns[i].Deferred(),
			Unmatched: Unmatched{Checked: len(o.plan.Deferred) > 0}}
	}
	for _, b := range o.run.Blocks {
		if b.Target != nil && b.Target.Err == nil && !b.Lost {
			o.holds(b)
		}
	}
	last := make([]*history.Event, len(o.run.Txns)) // of each transaction so far
	for _, e := range o.run.Trace.Events {
		if e.Err != nil {
			o.out.Errors = append(o.out.Errors, e)
			if o.unmade(e) {
				o.out.Unmade[e] = true
			}
		}
		if e.Txn >= 0 {
			o.framed(e, last[e.Txn])
			last[e.Txn] = e
		}
	}
	if o.run.Exported != nil {
		for i := range o.out.Txns {
			if !o.late[i] {
				o.out.Txns[i].Exported = o.run.Exported[i]
			}
		}
	}
	o.certified()
}

// holds takes a lock of a whole table, or an advisory one, that a block took or gave back.
func (o *observer) holds(b *BlockRun) {
	e, l, t := b.Target, b.Block.Advisory, &o.out.Txns[b.Block.Txn]
	switch {
	case l != nil && l.Unlock:
		for i := range t.Tables {
			if h := &t.Tables[i]; h.Back == 0 && h.Locks[0].Table == l.Held().Table {
				h.Back = e.Start
			}
		}
	case b.Block.Locks != nil:
		h := TableHold{Locks: b.Block.Locks, Asked: e.Start, Locked: e.End, Refused: l != nil && l.Try && refused(e.Rows)}
		h.Baseless = h.Refused && !o.asked(b.Block.Txn, h.Locks[0], e.End)
		t.Tables = append(t.Tables, h)
	}
}

// framed takes what an event says of when its transaction began and ended. before is the transaction's event before it:
// of one that the database gave up, the statement with which it did.
func (o *observer) framed(e, before *history.Event) {
	t, plan := &o.out.Txns[e.Txn], &o.plan.Txns[e.Txn]
	if plan.Autocommit() && before == nil {
		t.Began = e.Start
	}
	switch e.Role {
	case history.Target:
		if plan.Autocommit() {
			t.Sent, t.Done = e.Start, e.End
		}
		if e.Stmt >= 0 && o.prepares(plan.Blocks[e.Stmt]) {
			t.Prepared = e.Start
		}
	case history.Begin:
		t.Began = e.Start
	case history.Orphans:
		t.Unmatched.read(e)
	case history.End:
		t.Unmatched.Known = t.Unmatched.Known && t.Unmatched.asked == len(plan.Orphans) && !e.Blocked
		t.Sent, t.Done, t.End, t.Err = min(t.Sent, e.Start), e.End, e.Text, e.Err
		if CommitsAnyhow(o.plan.Profile, e) {
			t.Err = nil
		}
	case history.Abort:
		t.Sent, t.Done = min(t.Sent, before.Start), e.End
	}
}

// certified takes the database's own word of when transactions began and ended, where the run has it.
func (o *observer) certified() {
	c := o.run.Certificate
	if c == nil {
		return
	}
	for i := range o.out.Txns {
		t := &o.out.Txns[i]
		t.Start, t.Commit, t.Snapshot = c.Start[i], c.Commit[i], c.Snapshots[i]
	}
	o.out.Versions, o.out.Untold = c.Versions, c.Untold
}

// events tells the order in which things happened.
func (o *observer) events() {
	of := o.attempts() // of the version-set reads and targets that count
	for _, s := range o.out.Stmts {
		if s.Bad != nil {
			continue
		}
		b := s.Run
		of[b.Target] = s
		if b.Block.View == dbms.Snapshot && len(b.VSR) > 0 {
			of[b.VSR[0]] = s
		}
	}
	// what was refused in autocommit for a foreign key that transactions check at their end
	lost := map[*history.Event]bool{}
	for _, b := range o.run.Blocks {
		lost[b.Target] = b.Lost
	}
	undo := o.undos(of)
	for _, e := range o.run.Trace.Events {
		if undid, ok := undo[e]; ok {
			o.out.Events = append(o.out.Events, Moment{Kind: Undo, Txn: e.Txn, Undid: undid, Start: e.Start, End: e.End,
				Done: e.Done})
			continue
		}
		if e.Txn < 0 {
			continue
		}
		stmt := of[e]
		switch o.class(e, lost[e]) {
		case dbms.Deterministic:
		case dbms.StatementLost: // it did nothing, but took the snapshot
			if e.Stmt < 0 || !o.opensFirst(e.Txn) {
				continue
			}
			stmt = nil
		default:
			continue
		}
		if out, told := o.event(e, stmt); told {
			out.Txn, out.Start, out.End, out.Done = e.Txn, e.Start, e.End, e.Done
			o.brackets(out)
		}
	}
}

// class says what came of an event of a transaction.
func (o *observer) class(e *history.Event, lost bool) dbms.ErrorClass {
	class := dbms.Deterministic
	if e.Err != nil && !CommitsAnyhow(o.plan.Profile, e) {
		class = o.plan.Profile.ClassifyIn(o.plan.Txns[e.Txn].ReadOnly(), e.Err.Code, e.Err.Message)
	}
	if lost {
		class = max(class, dbms.StatementLost)
	}
	return class
}

// opensFirst says whether a statement takes its transaction's snapshot before it asks for any lock. Elsewhere that is
// taken once the statement has its tables: who was refused one has no snapshot.
func (o *observer) opensFirst(txn int) bool {
	return o.plan.Txns[txn].Profile.SnapshotAt == dbms.AtFirstStatement
}

// brackets notes a moment, and of a statement in autocommit the beginning and the end of its transaction with it.
func (o *observer) brackets(m Moment) {
	alone := o.plan.Txns[m.Txn].Autocommit()
	if first := !slices.ContainsFunc(o.out.Events, func(other Moment) bool { return other.Txn == m.Txn }); alone && first {
		o.out.Events = append(o.out.Events, Moment{Kind: Begin, Txn: m.Txn, Start: m.Start, End: m.Start, Done: m.Done})
	}
	o.out.Events = append(o.out.Events, m)
	if alone && m.Kind == Ran && o.out.Txns[m.Txn].Outcome == history.Committed {
		o.out.Events = append(o.out.Events, Moment{Kind: Commit, Txn: m.Txn, Start: m.End, End: m.End, Done: m.Done})
	}
}

// event is one statement of a trace; s is the statement whose version-set read or target it is, also of an attempt that
// was given up; nil if it is neither.
func (o *observer) event(e *history.Event, s *ObservedStmt) (out Moment, told bool) {
	switch e.Role {
	case history.Begin:
		return Moment{Kind: Begin, Snapshot: o.plan.Txns[e.Txn].Profile.BeginTakesSnapshot(e.Text)}, true
	case history.End:
		if o.out.Txns[e.Txn].Outcome == history.Committed {
			return Moment{Kind: Commit}, true
		}
		return Moment{Kind: Abort}, e.Err == nil
	}
	if e.Stmt < 0 {
		return out, false
	}
	snapshot := o.takesSnapshot(e)
	switch {
	case s != nil && s.Run != nil && e == s.Run.Target:
		return Moment{Kind: Ran, Stmt: s, Snapshot: snapshot}, true
	case s != nil:
		return Moment{Kind: Look, Stmt: s, Snapshot: true, Whole: true}, true
	}
	if o.plan.Txns[e.Txn].Autocommit() { // a read that was given up was a transaction of its own
		return out, false
	}
	return Moment{Kind: Look, Snapshot: true}, snapshot // a read that was given up took the snapshot all the same
}

// takesSnapshot says whether a statement reads a table of the snapshot over its transaction's own connection.
func (o *observer) takesSnapshot(e *history.Event) bool {
	b := o.plan.Txns[e.Txn].Blocks[e.Stmt]
	own := e.Session == history.SessionName(o.plan.Txns[e.Txn].Session)
	p := o.plan.Txns[e.Txn].Profile
	return own && b.Snaps() && (p.OpensView(b.View, len(b.VSR) > 0 || b.Info.Target != "") || o.readsScratch(e) &&
		p.OpensView(dbms.Snapshot, true) && p.SnapshotAt == dbms.AtFirstRead)
}

// readsScratch says whether a statement's answer went through a table of its own, which a plain read fetched: whatever
// the query itself reads, and how, a temporary table is one of the storage engine's, whose first plain read takes the
// snapshot. Elsewhere that table lies in a database of its own, which has another snapshot.
func (o *observer) readsScratch(e *history.Event) bool {
	_, scratch := o.plan.Profile.Scratch(e.Text)
	return scratch && e.Err == nil
}

// CommitsAnyhow says whether the answer to the statement that ends a transaction says nothing of the transaction: a
// change of a table commits what is open before it does anything else, and may be refused then.
func CommitsAnyhow(p *dbms.Profile, e *history.Event) bool {
	if e.Role != history.End {
		return false
	}
	_, redefines := p.Read(e.Text).Redefinition()
	return redefines
}

// refused says whether the answer of a function that tries to lock is that it was not given.
func refused(rows *history.Rows) bool {
	return rows.Len() == 1 && (rows.Cell(0, 0).S == "f" || rows.Cell(0, 0).S == "0")
}

// asked says whether another transaction had asked for an advisory lock that excludes one before a moment, whatever
// came of it.
func (o *observer) asked(txn int, lock control.TableLock, by int64) bool {
	return slices.ContainsFunc(o.run.Trace.Events, func(e *history.Event) bool {
		if e.Txn < 0 || e.Txn == txn || e.Stmt < 0 || e.Start > by {
			return false
		}
		l := o.plan.Txns[e.Txn].Blocks[e.Stmt].Advisory
		return l != nil && !l.Unlock && l.Held().Table == lock.Table && l.Held().Mode.Excludes(lock.Mode)
	})
}

// prepares says whether a block is XA PREPARE.
func (o *observer) prepares(b *instrument.Block) bool {
	return o.plan.Profile.Read(b.SQL).Prepares() != ""
}

// unmade says whether an event drops a table, beside those of the schema, that is not sure to be there: no CREATE of
// its name in autocommit was answered before, or another DROP of it was sent since. What a transaction makes may have
// been undone with it.
func (o *observer) unmade(e *history.Event) bool {
	name := o.redefinition(e).Drops
	if name == "" {
		return false
	}
	there := false
	for _, x := range o.run.Trace.Events {
		switch d := o.redefinition(x); {
		case x == e:
			return !there
		case d.Drops == name:
			there = false
		case d.Makes == name && x.Err == nil && x.End <= e.Start && x.Txn >= 0 && o.plan.Txns[x.Txn].Autocommit():
			there = true
		}
	}
	return true
}

func (o *observer) redefinition(e *history.Event) control.Redefinition {
	d, _ := o.plan.Profile.Read(e.Text).Redefinition()
	return d
}
