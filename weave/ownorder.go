package weave

import (
	"fmt"
	"slices"

	"txweave/history"
	"txweave/instrument"
	"txweave/oracle/observe"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// checkOwnOrder judges a case by the order that it gives itself: every statement named there must answer without
// transactions as it did in them, and the tables must hold the same rows at the end. That the order is a
// legal one is the case's own claim.
func (k *checker) checkOwnOrder() error {
	if err := k.checkOrderWrites(); err != nil {
		return &UnjudgeableError{Reason: err}
	}
	run, err := k.run(k.plan.Steps)
	if err != nil {
		return err
	}
	if vain, err := k.waitsInVain(k.plan.Steps, run); vain || err != nil {
		return err
	}
	k.firstRun(run)
	nodes := k.orderNodes(run)
	if len(nodes) < len(k.plan.Case.Order) {
		k.rep.Why = GivenUp
		return nil
	}
	k.fatesOf(run, nodes)
	sorted := make([]*observe.BlockRun, len(nodes))
	for i, ref := range k.plan.Case.Order {
		sorted[i] = nodes[slices.IndexFunc(nodes, func(n *observe.BlockRun) bool { return refOf(n.Block) == ref })]
	}
	rep, err := k.Replay(blocksOf(sorted))
	if err != nil {
		return err
	}
	k.rep.Replays++
	k.rep.Checked = true
	found, _, err := k.compare(sorted, run, rep)
	if err != nil {
		return err
	}
	if len(found.Differences) == 0 {
		if !slices.ContainsFunc(sorted, func(n *observe.BlockRun) bool { return n.Target.Err == nil }) {
			k.rep.Checked, k.rep.Why = false, AllFailed
		}
		other, err := k.under(sorted)
		if err != nil {
			return err
		}
		return k.third(thirds{sorted: sorted, as: rep, other: other}, &Evidence{Run: run})
	}
	ev := &Evidence{Finding: found, Run: run, Replayed: rep, Order: names(sorted)}
	return k.confirmReplay(k.plan.Steps, sorted, ev)
}

func refOf(b *instrument.Block) testcase.Ref { return testcase.Ref{Txn: b.Txn, Stmt: b.Stmt} }

// checkOrderWrites refuses an order that leaves out a write that is committed or names a statement that is not.
func (k *checker) checkOrderWrites() error {
	for i := range k.plan.Txns {
		undone := k.plan.Undone(i)
		for _, b := range k.plan.Txns[i].Blocks {
			named := slices.Contains(k.plan.Case.Order, refOf(b))
			switch {
			case named && k.plan.RolledBack(i):
				return fmt.Errorf("the order names %s, but T%d is rolled back", b.Name(), i)
			case named && undone[b.Stmt] && b.Info.Kind != sqltext.Select:
				return fmt.Errorf("the order names %s, but T%d goes back to a savepoint before it", b.Name(), i)
			case !named && !undone[b.Stmt] && !b.Control() && !k.plan.RolledBack(i) && b.Info.Kind != sqltext.Select:
				return fmt.Errorf("the order leaves out %s, a write of a transaction that commits", b.Name())
			}
		}
	}
	return nil
}

// orderNodes returns, in the order of the run, the blocks that the case's order names and that took effect.
func (k *checker) orderNodes(run *observe.Run) []*observe.BlockRun {
	var nodes []*observe.BlockRun
	for _, b := range run.Blocks {
		if b.Target != nil && !b.Lost && run.Txns[b.Block.Txn] == history.Committed && slices.Contains(k.plan.Case.Order,
			refOf(b.Block)) {
			nodes = append(nodes, b)
		}
	}
	return nodes
}

// fatesOf says what became of every statement: those that the order names survived.
func (k *checker) fatesOf(run *observe.Run, nodes []*observe.BlockRun) {
	for _, b := range run.Blocks {
		k.rep.Fates[b.Block.Name()] = DroppedAborted
	}
	for _, n := range nodes {
		k.rep.Fates[n.Block.Name()] = Survived
	}
}
