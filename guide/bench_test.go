package guide

import "testing"

func BenchmarkNext(b *testing.B) {
	g, _ := guideOf(b, "sqlite", "serializable")
	for b.Loop() {
		campaign(b, g, 200)
	}
}
