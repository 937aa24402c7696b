package sdg

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestModelReaches counts the situations that the model's cases get into: a proof that meets none of
// them proves nothing about them.
func TestModelReaches(t *testing.T) {
	const cases = 3000
	for m := range modes {
		met := map[string]int{}
		for seed := range uint64(cases) {
			e := runCase(generate(rand.New(rand.NewPCG(seed, uint64(m))), m), nil)
			in, nodes := e.emit()
			countRun(e, nodes, met)
			for p := Exact; p <= Match; p++ {
				countChoices(t, in, p, met)
			}
		}
		want := []string{"failed node", "undone", "rolled back", "key decided", "choice exact", "choice column",
			"choice match",
			"other window exact", "other window match", "with subquery", "with limit", "value depends"}
		if m != snapshotIsolation && m != repeatableFail && m != committedFail {
			want = append(want, "waited")
		}
		if m == tableLocks { // serial by transactions: the window really seen never closes a cycle
			want = slices.DeleteFunc(want, func(s string) bool { return len(s) > 5 && s[:5] == "other" })
		}
		for _, w := range want {
			if met[w] == 0 {
				t.Errorf("%s: no case with %q", m, w)
			}
		}
		line := fmt.Sprintf("%-9s", m)
		for _, k := range slices.Sorted(maps.Keys(met)) {
			line += fmt.Sprintf(" %s %d,", k, met[k])
		}
		t.Log(line)
	}
}

func countRun(e *engine, nodes []*executed, met map[string]int) {
	met["waited"] += e.waits
	met["deadlock"] += e.deadlocks
	for i := range e.log {
		if e.log[i].undone {
			met["undone"]++
		}
		if !e.sessions[e.log[i].txn].ok {
			met["rolled back"]++
		}
	}
	for _, n := range nodes {
		met["node"]++
		for name, is := range map[string]bool{
			"failed node": n.result.failed, "key decided": n.result.keyed, "with subquery": n.stmt.sub != nil,
			"with limit": n.stmt.limit, "value depends": n.stmt.valueDepends(),
		} {
			if is {
				met[name]++
			}
		}
	}
}

// countChoices counts the statements with several windows, and those that do not take the one really seen.
func countChoices(t *testing.T, in *Input, p Precision, met map[string]int) {
	b := &builder{in: in, p: p}
	if err := b.collectTables(); err != nil {
		t.Fatal(err)
	}
	for k := range b.tables {
		b.writeEdges(k)
	}
	for j := range in.Stmts {
		for r := range in.Stmts[j].Reads {
			b.readEdges(j, &in.Stmts[j].Reads[r])
		}
	}
	met["choice "+p.String()] += len(b.choices)
	free, err := Infer(in, p)
	if err != nil {
		t.Fatal(err)
	}
	seen, err := infer(in, p, ruleReal)
	if err != nil {
		t.Fatal(err)
	}
	if len(free.Cycles()) < len(seen.Cycles()) {
		met["other window "+p.String()]++
	}
}
