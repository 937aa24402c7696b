package checker

import (
	"txweave/history"
	"txweave/history/register"
)

// None stands for no transaction.
const None int32 = -1

// Deps are the dependencies that follow from the reads and the sessions alone: WR and SO. Edges are not stored: a
// version has a list of its readers, a transaction its neighbours in its session.
type Deps struct {
	R        *Reads
	Versions []VersionUses
	// NextSO is, by transaction, the next one of those of its session that count, or None, as it is without session order.
	// The initial transaction is in no session: it precedes all, and nothing that Trace lets pass can come before it by
	// a read.
	NextSO []int32

	readers []int32
}

// VersionUses are who read a version, and who replaced it.
type VersionUses struct {
	first   int32 // index of its readers
	Readers int32 // how many external reads returned it
	// Over is a transaction that replaced it, where a checker has found that out; else None.
	Over int32
}

// Link finds the readers of each version and the neighbours of each transaction in its session.
func Link(r *Reads, opt Options) *Deps {
	h := r.H
	d := &Deps{R: r, Versions: make([]VersionUses, len(r.VersionTxn))}
	for _, v := range r.From {
		if v != Inner {
			d.Versions[v].Readers++
		}
	}
	end := int32(0)
	for i := range d.Versions {
		x := &d.Versions[i]
		end += x.Readers
		x.first, x.Over = end, None
	}
	d.readers = make([]int32, end)
	for t := range h.Txns {
		for _, v := range r.Sources(int32(t)) {
			if v != Inner {
				d.Versions[v].first--
				d.readers[d.Versions[v].first] = int32(t)
			}
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

// Sources returns the versions that the operations of transaction t returned, in program order: Inner for those that
// are no external reads. It shares memory.
func (r *Reads) Sources(t int32) []int32 {
	first := r.H.FirstOp(int(t))
	return r.From[first : first+len(r.H.TxnOps(int(t)))]
}

// ReadersOf returns the transactions whose external reads returned version v, once for each read, last first. It shares
// memory.
func (d *Deps) ReadersOf(v int32) []int32 {
	x := &d.Versions[v]
	return d.readers[x.first : x.first+x.Readers]
}

// Depends calls add for every transaction that directly depends on t by SO or WR.
func (d *Deps) Depends(t int32, add func(to int32, kind history.EdgeKind, key int32)) {
	if to := d.NextSO[t]; to != None {
		add(to, history.SO, -1)
	}
	for v := d.R.FirstVersion[t]; v < d.R.FirstVersion[t+1]; v++ {
		for _, to := range d.ReadersOf(v) {
			add(to, history.WR, d.R.VersionKey[v])
		}
	}
}
