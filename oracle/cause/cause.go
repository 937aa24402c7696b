// Package cause says to what a finding comes down: one bug of an engine shows to several oracles, in statements of several kinds,
// and as a triager would one asks of each finding what went wrong first.
//
// Its claim: the cause names what is wrong with the data, or with the reads, whichever of them explains the finding. Whether data
// or reads are wrong the final contents tell: a version that a committed transaction wrote last and that is not there in the end
// was lost, and all who missed it read right; one that is there was missed by the reads. Two findings with equal causes may still
// be two bugs, so who groups by it keeps apart what needs different things to happen.
package cause

import (
	"slices"
	"strings"

	"txweave/finding"
	"txweave/history"
	"txweave/observe"
	"txweave/oracle/snapshot"
	"txweave/sqltext"
)

// ofWrongRead are the causes of the snapshot oracle's wrong reads.
var ofWrongRead = map[string]string{
	snapshot.Stale: finding.CauseStale, snapshot.Session: finding.CauseStale, snapshot.Dirty: finding.CauseDirty, snapshot.Newer: finding.CauseNewer,
	snapshot.OwnWrite: finding.CauseOwn, snapshot.ThinAir: finding.CauseThinAir, snapshot.MissingRow: finding.CauseMissing,
}

// ofRelation are the causes of what the other oracles of transactions name, where no single read is wrong by itself.
var ofRelation = map[string]string{
	"G1a": finding.CauseDirty, "G1b": finding.CauseDirty, "consistent-read:uncommitted-read": finding.CauseDirty,
	"consistent-read:aborted-read": finding.CauseDirty, "consistent-read:intermediate-read": finding.CauseDirty,
	"P2": finding.CauseNewer, "PMP": finding.CauseNewer, "G-SIa-read": finding.CauseNewer, "consistent-read:future-read": finding.CauseNewer,
	"consistent-read:stale-read": finding.CauseStale,
}

// Facts are what a finding's run tells beside what the oracle says.
type Facts struct {
	Observation *observe.Observation
	Final       map[string]*history.Rows // what the tables held after the run
	Indexed     bool                     // tables of the case have secondary indexes
}

// Of returns the cause of a finding; "" if it is the finding's own signature.
func Of(f *finding.Finding, facts Facts) string {
	if len(f.Differences) == 0 {
		return ""
	}
	d := &f.Differences[0]
	if f.Class == finding.ClassUnexpected {
		_, said, _ := strings.Cut(d.Detail, ": error ")
		return f.Signature + " " + finding.MessageShape(said)
	}
	o := facts.Observation
	if o == nil {
		return ""
	}
	r := &run{Facts: facts, reads: snapshot.FindAll(o, o.Promise.SnapshotScope())}
	r.compare()
	switch f.Class {
	case finding.ClassInconsistent:
		return r.write(d)
	case finding.ClassSnapshot, finding.ClassIsolation, finding.ClassMechanism, finding.ClassUnexplained:
		return r.read(f, d)
	case finding.ClassReplay:
		if d.What == finding.Final {
			return r.data(nil)
		}
	}
	return ""
}

// run is a run as far as it was looked into.
type run struct {
	Facts
	reads      []snapshot.WrongRead
	final      map[string]map[int64]int64
	lost, kept []string // transactions whose writes the final contents lack, or have though they were rolled back
}

