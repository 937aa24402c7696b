package observe

import (
	"slices"

	"txweave/finding"
	"txweave/history"
	"txweave/sdg"
	"txweave/sql/control"
	"txweave/sql/sqltext"
)

// Savepoint is a statement that set a savepoint, went back to one or forgot one.
type Savepoint struct {
	Stmt string // its name, such as "T1.S3"
	Kind sqltext.Kind
	Err  *history.DBError
	// Known says that, by what the transaction had done, the savepoint was there; that of SAVEPOINT always is.
	Known bool
	// Failed is the last statement of the transaction before it that failed, and how; nil if none did.
	Failed []finding.Failure
}

// savepoints follows the savepoints of each transaction through its statements as they were completed, and tells which
// statements each ROLLBACK TO undid: those since the savepoint that were not undone before.
func (o *observer) savepoints() {
	o.undid, o.undone = map[*BlockRun][]*BlockRun{}, map[*BlockRun]bool{}
	set, done := make([]control.Savepoints, len(o.plan.Txns)), make([][]*BlockRun, len(o.plan.Txns))
	failed := make([][]finding.Failure, len(o.plan.Txns))
	for _, b := range o.run.Blocks {
		if b.Target == nil || b.Lost {
			continue
		}
		txn, kind := b.Block.Txn, b.Block.Info.Kind
		if !kind.IsSavepoint() {
			if done[txn] = append(done[txn], b); b.Target.Err != nil {
				failed[txn] = []finding.Failure{{Stmt: b.Block.Name(), Err: b.Target.Err}}
			}
			continue
		}
		p, text := &set[txn], o.plan.Profile.Read(b.Block.SQL)
		p.Hide = o.plan.Profile.Transactions.SavepointsHide
		o.out.Savepoints = append(o.out.Savepoints, Savepoint{b.Block.Name(), kind, b.Target.Err,
			kind == sqltext.Savepoint || p.Known(text), failed[txn]})
		if b.Target.Err != nil {
			continue
		}
		left := p.Apply(text, len(done[txn]))
		if kind == sqltext.RollbackTo {
			o.undid[b] = slices.Clone(done[txn][left:])
		}
		for _, u := range o.undid[b] {
			o.undone[u] = true
		}
		done[txn] = done[txn][:left]
	}
}

// forget takes back what statements of a transaction wrote that were undone.
func (o *observer) forget(txn int, undid []*BlockRun) {
	left := slices.DeleteFunc(o.own[txn].stmts, func(s *ObservedStmt) bool { return slices.Contains(undid, s.Run) })
	own := &o.own[txn]
	*own = ownWrites{vkeys: map[int64]bool{}, deleted: map[history.Item]bool{}, last: map[history.Item]history.State{},
		places: Places{}, unsure: map[string]bool{}}
	for _, s := range left {
		own.note(s)
		o.occupy(s)
	}
}

// sees says whether a statement reads a table in which its transaction has written what is undone later.
func (w *ownWrites) sees(s *ObservedStmt) bool {
	return slices.ContainsFunc(w.stmts, func(wrote *ObservedStmt) bool {
		return wrote.Undone && slices.ContainsFunc(s.Reads, func(r sdg.TableRead) bool {
			return r.Table == wrote.Target || slices.Contains(wrote.Changes, r.Table)
		})
	})
}

// undos are the events of the run that undid statements, with the writes that they undid.
func (o *observer) undos(of map[*history.Event]*ObservedStmt) map[*history.Event][]*ObservedStmt {
	out := map[*history.Event][]*ObservedStmt{}
	for b, undid := range o.undid {
		stmts := []*ObservedStmt{}
		for _, u := range undid {
			if s := of[u.Target]; s != nil && s.Undone {
				stmts = append(stmts, s)
			}
		}
		out[b.Target] = stmts
	}
	return out
}
