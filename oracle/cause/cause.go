// Package cause says to what a finding comes down: one bug of an engine shows to several oracles, in statements of
// several kinds, and as a triager would one asks of each finding what went wrong first.
//
// Its claim: the cause names what is wrong with the data, or with the reads, whichever of them explains the finding.
// Whether data or reads are wrong the final contents tell: a version that a committed transaction wrote last and that
// is not there in the end was lost, and all who missed it read right; one that is there was missed by the reads. Two
// findings with equal causes may still be two bugs, so who groups by it keeps apart what needs different things to
// happen.
package cause

import (
	"cmp"
	"math"
	"slices"

	"txweave/dbms"
	"txweave/fault"
	"txweave/finding"
	"txweave/history"
	"txweave/oracle/observe"
	"txweave/oracle/snapshot"
	"txweave/sql/sqltext"
)

// ofWrongRead are the causes of the snapshot oracle's wrong reads.
var ofWrongRead = map[fault.Kind]finding.Cause{
	fault.StaleRead: finding.CauseStale, fault.SessionGuarantee: finding.CauseStale, fault.DirtyRead: finding.CauseDirty,
	fault.NewerRead:      finding.CauseNewer,
	fault.OwnWriteMissed: finding.CauseOwn, fault.ThinAirRead: finding.CauseThinAir,
	fault.MissingRow: finding.CauseMissing,
}

// ofRelation are the causes of what the other oracles of transactions name, where no single read is wrong by itself.
var ofRelation = map[fault.Kind]finding.Cause{
	fault.G1a: finding.CauseDirty, fault.G1b: finding.CauseDirty, fault.DirtyRead: finding.CauseDirty,
	fault.StaleRead: finding.CauseStale,
	fault.P2:        finding.CauseNewer, fault.PMP: finding.CauseNewer, fault.GSIaRead: finding.CauseNewer,
}

// ofRead are the kinds of which the mechanism oracle says first who read, and then by whom that is wrong.
var ofRead = []fault.Kind{fault.NewerRead, fault.StaleRead, fault.MissingRow, fault.G1a,
	fault.G1aDelete, fault.G1b, fault.DirtyRead}

// Facts are what a finding's run tells beside what the oracle says.
type Facts struct {
	Observation *observe.Observation
	Final       map[string]*history.Rows // what the tables held after the run
	Indexed     bool                     // tables of the case have indexes beside the key that names their rows
	ReadMends   bool                     // with reads between its statements the replay answers as the run
}

// Of returns the cause of a finding; none if it is the finding's own signature.
func Of(f *finding.Finding, facts Facts) finding.Cause {
	if len(f.Differences) == 0 {
		return finding.Cause{}
	}
	d := &f.Differences[0]
	switch f.Class {
	case finding.ClassCorruption, finding.ClassUnexpected:
		// one message is one bug, whether a statement of the case meets it or one of the tool's own
		said := ""
		if errs := d.Errors(); len(errs) > 0 {
			said = errs[0].Message
		}
		if c := damage(d, said); !c.IsZero() || said == "" {
			return c
		}
		return finding.Cause{Kind: fault.UnexpectedError, Of: history.ErrorName(d.Code) + " " + finding.MessageShape(said)}
	}
	o := facts.Observation
	if o == nil {
		return finding.Cause{}
	}
	r := &run{Facts: facts, reads: snapshot.FindAll(o)}
	r.compare()
	c := r.of(f, d)
	if followsOldWriter(c) && f.Class != finding.ClassPlan && r.oldWriter(f) {
		return finding.CauseOldWriter
	}
	return c
}

