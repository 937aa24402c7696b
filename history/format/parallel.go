package format

import (
	"iter"
	"runtime"
)

// inOrder gives every chunk to work, several at once, and what came of them to done, in the order of the chunks. It ends at
// the first error of done, or at one of the chunks, whose work is not done then.
func inOrder[C, R any](chunks iter.Seq2[C, error], work func(C) R, done func(R) error) error {
	type job struct {
		result chan R
		err    error
	}
	jobs := make(chan job, runtime.GOMAXPROCS(0)) // bounds what is in memory
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		defer close(jobs)
		for c, err := range chunks {
			j := job{make(chan R, 1), err}
			select {
			case jobs <- j:
			case <-stop:
				return
			}
			if err != nil {
				return
			}
			go func() { j.result <- work(c) }()
		}
	}()
	for j := range jobs {
		if j.err != nil {
			return j.err
		}
		if err := done(<-j.result); err != nil {
			return err
		}
	}
	return nil
}
