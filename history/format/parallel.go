package format

import (
	"iter"
	"runtime"
	"slices"
	"sync"
)

// chunk is a part of a file that is read by itself.
type chunk struct {
	text  []byte
	line  int  // of its first byte
	first bool // nothing stands before it
}

// chunkSize is about how large they are. One is larger where one value is.
const chunkSize = 512 << 10

// chunks are those that are not in use: their memory serves the next ones.
var chunks = sync.Pool{New: func() any { return new(chunk) }}

// newChunk returns one with room for so many bytes more than those that it begins with.
func newChunk(begin []byte, size, line int, first bool) *chunk {
	c := chunks.Get().(*chunk)
	c.text = slices.Grow(append(c.text[:0], begin...), size)
	c.line, c.first = line, first
	return c
}

func (c *chunk) release() { chunks.Put(c) }

// inOrder gives every chunk to work, several at once, and what came of them to done, in the order of the chunks. It
// ends at the first error of done, or at one of the chunks, whose work is not done then.
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
