package weave

import (
	"cmp"
	"slices"
	"txweave/dbms"
	"txweave/observe"
	"txweave/sqltext"

	"txweave/history"
	"txweave/oracle/mechanism"
	"txweave/sdg"
)

// violations lists where the run broke mutual exclusion, first updater wins or the current reads of DML and locking
// SELECTs; plain reads are the snapshot oracle's.
func (k *checker) violations(obs *observation, run *observe.Run) ([]mechanism.Violation, error) {
	c := &converter{k: k, obs: obs, run: run, sym: history.NewSymbols(), of: map[*history.Event]*observe.BlockRun{}}
	for b := range obs.built {
		c.of[b.Target] = b
	}
	rep, err := mechanism.Check(mechanism.Options{Claims: k.plan.Profile.Promise().Mechanisms, Symbols: c.sym, Initial: true, Partitions: 1}, c.operations())
	if err != nil {
		return nil, err
	}
	return rep.Violations, nil
}

// converter makes an interval trace of a run.
type converter struct {
	k   *checker
	obs *observation
	run *observe.Run
	sym *history.Symbols
	of  map[*history.Event]*observe.BlockRun
}

func (c *converter) item(i history.Item) history.ItemID {
	return history.ItemID{Table: c.sym.Table(i.Table), Key: i.PKey}
}

// operations is the run as the mechanism oracle reads it; every transaction is a session of its own.
func (c *converter) operations() []*history.Operation {
	load := &history.Operation{Kind: history.OpLoad}
	for table, rows := range c.obs.input.Initial {
		for pkey, vkey := range rows {
			load.Writes = append(load.Writes, history.Access{ItemID: c.item(history.Item{Table: table, PKey: pkey}), Version: vkey})
		}
	}
	ops := []*history.Operation{load}
	events := slices.SortedStableFunc(slices.Values(c.run.Trace.Events), func(a, b *history.Event) int { return cmp.Compare(a.Start, b.Start) })
	ended := make([]bool, len(c.k.plan.Txns))
	for _, e := range events {
		if e.Txn < 0 || ended[e.Txn] {
			continue
		}
		op := c.operation(e)
		if op == nil {
			continue
		}
		op.Session, op.Txn, op.Start, op.End = int32(e.Txn), int64(e.Txn), e.Start, e.End
		ended[e.Txn] = op.Kind == history.OpCommit || op.Kind == history.OpAbort
		ops = append(ops, op)
	}
	return ops // a transaction that an error ended is left open: when its locks went is not known
}

// operation is one statement of the trace; nil if it says nothing about mechanisms.
func (c *converter) operation(e *history.Event) *history.Operation {
	p := c.k.plan.Profile
	if e.Err != nil && p.Classify(e.Err.Code) != dbms.Deterministic {
		return nil
	}
	switch e.Role {
	case history.Begin:
		return &history.Operation{Kind: history.OpBegin, Snapshot: p.BeginTakesSnapshot(e.Text)}
	case history.End:
		if e.Err != nil {
			return nil
		}
		if c.run.Txns[e.Txn] == history.Committed {
			return &history.Operation{Kind: history.OpCommit}
		}
		return &history.Operation{Kind: history.OpAbort}
	}
	b := c.of[e]
	switch {
	case b == nil && e.Stmt >= 0 && c.k.takesSnapshot(e):
		return &history.Operation{Kind: history.OpRead}
	case b == nil:
		return nil
	}
	s := c.obs.built[b]
	if b.Block.Info.Target != "" {
		return c.write(s)
	}
	op := &history.Operation{Kind: history.OpRead}
	if b.Block.View == dbms.Current && p.Promise().GapLocks {
		// The weakest lock that it may have taken: a locking SELECT's, or a plain one's where those lock.
		op.Lock = history.LockShared
		for _, v := range s.Out {
			if a := (history.Access{ItemID: c.item(v.Item), Version: v.VKey}); !slices.Contains(op.Reads, a) {
				op.Reads = append(op.Reads, a)
			}
		}
	}
	return op
}

// write is DML: what it left, and what an UPDATE overwrote, as the rows that it left tell themselves. What a DELETE
// that waited found is not known that well.
func (c *converter) write(s *sdg.Stmt) *history.Operation {
	op := &history.Operation{Kind: history.OpWrite, Lock: history.LockExclusive}
	for _, w := range s.Writes {
		item := c.item(w.Item)
		if s.Kind == sqltext.Update && w.From >= 0 {
			op.Reads = append(op.Reads, history.Access{ItemID: item, Version: int64(w.From)})
		}
		to := int64(w.To)
		if w.To == history.Dead {
			to = history.Absent
		}
		op.Writes = append(op.Writes, history.Access{ItemID: item, Version: to})
	}
	return op
}