// of is the cause of a finding of a run, whichever of its transactions may have written at all.
func (r *run) of(f *finding.Finding, d *finding.Difference) finding.Cause {
	switch f.Class {
	case finding.ClassInconsistent:
		return cmp.Or(r.savepoint(f, d), r.ended(f, d), gone(d), r.write(d))
	case finding.ClassSnapshot, finding.ClassIsolation, finding.ClassMechanism:
		return r.read(f, d)
	case finding.ClassUnexplained:
		if at := r.at(d.Stmt); at >= 0 && r.missedInitial(r.Observation.Stmts[at]) {
			return finding.CauseMissing
		}
		return r.read(f, d)
	case finding.ClassPlan:
		if r.Indexed && d.What == fault.Rows {
			return finding.CauseSearch
		}
	case finding.ClassReplay:
		at := r.at(d.Stmt)
		switch {
		case r.unseenWrites(): // the dependencies of such a statement are not known, nor is the order that keeps them
			return finding.CauseOwn
		case d.What == fault.Warnings:
			return warned(f)
		case r.ReadMends:
			return finding.CauseRead
		case d.What == fault.Final:
			return cmp.Or(r.data(nil), r.namesNone(d.Table))
		case d.What == fault.Error && r.keyOnce(d):
			return cmp.Or(r.data(nil), r.readWrong(d), finding.CauseKey)
		case d.What == fault.Rows && at >= 0 && !r.readWrong(d).IsZero(): // so are the dependencies that the order keeps
			return r.readWrong(d)
		case d.What == fault.Rows && at >= 0 && !r.ofNone(at, d).IsZero():
			return r.ofNone(at, d)
		case d.What == fault.Rows && at >= 0 && r.listsWrong(at):
			return r.search()
		case d.What == fault.AffectedRows && at >= 0 && r.writesNone(r.Observation.Stmts[at]):
			return finding.CauseNone
		case !slices.ContainsFunc(f.Differences, func(d finding.Difference) bool { return d.What != fault.AffectedRows }):
			return finding.CauseMiscount // rows, errors and what the tables hold agree
		case d.What == fault.AffectedRows && at >= 0 && r.passesOver(at):
			return finding.Cause{Kind: fault.PassesOver, Of: d.Kind}
		}
	}
	return finding.Cause{}
}

// run is a run as far as it was looked into.
type run struct {
	Facts
	reads      []snapshot.WrongRead
	final      map[string]map[int64]int64
	lost, kept []int           // transactions whose writes the final contents lack, or have though they were rolled back
	keptTo     []int           // … or have though a ROLLBACK TO undid them
	unsure     map[string]bool // tables of which not all is known that was written
}

// compare holds the final contents against what was written.
func (r *run) compare() {
	r.final = map[string]map[int64]int64{}
	for table, rows := range r.Final {
		if named := r.versions(table, rows); named != nil {
			r.final[table] = named
		}
	}
	chains := map[history.Item][]write{}
	r.unsure = map[string]bool{}
	for i, s := range r.Observation.Stmts {
		for _, table := range s.Untold() {
			r.unsure[table] = true
		}
		if s.Bad != nil {
			r.unsure[s.Target] = true
		}
		for _, w := range s.Writes {
			named := s.Kind == sqltext.Update && s.Run != nil && !s.Run.Block.Info.Diff && !r.Observation.Contents[w.Table]
			chains[w.Item] = append(chains[w.Item], write{w, i, s.Txn, s.Undone, named})
		}
	}
	for item, chain := range chains {
		if chain = r.notMissed(item, chain); len(chain) == 0 {
			continue
		}
		if rows, known := r.final[item.Table]; known && !r.unsure[item.Table] {
			r.item(chain, state(rows, item.PKey))
		}
		if !r.unsure[item.Table] {
			r.passedOver(chain)
			r.writtenOver(chain)
		}
	}
	slices.Sort(r.lost)
	slices.Sort(r.kept)
}

// unnamed is a version that no probe of the run has seen.
const unnamed = math.MinInt64

// versions are a table's rows by pkey: their version keys, or the names of their contents where these are the versions.
// nil: the rows have neither.
func (r *run) versions(table string, rows *history.Rows) map[int64]int64 {
	pkey, vkey := slices.Index(rows.Columns, sqltext.PKey), slices.Index(rows.Columns, sqltext.VKey)
	contents := r.Observation.Contents[table]
	if pkey < 0 || vkey < 0 && !contents {
		return nil
	}
	out := map[int64]int64{}
	for i := range rows.Len() {
		k, _ := rows.Row(i)[pkey].Int64()
		switch {
		case !contents:
			out[k], _ = rows.Row(i)[vkey].Int64()
		default:
			out[k] = unnamed
			if v, known := r.Observation.Name(table)(rows, i); known {
				out[k] = v.VKey
			}
		}
	}
	return out
}

