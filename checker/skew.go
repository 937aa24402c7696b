package checker

import (
	"txweave/history"
)

// Skew is evidence that the clocks of two clients are apart.
type Skew struct {
	Reader, Writer int   // transactions: the first one read what the second one wrote …
	Apart          int64 // … and had ended so many ns before that began, by their clocks
}

// Off is by how much each clock must be off at least, ns: half of what they are apart, rounded up.
func (s *Skew) Off() int64 { return (s.Apart + 1) / 2 }

// ClockSkew looks, among what transactions read from others, for the greatest skew of clients' clocks; nil where the
// history has no real time, or nothing shows any. Whoever reads a value ends after its writer began: where the clocks
// say otherwise, and the database gives no values before they are written, they are apart by the difference.
func ClockSkew(r *Reads) *Skew {
	if !r.H.RealTime {
		return nil
	}
	var out *Skew
	for t := range r.H.Txns {
		if t == r.H.Initial || r.H.Txns[t].Status != history.Committed {
			continue
		}
		first := r.H.FirstOp(t)
		for i := range r.H.TxnOps(t) {
			version := r.From[first+i]
			if version < 0 || r.VersionTxn[version] < 0 {
				continue
			}
			w := int(r.VersionTxn[version])
			if apart := r.H.Start(w) - r.H.End(t); w != r.H.Initial && apart > 0 && (out == nil || apart > out.Apart) {
				out = &Skew{t, w, apart}
			}
		}
	}
	return out
}
