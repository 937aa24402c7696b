package polygraph

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"txweave/checker"
	"txweave/dbms"
	"txweave/gen/histories"
	"txweave/gen/workload"
	"txweave/history"
	"txweave/history/register"
	"txweave/internal/testkit/cputime"
)

// bench is one history to measure.
type bench struct {
	name  string
	level dbms.Level
	so    bool
	cfg   histories.Config
	order float64 // share of the versions whose order is known
	want  checker.Validity
}

var benches = []bench{
	{"mini-zipf-10k", dbms.SER, true, histories.Config{Txns: 10_000, Distribution: workload.Zipf}, 0, checker.Valid},
	{"mini-zipf-10k", dbms.SI, true, histories.Config{Level: dbms.SI, Txns: 10_000, Distribution: workload.Zipf}, 0,
		checker.Valid},
	{"blind-uniform-10k", dbms.SER, false, histories.Config{Shape: histories.Blind, Txns: 10_000}, 0, checker.Valid},
	{
		"blind-zipf-10k",
		dbms.SER,
		false,
		histories.Config{Shape: histories.Blind, Txns: 10_000, Distribution: workload.Zipf},
		0,
		checker.Valid,
	},
	{"blind-zipf-10k", dbms.SI, false, histories.Config{Level: dbms.SI, Shape: histories.Blind, Txns: 10_000,
		Distribution: workload.Zipf}, 0, checker.Valid},
	{
		"blind-uniform-10k-invalid",
		dbms.SER,
		false,
		histories.Config{Level: dbms.SI, Shape: histories.Blind, Txns: 10_000},
		0,
		checker.Invalid,
	},
	{"blind-zipf-10k-invalid", dbms.SER, false, histories.Config{Level: dbms.SI, Shape: histories.Blind, Txns: 10_000,
		Distribution: workload.Zipf}, 0, checker.Invalid},
	{"general-uniform-100k-90%-of-order", dbms.SER, false, histories.Config{Shape: histories.General, Txns: 100_000}, 0.9,
		checker.Valid},
	{"general-zipf-100k-90%-of-order", dbms.SER, false, histories.Config{Shape: histories.General, Txns: 100_000,
		Distribution: workload.Zipf}, 0.9, checker.Valid},
	{"general-uniform-100k-90%-of-order", dbms.SI, false, histories.Config{Level: dbms.SI, Shape: histories.General,
		Txns: 100_000}, 0.9, checker.Valid},
	{
		"general-zipf-100k-90%-of-order",
		dbms.SI,
		false,
		histories.Config{Level: dbms.SI, Shape: histories.General, Txns: 100_000,
			Distribution: workload.Zipf},
		0.9,
		checker.Valid,
	},
	{"blind-uniform-100k-90%-of-order", dbms.SER, false, histories.Config{Shape: histories.Blind, Txns: 100_000}, 0.9,
		checker.Valid},
	{"blind-zipf-100k-90%-of-order", dbms.SER, false, histories.Config{Shape: histories.Blind, Txns: 100_000,
		Distribution: workload.Zipf}, 0.9, checker.Valid},
	{"blind-uniform-25k-90%-of-order", dbms.SER, false, histories.Config{Shape: histories.Blind, Txns: 25_000}, 0.9,
		checker.Valid},
	{"blind-uniform-50k-90%-of-order", dbms.SER, false, histories.Config{Shape: histories.Blind, Txns: 50_000}, 0.9,
		checker.Valid},
}

// withoutTimes drops what would tell the order: the clients' clocks, and the order in which the generator committed.
// Sessions stay in their own order. It returns the new number of each key, too.
func withoutTimes(h *register.History) (plain *register.History, key []int32) {
	b := register.NewBuilder(len(h.Txns), len(h.Ops))
	if h.HasInitialValue {
		b.SetInitialValue(h.InitialValue)
	}
	for k := range int32(h.Keys()) {
		key = append(key, b.Key(h.KeyName(k)))
	}
	emit := func(t int) {
		x := &h.Txns[t]
		if t == h.Initial {
			b.BeginInitial()
		} else {
			b.Begin(h.SessionID(x.Session), x.ID)
		}
		for _, op := range h.TxnOps(t) {
			op.Key = key[op.Key]
			b.Op(op)
		}
		b.End(x.Status, 0, 0)
	}
	if h.Initial >= 0 {
		emit(h.Initial)
	}
	for s := range int32(h.Sessions()) {
		for t := range h.Txns {
			if h.Txns[t].Session == s {
				emit(t)
			}
		}
	}
	return b.History(), key
}

// commitOrder returns, by key, the values in the order in which the generator's engine, which is strictly serial,
// committed them; a share of them, drawn at random, is left out.
func commitOrder(h *register.History, share float64, rng *rand.Rand) VersionOrder {
	order := VersionOrder{}
	for t := range h.Txns { // the generator lists transactions in commit order
		for _, op := range h.TxnOps(t) {
			if op.Kind == register.Write && h.Txns[t].Status == history.Committed && rng.Float64() < share {
				order[op.Key] = append(order[op.Key], op.Value)
			}
		}
	}
	return order
}

func (b *bench) make(tb testing.TB) (*register.History, Options) {
	tb.Helper()
	h, err := histories.Generate(rand.New(rand.NewPCG(1, 1)), b.cfg)
	if err != nil {
		tb.Fatal(err)
	}
	opt := Options{Options: checker.Options{SessionOrder: b.so}}
	plain, key := withoutTimes(h)
	if b.order > 0 {
		opt.Order = VersionOrder{}
		for k, values := range commitOrder(h, b.order, rand.New(rand.NewPCG(2, 2))) {
			opt.Order[key[k]] = values
		}
	}
	return plain, opt
}

// BenchmarkCheck checks histories without any times; cpu-ms/op is one whole check.
func BenchmarkCheck(b *testing.B) {
	for _, x := range benches {
		b.Run(fmt.Sprintf("%s/%s", x.level, x.name), func(b *testing.B) {
			h, opt := x.make(b)
			cputime.Loop(b, len(h.Txns), func() {
				if v := Check(b.Context(), h, x.level, opt); v.Outcome != x.want {
					b.Fatalf("%.2000s", v)
				}
			})
		})
	}
}
