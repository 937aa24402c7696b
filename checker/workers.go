package checker

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Each judges parts of a history, by their numbers below n, by several workers, and returns what is not valid of them,
// nil for nothing: the first one's that is invalid, else the first one's that is unknown. Parts behind one that is
// invalid are left out. The answer is the same with any number of workers: 0 is as many as there are processors.
func Each(n, workers int, judge func(i int) *Verdict) *Verdict {
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var wg sync.WaitGroup
	var next, invalid atomic.Int64
	invalid.Store(int64(n))
	verdicts := make([]*Verdict, n)
	for range min(workers, n) {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < invalid.Load(); i = next.Add(1) - 1 {
				v := judge(int(i))
				verdicts[i] = v
				if v == nil || v.Outcome != Invalid {
					continue
				}
				for at := invalid.Load(); i < at && !invalid.CompareAndSwap(at, i); at = invalid.Load() {
				}
			}
		})
	}
	wg.Wait()
	if at := invalid.Load(); at < int64(n) {
		return verdicts[at]
	}
	for _, v := range verdicts {
		if v != nil {
			return v
		}
	}
	return nil
}
