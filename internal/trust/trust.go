// Package trust keeps apart what the user has named himself and what a directory, a shared database or somebody else's
// file names. Those are data: a program that they name is not executed, and an address not connected to, until the user
// has named it on a command line or in a file that one names. What he has named is remembered outside of all campaigns,
// by a digest.
package trust

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
)

// Way is something that is executed, read or connected to because data names it.
type Way struct {
	kind, what string
	in         string // the directory that it depends on
}

// Program is the path of a server's binary, which means another one in another directory.
func Program(path string) Way { return Way{kind: "server", what: absolute(path)} }

// File is the path of a file that holds an address.
func File(path string) Way { return Way{kind: "dsn_file", what: absolute(path)} }

// Address is of something that is connected to.
func Address(kind, at string) Way { return Way{kind: kind, what: at} }

// Command is a command line, whose arguments may be paths.
func Command(args []string) Way {
	return Way{kind: "command", what: fmt.Sprintf("%q", args), in: absolute(".")}
}

func absolute(path string) string {
	if full, err := filepath.Abs(path); err == nil {
		return full
	}
	return path
}

// String shows it, on one line whatever is in it.
func (w Way) String() string {
	if w.in != "" {
		return fmt.Sprintf("%s %s in %q", w.kind, w.what, w.in)
	}
	return fmt.Sprintf("%s %q", w.kind, w.what)
}

func (w Way) digest() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q", w.kind, w.what, w.in))
	return hex.EncodeToString(sum[:])
}

// Code is what the user repeats to say that he means this one.
func (w Way) Code() string { return w.digest()[:20] }

// Book remembers what the user has named: an empty file for each, by its digest, in a directory of his own.
type Book struct {
	dir   string
	err   error // there is no such directory
	codes []string

	mu   sync.Mutex
	said map[Way]bool // in this process
}

// Open opens the user's book; what has one of the codes he has just named, too.
func Open(codes ...string) *Book {
	b := &Book{codes: codes, said: map[Way]bool{}}
	if b.dir, b.err = os.UserConfigDir(); b.err == nil {
		b.dir = filepath.Join(b.dir, "txweave", "named")
	}
	return b
}

// Name notes what the user has named. It holds for this process even where it cannot be kept.
func (b *Book) Name(ways ...Way) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, w := range ways {
		b.said[w] = true
	}
	if len(ways) == 0 {
		return nil
	}
	if b.err != nil {
		return b.err
	}
	if err := os.MkdirAll(b.dir, 0o700); err != nil {
		return err
	}
	if err := b.owned(); err != nil {
		return err
	}
	for _, w := range ways {
		f, err := os.OpenFile(filepath.Join(b.dir, w.digest()), os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	return nil
}

// owned says what is wrong with the directory, in which nobody else may write.
func (b *Book) owned() error {
	st, err := os.Stat(b.dir)
	if err != nil {
		return err
	}
	if sys, ok := st.Sys().(*syscall.Stat_t); !st.IsDir() || !ok || int(sys.Uid) != os.Geteuid() ||
		st.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("%s must be a directory of yours in which nobody else can write", b.dir)
	}
	return nil
}

// Refuse says which of these ways the user has not named, and how he does; where is what names them. What he confirms
// by its code is remembered.
func (b *Book) Refuse(where string, ways ...Way) error {
	var lacks []string
	for _, w := range ways {
		if slices.Contains(b.codes, w.Code()) {
			if err := b.Name(w); err != nil {
				return fmt.Errorf("what is trusted cannot be kept: %w", err)
			}
		}
		named, err := b.named(w)
		if err != nil {
			return err
		}
		if text := fmt.Sprintf("%s (--trust %s)", w, w.Code()); !named && !slices.Contains(lacks, text) {
			lacks = append(lacks, text)
		}
	}
	if len(lacks) == 0 {
		return nil
	}
	return fmt.Errorf("%s names what you have not named yourself: %s", where, strings.Join(lacks, ", "))
}

func (b *Book) named(w Way) (bool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.said[w] || b.err != nil {
		return b.said[w], nil
	}
	_, err := os.Lstat(filepath.Join(b.dir, w.digest()))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return false, nil
	}
	if err == nil {
		err = b.owned()
	}
	return err == nil, err
}
