package main

import (
	"bufio"
	"context"
	"errors"
	"io"

	"txweave/internal/output"
)

// writeFile writes a file that the user names through a buffer.
func writeFile(ctx context.Context, path string, write func(io.Writer) error) error {
	file, err := output.Create(ctx, path)
	if err != nil {
		return usage(err)
	}
	buf := bufio.NewWriter(file)
	return errors.Join(write(buf), buf.Flush(), file.Close())
}

// writable says what keeps one of the files from being written that the user names, before the work is done; "" is none.
func writable(paths ...string) error {
	for _, path := range paths {
		if path == "" {
			continue
		}
		if err := output.Check(path); err != nil {
			return usage(err)
		}
	}
	return nil
}

// obeying returns what read does, which looks at no signal: when the context ends it is left alone.
func obeying[T any](ctx context.Context, read func() (T, error)) (T, error) {
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
		return none, errInterrupted()
	case r := <-done:
		if r.panicked != nil {
			panic(r.panicked) // where it is looked after
		}
		return r.out, r.err
	}
}
