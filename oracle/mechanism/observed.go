package mechanism

import (
	"maps"
	"slices"

	"txweave/dbms"
	"txweave/finding"
	"txweave/history"
	"txweave/oracle"
	"txweave/oracle/observe"
	"txweave/sql/sqltext"
)

// Oracle judges runs: where one broke mutual exclusion, first updater wins or the current reads of DML and
// locking SELECTs. Plain reads are the snapshot oracle's.
type Oracle struct{}

// Name implements oracle.Oracle.
func (Oracle) Name() string { return "mechanism" }

// Class implements oracle.Oracle.
func (Oracle) Class() string { return finding.ClassMechanism }

// Judge implements oracle.Oracle.
func (Oracle) Judge(o *observe.Observation) (v oracle.Ruling, err error) {
	p := o.Promise.Promise()
	if o.Mixed() {
		p = common(o)
	}
	if p.Guarantees.Mechanisms == (dbms.Mechanisms{}) {
		v.Unchecked = "nothing is promised of the mechanisms of " + p.DBMS + " at " + p.Isolation
		return v, nil
	}
	if p.Errors.KeysAtCommit {
		v.Unchecked = p.Guarantees.NoReplay
		return v, nil
	}
	w := &observedRun{o: o, sym: history.NewSymbols(), untold: untold(o)}
	rep, err := Check(Options{Promise: p.Guarantees.Mechanisms, Symbols: w.sym, Initial: true, Partitions: 1},
		w.operations())
	if err != nil {
		return v, err
	}
	for i := range rep.Violations {
		for _, d := range rep.Violations[i].Finding().Differences {
			d.Failed = failedBefore(o, &rep.Violations[i])
			v.Differences = append(v.Differences, d)
		}
	}
	v.Differences = slices.Concat(v.Differences, writeLocks(o), refused(o), unheld(o), tableLocks(o))
	if p.RowLocks && !p.GapLocks { // which are judged above, with all that was scanned
		v.Differences = append(v.Differences, rowLocks(o)...)
	}
	return v, nil
}

// failedBefore names the statements of each transaction of a violation that had failed by then: of a transaction that
// was rolled back there without a word the locks are gone, too.
func failedBefore(o *observe.Observation, v *Violation) []finding.Failure {
	var failed []finding.Failure
	for _, txn := range v.Txns {
		failed = append(failed, observe.FailedBefore(o.Errors, int(txn), v.At)...)
	}
	return failed
}

// observedRun makes an interval trace of a run.
type observedRun struct {
	o      *observe.Observation
	sym    *history.Symbols
	untold untoldItems
}

// untoldItems are those of which it is not known for each version who wrote it, and versions that statements wrote of
// which it is not known what else they wrote, and over what: who sees one of them says nothing about mechanisms.
type untoldItems struct {
	items    map[history.Item]bool
	tables   map[string]bool
	versions map[int64]bool
}

func untold(o *observe.Observation) untoldItems {
	u := untoldItems{map[history.Item]bool{}, map[string]bool{}, map[int64]bool{}}
	for v := range o.Recurring {
		u.items[v.Item] = true
	}
	for _, s := range o.Stmts {
		if len(s.Unsure) > 0 && s.VKey != 0 {
			u.versions[s.VKey] = true
		}
		for _, t := range s.Unsure {
			if o.Contents[t] {
				u.tables[t] = true
			}
		}
	}
	return u
}

func (u *untoldItems) has(i history.Item) bool { return u.items[i] || u.tables[i.Table] }

func (w *observedRun) item(i history.Item) history.ItemID {
	return history.ItemID{Table: w.sym.Table(i.Table), Key: i.PKey}
}

// operations is the run as the mechanism oracle reads it; every transaction is a session of its own. A transaction that
// an error ended is left open: when its locks went is not known.
func (w *observedRun) operations() []*history.Operation {
	load := &history.Operation{Kind: history.OpLoad}
	for _, table := range slices.Sorted(maps.Keys(w.o.Initial)) {
		for _, pkey := range slices.Sorted(maps.Keys(w.o.Initial[table])) {
			item := history.Item{Table: table, PKey: pkey}
			if !w.untold.has(item) {
				load.Writes = append(load.Writes, history.Access{ItemID: w.item(item), Version: w.o.Initial[table][pkey]})
			}
		}
	}
	ops := []*history.Operation{load}
	ended := make([]bool, len(w.o.Txns))
	for i := range w.o.Events {
		e := &w.o.Events[i]
		if ended[e.Txn] {
			continue
		}
		op := w.operation(e)
		if op == nil {
			continue
		}
		op.Session, op.Txn, op.Start, op.End = int32(e.Txn), int64(e.Txn), e.Start, e.End
		ended[e.Txn] = op.Kind == history.OpCommit || op.Kind == history.OpAbort
		ops = append(ops, op)
	}
	return ops
}

// operation is one event of the run; nil if it says nothing about mechanisms.
func (w *observedRun) operation(e *observe.Moment) *history.Operation {
	switch e.Kind {
	case observe.Begin:
		return &history.Operation{Kind: history.OpBegin, Snapshot: e.Snapshot}
	case observe.Look:
		return &history.Operation{Kind: history.OpRead}
	case observe.Undo:
		return nil // the locks stay
	case observe.Commit:
		return &history.Operation{Kind: history.OpCommit}
	case observe.Abort:
		return &history.Operation{Kind: history.OpAbort}
	}
	s := e.Stmt
	switch {
	case s.Target != "":
		return w.write(s)
	case len(s.Reads) == 0:
		return nil // it reads no table, and so takes neither a lock nor the snapshot
	case s.View == dbms.Current && w.o.PromiseOf(s.Txn).Promise().GapLocks:
		return w.lockingRead(s)
	}
	return &history.Operation{Kind: history.OpRead}
}

