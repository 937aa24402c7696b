package sdg

import (
	"fmt"
	"testing"

	"txweave/history"
)

// ruleNames are the rules that TestMutations leaves out, one at a time.
var ruleNames = []struct {
	rule rule
	name string
	p    Precision
}{
	{ruleItemRead, "item read", Exact},
	{ruleItemWrite, "item write", Exact},
	{ruleItemAnti, "item anti", Exact},
	{rulePredicateRead, "predicate read", Exact},
	{rulePredicateWrite, "predicate write", Exact},
	{rulePredicateAnti, "predicate anti", Exact},
	{ruleValueWrite, "value write", Exact},
	{ruleBirth, "birth", Exact},
	{ruleDeath, "death", Exact},
	{ruleSeveral, "several windows", Exact},
	{ruleSeveral, "several windows", Match},
	{rulePrinted, "printed version", Column},
	{ruleKeyCheck, "key check", Match},
}

// mutant runs cases with a faulty inference until one differs (all of them if count is set).
func mutant(t *testing.T, cases int, count bool, inf inference) (first int, sum tally) {
	t.Helper()
	first = -1
	for seed := range uint64(cases) {
		m := mode(seed) % modes
		d, err := prove(seed, m, 4, inf, &sum)
		if err != nil {
			t.Fatal(err)
		}
		if d != nil && first < 0 {
			if first = int(seed); !count {
				return first, sum
			}
		}
	}
	return first, sum
}

// TestMutations leaves out one rule at a time: within 30,000 cases a replay must differ, or the rule (or
// the power of the proof) is in doubt.
func TestMutations(t *testing.T) {
	for _, r := range ruleNames {
		t.Run(fmt.Sprintf("%s/%s", r.name, r.p), func(t *testing.T) {
			t.Parallel()
			first, sum := mutant(t, max(30_000, *proofCases), *proofCases > 0, func(in *Input) (*Graph, error) {
				return infer(in, r.p, r.rule)
			})
			if first < 0 {
				t.Fatalf("no difference without the rule: %s", &sum)
			}
			t.Logf("without %-16s %-6s first difference at case %d; %s", r.name, r.p, first, &sum)
		})
	}
}

// lemmas is the paper's inference: edges by the intersections of Lemmas 1-7 alone.
func lemmas(in *Input) (*Graph, error) {
	b := &builder{in: in, tables: []tableState{{}}}
	writer := map[history.Version]int{}
	over := map[history.Version]int{}
	for i := range in.Stmts {
		for _, w := range in.Stmts[i].Writes {
			if !w.To.Absent() {
				writer[history.Version{Item: w.Item, VKey: int64(w.To)}] = i
			}
			if !w.From.Absent() {
				over[history.Version{Item: w.Item, VKey: int64(w.From)}] = i
			}
		}
	}
	note := func(j int, v history.Version) {
		f := found{pkey: v.PKey, state: v.VKey, seen: v.VKey}
		if i, ok := writer[v]; ok { // AWR_i ∩ (out_j, BWR_j, VSR_j)
			f.from, f.to = int32(i), int32(j)
			b.add(0, f)
		}
		if i, ok := over[v]; ok { // (out_j, VSR_j) ∩ BWR_i
			f.from, f.to = int32(j), int32(i)
			b.add(0, f)
		}
	}
	for j := range in.Stmts {
		s := &in.Stmts[j]
		for _, v := range s.Out {
			note(j, v)
		}
		for _, w := range s.Writes {
			if !w.From.Absent() {
				note(j, history.Version{Item: w.Item, VKey: int64(w.From)})
			}
		}
		for r := range s.Reads {
			for pkey, vkey := range s.Reads[r].Seen {
				note(j, history.Version{Item: history.Item{Table: s.Reads[r].Table, PKey: pkey}, VKey: vkey})
			}
		}
	}
	return b.graph(), nil
}

// TestLemmasAlone shows that the intersections of the paper's lemmas miss edges: births and deaths print
// nothing, so they intersect with nothing.
func TestLemmasAlone(t *testing.T) {
	first, sum := mutant(t, max(7_000, *proofCases), true, lemmas)
	if first < 0 || sum.wrong*10 < sum.cases {
		t.Fatalf("the lemmas alone replay wrongly in too few cases: %s", &sum)
	}
	t.Logf("lemmas alone: first difference at case %d; %s", first, &sum)
}
