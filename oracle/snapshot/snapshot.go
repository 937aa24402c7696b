// Package snapshot is the consistent-read oracle of runs. Its claim: where the level promises that plain reads
// see a snapshot, taken at a moment that the profile names, each of them saw exactly the versions that had been
// committed at that moment, overlaid with what its own transaction wrote before. In a run one statement runs at
// a time, so what had been committed at a moment is known for certain: real-time order is certain too, and with it
// session order (MTC, Table I (h); Leopard's consistent-read mechanism, with exact versions in place of intervals).
//
// An order of the statements can explain a stale read, so the replay oracle need not see one; this oracle does.
package snapshot

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"txweave/dbms"
	"txweave/fault"
	"txweave/finding"
	"txweave/history"
	"txweave/oracle"
	"txweave/oracle/observe"
	"txweave/sdg"
	"txweave/sql/sqltext"
)

// WrongRead is one read that did not see its snapshot.
type WrongRead struct {
	What   fault.Kind
	Txn    int
	Stmt   string
	Row    history.Item // of which it did not see the version that it had to, or saw one
	Why    finding.Sentences
	Failed []finding.Failure // statements of the transaction that it saw
	// AtStart says that a version is thin air which is one of the start, though the reads at the start did not show it:
	// these may be the wrong ones.
	AtStart bool
	Search  bool // the read was a search with the WHERE clause of a write, made before it: of FindAll alone
}

// state is the committed contents of all tables at a moment.
type state struct {
	commits int // how many transactions had committed
	rows    map[string]map[int64]int64
	by      map[history.Item]int // committed transaction that wrote or deleted the item last
	unknown map[string]bool      // tables of which not all is known
}

func (s *state) clone() *state {
	c := &state{commits: s.commits, rows: map[string]map[int64]int64{}, by: maps.Clone(s.by),
		unknown: maps.Clone(s.unknown)}
	for t, rows := range s.rows {
		c.rows[t] = maps.Clone(rows)
	}
	return c
}

// apply makes what statements of transaction txn wrote part of the state.
func (s *state) apply(txn int, stmts []*observe.ObservedStmt) {
	for _, stmt := range stmts {
		for _, w := range stmt.Writes {
			s.by[w.Item] = txn
			switch {
			case w.To == history.Dead:
				delete(s.rows[w.Table], w.PKey)
			case s.rows[w.Table] == nil:
				s.rows[w.Table] = map[int64]int64{w.PKey: int64(w.To)}
			default:
				s.rows[w.Table][w.PKey] = int64(w.To)
			}
		}
		for _, t := range stmt.Untold() {
			s.unknown[t] = true
		}
	}
}

// txn is what a transaction has done so far.
type txn struct {
	snapshot *state                   // nil until it is taken
	wrote    []*observe.ObservedStmt  // without what was undone
	undone   map[history.Version]bool // versions that a ROLLBACK TO undid
	places   observe.Places           // at which it has written
	commit   int                      // its place among the commits, from 1; 0: it has not committed
}

// tableVersion is a version key that one statement gives rows of a table.
type tableVersion struct {
	table string
	vkey  int64
}

// told is what is said once of a statement, or of a row that it read.
type told struct {
	what   fault.Kind
	stmt   string
	row    history.Item // none: of all rows together
	search bool
}

// checker goes through a history.
type checker struct {
	o         *observe.Observation
	when      func(txn int) dbms.ReadScope
	searches  func(txn int) bool // before-write reads are looked at; nil: none
	each      bool               // each row that was read wrongly is told of, not one for all
	search    bool               // the read looked at is one
	committed *state
	txns      []txn
	writer    map[history.Version]int // transaction that wrote a version, ended or not
	deleter   map[history.Item]int    // transaction that deleted an item last, ended or not
	// transaction of a statement that gave rows a version, of which not all are known
	untold map[tableVersion]int
	// what was committed when those were sent that wait and need not read what they waited for
	sent map[*observe.ObservedStmt]*state
	seen map[told]bool
	out  []WrongRead
}

// FindAll is find for who explains another finding, each transaction by its own level: it tells of each row, and holds
// the plain before-write reads to the snapshot too.
func FindAll(o *observe.Observation) []WrongRead {
	c := newChecker(o, func(txn int) dbms.ReadScope { return o.PromiseOf(txn).SnapshotScope() })
	c.each, c.searches = true, func(txn int) bool { return o.PromiseOf(txn).ReadModes.Before == dbms.PlainBeforeRead }
	return c.find()
}

