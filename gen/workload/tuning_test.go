package workload

import (
	"math"
	"strings"
	"testing"
)

// count returns how many reads and writes there are in a log, and how many transactions.
func count(log string) (reads, writes, txns int) {
	for line := range strings.Lines(log) {
		switch verb, _, _ := strings.Cut(line, " "); verb {
		case "begin":
			txns++
		case "get", "scan", "list":
			reads++
		default:
			writes++
		}
	}
	return reads, writes, txns
}

// TestLength: a length that is told is the one that transactions have, or at most have.
func TestLength(t *testing.T) {
	for name, exact := range map[string]bool{
		"blindw-w": true, "blindw-rw": true, "blindw-rw+": true, "gt": true, "ycsb-a": true, "random-sql": false,
	} {
		log, _ := play(t, name, Config{Keys: 50, Distribution: Uniform, Tuning: Tuning{Operations: 30}}, 1, 100)
		reads, writes, txns := count(log)
		n := reads + writes
		if exact && n != 30*txns || !exact && (n < 12*txns || n > 35*txns) {
			t.Errorf("%s: %d operations in %d transactions", name, n, txns)
		}
	}
}

// TestReads: a share of reads that is told is about the one that there is, at its ends exactly.
func TestReads(t *testing.T) {
	for _, name := range []string{"blindw-rw", "ycsb-a"} {
		for _, share := range []float64{0, 0.2, 0.9, 1} {
			log, _ := play(t, name, Config{Keys: 50, Distribution: Uniform, Tuning: Tuning{Reads: &share}}, 1, 2000)
			reads, writes, _ := count(log)
			if got := float64(reads) / float64(reads+writes); got < share-0.05 || got > share+0.05 ||
				share == 0 && reads > 0 || share == 1 && writes > 0 {
				t.Errorf("%s: %.2f of the operations read, want %.2f", name, got, share)
			}
		}
	}
}

// TestGeneral: of general transactions a fifth only reads, two fifths only write, two fifths write what they have read.
func TestGeneral(t *testing.T) {
	log, _ := play(t, "gt", Config{Keys: 50, Distribution: Uniform}, 1, 2000)
	var only [3]int
	for _, txn := range strings.Split(log, "begin ")[1:] {
		_, txn, _ = strings.Cut(txn, "\n")
		switch reads, writes, _ := count(txn); {
		case writes == 0 && reads == generalLength:
			only[0]++
		case reads == 0 && writes == generalLength:
			only[1]++
		case reads == writes && reads+writes == generalLength:
			only[2]++
		default:
			t.Fatalf("%d reads and %d writes:\n%s", reads, writes, txn)
		}
	}
	for i, want := range []int{400, 800, 800} {
		if only[i] < want-80 || only[i] > want+80 {
			t.Errorf("%d that only read, only write, do both; want about 400, 800, 800", only)
		}
	}
}

// TestTheta: a steeper zipf uses its first key more often.
func TestTheta(t *testing.T) {
	var last int
	for _, theta := range []float64{0.5, 1, 2} {
		log, _ := play(t, "blindw-w", Config{Keys: 50, Distribution: Zipf, Tuning: Tuning{Theta: theta}}, 1, 200)
		first := strings.Count(log, "put 0 0 ")
		if first <= last {
			t.Errorf("theta %g: the first key is written %d times, before it was %d", theta, first, last)
		}
		last = first
	}
}

// TestTuningRefused: what cannot be told of a workload is refused in one line.
func TestTuningRefused(t *testing.T) {
	over := 1.5
	for name, c := range map[string]Tuning{
		"smallbank": {Operations: 3}, "mini": {Reads: new(float64)}, "blindw-rw": {Reads: &over},
		"generated": {ValueSize: 10},
		"blindw-w":  {Operations: maxLength + 1}, "ycsb-a": {Theta: 1}, "set": {ValueSize: -1},
	} {
		_, err := New(name, Config{Keys: 5, Distribution: Uniform, Tuning: c})
		if err == nil || !strings.HasPrefix(err.Error(), "--") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s with %+v: %v", name, c, err)
		}
	}
}

// TestThetaBounds: Zipf is steep from 0 to a bound, and nothing else is.
func TestThetaBounds(t *testing.T) {
	for _, c := range []struct {
		theta float64
		of    Distribution
		wrong bool
	}{{0, Zipf, false}, {10, Zipf, false}, {0, Uniform, false}, {-1, Zipf, true}, {math.NaN(), Zipf, true},
		{10.5, Zipf, true}, {1, Uniform, true}} {
		if _, err := NewKeys(c.of, 3, c.theta); (err != nil) != c.wrong {
			t.Errorf("%s, %g: %v", c.of, c.theta, err)
		}
	}
}
