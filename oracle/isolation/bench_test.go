package isolation

import (
	"fmt"
	"strings"
	"testing"

	"txweave/fault"
)

// BenchmarkJoin looks for read skew below a join that prints each of a few rows many times, half of them as another
// transaction left them and half as a third one is about to change them.
func BenchmarkJoin(b *testing.B) {
	for _, times := range []int{1, 100, 10_000} {
		b.Run(fmt.Sprintf("rows=%d", 2*times), func(b *testing.B) {
			h, err := parseHistory("T0 write t0:1@10->11\nT0 commit\nT1 read" + strings.Repeat(" t0:1@11 t0:2@20", times) +
				"\nT1 commit\nT2 write t0:2@20->21\nT2 commit\n")
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if found := Find(h, []fault.Kind{fault.OTV, fault.PMP}); len(found) > 0 {
					b.Fatalf("it finds %v", found)
				}
			}
		})
	}
}
