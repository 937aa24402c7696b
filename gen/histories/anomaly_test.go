package histories

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"txweave/checker"
	"txweave/checker/blackbox"
	proof "txweave/checker/certificate"
	"txweave/dbms"
	"txweave/fault"
	"txweave/gen/workload"
	"txweave/history"
	"txweave/history/register"
)

// TestPlanted: a history with an anomaly has this one, and nothing else, at each level that forbids it, and is valid at
// the others that its engine keeps.
func TestPlanted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := &anomalies[rapid.IntRange(0, len(anomalies)-1).Draw(t, "anomaly")]
		cfg := Config{
			Anomaly:      a.Kind,
			Level:        rapid.SampledFrom(Levels[:4]).Draw(t, "level"),
			Shape:        rapid.SampledFrom([]Shape{Mini, Blind, General, CompareAndSet}).Draw(t, "shape"),
			Sessions:     rapid.IntRange(4, 8).Draw(t, "sessions"),
			Txns:         rapid.IntRange(1, 60).Draw(t, "transactions"),
			Keys:         rapid.IntRange(3, 30).Draw(t, "keys"),
			Ops:          rapid.IntRange(1, 6).Draw(t, "operations"),
			Distribution: rapid.SampledFrom(workload.Distributions).Draw(t, "distribution"),
			NoInitial:    rapid.Bool().Draw(t, "no initial transaction"),
			Lists:        rapid.Bool().Draw(t, "lists"),
		}
		if !a.Fits(cfg.Shape) || a.Searches() && cfg.Lists {
			return
		}
		h, told, err := certified(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)), cfg)
		if err != nil {
			t.Fatal(err)
		}
		if a.Searches() {
			judgeCertified(t, told, a, cfg.Level)
			return
		}
		if cfg.Shape == CompareAndSet && cfg.Level == dbms.SSER && !cfg.Lists {
			v := blackbox.Check(t.Context(), h, dbms.LIN, checker.Options{})
			if v.Outcome != checker.Invalid {
				t.Errorf("%s at %s: %s", a.Kind, dbms.LIN, v)
			}
		}
		for _, level := range Levels[slices.Index(Levels, cfg.Level):] {
			judge(t, h, a, level, cfg.Lists)
		}
	})
}

// judgeCertified is judge for an anomaly of searches: without the certificate nothing is wrong.
func judgeCertified(t *rapid.T, told *certificate, a *Anomaly, made dbms.Level) {
	opt, h := checker.Options{SessionOrder: true}, told.h
	var text bytes.Buffer
	if err := told.write(&text); err != nil {
		t.Fatal(err)
	}
	c, err := proof.Read(&text, h)
	if err != nil {
		t.Fatal(err)
	}
	for _, level := range certifiedLevels {
		if slices.Index(Levels, level) < slices.Index(Levels, made) {
			continue
		}
		if v := blackbox.Check(t.Context(), h, level, opt); v.Outcome != checker.Valid {
			t.Errorf("%s at %s, without its certificate: %s", a.Kind, level, v)
		}
		v := proof.Check(t.Context(), h, c, level, opt, lessThanFive{})
		if a.Allows(level) && v.Outcome != checker.Valid || !a.Allows(level) &&
			(v.Outcome != checker.Invalid || !slices.Contains(namesAt(a.Kind, level, false), v.Anomaly)) {
			t.Errorf("%s at %s: %s", a.Kind, level, v)
		}
	}
}

// judge says where the checker finds something else than the anomaly.
func judge(t *rapid.T, h *register.History, a *Anomaly, level dbms.Level, lists bool) {
	v := blackbox.Check(t.Context(), h, level, checker.Options{SessionOrder: true})
	switch {
	case a.Allows(level) && v.Outcome == checker.Valid:
	case !a.Allows(level) && v.Outcome == checker.Invalid && slices.Contains(namesAt(a.Kind, level, lists), v.Anomaly):
	default:
		t.Errorf("%s at %s: %s", a.Kind, level, v)
	}
}

// TestPlantedWhole: what is forbidden at no level is no anomaly, and what is planted has a name in the catalogue.
func TestPlantedWhole(t *testing.T) {
	for _, a := range Anomalies() {
		if of := fault.Of(a.Kind); of == nil || of.Class != fault.History && of.Class != fault.Isolation {
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
		{Anomaly: fault.HistoryLongFork, Shape: CompareAndSet}, {Anomaly: fault.HistoryPhantom, Lists: true},
		{Level: dbms.TCC, Lists: true}, {Lists: true, Txns: 1_000_000, Keys: 10},
	} {
		if _, err := Generate(rand.New(rand.NewPCG(1, 1)), cfg); err == nil {
			t.Errorf("%+v is accepted", cfg)
		}
	}
}

// namesAt are what the checkers of a level call an anomaly. From SI on they assume an order of the versions first: then
// one of those who read misses what its session has seen, or did. A list that lacks an own element lacks it, whichever
// it is.
func namesAt(k fault.Kind, level dbms.Level, lists bool) []fault.Kind {
	switch {
	case k == fault.HistoryNotMyLastWrite && lists:
		return []fault.Kind{fault.HistoryNotMyOwnWrite}
	case k == fault.HistoryConflictingOrder && slices.Index(Levels, level) <= slices.Index(Levels, dbms.SI):
		return []fault.Kind{fault.HistoryNonMonotonicRead, fault.HistorySessionGuaranteeViolation}
	}
	return []fault.Kind{k}
}

// lessThanFive says which rows searches match.
type lessThanFive struct{}

func (lessThanFive) Match(_ context.Context, _ *proof.Relation, where string,
	rows [][]history.Value) ([]bool, error) {
	if where != searchedFor {
		return nil, fmt.Errorf("a search of %q", where)
	}
	out := make([]bool, len(rows))
	for i, row := range rows {
		out[i] = row[0].N < 5
	}
	return out, nil
}
