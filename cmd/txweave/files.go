package main

import (
	"bufio"
	"errors"
	"io"
	"os"
)

// writeFile writes a file through a buffer.
func writeFile(path string, write func(io.Writer) error) error {
	file, err := os.Create(path)
	if err != nil {
		return usage(err)
	}
	buf := bufio.NewWriter(file)
	return errors.Join(write(buf), buf.Flush(), file.Close())
}