// find returns the reads that did not see their snapshot, at most one of each kind for each statement, in order of the
// history: none of a transaction whose level promises no snapshot.
func find(o *observe.Observation, when func(txn int) dbms.ReadScope) []WrongRead {
	return newChecker(o, when).find()
}

func newChecker(o *observe.Observation, when func(txn int) dbms.ReadScope) *checker {
	return &checker{o: o, when: when, txns: make([]txn, len(o.Txns)),
		writer: map[history.Version]int{}, deleter: map[history.Item]int{}, untold: map[tableVersion]int{},
		sent: map[*observe.ObservedStmt]*state{}, seen: map[told]bool{},
		committed: (&state{rows: o.Initial, by: map[history.Item]int{}, unknown: map[string]bool{}}).clone()}
}

func (c *checker) find() []WrongRead {
	taken, waited := c.taken(), c.waited()
	for _, e := range slices.SortedStableFunc(slices.Values(c.o.Events), func(a, b observe.Moment) int {
		return cmp.Compare(a.Done, b.Done)
	}) {
		for ; len(taken) > 0 && taken[0].Start < e.End; taken = taken[1:] {
			c.take(taken[0].Txn)
		}
		for ; len(waited) > 0 && waited[0].Start < e.End; waited = waited[1:] {
			c.sent[waited[0].Stmt] = c.committed.clone()
		}
		c.event(&e)
	}
	return c.out
}

// taken are the moments that take a snapshot when they are sent and not when they are answered, in order of sending: a
// statement that waits for a lock has its transaction's snapshot before it waits, and what others commit meanwhile is
// not in it.
func (c *checker) taken() []observe.Moment {
	out := slices.DeleteFunc(slices.Clone(c.o.Events), func(e observe.Moment) bool {
		p := c.o.PromiseOf(e.Txn)
		return !e.Snapshot || c.when(e.Txn) != dbms.PerTransaction || p == nil || p.Promise().SnapshotAt !=
			dbms.AtFirstStatement
	})
	slices.SortStableFunc(out, func(a, b observe.Moment) int { return cmp.Compare(a.Start, b.Start) })
	return out
}

// waited are the statements with a snapshot of their own that waited for locks and may print what that snapshot holds
// all the same, in order of sending: FOR KEY SHARE waits for who has locked the newest version of a row, and returns
// the one that it found where only columns outside the keys have changed since; rows that a statement does not lock
// stay as it found them.
func (c *checker) waited() []observe.Moment {
	out := slices.DeleteFunc(slices.Clone(c.o.Events), func(e observe.Moment) bool {
		return e.Kind != observe.Ran || c.when(e.Txn) != dbms.PerStatement || !e.Stmt.Waited ||
			e.Stmt.Locks != sqltext.ForKeyShare && e.Stmt.Locks != sqltext.NoRowLock
	})
	slices.SortStableFunc(out, func(a, b observe.Moment) int { return cmp.Compare(a.Start, b.Start) })
	return out
}

func (c *checker) event(e *observe.Moment) {
	t, reads := &c.txns[e.Txn], c.when(e.Txn) != dbms.NoConsistentRead
	if e.Snapshot && reads {
		c.take(e.Txn)
	}
	switch e.Kind {
	case observe.Look:
		if e.Whole && reads {
			c.read(e.Stmt, e.Stmt.Reads, nil)
		}
	case observe.Ran:
		if e.Snapshot && reads && e.Stmt.View == dbms.Snapshot { // one that reads current rows may take it, too
			c.read(e.Stmt, nil, e.Stmt.Out)
		}
		if c.searches != nil && c.searches(e.Txn) && t.snapshot != nil && !e.Stmt.Waited {
			c.search = true
			c.read(e.Stmt, nil, found(e.Stmt))
			c.search = false
		}
		c.write(t, e.Stmt)
	case observe.Commit:
		c.committed.commits++
		t.commit = c.committed.commits
		c.committed.apply(e.Txn, t.wrote)
	case observe.Undo:
		t.undo(e.Undid)
		t.places = nil
		for _, s := range t.wrote {
			for _, w := range s.Writes {
				c.place(t, w)
			}
		}
	}
}

