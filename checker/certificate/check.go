package certificate

import (
	"context"
	"slices"

	"txweave/checker"
	"txweave/checker/polygraph"
	"txweave/dbms"
	"txweave/fault"
	"txweave/history"
	"txweave/history/register"
)

// Complete is the precondition of a certificate that has everything that the check needs.
const Complete checker.Precondition = "complete-certificate"

// judge judges one history. Versions are numbered as checker.Reads numbers them.
type judge struct {
	h           *register.History
	c           *Certificate
	level       dbms.Level
	opt         checker.Options
	matches     Matches
	r           *checker.Reads
	chains      [][]int32 // by key: its versions in order; the initial state first, unless a transaction wrote it
	place       []int32   // by version: its position in its key's chain; -1: not installed
	found       map[search]*matching
	projections map[string]*projection
	written     [][]KeyVersion // by table: see versionsOf
	members     [][]bool       // by table: its keys
	gone        map[int32]bool // the versions after which a row is another one: see Certificate.Reborn
	numbered    []bool         // by key: see visible
	inTime      []bool         // by key: see timed
	d           *checker.Deps
	pred        map[int32][]edge // by transaction: what follows from it through a predicate
	notChecked  []string         // what was passed over
}

// Check judges a history of registers and its certificate at SER, SI, RR or RC: at RC by Biswas and Enea's axiom, by
// the dependencies of reads and versions, and by the states that statements read; searches of which that is not known
// are passed over, as that definition has none. Where the certificate lacks versions, what it has of their order is
// held, and the rest is searched for. The matches oracle is only asked about predicates; nil is one that knows nothing.
func Check(ctx context.Context, h *register.History, c *Certificate, level dbms.Level, opt checker.Options,
	matches Matches) checker.Verdict {
	k, verdict := newChecker(h, c, level, opt, matches)
	if verdict != nil {
		return *verdict
	}
	if v := k.order(); v != nil && v.Unmet == Complete && level != dbms.RC {
		return k.partly(ctx, v)
	} else if v != nil {
		return *v
	}
	predicates := func() *checker.Verdict { return k.predicates(ctx) }
	steps := []func() *checker.Verdict{k.link, predicates, k.times, k.snapshots, k.cycle}
	switch level { // what searches looked at is often not known there: what is wrong without them comes first
	case dbms.RC: // whose snapshots are a statement's
		steps = []func() *checker.Verdict{k.link, k.monotone, k.cycle, func() *checker.Verdict { return k.statements(ctx) },
			predicates, k.cycle}
	case dbms.RR:
		steps = []func() *checker.Verdict{k.link, k.cycle, predicates, k.snapshots, k.cycle}
	}
	for _, step := range steps {
		if v := step(); v != nil {
			return *v
		}
	}
	v := opt.Valid(level)
	v.NotChecked = append(slices.Clip(c.NotChecked), k.notChecked...)
	return v
}

// newChecker traces reads; it gives a verdict where that or the level cannot be done.
func newChecker(h *register.History, c *Certificate, level dbms.Level, opt checker.Options, matches Matches) (*judge,
	*checker.Verdict) {
	k := &judge{c: c, level: level, opt: opt, matches: matches, found: map[search]*matching{}, pred: map[int32][]edge{},
		projections: map[string]*projection{}}
	if level != dbms.SER && level != dbms.SI && level != dbms.RR && level != dbms.RC {
		return nil, k.unknown(checker.Supported, "with a certificate ser, si, rr and rc are checked")
	}
	if len(c.Order) != h.Keys() || c.Times != nil && len(c.Times) != len(h.Txns) || c.Snapshots != nil &&
		len(c.Snapshots) != len(h.Txns) {
		return nil, k.unknown(Complete, "the certificate is of another history")
	}
	k.h = decided(h, c)
	var v *checker.Verdict
	if k.r, v = checker.TraceIndexed(k.h, level, opt); v != nil {
		return nil, v
	}
	if v := k.r.Unique(level, opt); v != nil { // the certificate names versions by their values
		return nil, v
	}
	return k, nil
}

