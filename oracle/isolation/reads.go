package isolation

import (
	"slices"

	"txweave/finding"
	"txweave/history"
	"txweave/oracle/observe"
	"txweave/sql/sqltext"
)

// dirtyWrite is G0, a cycle of write dependencies, and P0: since it is known when statements were answered and ends
// of transactions sent, a write over a version of a transaction that had not ended yet, without which there is no
// such cycle.
func (g *serialization) dirtyWrite() *Occurrence {
	for i := range g.o.Stmts {
		op := g.o.Stmts[i]
		for _, w := range op.Writes {
			if w.From < 0 {
				continue
			}
			v := history.Version{Item: w.Item, VKey: int64(w.From)}
			k, ok := g.writer[v]
			if !ok || g.o.Stmts[k].Txn == op.Txn || g.o.Txns[g.o.Stmts[k].Txn].Sent < op.Done {
				continue
			}
			from := g.o.Stmts[k]
			return &Occurrence{Txns: []int{op.Txn, from.Txn}, Explanation: finding.Sentences{
				finding.Say("%v wrote %v", finding.StmtName(from.Name), v),
				finding.Say("%v %v, though %v had not ended", finding.StmtName(op.Name), overwroteIt(w),
					finding.TxnNumber(from.Txn)),
			}}
		}
	}
	return nil
}

// abortedRead is G1a: a committed transaction printed a version of one that was rolled back.
func (g *serialization) abortedRead() *Occurrence {
	return g.badRead(func(from *observe.ObservedStmt, _ history.Version) *finding.Sentence {
		switch {
		case g.o.Committed(from):
			return nil
		case g.committed(from.Txn):
			return step("%v was undone by ROLLBACK TO a savepoint", finding.StmtName(from.Name))
		}
		return step("%v was rolled back", finding.TxnNumber(from.Txn))
	})
}

// intermediateRead is G1b: a committed transaction printed a version that its writer overwrote itself.
func (g *serialization) intermediateRead() *Occurrence {
	final := map[history.Version]string{} // by version that is not its transaction's last one: who overwrote it
	for _, op := range g.o.Stmts {
		if op.Undone {
			continue
		}
		for _, w := range op.Writes {
			v := history.Version{Item: w.Item, VKey: int64(w.From)}
			if i, ok := g.writer[v]; ok && w.From >= 0 && g.o.Stmts[i].Txn == op.Txn {
				final[v] = op.Name
			}
		}
	}
	return g.badRead(func(from *observe.ObservedStmt, v history.Version) *finding.Sentence {
		if final[v] == "" {
			return nil
		}
		return step("%v wrote the item again in %v", finding.TxnNumber(from.Txn), finding.StmtName(final[v]))
	})
}

// step is a step of an explanation that there need not be.
func step(sentence string, args ...any) *finding.Sentence {
	s := finding.Say(sentence, args...)
	return &s
}

// badRead returns the first read, by a committed transaction, of another's version that bad objects to.
func (g *serialization) badRead(bad func(from *observe.ObservedStmt, v history.Version) *finding.Sentence) *Occurrence {
	for _, op := range g.o.Stmts {
		if !g.o.Committed(op) || !g.suffers(op.Txn) {
			continue
		}
		for _, v := range op.Out {
			i, ok := g.writer[v]
			if !ok || g.o.Stmts[i].Txn == op.Txn {
				continue
			}
			from := g.o.Stmts[i]
			if why := bad(from, v); why != nil {
				return &Occurrence{Txns: []int{op.Txn, from.Txn}, Reader: op.Name, Explanation: finding.Sentences{
					finding.Say("%v wrote %v", finding.StmtName(from.Name), v), finding.Say("%v read it",
						finding.StmtName(op.Name)), *why,
				}}
			}
		}
	}
	return nil
}

// fractured finds a transaction that saw a version of another one and, elsewhere, the state before another write of
// it (read skew): of an item that it printed, or of one that matches what it searched for in one of the two states.
// With ordered set the older state must have been seen by a later statement, or by the same: that is OTV, the
// observed transaction vanishes, which even a snapshot for each statement forbids. Without, both reads must be
// plain: PMP, which a transaction's snapshot forbids. A plain and a locking read may look at different states,
// so they are never held against each other. Nor is what one FOR KEY SHARE returns that
// waited: of a row whose key had changed it waited for the newest version, and of another one, of whose keys none had,
// it returns what it found.
func (g *serialization) fractured(ordered bool) *Occurrence {
	type read struct{ at, from int }
	return g.certain(func() []*edge {
		// a statement and whom it read from: all that what it missed goes by, however many rows it printed
		tried := map[read]bool{}
		for _, saw := range g.edges {
			r := read{saw.at, saw.from}
			if saw.kind != history.WR || saw.dead || tried[r] || !g.suffers(saw.to) {
				continue
			}
			tried[r] = true
			if !ordered && !g.o.Stmts[saw.at].Plain() {
				continue
			}
			if missed := g.missed(saw, ordered); missed != nil {
				return []*edge{saw, missed}
			}
		}
		return nil
	})
}