// compare holds the final contents against what was written.
func (r *run) compare() {
	r.final = map[string]map[int64]int64{}
	for table, rows := range r.Final {
		pkey, vkey := slices.Index(rows.Columns, sqltext.PKey), slices.Index(rows.Columns, sqltext.VKey)
		if pkey < 0 || vkey < 0 {
			continue
		}
		r.final[table] = map[int64]int64{}
		for i := range rows.Len() {
			k, _ := rows.Row(i)[pkey].Int64()
			v, _ := rows.Row(i)[vkey].Int64()
			r.final[table][k] = v
		}
	}
	chains := map[history.Item][]write{}
	unsure := map[string]bool{}
	for _, s := range r.Observation.Stmts {
		for _, table := range s.Unsure {
			unsure[table] = true
		}
		if s.Bad != nil || s.Waited && s.Compared {
			unsure[s.Target] = true
		}
		for _, w := range s.Writes {
			chains[w.Item] = append(chains[w.Item], write{w, s.Txn})
		}
	}
	for item, chain := range chains {
		if rows, known := r.final[item.Table]; known && !unsure[item.Table] {
			r.item(chain, state(rows, item.PKey))
		}
	}
	slices.Sort(r.lost)
	slices.Sort(r.kept)
}

// write is a write with its transaction.
type write struct {
	history.Write
	txn int
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
	want := chain[0].From // what was there before the run
	by := -1
	for _, w := range chain {
		switch r.Observation.Txns[w.txn].Outcome {
		case history.Committed:
			want, by = w.To, w.txn
		case history.RolledBack:
		default:
			return // it may have committed
		}
	}
	same := func(a, b history.State) bool { return a == b || a.Absent() && b.Absent() }
	if same(want, end) {
		return
	}
	for _, w := range slices.Backward(chain) {
		if same(w.To, end) && r.Observation.Txns[w.txn].Outcome == history.RolledBack {
			r.kept = append(r.kept, history.SessionName(w.txn))
			return
		}
	}
	old := func(w write) bool { return same(w.From, end) || same(w.To, end) }
	if by >= 0 && slices.ContainsFunc(chain, old) {
		r.lost = append(r.lost, history.SessionName(by))
	}
}

// data is the cause where the data is wrong that the transactions named wrote, nil: that any of them wrote; "" where it is right.
func (r *run) data(named []string) string {
	among := func(txns []string) bool {
		return len(txns) > 0 && (named == nil || slices.ContainsFunc(txns, func(t string) bool { return slices.Contains(named, t) }))
	}
	switch {
	case among(r.lost):
		return finding.CauseLost
	case among(r.kept):
		return finding.CauseKept
	}
	return ""
}

// read is the cause of a finding that tells of versions that were read: wrong data, a wrong read of those transactions, else what
// the oracle calls it.
func (r *run) read(f *finding.Finding, d *finding.Difference) string {
	named := (&finding.Finding{Differences: f.Differences[:1]}).Transactions()
	if reader, _, one := strings.Cut(d.Stmt, "."); one && f.Class == finding.ClassSnapshot {
		named = slices.DeleteFunc(named, func(t string) bool { return t == reader }) // those whom it read from
	}
	if c := r.data(named); c != "" && len(named) > 0 {
		return c
	}
	if f.Class == finding.ClassSnapshot {
		return ofWrongRead[d.What]
	}
	for _, w := range r.reads {
		if !w.Search && slices.Contains(named, history.SessionName(w.Txn)) {
			return ofWrongRead[w.What]
		}
	}
	return ofRelation[d.What]
}

// write is the cause of a finding about a statement and the reads around it.
func (r *run) write(d *finding.Difference) string {
	if strings.HasPrefix(d.Detail, finding.InAutocommit) {
		return ""
	}
	if d.What == rowTwice {
		return finding.CauseTwice
	}
	at := slices.IndexFunc(r.Observation.Stmts, func(s *observe.ObservedStmt) bool { return s.Name == d.Stmt })
	if at < 0 {
		return ""
	}
	s := r.Observation.Stmts[at]
	for _, w := range r.reads {
		if w.Stmt == s.Name && !w.Search {
			return ofWrongRead[w.What]
		}
	}
	if r.wroteMore(s) {
		return finding.CauseOwn
	}
	for _, w := range r.reads {
		switch {
		case w.Stmt != s.Name:
		case r.Indexed && w.What != snapshot.ThinAir && w.What != snapshot.Dirty:
			return finding.CauseSearch
		default:
			return ofWrongRead[w.What]
		}
	}
	if r.sawNewer(s) {
		return finding.CauseNewer
	}
	wrong, missed, extra := r.searched(at)
	switch {
	case d.What == "affected-versus-written" && !missed && !extra && (s.Matched != nil || len(s.Writes) > 0):
		return finding.CauseMiscount
	case d.What != "matched-versus-written":
	case wrong:
		if r.Indexed {
			return finding.CauseSearch
		}
		return finding.CauseMissing
	case missed && !extra:
		return d.Kind + " passes over rows"
	case extra && !missed:
		return d.Kind + " writes other rows"
	}
	return ""
}