func (k *judge) unknown(unmet checker.Precondition, format string, args ...any) *checker.Verdict {
	v := k.opt.Unknown(k.level, unmet, format, args...)
	return &v
}

func (k *judge) invalid(a fault.Kind, edges ...checker.ExplainedEdge) *checker.Verdict {
	v := k.opt.Invalid(k.level, a, edges)
	return &v
}

// decided is the history in which a transaction of unknown outcome committed if a version of it was installed.
func decided(h *register.History, c *Certificate) *register.History {
	if !slices.ContainsFunc(h.Txns, func(t register.TxnSpan) bool { return t.Status == history.Unknown }) {
		return h
	}
	installed := map[KeyVersion]bool{}
	for key, values := range c.Order {
		for _, v := range values {
			installed[KeyVersion{int32(key), v}] = true
		}
	}
	out := *h
	out.Txns = slices.Clone(h.Txns)
	for t := range out.Txns {
		if out.Txns[t].Status != history.Unknown {
			continue
		}
		for _, op := range h.TxnOps(t) {
			if op.Kind == register.Write && installed[KeyVersion{op.Key, op.Value}] {
				out.Txns[t].Status = history.Committed
			}
		}
	}
	return &out
}

// value returns what names a version that was written.
func (k *judge) value(version int32) int64 { return k.h.Ops[k.r.VersionOp[version]].Value }

// order makes the chains. A committed version that is missing makes the verdict unknown, one that is there twice makes
// it invalid.
func (k *judge) order() *checker.Verdict {
	k.chains = make([][]int32, k.h.Keys())
	k.place = slices.Repeat([]int32{-1}, len(k.r.VersionTxn))
	k.deletions()
	for key := range k.chains {
		chain := make([]int32, 1, len(k.c.Order[key])+1)
		chain[0] = int32(key)
		for i, value := range k.c.Order[key] {
			version, txn := k.r.Written(int32(key), value)
			if bad := k.misplaced(int32(key), value, i, version, txn); bad != nil {
				return bad
			}
			if int(txn) == k.h.Initial {
				chain = chain[:0]
			}
			k.place[version] = int32(len(chain))
			chain = append(chain, version)
		}
		k.chains[key] = chain
		if chain[0] == int32(key) {
			k.place[key] = 0
		}
	}
	for v := int32(k.h.Keys()); v < int32(len(k.r.VersionTxn)); v++ {
		if t := k.r.VersionTxn[v]; k.r.Taken[t] && k.place[v] < 0 {
			return k.unknown(Complete, "the certificate lacks version %d of %s, which %s wrote", k.value(v),
				k.h.KeyName(k.r.VersionKey[v]), k.h.TxnName(int(t)))
		}
	}
	return nil
}

// misplaced says why a version cannot be the i-th of a key in the certificate.
func (k *judge) misplaced(key int32, value int64, i int, version, txn int32) *checker.Verdict {
	name := k.h.KeyName
	switch {
	case txn < 0:
		return k.unknown(checker.WellFormed, "the certificate has version %d of %s, which nobody wrote", value, name(key))
	case k.h.Txns[txn].Status == history.Aborted:
		return k.unknown(checker.WellFormed, "the certificate has version %d of %s, but %s aborted", value, name(key),
			k.h.TxnName(int(txn)))
	case version < 0:
		return k.unknown(checker.WellFormed, "the certificate has version %d of %s, which %s itself overwrote", value,
			name(key), k.h.TxnName(int(txn)))
	case k.place[version] >= 0:
		who := k.h.TxnName(int(txn))
		return k.invalid(fault.HistoryDuplicateWrite, checker.ExplainedEdge{From: who, To: who, FromTxn: int(txn),
			ToTxn: int(txn), Kind: history.WW, Key: name(key),
			Text: k.h.FormatOp(register.Op{Kind: register.Write, Key: key, Value: value}) + " of " + who +
				" was installed a second time"})
	case int(txn) == k.h.Initial && i > 0:
		return k.unknown(checker.WellFormed, "the certificate has versions of %s before the initial one", name(key))
	}
	return nil
}

