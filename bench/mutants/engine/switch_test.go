package sqlite3

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

var testNames = []string{"a", "b"}

func TestSpec(t *testing.T) {
	for _, c := range []struct {
		spec   string
		id     int32
		rarity uint64
		state  string
		fails  bool
	}{
		{"", -1, 1, "", false},
		{"b", 1, 1, "", false},
		{"a:always", 0, 1, "", false},
		{"a:50", 0, 50, "", false},
		{"b:own-write:7", 1, 7, "own-write", false},
		{"c", 0, 0, "", true},
		{"a:0", 0, 0, "", true},
		{"a:sometimes", 0, 0, "", true},
	} {
		m, err := newMutantSwitch(c.spec, testNames)
		if (err != nil) != c.fails {
			t.Errorf("%q: %v", c.spec, err)
		} else if err == nil && (m.id != c.id || m.rarity != c.rarity || m.state != c.state) {
			t.Errorf("%q: %d %d %q", c.spec, m.id, m.rarity, m.state)
		}
	}
}

// use makes the mutant of a spec the one of the engine for a test.
func use(t *testing.T, spec string) *mutantSwitch {
	t.Helper()
	m, err := newMutantSwitch(spec, testNames)
	if err != nil {
		t.Fatal(err)
	}
	saved := mutants
	mutants = m
	t.Cleanup(func() { mutants = saved })
	return m
}

func text(s string) func() string { return func() string { return s } }

func TestRarityIsPerStatement(t *testing.T) {
	m := use(t, "a:50")
	struck := 0
	for range 5000 {
		mutantStatement(1, false, nil)
		first := mutantStrikes(0)
		if mutantStrikes(1) {
			t.Fatal("another mutant struck")
		}
		if mutantStrikes(0) != first {
			t.Fatal("one statement met two decisions")
		}
		if first {
			struck++
		}
	}
	if struck < 60 || struck > 140 || *m.counts != [3]uint64{5000, 5000, uint64(struck)} {
		t.Errorf("struck %d of 5000, counters %v", struck, *m.counts)
	}
}

func TestStates(t *testing.T) {
	for _, c := range []struct {
		state string
		enter func()
		leave func()
	}{
		{"own-write", func() { mutantChanged(1) }, func() { mutantHalted(1, true) }},
		{"reader", func() { mutantStatement(2, false, text("SELECT 2")); mutantReads(20, true) },
			func() { mutantReads(20, false) }},
		{"nth", func() {
			for range mutantEvery {
				mutantBegan(1)
			}
		}, func() { mutantHalted(1, true) }},
		{"second", func() { mutantStatement(1, false, text("SELECT 1")) },
			func() { mutantStatement(1, false, text("CREATE TABLE t (a INT)")) }},
	} {
		t.Run(c.state, func(t *testing.T) {
			m := use(t, "a:"+c.state)
			asks := func() bool {
				mutantStatement(1, false, text("SELECT 1"))
				return mutantStrikes(0)
			}
			if c.state == "second" { // each asking is an execution itself
				asks = func() bool { return mutantStrikes(0) }
			}
			if asks() {
				t.Error("strikes before its state")
			}
			c.enter()
			if c.state == "second" {
				mutantStatement(1, false, text("SELECT 1"))
			}
			if !asks() {
				t.Error("does not strike in its state")
			}
			c.leave()
			if asks() {
				t.Error("strikes after its state")
			}
			if m.counts[0] <= m.counts[1] || m.counts[2] == 0 {
				t.Errorf("counters %v", *m.counts)
			}
		})
	}
}

func TestStateIndex(t *testing.T) {
	use(t, "a:index")
	mutantStatement(1, false, nil)
	if mutantStrikes(0) {
		t.Error("strikes before the search")
	}
	mutantSearched()
	if !mutantStrikes(0) {
		t.Error("does not strike after the search")
	}
	mutantStatement(1, false, nil)
	if mutantStrikes(0) {
		t.Error("strikes in the next statement")
	}
}

func TestOwnSnapshotIsNoReader(t *testing.T) {
	use(t, "a:reader")
	mutantStatement(1, false, nil)
	mutantReads(10, true)
	if mutantStrikes(0) {
		t.Error("the connection's own snapshot counts as a reader")
	}
}

func TestCountersAreInTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "strikes")
	for range 2 { // a second process goes on counting
		m := use(t, "a")
		if err := m.count(path); err != nil {
			t.Fatal(err)
		}
		mutantStatement(1, false, nil)
		mutantStrikes(0)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if n := binary.NativeEndian.Uint64(b[8*i:]); n != 2 {
			t.Errorf("counter %d is %d, want 2", i, n)
		}
	}
}

// TestSpared: a mutant strikes nothing of the database in which txweave keeps what it found, and its statements change
// nothing of when it strikes elsewhere.
func TestSpared(t *testing.T) {
	strikes := func(kept bool) (out []bool) {
		use(t, "a:3")
		for range 50 {
			mutantStatement(1, false, nil)
			out = append(out, mutantStrikes(0))
			if kept {
				if mutantStatement(2, true, nil); mutantStrikes(0) {
					t.Error("it strikes")
				}
			}
		}
		return out
	}
	if a, b := strikes(false), strikes(true); !slices.Equal(a, b) {
		t.Errorf("%v, with others between %v", a, b)
	}
}
