// Package asked does with files that a user has named what is to be done: what keeps them from being read or written is
// the user's to mend.
package asked

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"

	"txweave/internal/outcome"
	"txweave/internal/output"
)

// Write writes a file through a buffer.
func Write(ctx context.Context, path string, write func(io.Writer) error) error {
	file, err := output.Create(ctx, path)
	if err != nil {
		return outcome.Misuse(err)
	}
	buf := bufio.NewWriter(file)
	return errors.Join(write(buf), buf.Flush(), file.Close())
}

// Remove takes away a file of an earlier time, if it is one: what is no regular file stays. "" is none.
func Remove(path string) error {
	st, err := os.Lstat(path)
	if err != nil || !st.Mode().IsRegular() {
		return nil // what keeps it from being written is said then
	}
	return outcome.Misuse(os.Remove(path))
}

// Writable says what keeps one of the files from being written, before the work is done; "" is none.
func Writable(paths ...string) error {
	for _, path := range paths {
		if path == "" {
			continue
		}
		if err := output.Check(path); err != nil {
			return outcome.Misuse(err)
		}
	}
	return nil
}

// Obeying returns what read does, which looks at no signal: when the context ends it is left alone.
func Obeying[T any](ctx context.Context, read func() (T, error)) (T, error) {
	type result struct {
		out      T
		err      error
		panicked any
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			r.panicked = recover()
			done <- r
		}()
		r.out, r.err = read()
	}()
	select {
	case <-ctx.Done():
		var none T
		return none, outcome.Stopped()
	case r := <-done:
		if r.panicked != nil {
			panic(r.panicked) // where it is looked after
		}
		return r.out, r.err
	}
}