// rowTwice is what a read is called that gives one row twice.
const rowTwice = "row-twice"

// wroteMore says whether the final contents show writes of a statement that the reads around it missed.
func (r *run) wroteMore(s *observe.ObservedStmt) bool {
	if s.Target == "" {
		return false
	}
	wrote := func(pkey int64) bool {
		return slices.ContainsFunc(s.Writes, func(w history.Write) bool { return w.PKey == pkey })
	}
	for _, o := range r.Observation.Stmts { // later reads of its transaction
		for pkey, vkey := range o.Seen(s.Target) {
			if o.Txn == s.Txn && o.Sent > s.Done && s.VKey != 0 && vkey == s.VKey && !wrote(pkey) {
				return true
			}
		}
	}
	rows, known := r.final[s.Target]
	if !known || r.Observation.Txns[s.Txn].Outcome != history.Committed {
		return false
	}
	for pkey, vkey := range rows {
		if s.VKey != 0 && vkey == s.VKey && !wrote(pkey) {
			return true
		}
	}
	if s.VKey != 0 {
		return false
	}
	for pkey := range s.Matched { // a DELETE
		_, there := rows[pkey]
		others := slices.ContainsFunc(r.Observation.Stmts, func(o *observe.ObservedStmt) bool {
			return slices.ContainsFunc(o.Writes, func(w history.Write) bool { return w.Table == s.Target && w.PKey == pkey && w.To.Absent() })
		})
		if !there && !wrote(pkey) && !others {
			return true
		}
	}
	return false
}

// sawNewer says whether a statement wrote over, or its after-write read saw, what another transaction had committed and the reads
// before it, which are right, did not see.
func (r *run) sawNewer(s *observe.ObservedStmt) bool {
	seen := s.Seen(s.Target)
	others := func(v history.State) bool {
		return !v.Absent() && slices.ContainsFunc(r.Observation.Stmts, func(o *observe.ObservedStmt) bool {
			return o.VKey == int64(v) && o.Target == s.Target && o.Txn != s.Txn && r.Observation.Txns[o.Txn].Outcome == history.Committed
		})
	}
	return slices.ContainsFunc(s.Writes, func(w history.Write) bool {
		return history.State(seen[w.PKey]) != w.From && others(w.From) || int64(w.To) != s.VKey && others(w.To)
	})
}

// searched compares what a read with the same WHERE clause found before a write with what it wrote: rows that were found and not
// written, rows that were written and not found; and whether the search is to blame, as the database evaluates the clause on
// those rows by themselves.
func (r *run) searched(at int) (wrong, missed, extra bool) {
	s := r.Observation.Stmts[at]
	if s.Matched == nil {
		return false, false, false
	}
	wrote := map[int64]history.State{}
	for _, w := range s.Writes {
		wrote[w.PKey] = w.From
		if _, found := s.Matched[w.PKey]; found || w.From.Absent() {
			continue
		}
		extra = true
		if r.Observation.Matches != nil {
			match, known := r.Observation.Matches(at, history.Version{Item: w.Item, VKey: int64(w.From)})
			wrong = wrong || known && match
		}
	}
	for pkey, vkey := range s.Matched {
		from, written := wrote[pkey]
		missed = missed || !written
		wrong = wrong || written && from != history.State(vkey) // another version of the row
	}
	return wrong, missed, extra
}