// missed is a write of the transaction that a statement read from whose earlier state its transaction saw: in a later
// statement, or the same, if ordered.
func (g *serialization) missed(saw *edge, ordered bool) *edge {
	s := g.o.Stmts[saw.at]
	for _, missed := range g.out[saw.to] {
		if missed.kind != history.RW || missed.dead || missed.to != saw.from || ordered && missed.at < saw.at {
			continue
		}
		if s.Plain() == g.o.Stmts[missed.at].Plain() && !(missed.at == saw.at && s.Waited && s.Locks == sqltext.ForKeyShare) {
			return missed
		}
	}
	return nil
}

// interference is G-SIa: a transaction depends on one that had not ended when the first one's snapshot had been
// taken, which is certain once its first plain read was answered. With plain set only plain reads are held to it.
func (g *serialization) interference(plain bool) *Occurrence {
	first := map[int]*observe.ObservedStmt{} // by transaction: its first plain read
	for i := range g.o.Stmts {
		if op := g.o.Stmts[i]; op.Plain() && first[op.Txn] == nil {
			first[op.Txn] = op
		}
	}
	var start *observe.ObservedStmt
	a := g.certain(func() []*edge {
		for _, e := range g.edges {
			start = first[e.to]
			if e.dead || !g.suffers(e.to) || e.kind == history.RW || start == nil || g.o.Txns[e.from].Sent < start.Done ||
				plain && !(e.kind == history.WR && g.o.Stmts[e.at].Plain()) {
				continue
			}
			return []*edge{e}
		}
		return nil
	})
	if a == nil {
		return nil
	}
	a.Txns = append(a.Txns, start.Txn)
	a.Explanation = append(finding.Sentences{finding.Say("%v had its snapshot when %v was answered",
		finding.TxnNumber(start.Txn), finding.StmtName(start.Name)),
		finding.Say("%v ended after that", finding.TxnNumber(a.Txns[0]))}, a.Explanation...)
	return a
}

// fuzzyRead is P2: plain reads of one transaction printed two versions of an item, the later one not its own.
func (g *serialization) fuzzyRead() *Occurrence {
	printed := map[txnItem]printedItem{}
	for i, op := range g.o.Stmts {
		if !op.Plain() || !g.o.Committed(op) || !g.suffers(op.Txn) {
			continue
		}
		for _, v := range op.Out {
			if op.Blurred[v.Item] || g.o.Recurring[v] {
				continue
			}
			own, undone := g.ownVersion(i, v)
			if undone {
				continue
			}
			k := txnItem{op.Txn, v.Item}
			old, again := printed[k]
			if again && old.vkey != v.VKey && !own {
				return &Occurrence{Txns: []int{op.Txn}, Reader: op.Name, Explanation: finding.Sentences{
					finding.Say("%v read %v", finding.StmtName(g.o.Stmts[old.first].Name),
						history.Version{Item: v.Item, VKey: old.vkey}),
					finding.Say("%v read %v, which %v did not write", finding.StmtName(op.Name), v, finding.TxnNumber(op.Txn)),
				}}
			}
			if !again {
				old.first = i
			}
			printed[k] = printedItem{old.first, v.VKey}
		}
	}
	return nil
}

// ownVersion says whether a version that a statement printed may be its transaction's own, and one that was undone.
func (g *serialization) ownVersion(stmt int, v history.Version) (own, undone bool) {
	w, written := g.writer[v]
	if !written {
		return g.untold(stmt, v), false
	}
	by := g.o.Stmts[w]
	own = by.Txn == g.o.Stmts[stmt].Txn
	return own, own && by.Undone
}

// txnItem is an item, to a transaction.
type txnItem struct {
	txn  int
	item history.Item
}

// printedItem is the statement that printed an item first, and the version that was printed last.
type printedItem struct {
	first int
	vkey  int64
}

// untold says whether a version whose writer is not known may be what an earlier statement of a reader's transaction
// wrote: one that waited, so that what is read around it does not tell its writes from others'. Its version key does,
// where the table has one.
func (g *serialization) untold(at int, v history.Version) bool {
	return slices.ContainsFunc(g.o.Stmts[:at], func(s *observe.ObservedStmt) bool {
		return s.Txn == g.o.Stmts[at].Txn && slices.Contains(s.Unsure, v.Table) && (s.VKey == v.VKey || g.o.Contents[v.Table])
	})
}
