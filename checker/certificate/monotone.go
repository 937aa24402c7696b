package certificate

import (
	"txweave/checker"
	"txweave/fault"
	"txweave/history"
	"txweave/history/register"
)

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
