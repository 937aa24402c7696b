package verdict

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"testing"
	"time"

	"txweave/exec/storm"
	"txweave/history"
	"txweave/internal/testkit/servers"
	"txweave/oracle/mechanism"
)

// TestSkew: a trace of sessions whose clocks are off by no more than is said is valid, and without that is not.
func TestSkew(t *testing.T) {
	p := servers.Level(t, "sqlite", "")
	_, _, trace := disturb(t, hosted(t), storm.Options{Duration: 400 * time.Millisecond})
	check := func(trace []byte, skew int64) []mechanism.Violation {
		t.Helper()
		sym := history.NewSymbols()
		r, err := history.NewOperationReader(bytes.NewReader(trace), sym)
		if err != nil {
			t.Fatal(err)
		}
		r.Widen(history.ClockBounds{All: time.Duration(skew)})
		rep, err := mechanism.CheckTrace(mechanism.Options{Promise: p.Promise().Guarantees.Mechanisms, Symbols: sym}, r)
		if err != nil {
			t.Fatal(err)
		}
		return rep.Violations
	}
	if found := check(trace, 0); len(found) > 0 {
		t.Fatalf("the trace itself: %s", found[0].String())
	}
	seen := 0
	for off := int64(2 * time.Millisecond); seen == 0 && off < int64(time.Minute); off *= 4 {
		// what is seen depends on how fast statements are
		for seed := range uint64(3) {
			skewed := shifted(t, trace, rand.New(rand.NewPCG(seed, 1)), off)
			if len(check(skewed, 0)) > 0 {
				seen++
			}
			if found := check(skewed, off); len(found) > 0 {
				t.Errorf("seed %d: %s, %s", seed, found[0].String(), found[0].Explanation)
			}
		}
	}
	if seen == 0 {
		t.Error("clocks that are off by seconds are not seen")
	}
}

// shifted is a trace in which the clock of each session is off by up to so many ns.
func shifted(t *testing.T, trace []byte, rng *rand.Rand, off int64) []byte {
	t.Helper()
	by := map[string]int64{}
	var out bytes.Buffer
	for line := range bytes.Lines(trace) {
		var op map[string]json.RawMessage
		if err := json.Unmarshal(line, &op); err != nil || op["session"] == nil || op["start"] == nil {
			out.Write(line)
			continue
		}
		session := string(op["session"])
		if _, has := by[session]; !has {
			by[session] = off * (2*rng.Int64N(2) - 1) * (50 + rng.Int64N(51)) / 100
		}
		for _, at := range []string{"start", "end"} {
			var ns int64
			if err := json.Unmarshal(op[at], &ns); err != nil {
				t.Fatal(err)
			}
			op[at], _ = json.Marshal(ns + by[session])
		}
		text, err := json.Marshal(op)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(append(text, '\n'))
	}
	return out.Bytes()
}
