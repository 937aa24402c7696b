// Package clock is the oracle of databases with a clock of their own. Its claim: what the probes of a run saw
// and wrote agrees with the database's own account of it, in timestamps: when each transaction began and committed, at
// which timestamp each statement read, which versions each row has had (Emme's version certificate), and what the
// tables held at the timestamp at which a transaction began.
package clock

import (
	"cmp"
	"maps"
	"slices"

	"txweave/dbms"
	"txweave/fault"
	"txweave/finding"
	"txweave/history"
	"txweave/oracle"
	"txweave/oracle/observe"
	"txweave/sdg"
)

// Contradiction is one disagreement of the database's own account with what was seen.
type Contradiction struct {
	What fault.Kind
	Stmt string // "" where it is of no single statement
	Why  finding.Sentence
}

// Find returns every disagreement.
func Find(o *observe.Observation) []Contradiction {
	f := &finder{o: o}
	f.commitOrder()
	f.versionOrder()
	f.reads()
	return f.out
}

type finder struct {
	o   *observe.Observation
	out []Contradiction
}

// stmts are the statements of which it is known what they saw.
func (f *finder) stmts() []*observe.ObservedStmt {
	return slices.DeleteFunc(slices.Clone(f.o.Stmts), func(s *observe.ObservedStmt) bool { return s.Bad != nil })
}

// markUnsure marks the tables of which a statement may have written other rows too.
func markUnsure(unsure map[string]bool, s *observe.ObservedStmt) {
	for _, t := range s.Untold() {
		unsure[t] = true
	}
}

func (f *finder) report(what fault.Kind, stmt, sentence string, args ...any) {
	f.out = append(f.out, Contradiction{what, stmt, finding.Say(sentence, args...)})
}

// commitOrder holds the timestamps of transactions against each other and against the client's clock: one that began
// after another had ended began at a later timestamp.
func (f *finder) commitOrder() {
	for i := range f.o.Txns {
		t := &f.o.Txns[i]
		if t.Commit != 0 && t.Commit <= t.Start {
			f.report(fault.CommitOrder, "", "%v began at %v and committed at %v", finding.TxnNumber(i), t.Start, t.Commit)
		}
		for j := range f.o.Txns {
			u := &f.o.Txns[j]
			if t.Commit != 0 && u.Start != 0 && t.Done < u.Began && t.Commit > u.Start {
				f.report(fault.CommitOrder, "", "%v had committed, at %v, before %v began, at %v", finding.TxnNumber(i), t.Commit,
					finding.TxnNumber(j), u.Start)
			}
		}
	}
}

// net is what a transaction as a whole did to an item.
type net struct{ from, to history.State }

// versionOrder holds the versions in the store against the writes that the probes saw.
func (f *finder) versionOrder() {
	if f.o.Versions == nil {
		return
	}
	of := map[uint64]int{} // transaction by start timestamp
	for i, t := range f.o.Txns {
		if t.Start != 0 {
			of[t.Start] = i
		}
	}
	wrote, unsure := f.written()
	for _, item := range slices.SortedFunc(maps.Keys(f.o.Versions), compareItems) {
		if !unsure[item.Table] {
			f.chain(item, of, wrote[item])
		}
	}
	for _, item := range slices.SortedFunc(maps.Keys(wrote), compareItems) {
		if _, asked := f.o.Versions[item]; asked || unsure[item.Table] {
			continue
		}
		for txn, n := range wrote[item] {
			if n.from != history.Unborn || n.to != history.Dead {
				f.report(fault.VersionOrder, "", "%v: %v wrote %v; the tables held the same before and after", item,
					finding.TxnNumber(txn), n.to)
			}
		}
	}
}

