package checker

import (
	"iter"

	"txweave/history"
	"txweave/history/register"
)

// None stands for no transaction.
const None int32 = -1

// Deps are the dependencies that follow from the reads and the sessions alone: WR and SO. Edges are not stored: a version
// has a list of its readers, a transaction its neighbours in its session.
type Deps struct {
	R        *Reads
	Versions []VersionUses
	// NextSO is, by transaction, the next one of those of its session that count, or None, as it is without session order.
	// The initial transaction is in no session: it precedes all, and nothing that Trace lets pass can come before it by
	// a read.
	NextSO []int32

	readers []reader
}

// VersionUses are who read a version, and who replaced it.
type VersionUses struct {
	head    int32 // index into readers of the last one; None
	Readers int32 // how many external reads returned it
	// Over is a transaction that replaced it, where a checker has found that out; else None.
	Over int32
}

type reader struct{ txn, next int32 }

// Link finds the readers of each version and the neighbours of each transaction in its session.
func Link(r *Reads, opt Options) *Deps {
	h := r.H
	d := &Deps{R: r, Versions: make([]VersionUses, len(r.VersionTxn)), readers: make([]reader, 0, len(h.Ops)/2)}
	for i := range d.Versions {
		d.Versions[i] = VersionUses{head: None, Over: None}
	}
	for t := range h.Txns {
		for _, v := range r.Sources(int32(t)) {
			if v == Inner {
				continue
			}
			x := &d.Versions[v]
			d.readers = append(d.readers, reader{int32(t), x.head})
			x.head = int32(len(d.readers) - 1)
			x.Readers++
		}
	}
	d.sessions(opt)
	return d
}

// sessions links each transaction that counts with the next one of its session.
func (d *Deps) sessions(opt Options) {
	h := d.R.H
	d.NextSO = make([]int32, len(h.Txns))
	last := make([]int32, h.Sessions())
	for s := range last {
		last[s] = None
	}
	for t := range h.Txns {
		d.NextSO[t] = None
		s := h.Txns[t].Session
		if !opt.SessionOrder || s == register.NoSession || !d.R.Taken[t] {
			continue
		}
		if p := last[s]; p != None {
			d.NextSO[p] = int32(t)
		}
		last[s] = int32(t)
	}
}

// PrevSO returns, by transaction, the one whose NextSO it is, or None.
func (d *Deps) PrevSO() []int32 {
	prev := make([]int32, len(d.NextSO))
	for t := range prev {
		prev[t] = None
	}
	for t, next := range d.NextSO {
		if next != None {
			prev[next] = int32(t)
		}
	}
	return prev
}

// Sources returns the versions that the operations of transaction t returned, in program order: Inner for those that are
// no external reads. It shares memory.
func (r *Reads) Sources(t int32) []int32 {
	first := r.H.FirstOp(int(t))
	return r.From[first : first+len(r.H.TxnOps(int(t)))]
}

// ReadersOf yields the transactions whose external reads returned version v, once for each read, last first.
func (d *Deps) ReadersOf(v int32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for i := d.Versions[v].head; i != None; i = d.readers[i].next {
			if !yield(d.readers[i].txn) {
				return
			}
		}
	}
}

// Depends calls add for every transaction that directly depends on t by SO or WR.
func (d *Deps) Depends(t int32, add func(to int32, kind history.EdgeKind, key int32)) {
	if to := d.NextSO[t]; to != None {
		add(to, history.SO, -1)
	}
	for v := d.R.FirstVersion[t]; v < d.R.FirstVersion[t+1]; v++ {
		for to := range d.ReadersOf(v) {
			add(to, history.WR, d.R.VersionKey[v])
		}
	}
}
