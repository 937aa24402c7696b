package minitx

import (
	"testing"

	"txweave/dbms"

	"txweave/checker"
	"txweave/gen/histories"
	"txweave/gen/workload"
)

// TestEnginesKeepTheirLevels checks larger histories, in which every level is kept by its engine and all stronger ones,
// and broken by the weaker ones.
func TestEnginesKeepTheirLevels(t *testing.T) {
	strength := map[dbms.Level]int{dbms.SI: 1, dbms.RR: 2, dbms.SER: 2, dbms.SSER: 3}
	for _, engine := range histories.Levels {
		for _, dist := range workload.Distributions {
			h := generate(t, histories.Config{Level: engine, Distribution: dist, Txns: 3000, Keys: 20, Aborts: 0.1,
				KeepAborted: true, Unknowns: 0.05})
			for i, level := range []dbms.Level{dbms.SI, dbms.SER, dbms.SSER} {
				want := checker.Invalid
				if strength[engine] > i {
					want = checker.Valid
				}
				v := Check(h, level, checker.Options{SessionOrder: true})
				if v.Outcome != want {
					t.Errorf("%s keys, history of a %s engine: want %s, got %v", dist, engine, want, v)
				}
				if v.Outcome == checker.Invalid {
					checkCounterexample(t, h, v)
				}
			}
		}
	}
}
