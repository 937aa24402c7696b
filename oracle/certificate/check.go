package certificate

import (
	"slices"

	"txweave/history/register"
	"txweave/oracle/check"
)

// Complete is the precondition of a certificate that has everything that the check needs.
const Complete check.Precondition = "complete-certificate"

// checker judges one history. Versions are numbered as check.Reads numbers them.
type checker struct {
	h           *register.History
	c           *Certificate
	level       check.Level
	opt         check.Options
	matches     Matches
	r           *check.Reads
	wrote       map[Version]writing
	chains      [][]int32 // by key: its versions in order; the initial state first, unless a transaction wrote it
	place       []int32   // by version: its position in its key's chain; -1: not installed
	found       map[search]*matching
	projections map[string]*projection
	written     [][]Version // by table: see versionsOf
	members     [][]bool    // by table: its keys
	inTime      []bool      // by key: see timed
	g           graph
}

// writing says where a version comes from.
type writing struct {
	version int32 // its number; -1 if its transaction wrote the key again
	txn     int32
}

// Check judges a history of registers and its certificate at SER or SI. The matches oracle is only asked about predicates;
// nil is one that knows nothing.
func Check(h *register.History, c *Certificate, level check.Level, opt check.Options, matches Matches) check.Verdict {
	k, verdict := newChecker(h, c, level, opt, matches)
	if verdict != nil {
		return *verdict
	}
	for _, step := range []func() *check.Verdict{k.order, k.dependencies, k.predicates, k.times, k.cycle} {
		if v := step(); v != nil {
			return *v
		}
	}
	return opt.Valid(level)
}

// newChecker traces reads; it gives a verdict where that or the level cannot be done.
func newChecker(h *register.History, c *Certificate, level check.Level, opt check.Options, matches Matches) (*checker, *check.Verdict) {
	k := &checker{c: c, level: level, opt: opt, matches: matches, found: map[search]*matching{}, projections: map[string]*projection{}}
	if level != check.SER && level != check.SI {
		return nil, k.unknown(check.Supported, "with a certificate ser and si are checked")
	}
	if len(c.Order) != h.Keys() || c.Times != nil && len(c.Times) != len(h.Txns) {
		return nil, k.unknown(Complete, "the certificate is of another history")
	}
	k.h = decided(h, c)
	var v *check.Verdict
	if k.r, v = check.Trace(k.h, level, opt); v != nil {
		return nil, v
	}
	k.number()
	return k, nil
}

func (k *checker) unknown(unmet check.Precondition, format string, args ...any) *check.Verdict {
	v := k.opt.Unknown(k.level, unmet, format, args...)
	return &v
}

func (k *checker) invalid(a check.Anomaly, edges ...check.Edge) *check.Verdict {
	v := k.opt.Invalid(k.level, a, edges)
	return &v
}

// decided is the history in which a transaction of unknown outcome committed if a version of it was installed.
func decided(h *register.History, c *Certificate) *register.History {
	if !slices.ContainsFunc(h.Txns, func(t register.Txn) bool { return t.Status == register.Unknown }) {
		return h
	}
	installed := map[Version]bool{}
	for key, values := range c.Order {
		for _, v := range values {
			installed[Version{int32(key), v}] = true
		}
	}
	out := *h
	out.Txns = slices.Clone(h.Txns)
	for t := range out.Txns {
		if out.Txns[t].Status != register.Unknown {
			continue
		}
		for _, op := range h.TxnOps(t) {
			if op.Kind == register.Write && installed[Version{op.Key, op.Value}] {
				out.Txns[t].Status = register.Committed
			}
		}
	}
	return &out
}

// number finds out which version each write made. Where an aborted transaction wrote what another one wrote too, the
// other one's counts.
func (k *checker) number() {
	k.wrote = make(map[Version]writing, len(k.r.VersionTxn)-k.h.Keys())
	for t := range k.h.Txns {
		for _, op := range k.h.TxnOps(t) {
			v := Version{op.Key, op.Value}
			if old, again := k.wrote[v]; op.Kind == register.Write && (!again || k.h.Txns[old.txn].Status == register.Aborted) {
				k.wrote[v] = writing{-1, int32(t)}
			}
		}
		for n := k.r.FirstVersion[t]; n < k.r.FirstVersion[t+1]; n++ {
			op := k.h.Ops[k.r.VersionOp[n]]
			if v := (Version{op.Key, op.Value}); k.wrote[v].txn == int32(t) {
				k.wrote[v] = writing{n, int32(t)}
			}
		}
	}
}