// undo takes back what statements wrote.
func (t *txn) undo(stmts []*observe.ObservedStmt) {
	t.wrote = slices.DeleteFunc(t.wrote, func(s *observe.ObservedStmt) bool { return slices.Contains(stmts, s) })
	if t.undone == nil {
		t.undone = map[history.Version]bool{}
	}
	for _, s := range stmts {
		for _, w := range s.Writes {
			t.undone[history.Version{Item: w.Item, VKey: int64(w.To)}] = true
		}
	}
}

// found are the versions that a before-write read printed.
func found(s *observe.ObservedStmt) []history.Version {
	var out []history.Version
	for _, pkey := range slices.Sorted(maps.Keys(s.Matched)) {
		out = append(out, history.Version{Item: history.Item{Table: s.Target, PKey: pkey}, VKey: s.Matched[pkey]})
	}
	return out
}

// write notes what a statement wrote.
func (c *checker) write(t *txn, s *observe.ObservedStmt) {
	if s.Target != "" {
		t.wrote = append(t.wrote, s)
	}
	if s.VKey != 0 && (len(s.Unsure) > 0 || s.Waited && s.Compared) {
		c.untold[tableVersion{s.Target, s.VKey}] = s.Txn
	}
	for _, w := range s.Writes {
		c.place(t, w)
		if w.To >= 0 {
			c.writer[history.Version{Item: w.Item, VKey: int64(w.To)}] = s.Txn
		} else {
			c.deleter[w.Item] = s.Txn
		}
	}
}

// take takes the snapshot of a transaction, or of its statement.
func (c *checker) take(txn int) {
	t := &c.txns[txn]
	if t.snapshot != nil && c.when(txn) != dbms.PerStatement {
		return
	}
	t.snapshot = c.committed.clone()
	if held := c.o.Txns[txn].Exported; held != nil && c.when(txn) == dbms.PerTransaction {
		c.exported(txn, held)
	}
}

// exported compares what the database says that a snapshot holds with what it has to.
func (c *checker) exported(txn int, held map[string]map[int64]int64) {
	want := c.txns[txn].snapshot
	for _, table := range slices.Sorted(maps.Keys(held)) {
		if want.unknown[table] {
			continue
		}
		keys := maps.Clone(held[table])
		maps.Copy(keys, want.rows[table])
		for _, pkey := range slices.Sorted(maps.Keys(keys)) {
			got, there := held[table][pkey]
			right, exists := want.rows[table][pkey]
			if there == exists && got == right {
				continue
			}
			item := history.Item{Table: table, PKey: pkey}
			w := c.classify(txn, item, got, there, want)
			w.Txn, w.Row = txn, item
			w.Why = append(finding.Sentences{finding.Say("the snapshot that %v exported holds %v of %v, not %v",
				finding.TxnNumber(txn), history.StateOf(got, there), item, history.StateOf(right, exists))}, w.Why...)
			c.out = append(c.out, w)
			return
		}
	}
}

// read compares what a statement, or its version-set read, saw of whole tables or printed with what it had to see.
func (c *checker) read(s *observe.ObservedStmt, tables []sdg.TableRead, printed []history.Version) {
	t := &c.txns[s.Txn]
	want := t.snapshot.clone()
	want.apply(s.Txn, t.wrote)
	tables = slices.SortedFunc(slices.Values(tables), func(a, b sdg.TableRead) int {
		return strings.Compare(a.Table, b.Table)
	})
	for _, r := range tables {
		table := r.Table
		if want.unknown[table] {
			continue
		}
		saw, all := r.Seen, want.rows[table]
		keys := maps.Clone(saw)
		if keys == nil {
			keys = map[int64]int64{}
		}
		maps.Copy(keys, all)
		for _, pkey := range slices.Sorted(maps.Keys(keys)) {
			item := history.Item{Table: table, PKey: pkey}
			got, there := saw[pkey]
			c.compare(s, item, got, there, want)
		}
	}
	for _, v := range printed {
		if !want.unknown[v.Table] {
			c.compare(s, v.Item, v.VKey, true, want)
		}
	}
}

