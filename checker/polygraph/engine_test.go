package polygraph

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"txweave/checker"
	"txweave/dbms"
	"txweave/gen/histories"
	"txweave/gen/workload"
	"txweave/history/register"
	"txweave/internal/testkit/effort"
)

// TestEngines checks histories of some hundred transactions from simulated engines, too large for brute force: the
// engine of a level makes valid ones, whichever way they are found to be. Snapshot isolation is not serializable.
func TestEngines(t *testing.T) {
	txns := 200
	if testing.Short() {
		txns = 60
	}
	for _, cfg := range []histories.Config{
		{Shape: histories.General, Keys: 50}, {Shape: histories.Blind, Keys: 100, Distribution: workload.Zipf},
		{Shape: histories.General, Keys: 20, NoInitial: true}, {Shape: histories.Mini, Keys: 20},
	} {
		for _, level := range []dbms.Level{dbms.SSER, dbms.SER, dbms.SI} {
			for seed := range uint64(effort.Cases(2)) {
				cfg.Level, cfg.Txns, cfg.Sessions = level, txns, 8
				t.Run(fmt.Sprintf("%s/%s/%s/%d/%d", level, cfg.Shape, cfg.Distribution, cfg.Keys, seed), func(t *testing.T) {
					engine(t, dbms.Level(level), cfg, seed)
				})
			}
		}
	}
}

func engine(t *testing.T, level dbms.Level, cfg histories.Config, seed uint64) {
	h, err := histories.Generate(rand.New(rand.NewPCG(seed, 3)), cfg)
	if err != nil {
		t.Fatal(err)
	}
	plain, key := withoutTimes(h)
	orders := []VersionOrder{nil, {}, {}}
	for i, share := range []float64{0, 0.5, 0.9} {
		for k, values := range commitOrder(h, share, rand.New(rand.NewPCG(seed, 4))) {
			if i > 0 {
				orders[i][key[k]] = values
			}
		}
	}
	for _, order := range orders {
		for _, so := range []bool{true, false} {
			opt := Options{Options: checker.Options{SessionOrder: so}, Order: order}
			if level == dbms.SSER {
				if v := Check(t.Context(), h, level, Options{Options: opt.Options}); v.Outcome != checker.Valid {
					t.Errorf("%s, %+v: %.500s", level, opt.Options, v)
				}
			}
			levels := []dbms.Level{dbms.SI, dbms.SER}
			if level == dbms.SI {
				levels = levels[:1]
			}
			for _, weaker := range levels {
				if v := Check(t.Context(), plain, weaker, opt); v.Outcome != checker.Valid {
					t.Errorf("%s, %+v, %d keys with an order: %.500s", weaker, opt.Options, len(order), v)
				}
				decisions(t, plain, weaker, opt)
			}
		}
	}
	if level == dbms.SI && cfg.Shape != histories.Mini {
		if v := Check(t.Context(), plain, dbms.SER, Options{}); v.Outcome != checker.Invalid {
			t.Errorf("SER: %.500s", v)
		}
	}
}

// decisions checks that what pruning leaves open can be decided without an attempted order, and that pruning finds no
// cycle.
func decisions(t *testing.T, h *register.History, level dbms.Level, opt Options) {
	t.Helper()
	r, v := checker.Trace(h, level, opt.Options)
	if v != nil {
		t.Fatal(v)
	}
	g, v := build(r, level, opt)
	if v != nil {
		t.Fatal(v)
	}
	g.applyOrder(g.versionsOf(opt.Order), false)
	p, v := g.prune(defaultMaxClosure)
	if v != nil || p == nil {
		t.Fatalf("%s %+v: pruned to %.500v", level, opt.Options, v)
	}
	if !p.sort() {
		t.Fatalf("%s %+v: pruning closed a cycle", level, opt.Options)
	}
	if !p.decide(defaultMaxClosure) {
		t.Logf("%s %+v: no decision", level, opt.Options)
	}
}