// value returns what names a version that was written.
func (k *checker) value(version int32) int64 { return k.h.Ops[k.r.VersionOp[version]].Value }

// order makes the chains. A committed version that is missing makes the verdict unknown, one that is there twice makes it
// invalid.
func (k *checker) order() *check.Verdict {
	k.chains = make([][]int32, k.h.Keys())
	k.place = slices.Repeat([]int32{-1}, len(k.r.VersionTxn))
	for key := range k.chains {
		chain := make([]int32, 1, len(k.c.Order[key])+1)
		chain[0] = int32(key)
		for i, value := range k.c.Order[key] {
			name, w, ok := k.h.KeyName(int32(key)), writing{version: -1}, false
			if w, ok = k.wrote[Version{int32(key), value}]; !ok {
				return k.unknown(check.WellFormed, "the certificate has version %d of %s, which nobody wrote", value, name)
			}
			txn := k.h.TxnName(int(w.txn))
			switch {
			case k.h.Txns[w.txn].Status == register.Aborted:
				return k.unknown(check.WellFormed, "the certificate has version %d of %s, but %s aborted", value, name, txn)
			case w.version < 0:
				return k.unknown(check.WellFormed, "the certificate has version %d of %s, which %s itself overwrote", value, name, txn)
			case k.place[w.version] >= 0:
				return k.invalid(check.DuplicateWrite, check.Edge{From: txn, To: txn, FromTxn: int(w.txn), ToTxn: int(w.txn), Kind: check.WW, Key: name,
					Text: k.h.FormatOp(register.Op{Kind: register.Write, Key: int32(key), Value: value}) + " of " + txn + " was installed a second time"})
			case int(w.txn) == k.h.Initial && i > 0:
				return k.unknown(check.WellFormed, "the certificate has versions of %s before the initial one", name)
			case int(w.txn) == k.h.Initial:
				chain = chain[:0]
			}
			k.place[w.version] = int32(len(chain))
			chain = append(chain, w.version)
		}
		k.chains[key] = chain
		if chain[0] == int32(key) {
			k.place[key] = 0
		}
	}
	for v := int32(k.h.Keys()); v < int32(len(k.r.VersionTxn)); v++ {
		if t := k.r.VersionTxn[v]; k.r.Taken[t] && k.place[v] < 0 {
			return k.unknown(Complete, "the certificate lacks version %d of %s, which %s wrote", k.value(v), k.h.KeyName(k.r.VersionKey[v]), k.h.TxnName(int(t)))
		}
	}
	return nil
}

// after returns the version that replaced another one; check.None if none did.
func (k *checker) after(version int32) int32 {
	chain := k.chains[k.r.VersionKey[version]]
	if at := k.place[version] + 1; at > 0 && int(at) < len(chain) {
		return chain[at]
	}
	return check.None
}

// dependencies adds session order and what follows from reads and writes of items.
func (k *checker) dependencies() *check.Verdict {
	d := check.Link(k.r, k.opt)
	k.g.txns = len(k.h.Txns)
	for t := range int32(k.g.txns) {
		if !k.r.Taken[t] {
			continue
		}
		if k.h.Initial >= 0 && int(t) != k.h.Initial {
			k.g.add(int32(k.h.Initial), t, check.SO, -1)
		}
		d.Depends(t, func(to int32, kind check.EdgeKind, key int32) { k.g.add(t, to, kind, key) })
		for v := k.r.FirstVersion[t]; v < k.r.FirstVersion[t+1]; v++ {
			if next := k.after(v); next != check.None {
				k.g.add(t, k.r.VersionTxn[next], check.WW, k.r.VersionKey[v])
			}
		}
		for _, v := range k.r.Sources(t) {
			if v == check.Inner {
				continue
			}
			if next := k.after(v); next != check.None {
				k.g.add(t, k.r.VersionTxn[next], check.RW, k.r.VersionKey[v])
			}
		}
	}
	return nil
}
