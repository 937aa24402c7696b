package lin

import (
	"runtime"
	"sync"
	"sync/atomic"

	"txweave/checker"
)

// eachKey judges the keys below n by several workers and returns what is not valid of them, nil for nothing: the first
// key's that is invalid, else the first one's that is unknown. Keys behind one that is invalid are left out. The answer
// is the same with any number of workers: 0 is as many as there are processors.
func eachKey(n, workers int, judge func(key int) *checker.Verdict) *checker.Verdict {
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var wg sync.WaitGroup
	var next, invalid atomic.Int64
	invalid.Store(int64(n))
	verdicts := make([]*checker.Verdict, n)
	for range min(workers, n) {
		wg.Go(func() {
			for key := next.Add(1) - 1; key < invalid.Load(); key = next.Add(1) - 1 {
				v := judge(int(key))
				verdicts[key] = v
				if v == nil || v.Outcome != checker.Invalid {
					continue
				}
				for at := invalid.Load(); key < at && !invalid.CompareAndSwap(at, key); at = invalid.Load() {
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