// written is what each transaction that committed wrote of each item, by the probes, and the tables of which they do
// not tell everything.
func (f *finder) written() (wrote map[history.Item]map[int]net, unsure map[string]bool) {
	unsure = maps.Clone(f.o.Untold)
	if unsure == nil {
		unsure = map[string]bool{}
	}
	wrote = map[history.Item]map[int]net{}
	for _, s := range f.stmts() {
		markUnsure(unsure, s)
		if !f.o.Committed(s) {
			continue
		}
		for _, w := range s.Writes {
			if wrote[w.Item] == nil {
				wrote[w.Item] = map[int]net{}
			}
			n, again := wrote[w.Item][s.Txn]
			if !again {
				n.from = w.From
			}
			n.to = w.To
			wrote[w.Item][s.Txn] = n
		}
	}
	return wrote, unsure
}

func compareItems(a, b history.Item) int {
	return cmp.Or(cmp.Compare(a.Table, b.Table), cmp.Compare(a.PKey, b.PKey))
}

// chain checks the versions of one item.
func (f *finder) chain(item history.Item, of map[uint64]int, wrote map[int]net) {
	state := history.Unborn
	if vkey, there := f.o.Initial[item.Table][item.PKey]; there {
		state = history.State(vkey)
	}
	seen := map[int]bool{}
	for _, v := range f.o.Versions[item] {
		txn, ours := of[v.Start]
		if !ours {
			if len(seen) > 0 {
				f.report(fault.VersionOrder, "", "%v: a transaction that is none of the run's committed %v at %v", item, v.State,
					v.Commit)
			}
			continue
		}
		t := &f.o.Txns[txn]
		n, did := wrote[txn]
		switch {
		case !did:
			f.report(fault.VersionOrder, "", "%v: %v committed %v, which no statement of it was seen to write", item,
				finding.TxnNumber(txn), v.State)
		case n.to != v.State:
			f.report(fault.VersionOrder, "", "%v: %v wrote %v and committed %v", item, finding.TxnNumber(txn), n.to, v.State)
		case n.from != state && (n.from != history.Unborn || state != history.Dead):
			f.report(fault.VersionOrder, "", "%v: %v overwrote %v; the version before its own is %v", item,
				finding.TxnNumber(txn), n.from, state)
		case t.Commit != 0 && t.Commit != v.Commit:
			f.report(fault.VersionOrder, "", "%v: %v committed at %v, its version at %v", item, finding.TxnNumber(txn),
				t.Commit, v.Commit)
		}
		state, seen[txn] = v.State, true
	}
	for _, txn := range slices.Sorted(maps.Keys(wrote)) {
		if n := wrote[txn]; !seen[txn] && f.o.Txns[txn].Start != 0 && (n.from != history.Unborn || n.to != history.Dead) {
			f.report(fault.VersionOrder, "", "%v: %v wrote %v and committed; the store has no such version", item,
				finding.TxnNumber(txn), n.to)
		}
	}
}

// reads holds what statements saw against what the store gives for their timestamps, overlaid with their transactions'
// own writes.
func (f *finder) reads() {
	txns := make([]ownRows, len(f.o.Txns))
	for i := range txns {
		txns[i] = ownRows{states: map[history.Item]history.State{}, unsure: map[string]bool{}}
	}
	undo := slices.DeleteFunc(slices.Clone(f.o.Events), func(e observe.Moment) bool { return e.Kind != observe.Undo })
	for _, s := range f.stmts() {
		for len(undo) > 0 && undo[0].Start < s.Sent {
			txns[undo[0].Txn].undo(undo[0].Undid)
			undo = undo[1:]
		}
		own, t := &txns[s.Txn], &f.o.Txns[s.Txn]
		if t.Snapshot != nil && s.View == dbms.Snapshot {
			for _, r := range s.Reads {
				if !own.unsure[r.Table] && !f.o.Contents[r.Table] {
					f.snapshotRead(s, t, r, own.states)
				}
			}
		}
		if s.Read != 0 && f.o.Versions != nil {
			f.timestampRead(s, own.states, own.unsure)
		}
		note(own.states, s)
		own.stmts = append(own.stmts, s)
		markUnsure(own.unsure, s)
	}
}

// ownRows are the rows that a transaction has written so far.
type ownRows struct {
	stmts  []*observe.ObservedStmt
	states map[history.Item]history.State
	unsure map[string]bool // tables of which not all is known
}