// write is a write with its statement and transaction.
type write struct {
	history.Write
	at     int // the statement's place in the run
	txn    int
	undone bool // by a ROLLBACK TO
	named  bool // the row itself names the version that it was before
}

// last says whether nothing that was written of the row later is its transaction's: what a ROLLBACK TO undid left it as
// it was.
func (w write) last(later []write) bool {
	return !slices.ContainsFunc(later, func(x write) bool { return x.txn == w.txn && !x.undone })
}

// state is what the final contents hold of a row.
func state(rows map[int64]int64, pkey int64) history.State {
	if vkey, there := rows[pkey]; there {
		return history.State(vkey)
	}
	return history.Dead
}

// item compares what was written of a row, in the order in which it was, with what is there in the end.
func (r *run) item(chain []write, end history.State) {
	want := chain[0].From // what was there before the run, unless the first read missed it
	if initial, known := r.Observation.Initial[chain[0].Table]; known {
		want = state(initial, chain[0].PKey)
	}
	by := -1
	for _, w := range chain {
		switch {
		case r.rolledBack(w.txn) || w.undone:
		case r.Observation.Txns[w.txn].Outcome == history.Committed:
			want, by = w.To, w.txn
		default:
			return // it may have committed
		}
	}
	if sameState(want, end) || r.keptUndone(chain, end) {
		return
	}
	old := func(w write) bool { return sameState(w.From, end) || sameState(w.To, end) }
	if by < 0 || !slices.ContainsFunc(chain, old) {
		return
	}
	for i, w := range chain {
		if !w.last(chain[i+1:]) {
			continue
		}
		if w.txn == by || r.committed(w) && !sameState(w.To, end) && !r.replaced(w, chain) {
			r.lost = append(r.lost, w.txn)
		}
	}
}

// sameState says whether two states are equal; all that are no row are.
func sameState(a, b history.State) bool { return a == b || a.Absent() && b.Absent() }

// keptUndone says whether a row is as a write left it that was rolled back, or undone, and notes it.
func (r *run) keptUndone(chain []write, end history.State) bool {
	for _, w := range slices.Backward(chain) {
		switch rolledBack := r.rolledBack(w.txn); {
		case !sameState(w.To, end):
		case w.undone && !rolledBack:
			r.keptTo = append(r.keptTo, w.txn)
			return true
		case rolledBack:
			r.kept = append(r.kept, w.txn)
			return true
		}
	}
	return false
}

// replaced says whether another transaction that committed replaced what a write left.
func (r *run) replaced(w write, chain []write) bool {
	return slices.ContainsFunc(chain, func(x write) bool {
		return x.txn != w.txn && r.committed(x) && sameState(x.From, w.To)
	})
}

// rolledBack says whether a transaction was, by itself or by the database.
func (r *run) rolledBack(txn int) bool {
	o := r.Observation.Txns[txn].Outcome
	return o == history.RolledBack || o == history.Aborted
}

// committed says whether a write's transaction did.
func (r *run) committed(w write) bool {
	return !w.undone && r.Observation.Txns[w.txn].Outcome == history.Committed
}

// data is the cause where the data is wrong that the transactions named wrote, nil: that any of them wrote; "" where it
// is right.
func (r *run) data(named []int) finding.Cause {
	among := func(txns []int) bool {
		return len(txns) > 0 && (named == nil || slices.ContainsFunc(txns, func(t int) bool {
			return slices.Contains(named,
				t)
		}))
	}
	switch {
	case among(r.lost):
		return finding.CauseLost
	case among(r.kept):
		return finding.CauseKept
	case among(r.keptTo):
		return finding.CauseKeptTo
	}
	return finding.Cause{}
}