// after returns the version that replaced another one; check.None if none did.
func (k *judge) after(version int32) int32 {
	chain := k.chains[k.r.VersionKey[version]]
	if at := k.place[version] + 1; at > 0 && int(at) < len(chain) {
		return chain[at]
	}
	return checker.None
}

// link finds session order and who read each version.
func (k *judge) link() *checker.Verdict {
	k.d = checker.Link(k.r, k.opt)
	return nil
}

// partly judges a history of which the certificate knows the order of a part of the versions: what it knows is held,
// and the order of the rest is searched for (Clark et al., section 7: King Cobra's partial version order). lacks says
// what is missing. Searches and instants are not judged then, as which version is the next one is not known: a
// certificate that has such can still show that a history is invalid. Where rows are born again nothing is judged: a
// version that is not known may be a deletion, on which what comes after it does not depend.
func (k *judge) partly(ctx context.Context, lacks *checker.Verdict) checker.Verdict {
	if k.c.Reborn {
		return *lacks
	}
	order := make([][]int32, len(k.chains))
	for key, chain := range k.chains {
		if order[key] = chain; chain[0] == int32(key) { // that it is the first one is known
			order[key] = chain[1:]
		}
	}
	level := k.level
	if level == dbms.RR { // the same without searches
		level = dbms.SER
	}
	v := polygraph.CheckTraced(ctx, k.r, level, polygraph.Options{Options: k.opt}, order)
	v.Level = k.level
	if v.Outcome == checker.Valid && k.more() {
		return *lacks
	}
	return v
}

// more says whether the certificate has more than an order of versions.
func (k *judge) more() bool {
	return len(k.c.Predicates) > 0 || len(k.c.Times) > 0 || len(k.c.Snapshots) > 0
}

// monotone is what Read Committed demands beyond that dependencies make no cycle (Biswas and Enea, OOPSLA 2019,
// figure 2): when a transaction has read from another one, it reads no version that is older than what that one wrote.
func (k *judge) monotone() *checker.Verdict {
	for t := range k.h.Txns {
		if t == k.h.Initial || k.h.Txns[t].Status != history.Committed {
			continue
		}
		if v := k.monotoneIn(t); v != nil {
			return v
		}
	}
	return nil
}

// monotoneIn judges one transaction.
func (k *judge) monotoneIn(t int) *checker.Verdict {
	newest := map[int32]int32{} // by key: the newest version that those wrote who were read from
	first := k.h.FirstOp(t)
	for i, op := range k.h.TxnOps(t) {
		version := k.r.From[first+i]
		if op.Kind != register.Read || version < 0 || k.place[version] < 0 && k.r.VersionTxn[version] >= 0 {
			continue
		}
		if n, seen := newest[op.Key]; seen && k.place[n] > max(0, k.place[version]) {
			writer := int(k.r.VersionTxn[n])
			text := k.h.TxnName(t) + " did " + k.h.FormatOp(op) + " after it had read from " + k.h.TxnName(writer) +
				", which left a newer version: " + k.h.FormatOp(k.h.Ops[k.r.VersionOp[n]])
			return k.invalid(fault.HistoryNonMonotonicRead, checker.ExplainedEdge{From: k.h.TxnName(writer),
				To: k.h.TxnName(t), Kind: history.WR, Key: k.h.KeyName(op.Key), Text: text, FromTxn: writer, ToTxn: t})
		}
		if writer := k.r.VersionTxn[version]; writer >= 0 && int(writer) != t {
			k.wroteBy(int(writer), newest)
		}
	}
	return nil
}

// wroteBy adds the versions that a transaction installed.
func (k *judge) wroteBy(writer int, newest map[int32]int32) {
	for _, op := range k.h.TxnOps(writer) {
		if op.Kind != register.Write {
			continue
		}
		version, _ := k.r.Written(op.Key, op.Value)
		if n, seen := newest[op.Key]; version >= 0 && k.place[version] >= 0 && (!seen || k.place[version] > k.place[n]) {
			newest[op.Key] = version
		}
	}
}
