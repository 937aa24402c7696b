// Package consistency holds each write of a run against the reads around it. Its claim: nothing ran between a
// statement that did not wait and the reads around it, so the rows that the read before it found, the rows that it says
// it affected and the rows that bear its version key are the same ones; and a COMMIT that answers an error which is not
// concurrency's is wrong where nothing is checked as late as that.
package consistency

import (
	"fmt"
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

// Oracle is the oracle of the package.
type Oracle struct{}

// Name implements oracle.Oracle.
func (Oracle) Name() string { return "consistency" }

// Class implements oracle.Oracle.
func (Oracle) Class() string { return finding.ClassInconsistent }

// Judge implements oracle.Oracle.
func (Oracle) Judge(o *observe.Observation) (oracle.Ruling, error) {
	j := &judge{o: o, origin: map[history.Version]origin{}, undone: map[history.Item]bool{}}
	for _, s := range o.Stmts {
		for _, w := range s.Writes {
			j.undone[w.Item] = j.undone[w.Item] || s.Undone
		}
	}
	for _, s := range o.Stmts {
		j.keys(s)
		if !o.Promise.Errors.KeysAtCommit {
			j.statement(s)
		}
	}
	j.conflicts()
	j.savepoints()
	j.gone()
	for i := range o.Txns {
		if j.unmatched(i) {
			continue
		}
		if t := &o.Txns[i]; t.Err != nil && o.Promise.Errors.Classify(t.Err.Code, t.Err.Message) == dbms.Deterministic &&
			!damaged(o, i) &&
			!(o.Promise.Errors.KeysAtCommit && slices.Contains(o.Promise.Errors.Duplicate, t.Err.Code)) {
			j.out = append(j.out, finding.OfCommit(i, fault.FailedCommit, finding.Say("%v of %v: %v", finding.Query(t.End),
				finding.TxnNumber(i), t.Err)))
		}
	}
	return oracle.Ruling{Differences: j.out}, nil
}

// damaged says whether a transaction met an error that no statement causes: its end says nothing more then.
func damaged(o *observe.Observation, txn int) bool {
	return slices.ContainsFunc(o.Errors, func(e *history.Event) bool {
		return e.Txn == txn && o.Promise.Errors.Impossible.Has(e.Err.Code, e.Err.Message)
	})
}

// Unexplained lists what a graph says of statements that saw or overwrote what no committed statement accounts for.
func Unexplained(g *sdg.Graph) []finding.Difference {
	var out []finding.Difference
	for _, u := range g.Unexplained {
		s := &g.Stmts[u.Stmt]
		out = append(out, finding.Difference{Stmt: s.Name, Kind: oracle.Verb(s.Kind), What: u.Reason,
			Steps: finding.Sentences{finding.Say("%v: %v", u.Item, u.State.String())}})
	}
	return out
}

// judge goes through a run, statement by statement.
type judge struct {
	o      *observe.Observation
	origin map[history.Version]origin // of each version that a statement wrote
	undone map[history.Item]bool      // rows to which something was done that a ROLLBACK TO undid
	out    []finding.Difference
}

// origin is where a version comes from.
type origin struct {
	from history.State         // what it overwrote
	by   *observe.ObservedStmt // who wrote it
}

// odd adds a difference of a statement, and returns it.
func (j *judge) odd(s *observe.ObservedStmt, what fault.Kind, sentence string, args ...any) *finding.Difference {
	j.out = append(j.out, finding.Difference{Stmt: s.Name, Kind: oracle.Verb(s.Kind), What: what,
		Steps: finding.Sentences{finding.Say(sentence, args...)}})
	return &j.out[len(j.out)-1]
}

// counts adds a difference between the number of rows that a write says it affected and those that it wrote.
func (j *judge) counts(s *observe.ObservedStmt, wrote int64, sentence string, args ...any) {
	d := j.odd(s, fault.Affected, sentence, args...)
	d.Transaction, d.Replay = finding.Affected(s.Affected), finding.Affected(wrote)
}

// skips adds a difference between what a search found of a row and what the write overwrote of it.
func (j *judge) skips(s *observe.ObservedStmt, row history.Item, sentence string, found, wrote history.State) {
	d := j.odd(s, fault.MatchedWritten, sentence, row, found, wrote)
	d.Transaction, d.Replay = finding.State(wrote), finding.State(found)
}

// keys finds two rows that one read saw with the same unique key: no state of the database holds both, whatever a
// transaction has done.
func (j *judge) keys(s *observe.ObservedStmt) {
	if s.Alike != nil {
		what := fault.KeyTwice
		if s.Alike.Late {
			what = fault.LateKeyTwice
		}
		j.odd(s, what, "the read of %v before it saw rows %v and %v, and both have the key %v", s.Alike.Table,
			s.Alike.PKeys[0], s.Alike.PKeys[1], s.Alike.Key)
	}
}

func (j *judge) statement(s *observe.ObservedStmt) {
	j.searched(s)
	switch {
	case s.Bad != nil:
		j.odd(s, s.Bad.What, "%v", s.Bad.Why).Returned = s.Bad.Returned
		return
	case s.Target == "":
		j.read(s)
		j.unsorted(s)
		return
	case s.Err == nil && j.o.Txns[s.Txn].ReadOnly && j.promise(s).Errors.ReadOnlyRefused != 0:
		j.odd(s, fault.ReadOnlyWrite, "it is a write, and was not refused, in a READ ONLY transaction")
	case s.Waited || s.Mixed:
		j.waited(s)
	default:
		j.write(s)
	}
	j.given(s)
	j.met(s)
	j.carried(s)
	for _, w := range s.Writes {
		j.origin[history.Version{Item: w.Item, VKey: int64(w.To)}] = origin{w.From, s}
	}
}

// promise is what the database promises to a statement's transaction.
func (j *judge) promise(s *observe.ObservedStmt) *dbms.Profile {
	if p := j.o.Txns[s.Txn].Promise; p != nil {
		return p
	}
	return j.o.Promise
}

// write compares a write that did not wait with the reads around it.
func (j *judge) write(s *observe.ObservedStmt) {
	if s.Err != nil {
		if len(s.Writes) > 0 {
			j.odd(s, fault.FailedYetWrote, "it failed with %v and yet wrote %v", s.Err, s.Writes)
		}
		return
	}
	j.affected(s)
	j.returned(s)
	if s.Kind != sqltext.Update && s.Kind != sqltext.Delete {
		return
	}
	visible := s.Seen(s.Target)
	for _, w := range s.Writes {
		if w.Table != s.Target {
			continue
		}
		if vkey, there := visible[w.PKey]; !there || history.State(vkey) != w.From {
			j.odd(s, fault.OverwroteUnseen, "it overwrote %v; the read before it saw %v", []history.Write{w},
				history.StateOf(vkey, there))
		}
	}
	j.joined(s)
	if s.Matched != nil && !s.Carries { // else it may have written rows that others of its rows carry along
		j.matched(s)
	}
}

// affected compares how many rows a write says that it affected with those that it wrote.
func (j *judge) affected(s *observe.ObservedStmt) {
	if !s.Replaces && !s.Loose && s.Affected != int64(len(s.Writes)) {
		if len(s.Writes) == 0 {
			j.counts(s, 0, "its count of affected rows is %v, and it wrote none", s.Affected)
		} else {
			j.counts(s, int64(len(s.Writes)), "its count of affected rows is %v, and it wrote %v: %v", s.Affected, len(s.Writes),
				s.Writes)
		}
	}
	if s.Replaces && !s.Carries && s.Affected > 0 && len(s.Writes) == 0 && !j.o.MayKeep(s) {
		j.counts(s, 0, "its count of affected rows is %v; it wrote none, and none of %v would be as it was", s.Affected, s.Target)
	}
	if n, known := j.own(s); known && s.Affected != n {
		j.counts(s, n, "its count of affected rows is %v, and it wrote %v of %v; what it carries along does not count: %v",
			s.Affected, n, s.Target, s.Writes)
	}
	if s.Most > 0 && (s.Affected < s.Least || s.Affected > s.Most) {
		j.odd(s, fault.Spelled,
			"its count of affected rows is %v, and each of the rows that it spells is inserted or changes another: %v", s.Affected,
			bounds(s.Least, s.Most))
	}
}

// matched compares the rows that a write overwrote with those that a SELECT with its WHERE clause found.
func (j *judge) matched(s *observe.ObservedStmt) {
	wrote := map[int64]int64{}
	for _, w := range s.Writes {
		wrote[w.PKey] = int64(w.From)
	}
	for _, pkey := range sortedUnion(s.Matched, wrote) {
		f, inFound := s.Matched[pkey]
		w, inWrote := wrote[pkey]
		if s.Keeps && inFound && !inWrote {
			continue // it stayed as it was
		}
		if inFound != inWrote || f != w {
			j.skips(s, history.Item{Table: s.Target, PKey: pkey},
				"%v: a SELECT with the same WHERE found %v, the write overwrote %v",
				history.StateOf(f, inFound), history.StateOf(w, inWrote))
		}
	}
}

// waited compares a write that waited with the same read before and after it. A row that matched before and
// matches after it must have been written if nobody changed it in the meantime, or if the one change, uncommitted
// then, was there when the write began: it matched whenever the write came to it. A row that was changed later, or
// twice, may have been passed over: the WHERE clause may be evaluated anew after each wait, and a row
// can move in an index from before the scan to behind it.
func (j *judge) waited(s *observe.ObservedStmt) {
	if s.Again == nil || s.Matched == nil || s.Err != nil || s.Judges == "" {
		return
	}
	for _, pkey := range slices.Sorted(maps.Keys(s.Again)) {
		old, matched := s.Matched[pkey]
		now := s.Again[pkey]
		item := history.Item{Table: s.Target, PKey: pkey}
		change := j.origin[history.Version{Item: item, VKey: now}]
		if !matched || now == s.VKey || j.undone[item] || now != old &&
			(change.by == nil || change.from != history.State(old) || change.by.Done > s.Sent) {
			continue
		}
		what := fault.PassedOver
		if j.moved(item, old, now) {
			what = fault.PassedOverMoved
		}
		j.odd(s, what,
			"%v: a SELECT with the same WHERE found version %v before it waited and finds version %v after it; it has not "+
				"written the row", history.Item{Table: s.Target, PKey: pkey}, old, now)
	}
}

// searched compares two searches right before a write, of which the first waited and has kept locked since all that it
// scanned: nothing can have come among its rows, so that one which the second finds was passed over.
func (j *judge) searched(s *observe.ObservedStmt) {
	if s.Searched == nil || s.Matched == nil {
		return
	}
	for _, pkey := range slices.Sorted(maps.Keys(s.Matched)) {
		if _, found := s.Searched[pkey]; found {
			continue
		}
		item, now := history.Item{Table: s.Target, PKey: pkey}, s.Matched[pkey]
		what := fault.PassedOver
		if change := j.origin[history.Version{Item: item, VKey: now}]; change.by != nil &&
			j.moved(item, int64(change.from), now) {
			what = fault.PassedOverMoved
		}
		j.odd(s, what, "%v: a locking SELECT with the same WHERE waited and did not find it; "+
			"the same right after it, with all locks of the first one held, found version %v", history.Item{Table: s.Target,
			PKey: pkey}, now)
	}
}

// moved says whether two versions of a row are known to lie at different keys.
func (j *judge) moved(item history.Item, from, to int64) bool {
	return j.o.Moved != nil && j.o.Moved(history.Version{Item: item, VKey: from}, history.Version{Item: item, VKey: to})
}

// conflicts finds errors that only the end of a transaction may be answered with.
func (j *judge) conflicts() {
	for _, e := range j.o.Errors {
		if e.Txn < 0 || e.Stmt < 0 || e.Role == history.End || j.o.Txns[e.Txn].Alone ||
			!slices.Contains(j.o.Promise.Errors.AtCommit,
				e.Err.Code) {
			continue
		}
		j.out = append(j.out, finding.Difference{Stmt: string(observe.StmtOf(e)), Kind: oracle.Verb(sqltext.KindOf(e.Text)),
			What: fault.ConflictBeforeCommit, Steps: finding.Sentences{finding.Say("only a COMMIT is answered so: %v: %v",
				finding.Query(e.Text), e.Err)}})
	}
}

// savepoints holds the answers to statements about savepoints against what their transactions had set.
func (j *judge) savepoints() {
	for _, p := range j.o.Savepoints {
		switch {
		case p.Known && p.Err != nil && j.o.Promise.Errors.NoSavepoint != "" && strings.Contains(p.Err.Message,
			j.o.Promise.Errors.NoSavepoint):
			j.out = append(j.out, finding.Difference{Stmt: p.Stmt, Kind: oracle.Verb(p.Kind), What: fault.LostSavepoint,
				Failed: p.Failed,
				Steps:  finding.Sentences{finding.Say("the transaction had set it: %v", p.Err)}})
		case !p.Known && p.Err == nil:
			j.out = append(j.out, finding.Difference{Stmt: p.Stmt, Kind: oracle.Verb(p.Kind), What: fault.UnknownSavepoint,
				Steps: finding.Sentences{finding.Say("the transaction had not set it, and yet there was no error")}})
		}
	}
}

// gone finds answers with which a transaction was gone that nothing had ended: the database has rolled it back, or
// committed it, and what follows in it is committed at once.
func (j *judge) gone() {
	for _, e := range j.o.Gone {
		answer := "rows"
		if e.Affected >= 0 {
			answer = fmt.Sprintf("%d rows", e.Affected)
		}
		j.out = append(j.out, finding.Difference{Stmt: string(observe.StmtOf(e)), Kind: oracle.Verb(sqltext.KindOf(e.Text)),
			What:   fault.Gone,
			Failed: observe.FailedBefore(j.o.Errors, e.Txn, e.Start),
			Steps: finding.Sentences{
				finding.Say("%v was answered with %v, and with that the database said that no transaction is open",
					finding.Query(e.Text), answer)}})
	}
}

func sortedUnion(a, b map[int64]int64) []int64 {
	out := slices.Collect(maps.Keys(a))
	for k := range b {
		if _, both := a[k]; !both {
			out = append(out, k)
		}
	}
	slices.Sort(out)
	return out
}
