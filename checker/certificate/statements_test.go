package certificate

import (
	"math/rand/v2"
	"slices"
	"testing"

	"txweave/checker"
	"txweave/dbms"
	"txweave/history/register"
	"txweave/internal/testkit/brute"
	"txweave/internal/testkit/notation"
)

// TestStatementsAsTransactions: a history at RC is valid with its statements if and only if it is so without them, and
// the history is serializable in which each statement is a transaction that only reads, and each commit one that only
// writes.
func TestStatementsAsTransactions(t *testing.T) {
	valid, weaker, judged := 0, 0, 0
	for i := range *cases {
		rng := rand.New(rand.NewPCG(uint64(i), 31))
		h := brute.Random(rng, brute.Bounds{Txns: 5, Keys: 3, Sessions: 3, Ops: 4, NoAborts: true})
		h.RealTime = false
		statements := divided(rng, h)
		opt := checker.Options{SessionOrder: i%2 == 0}
		parts := ofParts(h, statements, opt.SessionOrder)
		n := 0
		certificates(h, func(c *Certificate) bool {
			without := Check(t.Context(), h, c, dbms.RC, opt, nil)
			c.Statements = statements
			got := Check(t.Context(), h, c, dbms.RC, opt, nil)
			c.Statements = nil
			of := Check(t.Context(), parts, c, dbms.SER, checker.Options{SessionOrder: true}, nil)
			want := without.Outcome == checker.Valid && of.Outcome == checker.Valid
			if got.Outcome == checker.Unknown || of.Outcome == checker.Unknown || (got.Outcome == checker.Valid) != want {
				t.Fatalf("seed %d: got %v, without statements %v, of parts %v\n%s%+v\n%s", i, got, without, of,
					notation.Format(h), statements, notation.Format(parts))
			}
			judged++
			if want {
				valid++
			} else if without.Outcome == checker.Valid {
				weaker++
			}
			n++
			return n < 20
		})
	}
	t.Logf("%d judged, %d valid, %d not for their statements alone", judged, valid, weaker)
	if valid < judged/20 || weaker < judged/100 {
		t.Error("the histories are one-sided")
	}
}

// divided makes statements of neighbouring reads.
func divided(rng *rand.Rand, h *register.History) (out []Statement) {
	for t := range h.Txns {
		if t == h.Initial {
			continue
		}
		ops := h.TxnOps(t)
		for at := 0; at < len(ops); {
			n := 0
			for at+n < len(ops) && ops[at+n].Kind == register.Read && (n == 0 || rng.IntN(4) > 0) {
				n++
			}
			if n > 0 {
				out = append(out, Statement{Txn: t, At: at, Ops: n})
			}
			at += max(n, 1)
		}
	}
	return out
}

// ofParts makes transactions of statements and commits.
func ofParts(h *register.History, statements []Statement, sessions bool) *register.History {
	b := register.NewBuilder(0, 0)
	for k := range int32(h.Keys()) {
		b.Key(h.KeyName(k))
	}
	if h.HasInitialValue {
		b.SetInitialValue(h.InitialValue)
	}
	id := int64(1000)
	part := func(t int, ops []register.Op) {
		session := int64(t)
		if sessions && t != h.Initial {
			session = h.SessionID(h.Txns[t].Session)
		}
		if id++; t == h.Initial {
			b.BeginInitial()
		} else {
			b.Begin(session, id)
		}
		for _, op := range ops {
			b.Op(op)
		}
		b.End(h.Txns[t].Status, 0, 0)
	}
	for t := range h.Txns {
		for _, s := range statements {
			if s.Txn == t {
				part(t, readsOf(h, s))
			}
		}
		var writes []register.Op
		for _, op := range h.TxnOps(t) {
			if op.Kind == register.Write {
				writes = append(writes, op)
			}
		}
		part(t, writes)
	}
	return b.History()
}

// readsOf are the reads of a statement, but for those of what its transaction had written.
func readsOf(h *register.History, s Statement) (reads []register.Op) {
	ops := h.TxnOps(s.Txn)
	for i, op := range ops[s.At : s.At+s.Ops] {
		if !slices.ContainsFunc(ops[:s.At+i], func(before register.Op) bool {
			return before.Kind == register.Write && before.Key == op.Key
		}) {
			reads = append(reads, op)
		}
	}
	return reads
}
