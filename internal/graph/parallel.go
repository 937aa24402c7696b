package graph

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Parallel calls do with every number below n, on all cores.
func Parallel(n int, do func(i int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			const block = 16
			for from := int(next.Add(block)) - block; from < n; from = int(next.Add(block)) - block {
				for i := from; i < min(from+block, n); i++ {
					do(i)
				}
			}
		})
	}
	wg.Wait()
}