// read is the cause of a finding that tells of versions that were read: wrong data, a wrong read of those transactions,
// else what the oracle calls it.
func (r *run) read(f *finding.Finding, d *finding.Difference) finding.Cause {
	named := d.Txns()
	if d.Stmt != "" && f.Class == finding.ClassSnapshot {
		named = slices.DeleteFunc(named, func(t int) bool { return t == txnOf(d.Stmt) }) // those whom it read from
	}
	written := named
	switch first := firstTxn(d); {
	case d.What == fault.WriteLock:
		written = []int{first} // whose lock was gone, as it was committed before its end
	case f.Class == finding.ClassMechanism && slices.Contains(ofRead, d.What): // those whom it read from
		written = slices.DeleteFunc(slices.Clone(named), func(t int) bool { return t == first })
	}
	if c := r.data(written); !c.IsZero() && len(named) > 0 {
		return c
	}
	if r.sawKept(f.Transactions()) {
		return finding.CauseKept
	}
	if f.Class == finding.ClassSnapshot {
		return r.wrongRead(d.What, d.Stmt)
	}
	if w := r.wrong(d, func(w *snapshot.WrongRead) bool { return slices.Contains(named, w.Txn) }); w != nil {
		from := (&finding.Difference{Steps: w.Why}).Txns()
		if c := r.data(from); !c.IsZero() && len(from) > 0 {
			return c
		}
		return r.wrongRead(w.What, w.Stmt)
	}
	return ofRelation[d.What]
}

// firstTxn is the transaction that the steps of a difference name first; -1 where they name none.
func firstTxn(d *finding.Difference) int {
	for _, a := range d.Args() {
		if a.Txn != nil {
			return *a.Txn
		}
	}
	return -1
}

// wrongRead is the cause of a read of a statement that the snapshot oracle calls wrong.
func (r *run) wrongRead(what fault.Kind, stmt string) finding.Cause {
	switch {
	case what == fault.ThinAirRead && r.sawLater(stmt):
		return finding.CauseLater
	case what == fault.NewerRead && (r.dirtyBefore(stmt) || r.letIn(stmt)):
		return finding.CauseDirty
	case slices.Contains([]fault.Kind{fault.OwnWriteMissed, fault.StaleRead, fault.SessionGuarantee},
		what) && r.sawNotTaken(stmt):
		return finding.CauseMissing
	case what == fault.OwnWriteMissed && slices.Contains(r.lost, txnOf(stmt)):
		return finding.CauseLost // it was gone, and the read right
	case (what == fault.UndoneWrite || what == fault.MissingRow) && !r.keptOnly().IsZero(): // nobody else touched the row
		return r.keptOnly()
	case (what == fault.ThinAirRead || what == fault.MissingRow) && r.unseenBefore(stmt):
		return finding.CauseOwn
	}
	return ofWrongRead[what]
}

// wrong is the first read of some that is wrong and of a row which a difference names, or else the first that is wrong
// at all; nil where none is.
func (r *run) wrong(d *finding.Difference, of func(*snapshot.WrongRead) bool) (first *snapshot.WrongRead) {
	rows := d.Rows()
	for i := range r.reads {
		w := &r.reads[i]
		switch {
		case w.Search || !of(w):
		case slices.Contains(rows, w.Row):
			return w
		case first == nil:
			first = w
		}
	}
	return first
}

// readWrong is the cause of a statement's own read, or of the version-set read beside it, that is wrong; "" if none is.
func (r *run) readWrong(d *finding.Difference) finding.Cause {
	if w := r.wrong(d, func(w *snapshot.WrongRead) bool { return w.Stmt == d.Stmt }); w != nil {
		return r.wrongRead(w.What, w.Stmt)
	}
	return finding.Cause{}
}

// misread says whether a statement's own read of a row, or the read beside it, is wrong.
func (r *run) misread(s *observe.ObservedStmt, row history.Item) bool {
	return slices.ContainsFunc(r.reads, func(w snapshot.WrongRead) bool {
		return !w.Search && w.Stmt == s.Name && w.Row == row
	})
}

// letIn says whether a statement's transaction was given the database's one write lock by its BEGIN while another one
// had written and had not ended: that one's lock was gone, and what it had written was there for all.
func (r *run) letIn(stmt string) bool {
	if r.Observation.Promise.Order != dbms.OneWriterAtOnce {
		return false
	}
	for _, e := range r.Observation.Events {
		if e.Kind != observe.Begin || !e.Snapshot || e.Txn != txnOf(stmt) {
			continue
		}
		return slices.ContainsFunc(r.Observation.Stmts, func(s *observe.ObservedStmt) bool {
			return s.Txn != e.Txn && len(s.Writes) > 0 && s.Done < e.End && r.Observation.Txns[s.Txn].Sent > e.End
		})
	}
	return false
}