// compare judges what a read saw of one row.
func (c *checker) compare(s *observe.ObservedStmt, item history.Item, got int64, there bool, want *state) {
	right, exists := want.rows[item.Table][item.PKey]
	if old := c.sent[s]; old != nil && there {
		if was, known := old.rows[item.Table][item.PKey]; known && was == got {
			return
		}
	}
	if there == exists && got == right || c.mixed(s.Txn, item, got, there, right, exists) ||
		there && c.o.Rewrote(s, history.Version{Item: item, VKey: got}) {
		return
	}
	w := c.classify(s.Txn, item, got, there, want)
	key := told{what: w.What, stmt: s.Name, search: c.search}
	if c.each {
		key.row = item
	}
	if !c.seen[key] {
		c.seen[key] = true
		w.Txn, w.Stmt, w.Row, w.Search = s.Txn, s.Name, item, c.search
		w.Why = append(finding.Sentences{finding.Say("it saw %v of %v, not %v", history.StateOf(got, there), item,
			history.StateOf(right, exists))}, w.Why...)
		c.out = append(c.out, w)
	}
}

// place notes the places at which a write wrote.
func (c *checker) place(t *txn, w history.Write) {
	if c.o.Places == nil {
		return
	}
	if t.places == nil {
		t.places = observe.Places{}
	}
	for _, state := range []history.State{w.From, w.To} {
		if !state.Absent() {
			t.places.Add(w.Table, c.o.Places(history.Version{Item: w.Item, VKey: int64(state)}))
		}
	}
}

// mixed says whether the mixing of a snapshot with its transaction's own writes, key by key, explains what was seen of
// a row: the snapshot's version of a row that the transaction wrote at another key, or nothing where it wrote another
// row at the key of the snapshot's version.
func (c *checker) mixed(reader int, item history.Item, got int64, there bool, right int64, exists bool) bool {
	if p := c.o.PromiseOf(reader); c.o.Places == nil || p != nil && p.ReadModes.Mixing == dbms.ByRow {
		return false
	}
	t := &c.txns[reader]
	at := func(vkey int64) []string { return c.o.Places(history.Version{Item: item, VKey: vkey}) }
	if there {
		old, was := t.snapshot.rows[item.Table][item.PKey]
		wrote := slices.ContainsFunc(t.wrote, func(s *observe.ObservedStmt) bool {
			return slices.ContainsFunc(s.Writes, func(w history.Write) bool { return w.Item == item })
		})
		return wrote && was && old == got && t.places.Free(item.Table, at(got))
	}
	return exists && t.places.Taken(item.Table, at(right))
}

// uncommitted says that a transaction had not committed a version, and what had failed in it before it wrote that.
func (c *checker) uncommitted(txn int, v history.Version) WrongRead {
	w := wrong(fault.DirtyRead, "%v had not committed it", txn)
	for _, s := range c.o.Stmts {
		if s.Txn == txn && slices.ContainsFunc(s.Writes, func(w history.Write) bool {
			return w.Item == v.Item && int64(w.To) == v.VKey
		}) {
			w.Failed = observe.FailedBefore(c.o.Errors, txn, s.Sent)
			break
		}
	}
	return w
}

// classify says what is wrong with a version, or with its absence.
func (c *checker) classify(reader int, item history.Item, got int64, there bool, want *state) WrongRead {
	var w WrongRead
	var found bool
	if there {
		w, found = c.classifySeen(reader, history.Version{Item: item, VKey: got}, want)
	} else {
		w, found = c.classifyMissed(reader, item, want)
	}
	if found {
		return w
	}
	by, written := want.by[item]
	switch {
	case !written:
		return WrongRead{What: fault.MissingRow, Why: finding.Sentences{finding.Say("nobody had changed it")}}
	case by == reader:
		return wrong(fault.OwnWriteMissed, "%v wrote it itself", reader)
	case c.o.Txns[by].Session == c.o.Txns[reader].Session:
		return wrong(fault.SessionGuarantee, "%v had committed that before in the same session", by)
	}
	return wrong(fault.StaleRead, "%v had committed that before the snapshot was taken", by)
}

