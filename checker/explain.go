package checker

import (
	"fmt"

	"txweave/history"
	"txweave/history/register"
)

// Explain makes the edge of a counterexample of a step between two transactions, with the reason in words.
func Explain(r *Reads, s Dependency) ExplainedEdge {
	h := r.H
	from, to := h.TxnName(int(s.From)), h.TxnName(int(s.To))
	e := ExplainedEdge{From: from, To: to, FromTxn: int(s.From), ToTxn: int(s.To), Kind: s.Kind}
	if s.Key >= 0 {
		e.Key = h.KeyName(s.Key)
	}
	switch s.Kind {
	case history.SO:
		if h.Txns[s.From].Session == register.NoSession {
			e.Text = fmt.Sprintf("%s wrote the initial values, before %s", from, to)
		} else {
			e.Text = fmt.Sprintf("%s is before %s in %s", from, to, h.SessionText(int(s.To)))
		}
	case history.RT:
		e.Text = fmt.Sprintf("%s had ended, at %s, when %s began, at %s", from, h.EndText(int(s.From)), to,
			h.StartText(int(s.To)))
	case history.WR:
		e.Text = fmt.Sprintf("%s did %s, and %s did %s", from, opText(h, int(s.From), register.Write, s.Key), to,
			r.readText(int(s.To), s.From, s.Key))
	case history.WW:
		e.Text = fmt.Sprintf("%s did %s, and %s "+replaced(h, "it")+": %s", from, opText(h, int(s.From), register.Write,
			s.Key), to, opText(h, int(s.To), register.Write, s.Key))
	case history.RW:
		e.Text = fmt.Sprintf("%s did %s, and %s "+replaced(h, "that version")+": %s", from, opText(h, int(s.From),
			register.Read, s.Key), to, opText(h, int(s.To), register.Write, s.Key))
	}
	return e
}

// replaced says what a write does to what was there before.
func replaced(h *register.History, what string) string {
	if h.Lists() != nil {
		return "came after that"
	}
	return "replaced " + what
}

// ExplainAll makes the edges of a counterexample of a cycle. Steps without a kind, and chains of moments between two
// RT steps, must have been taken out.
func ExplainAll(r *Reads, cycle []Dependency) []ExplainedEdge {
	edges := make([]ExplainedEdge, len(cycle))
	for i, s := range cycle {
		edges[i] = Explain(r, s)
	}
	return edges
}

// opText prints the transaction's first read of the key, or its last write of it.
func opText(h *register.History, t int, kind register.Action, key int32) string {
	if lists := h.Lists(); lists != nil {
		h, kind = lists, map[register.Action]register.Action{register.Read: register.ReadList,
			register.Write: register.Append}[kind]
	}
	text := ""
	for _, op := range h.TxnOps(t) {
		if op.Kind != kind || op.Key != key {
			continue
		}
		text = h.FormatOp(op)
		if kind == register.Read || kind == register.ReadList {
			break
		}
	}
	return text
}

// readText prints the read by which transaction t saw what the writer wrote.
func (r *Reads) readText(t int, writer, key int32) string {
	if r.H.Lists() != nil {
		return opText(r.H, t, register.Read, key)
	}
	first := r.H.FirstOp(t)
	for i, op := range r.H.TxnOps(t) {
		if v := r.From[first+i]; v != Inner && op.Key == key && r.VersionTxn[v] == writer {
			return r.H.FormatOp(op)
		}
	}
	return opText(r.H, t, register.Read, key)
}
