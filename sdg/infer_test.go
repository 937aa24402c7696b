package sdg

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"txweave/history"
	"txweave/sql/sqltext"
)

// benchInput is a case of typical size: 25 statements, 5 tables of 30 rows; updates of a few rows each.
func benchInput() *Input {
	rng := rand.New(rand.NewPCG(1, 2))
	in := &Input{Initial: map[string]map[int64]int64{}}
	now := map[string]map[int64]int64{}
	next := int64(1)
	for t := range 5 {
		name := fmt.Sprintf("t%d", t)
		in.Initial[name], now[name] = map[int64]int64{}, map[int64]int64{}
		for p := range 30 {
			in.Initial[name][int64(p)], now[name][int64(p)] = next, next
			next++
		}
	}
	for i := range 25 {
		s := Node{Name: fmt.Sprintf("T%d.S%d", i%5, i/5), Txn: i % 5, Kind: sqltext.Select}
		for t := range 5 {
			name := fmt.Sprintf("t%d", t)
			seen := map[int64]int64{}
			for p, v := range now[name] {
				seen[p] = v
				if i%3 == 0 && t == i%5 && p%2 == 0 {
					s.Out = append(s.Out, history.Version{Item: history.Item{Table: name, PKey: p}, VKey: v})
				}
			}
			s.Reads = append(s.Reads, TableRead{Table: name, Seen: seen})
		}
		if i%3 != 0 {
			s.Kind, s.Out = sqltext.Update, nil
			name := fmt.Sprintf("t%d", rng.IntN(5))
			next++
			for range 5 {
				p := int64(rng.IntN(30))
				if now[name][p] == next {
					continue
				}
				s.Writes = append(s.Writes, history.Write{Item: history.Item{Table: name, PKey: p},
					From: history.State(now[name][p]), To: history.State(next)})
				now[name][p] = next
			}
			for r := range s.Reads {
				seen := map[int64]int64{}
				for p, v := range s.Reads[r].Seen {
					seen[p] = v
				}
				s.Reads[r].Seen = seen
			}
		}
		in.Stmts = append(in.Stmts, s)
	}
	return in
}

// BenchmarkInfer is inference at exact precision on a case of typical size.
func BenchmarkInfer(b *testing.B) {
	in := benchInput()
	g, _ := Infer(in, Exact)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Infer(in, Exact); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(g.Edges)), "edges")
}

// BenchmarkFeedbackSet is the exact search on dense random components of the largest size that it takes.
func BenchmarkFeedbackSet(b *testing.B) {
	for _, share := range []int{2, 4, 8} {
		b.Run(fmt.Sprintf("1in%d", share), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(3, 4))
			g := &Graph{Stmts: make([]Node, exactLimit)}
			for i := range exactLimit {
				for j := range exactLimit {
					if i != j && rng.IntN(share) == 0 {
						g.Edges = append(g.Edges, Edge{From: i, To: j})
					}
				}
			}
			g.link()
			size := 0
			for b.Loop() {
				size = len(g.FeedbackSet(rng))
			}
			b.ReportMetric(float64(size), "nodes")
		})
	}
}
