package mechanism

import (
	"slices"

	"txweave/dbms"
	"txweave/fault"
	"txweave/finding"
	"txweave/history"
	"txweave/oracle/observe"
	"txweave/sql/sqltext"
)

// hold is a row lock that a statement surely held: from its answer until something was sent that may have given it
// back.
type hold struct {
	s *observe.ObservedStmt
	rowLock
	from, until int64
}

// rowLocks holds locking SELECTs against each other and against writes: where each row that one returned stays locked,
// two transactions that hold locks of a row which exclude each other at the same time are a violation. Of each two
// statements the first row is told. Plain reads take no locks, and of rows that a SELECT locked and did not print
// nothing is known.
func rowLocks(o *observe.Observation) []finding.Difference {
	gone := untold(o)
	held := map[history.Item][]hold{}
	var out []finding.Difference
	told := map[[2]string]bool{}
	for _, s := range o.Stmts {
		if s.Err != nil || s.Bad != nil {
			continue
		}
		until := gaveBack(o, s)
		for _, l := range locked(o, s) {
			if gone.has(l.item) || gone.versions[l.version] {
				continue
			}
			h := hold{s, l, s.Done, until}
			for _, other := range held[l.item] {
				pair := [2]string{other.s.Name, s.Name}
				if other.s.Txn == s.Txn || !other.excludes(l, o.Contents[l.item.Table]) || max(other.from, h.from) >=
					min(other.until, h.until) || told[pair] {
					continue
				}
				told[pair] = true
				out = append(out, finding.Difference{Stmt: s.Name, What: fault.RowLock,
					Steps: finding.Sentences{finding.Say("%v locked %v and %v did, before %v had ended",
						finding.StmtName(other.s.Name), l.item, finding.StmtName(s.Name), finding.TxnNumber(other.s.Txn))}})
			}
			held[l.item] = append(held[l.item], h)
		}
	}
	return out
}

// rowLock is the lock of a row that a statement took, and the version that it met.
type rowLock struct {
	item    history.Item
	version int64
	lock    sqltext.RowLock
	write   bool // a write's
	entry   bool // it may be one of an entry of an index alone
}

// excludes says whether two transactions cannot hold such locks at the same time. What is locked of an index alone a
// write meets where it changes the version key that the index holds, which it may leave where versions are contents.
func (l rowLock) excludes(other rowLock, contents bool) bool {
	meets := func(a, b rowLock) bool { return !a.entry || b.write && !contents }
	return l.lock.Excludes(other.lock) && meets(l, other) && meets(other, l)
}

// ofEntries says whether what a query locks of a table may be entries of an index and no rows: it locks no more than
// others may, too.
func ofEntries(o *observe.Observation, s *observe.ObservedStmt, table string) bool {
	return o.Covered[table] && s.Locks <= sqltext.ForShare && o.PromiseOf(s.Txn).Promise().EntryLocks
}

// locked are the rows that a statement surely locked. A row that it inserted nobody else can meet before its
// transaction commits. An UPDATE that changes a key of a row locks it as a DELETE does, which is not known here: it
// counts as one that does not.
func locked(o *observe.Observation, s *observe.ObservedStmt) []rowLock {
	var out []rowLock
	if s.Locks != sqltext.NoRowLock {
		for _, v := range s.Out {
			out = append(out, rowLock{item: v.Item, version: v.VKey, lock: s.Locks, entry: ofEntries(o, s, v.Table)})
		}
	}
	for _, w := range s.Writes {
		if w.From < 0 {
			continue
		}
		lock := sqltext.ForNoKeyUpdate
		if w.To < 0 {
			lock = sqltext.ForUpdate
		}
		out = append(out, rowLock{item: w.Item, version: int64(w.From), lock: lock, write: true})
	}
	return out
}

// gaveBack is when a statement's transaction sent, after the statement, what may have given the statement's locks back:
// its end, a ROLLBACK TO a savepoint, an XA PREPARE that keeps them not, or a statement that met an error of
// concurrency, or any where that ends the transaction. In autocommit that was sent with the statement itself.
func gaveBack(o *observe.Observation, s *observe.ObservedStmt) int64 {
	until := o.Txns[s.Txn].Sent
	for _, e := range o.Events {
		if e.Txn == s.Txn && e.Kind == observe.Undo && e.Start >= s.Done {
			until = min(until, e.Start)
		}
	}
	for _, e := range o.Errors {
		if e.Txn == s.Txn && e.Start >= s.Done && unlocking(o, e) {
			until = min(until, e.Start)
		}
	}
	if prepared := unlocks(o, s.Txn); prepared > 0 {
		until = min(until, prepared)
	}
	return until
}

// unlocking says whether an error may have given back the locks of statements before it. One of a statement and its
// data undoes that statement alone, unless any error ends the transaction. An error may be a trigger's RAISE(ROLLBACK),
// which does: all but those of keys.
func unlocking(o *observe.Observation, e *history.Event) bool {
	p := o.PromiseOf(e.Txn)
	switch {
	case p.Transactions.Loss == dbms.ErrorsEnd:
		return true
	case p.Order == dbms.OneWriterAtOnce:
		return !slices.Contains(p.Errors.Duplicate, e.Err.Code)
	}
	return p.Errors.Classify(e.Err.Code, e.Err.Message) != dbms.Deterministic
}
