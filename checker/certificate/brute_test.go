package certificate

import (
	"context"
	"flag"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"txweave/dbms"

	"txweave/checker"
	"txweave/history"
	"txweave/history/register"
	"txweave/internal/testkit/brute"
	"txweave/internal/testkit/notation"
)

var cases = flag.Int("txweave.cases", 400, "small random histories for each level, compared with brute force")

// below is the matches oracle of these tests: "value < N".
type below struct{}

func (below) Match(_ context.Context, _ *Relation, where string, rows [][]history.Value) ([]bool, error) {
	n, err := strconv.ParseInt(strings.TrimPrefix(where, "value < "), 10, 64)
	out := make([]bool, len(rows))
	for i, row := range rows {
		out[i] = row[0].N < n
	}
	return out, err
}

// certificates calls yield with every version order that the history may have had, whichever transactions of unknown
// outcome committed.
func certificates(h *register.History, yield func(*Certificate) bool) {
	var unknown []int
	for t := range h.Txns {
		if h.Txns[t].Status == history.Unknown {
			unknown = append(unknown, t)
		}
	}
	for set := range 1 << len(unknown) {
		written := make([][]int64, h.Keys())
		for t := range h.Txns {
			if x := h.Txns[t].Status; x == history.Aborted || x == history.Unknown && !chosen(unknown, set, t) {
				continue
			}
			last := map[int32]int64{}
			for _, op := range h.TxnOps(t) {
				if op.Kind == register.Write {
					last[op.Key] = op.Value
				}
			}
			for key := range written {
				if v, ok := last[int32(key)]; ok {
					written[key] = append(written[key], v)
				}
			}
		}
		c := &Certificate{Order: make([][]int64, h.Keys())}
		fixed := make([]int, len(written)) // the initial transaction's versions are the first ones
		if h.Initial >= 0 {
			for _, op := range h.TxnOps(h.Initial) {
				fixed[op.Key] = 1
			}
		}
		if !orders(c, written, fixed, 0, yield) {
			return
		}
	}
}

func chosen(unknown []int, set, t int) bool {
	for i, u := range unknown {
		if u == t {
			return set>>i&1 == 1
		}
	}
	return false
}

// orders permutes what was written to the keys from this one on.
func orders(c *Certificate, written [][]int64, fixed []int, key int, yield func(*Certificate) bool) bool {
	if key == len(written) {
		return yield(c)
	}
	var permute func(n int) bool
	c.Order[key] = written[key]
	permute = func(n int) bool {
		if n == len(written[key]) {
			return orders(c, written, fixed, key+1, yield)
		}
		for i := n; i < len(written[key]); i++ {
			w := written[key]
			w[n], w[i] = w[i], w[n]
			ok := permute(n + 1)
			w[n], w[i] = w[i], w[n]
			if !ok {
				return false
			}
		}
		return true
	}
	return permute(fixed[key])
}

// TestAgainstBruteForce: a history satisfies a level by the search through all executions if and only if one of its
// possible version orders makes a certificate with which it is valid.
func TestAgainstBruteForce(t *testing.T) {
	for _, level := range []dbms.Level{dbms.SER, dbms.SI} {
		for _, opt := range []checker.Options{{SessionOrder: true}, {}} {
			valid, judged := 0, 0
			for i := range *cases {
				rng := rand.New(rand.NewPCG(uint64(i), 11))
				h := brute.Random(rng, brute.Bounds{Txns: 5, Keys: 3, Sessions: 3, Ops: 4, NoAborts: i%2 == 0})
				want, got := brute.Valid(h, level, opt), false
				certificates(h, func(c *Certificate) bool {
					v := Check(t.Context(), h, c, level, opt, nil)
					judged++
					got = v.Outcome == checker.Valid
					if v.Outcome == checker.Invalid {
						checkCounterexample(t, h, v)
					}
					return !got
				})
				if got != want {
					t.Fatalf("seed %d, %s, %+v: brute force says %v, the certificates %v\n%s", i, level, opt, want, got,
						notation.Format(h))
				}
				if want {
					valid++
				}
			}
			t.Logf("%s %+v: %d of %d valid, %d certificates judged", level, opt, valid, *cases, judged)
			if valid < *cases/10 || valid > *cases*9/10 {
				t.Errorf("%s %+v: %d of %d valid: the histories are one-sided", level, opt, valid, *cases)
			}
		}
	}
}

