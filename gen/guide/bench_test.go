package guide

import "testing"

func BenchmarkNext(b *testing.B) {
	s, _ := seedsOf(b, "sqlite", "serializable", 3)
	for b.Loop() {
		for n := range 200 {
			s.Next(n)
		}
	}
}