// lockingRead is a read that locks what it printed. Its lock is the weakest that it may have taken: a locking SELECT's,
// or a plain one's where those lock.
func (w *observedRun) lockingRead(s *observe.ObservedStmt) *history.Operation {
	op := &history.Operation{Kind: history.OpRead, Lock: history.LockShared, Unlocks: unlocks(w.o, s.Txn)}
	for _, v := range s.Out {
		entries := ofEntries(w.o, s, v.Table)
		if w.untold.has(v.Item) || w.untold.versions[v.VKey] || w.o.Contents[v.Table] && entries {
			continue
		}
		a := history.Access{ItemID: w.item(v.Item), Version: v.VKey}
		if slices.Contains(op.Reads, a) || s.SawUndone && w.own(s, v, true) {
			continue
		}
		op.Reads = append(op.Reads, a)
		if entries {
			op.Lock = history.LockEntries
		}
	}
	return op
}

// write is DML: what it left, and what an UPDATE overwrote, as the rows that it left tell themselves. What a DELETE
// that waited found is not known that well.
func (w *observedRun) write(s *observe.ObservedStmt) *history.Operation {
	if s.Undone {
		return w.undone(s)
	}
	op := &history.Operation{Kind: history.OpWrite, Lock: history.LockExclusive}
	for _, x := range s.Writes {
		if w.untold.has(x.Item) {
			continue
		}
		item := w.item(x.Item)
		if s.Kind == sqltext.Update && x.From >= 0 && !w.untold.versions[int64(x.From)] {
			op.Reads = append(op.Reads, history.Access{ItemID: item, Version: int64(x.From)})
		}
		op.Writes = append(op.Writes, history.Access{ItemID: item, Version: int64(x.To)})
	}
	return op
}

// unlocks is from when on a transaction need no longer hold what it locked without writing it, in ns; 0: until it ends.
func unlocks(o *observe.Observation, txn int) int64 {
	switch o.PromiseOf(txn).Promise().Prepared {
	case dbms.PreparedKeeps:
		return 0
	case dbms.WritersKeep:
		if slices.ContainsFunc(o.Stmts, func(s *observe.ObservedStmt) bool {
			return s.Txn == txn && !s.Undone && len(s.Writes) > 0
		}) {
			return 0
		}
	}
	return o.Txns[txn].Prepared
}

// undone is DML that a ROLLBACK TO undid: it wrote nothing, and what an UPDATE or a DELETE overwrote stays locked as by
// a locking read, where a savepoint does not give them back. The locks of rows that it inserted go with them. What its
// transaction had undone with it is no version.
func (w *observedRun) undone(s *observe.ObservedStmt) *history.Operation {
	op := &history.Operation{Kind: history.OpRead}
	p := w.o.PromiseOf(s.Txn)
	if p.Promise().DMLView != dbms.Current {
		return op // it read the snapshot
	}
	// whatever it met: it is no plain read, and takes no snapshot where the first one of these does
	op.Lock = history.LockExclusive
	if s.Waited || s.Err != nil || p.Transactions.Loss == dbms.ErrorsEnd {
		return op
	}
	for _, x := range s.Writes {
		if v := (history.Version{Item: x.Item, VKey: int64(x.From)}); x.From >= 0 && !w.own(s, v, false) &&
			!w.untold.has(x.Item) && !w.untold.versions[v.VKey] {
			op.Unlocks = unlocks(w.o, s.Txn)
			op.Reads = append(op.Reads, history.Access{ItemID: w.item(x.Item), Version: v.VKey})
		}
	}
	return op
}

// own says whether the transaction of a statement wrote a version itself; with undone set, one that was undone.
func (w *observedRun) own(s *observe.ObservedStmt, v history.Version, undone bool) bool {
	return slices.ContainsFunc(w.o.Stmts, func(o *observe.ObservedStmt) bool {
		return o.Txn == s.Txn && (o.Undone || !undone) && slices.ContainsFunc(o.Writes, func(x history.Write) bool {
			return x.Item == v.Item && x.To == history.State(v.VKey)
		})
	})
}

// common is what the levels of all transactions promise: which locks a statement takes its own level says.
func common(o *observe.Observation) *dbms.Profile {
	p := *o.Promise.Promise()
	for i := range o.Txns {
		m := &o.PromiseOf(i).Promise().Guarantees.Mechanisms
		p.MutualExclusion = p.MutualExclusion && m.MutualExclusion
		p.FirstUpdaterWins = p.FirstUpdaterWins && m.FirstUpdaterWins
		p.GapLocks = p.GapLocks && m.GapLocks
		p.RowLocks = p.RowLocks && m.RowLocks
		p.LockingReads = p.LockingReads && m.LockingReads
		p.ConsistentRead = min(p.ConsistentRead, m.ConsistentRead)
		if p.Certifier != m.Certifier {
			p.Certifier = dbms.NoCertifier
		}
		p.Serializable = p.Serializable && m.Serializable
	}
	return &p
}