func checkCounterexample(t *testing.T, h *register.History, v checker.Verdict) {
	t.Helper()
	c := v.Counterexample
	if len(c) == 0 || v.Anomaly == "" || v.Reason == "" {
		t.Fatalf("no counterexample: %v", v)
	}
	seen := map[int]bool{}
	for i, e := range c {
		if len(c) > 1 && (e.ToTxn != c[(i+1)%len(c)].FromTxn || seen[e.FromTxn]) || e.Text == "" {
			t.Fatalf("not a simple cycle: %v\n%s", v, notation.Format(h))
		}
		seen[e.FromTxn] = true
	}
}

// TestPredicatesAgainstBruteForce does the same for histories with searches, over all version orders and all version
// sets of committed versions.
func TestPredicatesAgainstBruteForce(t *testing.T) {
	for _, level := range []dbms.Level{dbms.SER, dbms.SI} {
		valid, differ, judged := 0, 0, 0
		for i := range *cases {
			rng := rand.New(rand.NewPCG(uint64(i), 12))
			h := brute.Random(rng, brute.Bounds{Txns: 4, Keys: 2, Sessions: 3, Ops: 3, NoAborts: true})
			tables, predicates := searches(rng, h)
			e := &executor{h: h, searches: predicates}
			want, got := e.valid(level), false
			certificates(h, func(c *Certificate) bool {
				c.Tables, c.Predicates = tables, predicates
				versionSets(h, c, 0, func() bool {
					v := Check(t.Context(), h, c, level, checker.Options{}, below{})
					judged++
					got = v.Outcome == checker.Valid
					if v.Outcome == checker.Unknown {
						t.Fatalf("seed %d: %v", i, v)
					}
					if v.Outcome == checker.Invalid {
						checkCounterexample(t, h, v)
					}
					return !got
				})
				return !got
			})
			if got != want {
				t.Fatalf("seed %d, %s: brute force says %v, the certificates %v\n%s%+v", i, level, want, got,
					notation.Format(h), predicates)
			}
			if want {
				valid++
			}
			if brute.Valid(h, level, checker.Options{}) != want {
				differ++
			}
		}
		t.Logf("%s: %d of %d valid, %d only without their searches, %d certificates judged", level, valid, *cases,
			differ, judged)
		if valid < *cases/10 || differ < *cases/20 {
			t.Errorf("%s: %d of %d valid, %d differ by their searches: too few", level, valid, *cases, differ)
		}
	}
}

// searches makes one or two searches, with results that are often right.
func searches(rng *rand.Rand, h *register.History) ([]Relation, []Predicate) {
	table := Relation{Name: "t"}
	for key := range int32(h.Keys()) {
		table.Keys = append(table.Keys, key)
	}
	var out []Predicate
	for range 1 + rng.IntN(2) {
		txn := rng.IntN(len(h.Txns))
		if txn == h.Initial {
			continue
		}
		limit := rng.Int64N(12)
		p := Predicate{Txn: txn, At: rng.IntN(len(h.TxnOps(txn)) + 1), Where: "value < " + strconv.FormatInt(limit, 10),
			Listed: true}
		for key := range int32(h.Keys()) {
			versions := finals(h, key)
			if v := versions[rng.IntN(len(versions))]; v != nil && *v < limit {
				p.Result = append(p.Result, key)
			}
		}
		out = append(out, p)
	}
	return []Relation{table}, out
}

// finals lists the versions of a key, nil for none.
func finals(h *register.History, key int32) []*int64 {
	var out []*int64
	if h.HasInitialValue {
		out = append(out, &h.InitialValue)
	} else {
		out = append(out, nil)
	}
	for t := range h.Txns {
		var last *int64
		for _, op := range h.TxnOps(t) {
			if op.Kind == register.Write && op.Key == key {
				last = &op.Value
			}
		}
		if last != nil && t == h.Initial {
			out[0] = last // nothing was there before
		} else if last != nil {
			out = append(out, last)
		}
	}
	return out
}

// versionSets gives the searches from this one on every version set. The transaction's own writes are in all of them.
func versionSets(h *register.History, c *Certificate, i int, yield func() bool) bool {
	if i == len(c.Predicates) {
		return yield()
	}
	p := &c.Predicates[i]
	var choose func(key int32) bool
	choose = func(key int32) bool {
		if int(key) == h.Keys() {
			return versionSets(h, c, i+1, yield)
		}
		var own *int64
		for _, op := range h.TxnOps(p.Txn)[:p.At] {
			if op.Kind == register.Write && op.Key == key {
				own = &op.Value
			}
		}
		options := finals(h, key)
		if own != nil {
			options = []*int64{own}
		}
		for _, v := range options {
			if delete(p.Seen, key); v != nil {
				p.Seen[key] = *v
			}
			if !choose(key + 1) {
				return false
			}
		}
		return true
	}
	p.Seen = map[int32]int64{}
	return choose(0)
}
