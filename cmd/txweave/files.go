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
