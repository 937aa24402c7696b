package testcase

import (
	"context"
	"fmt"

	"txweave/internal/input"
	"txweave/internal/output"
)

// Bounds of a case's text. A generated case has some thousand bytes and some dozen statements.
const (
	MaxSize         = 16 << 20 // bytes
	MaxStatements   = 20_000
	MaxTransactions = 200 // each may ask for a session of its own, of which servers have some hundred at most
)

// ReadNamed reads the case in a file that a user names, as Read does. One larger than MaxSize is refused; a pipe is
// waited for until ctx ends.
func ReadNamed(ctx context.Context, path string) (*Case, error) {
	text, err := ReadText(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("read case: %w", err)
	}
	return Read(path, text)
}

// ReadFile reads the case in a regular file, and in nothing else.
func ReadFile(path string) (*Case, error) {
	text, err := input.Kept(path, MaxSize)
	if err != nil {
		return nil, fmt.Errorf("read case: %w", err)
	}
	return Read(path, text)
}

// ReadText returns the contents of a file that holds a case, or what becomes one; "-" is standard input.
func ReadText(ctx context.Context, path string) ([]byte, error) {
	return input.Read(ctx, path, MaxSize)
}

// WriteFile writes the case's text to path, which never holds half a case. It refuses a case that Validate refuses.
func WriteFile(ctx context.Context, path string, c *Case) error {
	if err := c.Validate(); err != nil {
		return fmt.Errorf("write case %s: %w", path, err)
	}
	if err := output.Replace(ctx, path, c.Print()); err != nil {
		return fmt.Errorf("write case: %w", err)
	}
	return nil
}
