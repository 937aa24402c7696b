package testcase

import (
	"fmt"
	"io"
	"os"
)

// MaxSize is how many bytes the text of a case may have. A generated case has some thousand.
const MaxSize = 16 << 20

// ReadFile reads the case in the file at path, as Read does. One larger than MaxSize is refused unread.
func ReadFile(path string) (*Case, error) {
	text, err := ReadText(path)
	if err != nil {
		return nil, fmt.Errorf("read case: %w", err)
	}
	return Read(path, text)
}

// ReadText returns the contents of a file that holds a case, or what becomes one. One larger than MaxSize is refused
// unread, or, where it does not tell its size, after as much.
func ReadText(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > MaxSize {
		return nil, tooLarge(path)
	}
	return ReadAll(path, f)
}

// ReadAll returns what a reader of that name gives, which must not be larger than MaxSize.
func ReadAll(name string, r io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, MaxSize+1))
	if err == nil && len(text) > MaxSize {
		err = tooLarge(name)
	}
	return text, err
}

func tooLarge(name string) error {
	return fmt.Errorf("%s: larger than %d MiB: no case is", name, MaxSize>>20)
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