// classifySeen says what is wrong with a version that was seen by whoever wrote it; ok is false where nothing is.
func (c *checker) classifySeen(reader int, v history.Version, want *state) (found WrongRead, ok bool) {
	w, written := c.writer[v]
	initial, known := c.o.Initial[v.Table][v.PKey]
	if by, untold := c.untold[tableVersion{v.Table, v.VKey}]; untold && !written && by != reader {
		switch {
		case c.txns[by].commit == 0:
			return c.uncommitted(by, v), true
		case c.txns[by].commit > want.commits:
			return wrong(fault.NewerRead, "%v committed it after the snapshot was taken", by), true
		}
	}
	switch {
	case !written && !known && c.atStart(v.Table, v.VKey):
		return WrongRead{What: fault.ThinAirRead, AtStart: true,
			Why: finding.Sentences{finding.Say("the reads at the start had not found it")}}, true
	case !written && (!known || initial != v.VKey):
		return WrongRead{What: fault.ThinAirRead, Why: finding.Sentences{finding.Say("nobody had written it")}}, true
	case c.txns[reader].undone[v]:
		return wrong(fault.UndoneWrite, "%v had undone that by ROLLBACK TO a savepoint", reader), true
	case !written || w == reader:
		return WrongRead{}, false
	case !c.lasted(v, w):
		return c.uncommitted(w, v), true
	case c.txns[w].commit > want.commits:
		return wrong(fault.NewerRead, "%v committed it after the snapshot was taken", w), true
	}
	return WrongRead{}, false
}

// classifyMissed says what is wrong with the absence of a row by whoever deleted it; ok is false where nothing is.
func (c *checker) classifyMissed(reader int, item history.Item, want *state) (found WrongRead, ok bool) {
	gone, deleted := c.deleter[item]
	byOther := deleted && gone != reader
	switch {
	case byOther && c.txns[gone].commit == 0:
		return wrong(fault.DirtyRead, "%v deleted it and had not committed", gone), true
	case byOther && c.txns[gone].commit > want.commits:
		return wrong(fault.NewerRead, "%v, which deleted it, committed after the snapshot was taken", gone), true
	case c.txns[reader].undone[history.Version{Item: item, VKey: int64(history.Dead)}]:
		return wrong(fault.UndoneWrite, "%v had deleted it, and had undone that by ROLLBACK TO a savepoint", reader), true
	}
	return WrongRead{}, false
}

// wrong is a wrong read for what a transaction had done.
func wrong(what fault.Kind, sentence string, txn int) WrongRead {
	return WrongRead{What: what, Why: finding.Sentences{finding.Say(sentence, finding.TxnNumber(txn))}}
}

// lasted says whether a transaction has committed a version: not one that it overwrote itself.
func (c *checker) lasted(v history.Version, writer int) bool {
	t := &c.txns[writer]
	for _, s := range slices.Backward(t.wrote) {
		for _, w := range s.Writes {
			if w.Item == v.Item {
				return t.commit > 0 && w.To == history.State(v.VKey)
			}
		}
	}
	return false
}

// atStart says whether a version is surely one of the start: no statement writes it, and others of the start have
// higher numbers.
func (c *checker) atStart(table string, vkey int64) bool {
	if c.o.Contents[table] || vkey <= 0 || slices.ContainsFunc(c.o.Stmts, func(s *observe.ObservedStmt) bool {
		return s.VKey == vkey
	}) {
		return false
	}
	for _, rows := range c.o.Initial {
		for _, v := range rows {
			if v > vkey {
				return true
			}
		}
	}
	return false
}

// Oracle is the oracle of package snapshot, for the moment at which the level takes snapshots.
type Oracle struct{}

// Name implements oracle.Oracle.
func (Oracle) Name() string { return "snapshot" }

// Class implements oracle.Oracle.
func (Oracle) Class() string { return finding.ClassSnapshot }

// Judge implements oracle.Oracle.
func (Oracle) Judge(o *observe.Observation) (oracle.Ruling, error) {
	var v oracle.Ruling
	scope := o.Promise.SnapshotScope()
	if scope == dbms.NoConsistentRead && !o.Mixed() {
		v.Unchecked = "the level promises no snapshot"
	}
	for _, a := range find(o, func(txn int) dbms.ReadScope { return o.PromiseOf(txn).SnapshotScope() }) {
		v.Differences = append(v.Differences, finding.Difference{Stmt: a.Stmt, What: a.What, AtStart: a.AtStart,
			Steps: a.Why, Failed: a.Failed})
	}
	return v, nil
}