// undo takes the writes of statements back.
func (t *ownRows) undo(undid []*observe.ObservedStmt) {
	t.states = map[history.Item]history.State{}
	t.stmts = slices.DeleteFunc(t.stmts, func(s *observe.ObservedStmt) bool { return slices.Contains(undid, s) })
	for _, left := range t.stmts {
		note(t.states, left)
	}
}

// note makes what a statement wrote part of what its transaction wrote.
func note(own map[history.Item]history.State, s *observe.ObservedStmt) {
	for _, w := range s.Writes {
		own[w.Item] = w.To
	}
}

func (f *finder) snapshotRead(s *observe.ObservedStmt, t *observe.ObservedTxn, r sdg.TableRead,
	own map[history.Item]history.State) {
	table := r.Table
	want := maps.Clone(t.Snapshot[table])
	for item, state := range own {
		switch {
		case item.Table != table || s.Blurred[item]:
		case state == history.Dead:
			delete(want, item.PKey)
		default:
			want[item.PKey] = int64(state)
		}
	}
	for item := range s.Blurred {
		if item.Table == table {
			delete(want, item.PKey)
		}
	}
	for _, pkey := range slices.Sorted(maps.Keys(r.Seen)) {
		if s.Blurred[history.Item{Table: table, PKey: pkey}] {
			continue
		}
		if vkey, there := want[pkey]; !there || vkey != r.Seen[pkey] {
			f.report(fault.SnapshotRead, s.Name, "%v: saw %v; at %v it was %v", history.Item{Table: table, PKey: pkey},
				history.State(r.Seen[pkey]), t.Start, history.StateOf(vkey, there))
		}
		delete(want, pkey)
	}
	for _, pkey := range slices.Sorted(maps.Keys(want)) {
		f.report(fault.SnapshotRead, s.Name, "%v: saw nothing; at %v it was %v", history.Item{Table: table, PKey: pkey},
			t.Start, history.State(want[pkey]))
	}
}

// timestampRead checks the versions that a statement printed or overwrote.
func (f *finder) timestampRead(s *observe.ObservedStmt, own map[history.Item]history.State, unsure map[string]bool) {
	check := func(item history.Item, saw history.State, verb string) {
		if _, mine := own[item]; mine || unsure[item.Table] || f.o.Untold[item.Table] || saw < 0 {
			return
		}
		if want := f.stateAt(item, s.Read); want != saw {
			f.report(fault.TimestampRead, s.Name, "%v: %v %v; at %v, where it read, it was %v", item, verb, saw, s.Read, want)
		}
	}
	for _, v := range s.Out {
		check(v.Item, history.State(v.VKey), "printed")
	}
	for _, w := range s.Writes {
		check(w.Item, w.From, "overwrote")
	}
}

// stateAt is the state of an item at a timestamp.
func (f *finder) stateAt(item history.Item, at uint64) history.State {
	state := history.Unborn
	if vkey, there := f.o.Initial[item.Table][item.PKey]; there {
		state = history.State(vkey)
	}
	ours := map[uint64]bool{}
	for _, t := range f.o.Txns {
		ours[t.Start] = true
	}
	for _, v := range f.o.Versions[item] {
		if v.Commit <= at && ours[v.Start] {
			state = v.State
		}
	}
	return state
}

// Oracle is the oracle of package clock.
type Oracle struct{}

// Name implements oracle.Oracle. Its findings say "certificate": what they hold against the run is the database's own.
func (Oracle) Name() string { return "certificate" }

// Class implements oracle.Oracle.
func (Oracle) Class() string { return finding.ClassCertificate }

// Judge implements oracle.Oracle.
func (Oracle) Judge(o *observe.Observation) (oracle.Ruling, error) {
	var v oracle.Ruling
	if o.Promise.Order != dbms.DatabaseClock {
		v.Unchecked = "the database gives no account of its own"
		return v, nil
	}
	for _, a := range Find(o) {
		v.Differences = append(v.Differences, finding.Difference{Stmt: a.Stmt, What: a.What, Steps: finding.Sentences{a.Why}})
	}
	return v, nil
}
