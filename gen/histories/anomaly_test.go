package histories

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"txweave/checker"
	"txweave/checker/blackbox"
	"txweave/dbms"
	"txweave/fault"
	"txweave/gen/workload"
	"txweave/history/register"
)

// TestPlanted: a history with an anomaly has this one, and nothing else, at each level that forbids it, and is valid at
// the others that its engine keeps.
func TestPlanted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := &anomalies[rapid.IntRange(0, len(anomalies)-1).Draw(t, "anomaly")]
		cfg := Config{
			Anomaly:      a.Kind,
			Level:        rapid.SampledFrom(Levels[:3]).Draw(t, "level"),
			Shape:        rapid.SampledFrom([]Shape{Mini, Blind, General, CompareAndSet}).Draw(t, "shape"),
			Sessions:     rapid.IntRange(4, 8).Draw(t, "sessions"),
			Txns:         rapid.IntRange(1, 60).Draw(t, "transactions"),
			Keys:         rapid.IntRange(3, 30).Draw(t, "keys"),
			Ops:          rapid.IntRange(1, 6).Draw(t, "operations"),
			Distribution: rapid.SampledFrom(workload.Distributions).Draw(t, "distribution"),
			NoInitial:    rapid.Bool().Draw(t, "no initial transaction"),
		}
		if !a.Fits(cfg.Shape) {
			return
		}
		h, err := Generate(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)), cfg)
		if err != nil {
			t.Fatal(err)
		}
		if cfg.Shape == CompareAndSet && cfg.Level == dbms.SSER {
			v := blackbox.Check(t.Context(), h, dbms.LIN, checker.Options{})
			if v.Outcome != checker.Invalid {
				t.Errorf("%s at %s: %s", a.Kind, dbms.LIN, v)
			}
		}
		for _, level := range Levels[slices.Index(Levels, cfg.Level):] {
			judge(t, h, a, level)
		}
	})
}

// judge says where the checker finds something else than the anomaly.
func judge(t *rapid.T, h *register.History, a *Anomaly, level dbms.Level) {
	v := blackbox.Check(t.Context(), h, level, checker.Options{SessionOrder: true})
	switch {
	case a.Allows(level) && v.Outcome == checker.Valid:
	case !a.Allows(level) && v.Outcome == checker.Invalid && v.Anomaly == nameAt(a.Kind, level):
	default:
		t.Errorf("%s at %s: %s", a.Kind, level, v)
	}
}

// TestPlantedWhole: what is forbidden at no level is no anomaly, and what is planted has a name in the catalogue.
func TestPlantedWhole(t *testing.T) {
	for _, a := range Anomalies() {
		if fault.Of(a.Kind) == nil || fault.Of(a.Kind).Class != fault.History {
			t.Errorf("%s is not in the catalogue of what histories show", a.Kind)
		}
		if len(a.Forbidden) == 0 || a.Allows(dbms.SSER) {
			t.Errorf("%s is allowed at %s", a.Kind, dbms.SSER)
		}
	}
}

func TestRefusesToPlant(t *testing.T) {
	for _, cfg := range []Config{
		{Anomaly: "Fuzziness"}, {Anomaly: fault.HistoryLongFork, Sessions: 3}, {Anomaly: fault.HistoryLongFork, Keys: 1},
		{Anomaly: fault.HistoryLostUpdate, Level: dbms.TCC}, {Anomaly: fault.HistoryConflictingOrder},
		{Anomaly: fault.HistoryLongFork, Shape: CompareAndSet},
	} {
		if _, err := Generate(rand.New(rand.NewPCG(1, 1)), cfg); err == nil {
			t.Errorf("%+v is accepted", cfg)
		}
	}
}

// nameAt is what the checkers of a level call an anomaly. From SI on they assume an order of the versions first.
func nameAt(k fault.Kind, level dbms.Level) fault.Kind {
	if k == fault.HistoryConflictingOrder && slices.Index(Levels, level) <= slices.Index(Levels, dbms.SI) {
		return fault.HistoryNonMonotonicRead
	}
	return k
}
