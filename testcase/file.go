package testcase

import (
	"fmt"
	"os"
)

// ReadFile parses the case in the file at path.
func ReadFile(path string) (*Case, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read case: %w", err)
	}
	return Parse(path, text)
}

// WriteFile writes the case's text to path, by way of path+".tmp", so that path never holds half a case.
// It refuses a case that Validate refuses.
func WriteFile(path string, c *Case) error {
	if err := c.Validate(); err != nil {
		return fmt.Errorf("write case %s: %w", path, err)
	}
	tmp := path + ".tmp"
	if err := os.WriteFile(tmp, c.Print(), 0o666); err != nil {
		return fmt.Errorf("write case: %w", err)
	}
	if err := os.Rename(tmp, path); err != nil {
		os.Remove(tmp)
		return fmt.Errorf("write case: %w", err)
	}
	return nil
}