// dirtyBefore says whether a read of the same transaction before that of a statement saw what was not committed then:
// that it saw the same once it was committed is no second fault.
func (r *run) dirtyBefore(stmt string) bool {
	for _, w := range r.reads {
		if w.Stmt == stmt && w.What == fault.NewerRead {
			return false
		}
		if w.What == fault.DirtyRead && w.Txn == txnOf(stmt) {
			return true
		}
	}
	return false
}

// write is the cause of a finding about a statement and the reads around it.
func (r *run) write(d *finding.Difference) finding.Cause {
	if d.Autocommit {
		return finding.Cause{}
	}
	if d.What == fault.RowTwice {
		return finding.CauseTwice
	}
	at := r.at(d.Stmt)
	if at < 0 {
		return finding.Cause{}
	}
	s := r.Observation.Stmts[at]
	if d.What == fault.Affected && r.wroteUnread(s) { // of other rows than those that it read wrongly
		return finding.CauseOwn
	}
	if c := r.readWrong(d); !c.IsZero() {
		return c
	}
	switch {
	case d.What == fault.OverwroteUnseen && slices.ContainsFunc(s.Writes, r.overwroteNone):
		return finding.CauseUnwritten
	case d.What == fault.Searched:
		return finding.CauseSearch
	case d.What == fault.Counted && s.Run != nil && s.Run.Block.Info.RowCount.Counts:
		return finding.CauseCount
	case r.wroteMore(s) || r.changedBefore(s):
		return finding.CauseOwn
	}
	if c := r.overtaken(s); !c.IsZero() {
		return c
	}
	if r.sawNewer(s) {
		return finding.CauseNewer
	}
	if s.Joined != nil {
		return r.joined(d.What, s)
	}
	return r.ofSearch(d, at)
}

// ofSearch is the cause of a finding about a write whose reads are right: which rows it found of those that it searched
// for, or what it says of them.
func (r *run) ofSearch(d *finding.Difference, at int) finding.Cause {
	s := r.Observation.Stmts[at]
	wrong, missed, extra, unknown := r.searched(at)
	switch {
	case r.writesNone(s):
		return finding.CauseNone
	case d.What == fault.Spelled && len(s.Writes) > 0:
		return finding.CauseMiscount
	case d.What == fault.Affected && !missed && !extra && (r.found(at) != nil || len(s.Writes) > 0):
		return finding.CauseMiscount
	case d.What != fault.MatchedWritten:
	case wrong:
		return r.search()
	case unknown && r.Indexed:
		return finding.CauseSearch // which of the two searches went wrong is not known, and an index may be why
	case missed && !extra:
		return finding.Cause{Kind: fault.PassesOver, Of: d.Kind}
	case extra && !missed:
		return finding.Cause{Kind: fault.WritesOthers, Of: d.Kind}
	}
	return finding.Cause{}
}

// at is the place of a statement in the run; -1 if it is not there.
func (r *run) at(name string) int {
	return slices.IndexFunc(r.Observation.Stmts, func(s *observe.ObservedStmt) bool { return s.Name == name })
}

// txnOf is the transaction of a statement; -1 if it is none of a transaction.
func txnOf(stmt string) int {
	if of := (&finding.Difference{Stmt: stmt}).Txns(); len(of) > 0 {
		return of[0]
	}
	return -1
}

// keyOnce says whether one side of a difference refuses a key that is there already, and to the other it is not there:
// whatever writes it, and whichever of its indexes refuses it, somebody looked it up wrongly.
func (r *run) keyOnce(d *finding.Difference) bool {
	refused := func(v finding.Side) bool {
		return v.Err != nil && slices.Contains(r.Observation.Promise.Errors.Duplicate, v.Err.Code)
	}
	return refused(d.Transaction) != refused(d.Replay)
}

// search is the cause where a search misses rows that its clause is true for.
func (r *run) search() finding.Cause {
	if r.Indexed {
		return finding.CauseSearch
	}
	return finding.CauseMissing
}
