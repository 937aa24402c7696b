package weave

import (
	"maps"
	"math"
	"slices"
	"txweave/dbms"
	"txweave/observe"
	"txweave/sqltext"

	"txweave/history"
	"txweave/oracle/isolation"
	"txweave/sdg"
)

// unsure is a statement of which only its place is known.
func unsure(b *observe.BlockRun) isolation.Op {
	return isolation.Op{Name: b.Block.Name(), Txn: b.Block.Txn, Sent: b.Target.Start, Done: b.Target.End, Unsure: b.Block.Info.Target}
}

// certainDeletes returns what a DELETE that waited has deleted, where that is certain: others may have written
// between the two version sets around it, and rolled it back. seen is the one before it. A row that is gone was
// deleted by it if no other statement deleted it and nobody rolled back what he wrote to it; and these must be as
// many as it says. Else nil: the run is judged without its writes, and repeated in an order in which it need not
// wait.
func (o *observer) certainDeletes(b *observe.BlockRun, s *sdg.Stmt, seen map[int64]int64) []history.Write {
	info := b.Block.Info
	if info.Kind != sqltext.Delete || b.Target.Err != nil || b.Block.View == dbms.Current && !o.plan.Profile.DirtyObserver {
		return nil
	}
	after := map[string]map[int64]int64{}
	if err := splitVersionSet([]string{info.Target}, b.AWR.Rows, after); err != nil {
		return nil
	}
	last := maps.Clone(seen)
	for i := range o.out.ops {
		op := &o.out.ops[i]
		if op.Unsure == info.Target {
			return nil
		}
		for _, w := range op.Wrote {
			switch {
			case w.Table != info.Target:
			case w.To == history.Dead || o.run.Txns[op.Txn] != history.Committed:
				delete(last, w.PKey)
			case last[w.PKey] == int64(w.From) || w.From == history.Unborn:
				last[w.PKey] = int64(w.To)
			}
		}
	}
	for _, other := range o.run.Blocks {
		if other != b && other.Waited && other.Block.Info.Diff && other.Block.Info.Target == info.Target {
			return nil // they may have woken together
		}
	}
	writes := difference(info.Target, last, after[info.Target])
	writes = slices.DeleteFunc(writes, func(w history.Write) bool { return w.To != history.Dead })
	if int64(len(writes)) != b.Target.Affected {
		return nil
	}
	return writes
}

// operation adds a statement to what the isolation oracle looks at.
func (o *observation) operation(b *observe.BlockRun, s *sdg.Stmt) {
	op := isolation.Op{Name: s.Name, Txn: s.Txn, Sent: b.Target.Start, Done: b.Target.End, Read: s.Out, Wrote: s.Writes,
		Plain: s.Kind == sqltext.Select && b.Block.View == dbms.Snapshot}
	info := b.Block.Info
	if !b.Waited && b.Target.Err == nil && info.EveryRow {
		for _, r := range s.Reads {
			if r.Table == info.MatchTable {
				op.Search = []isolation.Search{{Table: r.Table, Seen: r.Seen, Lists: len(info.Items) > 0,
					Values: s.Kind == sqltext.Select && len(info.Items) == 0}}
			}
		}
	}
	if b.Waited && info.Diff && int64(len(s.Writes)) != b.Target.Affected {
		op.Unsure = info.Target
	}
	o.ops, o.blocks = append(o.ops, op), append(o.blocks, b)
}

// transactions tells how and when each transaction ended.
func transactions(run *observe.Run) []isolation.Txn {
	txns := make([]isolation.Txn, len(run.Txns))
	failed := make([]*history.Event, len(txns)) // the statement with which the database gave it up
	for i, outcome := range run.Txns {
		txns[i].Sent = math.MaxInt64
		if outcome != history.Committed {
			txns[i].Outcome = history.Aborted
		}
	}
	for _, e := range run.Trace.Events {
		if e.Txn < 0 {
			continue
		}
		t := &txns[e.Txn]
		switch e.Role {
		case history.End:
			t.Sent, t.Done = min(t.Sent, e.Start), e.End
		case history.Abort:
			t.Sent, t.Done = min(t.Sent, failed[e.Txn].Start), e.End
		}
		failed[e.Txn] = e
	}
	return txns
}

// history is a run as the isolation oracle wants it.
func (k *checker) history(obs *observation, run *observe.Run) *isolation.History {
	return &isolation.History{Initial: obs.input.Initial, Ops: obs.ops, Txns: transactions(run), Matches: k.matcher(obs.blocks, obs.blocks), Same: obs.same}
}

// anomalies lists the phenomena that happened in a run and that it is held to.
func (k *checker) anomalies(obs *observation, run *observe.Run) ([]isolation.Anomaly, error) {
	p := k.plan.Profile
	h := k.history(obs, run)
	if p.LooseSearch && p.Claimed == nil {
		h.Ops = slices.Clone(h.Ops)
		for i := range h.Ops {
			if !h.Ops[i].Plain {
				h.Ops[i].Search = nil
			}
		}
	}
	found := isolation.Find(h, p.Judged())
	return found, k.matchErr
}

// same says whether two versions of a row are equal in every column that a statement uses; see isolation.History.
func (o *observation) same(op int, a, b history.Version) (same, known bool) {
	x, y := o.input.Content(a), o.input.Content(b)
	if x == nil || y == nil {
		return false, false
	}
	used := o.blocks[op].Block.Info.Used[a.Table]
	if used == nil { // all of them
		return maps.Equal(x, y), true
	}
	for _, column := range used {
		if x[column] != y[column] {
			return false, true
		}
	}
	return true, true
}
