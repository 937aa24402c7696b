package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"txweave/finding"
	"txweave/internal/input"
)

// DamagedError says that bugs.json, or its journal, holds what no txweave wrote.
type DamagedError struct {
	Path string // of the file
	Err  error
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("%s: %v: the next campaign with this --out puts it aside and goes on", e.Path, e.Err)
}

func (e *DamagedError) Unwrap() error { return e.Err }

// repair makes the bugs anew where the files that hold them are damaged and the backup, too: of what this process
// knows, or of every bug that can still be read, and of the lines of the journal, each of which says by itself what a
// bug has become. The damaged files lie in quarantine. Findings on disk that belong to none of these bugs are what
// Enter lists. The caller holds the lock.
func (d *Directory) repair(why *DamagedError, known *finding.Bugs) error {
	b := known
	if b == nil {
		text, err := readSome(filepath.Join(d.dir, bugFile))
		if err != nil {
			return err
		}
		b = salvage(text)
	}
	byID := index(b)
	if err := d.reapply(b, byID); err != nil {
		return err
	}
	where := ""
	for _, name := range []string{journalFile, bugFile} {
		to, err := d.putAside(name)
		if err != nil {
			return err
		}
		if to != "" && (where == "" || filepath.Join(d.dir, name) == why.Path) {
			where = to
		}
	}
	d.forget()
	d.bugs, d.byID = b, byID
	for range 2 { // so that the file before it is whole, too
		if err := d.snapshot(); err != nil {
			return err
		}
	}
	d.tell(fmt.Sprintf("%s cannot be read: %v: it lies in %s now; bugs that could be read are kept (%d), and findings "+
		"that lie beside it and belong to none of them are counted anew",
		why.Path, why.Err, where, len(b.Bugs)))
	return nil
}

// reapply applies those lines of a damaged journal to bugs that can be read, and are not from before.
func (d *Directory) reapply(b *finding.Bugs, byID map[string]*finding.Bug) error {
	lines, err := readSome(filepath.Join(d.dir, journalFile))
	if err != nil {
		return err
	}
	for line := range bytes.Lines(lines) {
		var e entry
		if json.Unmarshal(line, &e) != nil || e.Bug != nil && byID[e.Bug.ID] != nil && byID[e.Bug.ID].Count > e.Bug.Count {
			continue
		}
		if err := (&finding.Bugs{Gone: e.Gone}).Check(); err != nil {
			e.Gone = nil
		}
		_ = e.apply(b, byID) // nothing of a bug that is none
	}
	return nil
}

// putAside copies a file into quarantine, and returns where it lies there; "" if there is none. It stays until it is
// replaced, so that a process which is killed now leaves what it found.
func (d *Directory) putAside(name string) (where string, err error) {
	text, err := input.Kept(filepath.Join(d.dir, name), maxBugs)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Join(d.dir, QuarantineDir), 0o700); err != nil {
		return "", err
	}
	where = d.aside(name)
	return where, os.WriteFile(where, text, 0o600)
}

// aside is where something of a name can lie in quarantine.
func (d *Directory) aside(name string) string {
	for n := 1; ; n++ {
		where := filepath.Join(d.dir, QuarantineDir, name)
		if n > 1 {
			where += fmt.Sprint(".", n)
		}
		if _, err := os.Lstat(where); errors.Is(err, fs.ErrNotExist) {
			return where
		}
	}
}

// readSome reads a file, as much of it as there may be; nothing if there is none.
func readSome(path string) ([]byte, error) {
	f, err := input.OpenKept(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxBugs))
}

// salvage reads what is whole of a bugs.json: its bugs one by one, which snapshot wrote with their braces on lines of
// their own.
func salvage(text []byte) *finding.Bugs {
	b := &finding.Bugs{Next: 1, Bugs: []*finding.Bug{}, Known: map[string]int{}}
	for line := range bytes.Lines(text) {
		if n, is := bytes.CutPrefix(line, []byte(`  "next": `)); is {
			if next, err := strconv.Atoi(string(bytes.TrimRight(n, ",\n"))); err == nil {
				b.Next = next
			}
			break
		}
	}
	byID := map[string]*finding.Bug{}
	for _, block := range blocks(text, "    {", "    }") {
		var e entry
		if json.Unmarshal(block, &e.Bug) == nil {
			_ = e.apply(b, byID) // no bug if it is none
		}
	}
	for _, block := range blocks(text, `  "known": {`, "  }") {
		var known map[string]int
		if json.Unmarshal(bytes.TrimPrefix(block, []byte(`  "known": `)), &known) == nil {
			b.Known = known
		}
	}
	for _, block := range blocks(text, `  "gone": [`, "  ]") {
		var gone []string
		if json.Unmarshal(bytes.TrimPrefix(block, []byte(`  "gone": `)), &gone) == nil &&
			(&finding.Bugs{Gone: gone}).Check() == nil {
			b.Gone = gone
		}
	}
	return b
}

// blocks are the runs of lines from one that is open to the next one that is end, without the comma after it.
func blocks(text []byte, open, end string) (out [][]byte) {
	var block []byte
	for line := range bytes.Lines(text) {
		plain := string(bytes.TrimRight(line, "\r\n"))
		switch {
		case plain == open:
			block = append([]byte{}, line...)
		case block == nil:
		case plain == end || plain == end+",":
			out, block = append(out, append(block, end...)), nil
		default:
			block = append(block, line...)
		}
	}
	return out
}
