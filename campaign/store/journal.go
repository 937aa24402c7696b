package store

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"txweave/finding"
	"txweave/internal/input"
)

// bugs.json is written as a whole, and what changes then is appended to its journal, so that a finding costs the same
// whether there are ten bugs or 20,000. The journal's first line names the generation of the bugs.json that it goes on
// from; one of another generation is left over from before the last bugs.json, and of no account. Each other line is
// what a bug, or a count, has become.

// entry is a line of the journal.
type entry struct {
	Generation *int           `json:"generation,omitempty"` // of the first line
	Next       int            `json:"next,omitempty"`
	Bug        *finding.Bug   `json:"bug,omitempty"`
	Known      map[string]int `json:"known,omitempty"`
	Gone       []string       `json:"gone,omitempty"`
}

// minJournal is how long a journal becomes, in bytes, before bugs.json is written again, if it is not longer itself.
const minJournal = 1 << 20

// maxBugs is how long a bugs.json may be, and its journal.
const maxBugs = 4 << 30

// state is the bugs as this process last saw them, and how far it has read.
type state struct {
	bugs *finding.Bugs // nil: nothing was read
	byID map[string]*finding.Bug
	file identity // of bugs.json
	read int64    // bytes of the journal that are in bugs
}

// identity tells one bugs.json from another that has taken its name. Of files that txweave writes the generation is
// enough; the rest tells of a hand. Numbers of inodes say nothing: they are used again at once.
type identity struct {
	generation int
	size       int64
	changed    time.Time
}

// identify looks at a bugs.json; there is none in a zero identity.
func identify(path string) (id identity, err error) {
	f, err := input.OpenKept(path)
	if errors.Is(err, fs.ErrNotExist) {
		return id, nil
	}
	if err != nil {
		return id, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return id, err
	}
	head := make([]byte, 128)
	n, _ := io.ReadFull(f, head) // what is shorter, or says nothing of a generation, has the other two
	_, id.generation = heading(head[:n])
	id.size, id.changed = st.Size(), st.ModTime()
	return id, nil
}

// heading reads the format and the generation with which a bugs.json begins; 0 for what is not there.
func heading(text []byte) (format, generation int) {
	dec := json.NewDecoder(bytes.NewReader(text))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return 0, 0
	}
	for {
		name, err := dec.Token()
		if err != nil {
			return format, generation
		}
		value, err := dec.Token()
		n, number := value.(float64)
		if err != nil || !number {
			return format, generation
		}
		switch name {
		case "format":
			format = int(n)
		case "generation":
			generation = int(n)
		}
	}
}

// forget makes the next one read the bugs anew.
func (s *state) forget() { *s = state{} }

// locked calls do while no other process reads or writes the bugs, with the bugs as they are.
func (d *Directory) locked(do func() error) (err error) {
	if err := d.Here(); err != nil { // nothing of it is begun anew
		return err
	}
	lock, err := opened(d.dir, lockFile, os.O_CREATE|os.O_RDWR)
	if err != nil {
		return err
	}
	defer lock.Close() // which lets go of it
	for {
		if err = unix.Flock(int(lock.Fd()), unix.LOCK_EX); !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", lock.Name(), err)
	}
	known := d.bugs
	err = d.refresh()
	var damaged *DamagedError
	if errors.As(err, &damaged) && d.used() { // those who only look change nothing
		err = d.repair(damaged, known)
	}
	if err == nil {
		err = do()
	}
	if err != nil {
		d.forget() // what is in memory may be half changed
	}
	return err
}

// refresh reads what other processes have written since.
func (d *Directory) refresh() error {
	id, err := identify(filepath.Join(d.dir, bugFile))
	if err != nil {
		return err
	}
	if d.bugs == nil || id != d.file {
		if err := d.load(); err != nil {
			return err
		}
		d.file = id
	}
	return d.replay()
}

// load reads bugs.json; where that is damaged, the one before it with its journal, which say the same.
func (d *Directory) load() error {
	d.forget()
	b, err := readBugs(filepath.Join(d.dir, bugFile))
	var damaged *DamagedError
	if errors.As(err, &damaged) {
		older, oerr := readBugs(filepath.Join(d.dir, backupFile))
		if oerr != nil || older == nil {
			return err
		}
		if _, oerr = replayJournal(filepath.Join(d.dir, oldJournalFile), older, index(older), 0); oerr != nil {
			return err
		}
		older.Generation++ // it is what the damaged file was
		b, err = older, nil
	}
	if err != nil {
		return err
	}
	if b == nil {
		b = &finding.Bugs{Next: 1, Bugs: []*finding.Bug{}, Known: map[string]int{}}
	}
	d.bugs, d.byID = b, index(b)
	return nil
}

func index(b *finding.Bugs) map[string]*finding.Bug {
	out := make(map[string]*finding.Bug, len(b.Bugs))
	for _, g := range b.Bugs {
		out[g.ID] = g
	}
	return out
}

// readBugs reads a bugs.json; nil if there is none.
func readBugs(path string) (*finding.Bugs, error) {
	f, err := input.OpenKept(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b := &finding.Bugs{Next: 1, Bugs: []*finding.Bug{}, Known: map[string]int{}}
	if err := json.NewDecoder(bufio.NewReader(io.LimitReader(f, maxBugs))).Decode(b); err != nil {
		return nil, readError(f, err)
	}
	if err := finding.CheckFormat(b.Format, finding.BugsFormat); err != nil { // another txweave reads it
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err := b.Check(); err != nil {
		return nil, &DamagedError{path, err}
	}
	if b.Known == nil {
		b.Known = map[string]int{}
	}
	return b, nil
}

// readError says why a bugs.json could not be read. A disk that does not answer is no damage to what it holds, and what
// another txweave has written is none either.
func readError(f *os.File, err error) error {
	var disk *fs.PathError
	if errors.As(err, &disk) {
		return err
	}
	head := make([]byte, 128)
	n, _ := f.ReadAt(head, 0)
	if format, _ := heading(head[:n]); format != 0 {
		if wrong := finding.CheckFormat(format, finding.BugsFormat); wrong != nil {
			return fmt.Errorf("%s: %w", f.Name(), wrong)
		}
	}
	return &DamagedError{f.Name(), err}
}

// replay takes over what the journal says beyond what was read of it.
func (d *Directory) replay() error {
	path := filepath.Join(d.dir, journalFile)
	st, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || st.Size() <= d.read {
		return err
	}
	d.read, err = replayJournal(path, d.bugs, d.byID, d.read)
	return err
}

// replayJournal takes over the lines of a journal from an offset on, and returns where the last whole one ends; 0 if it
// is not of these bugs' generation. A last line that is cut off, as a kill leaves it, is as if it had not been.
func replayJournal(path string, b *finding.Bugs, byID map[string]*finding.Bug, from int64) (int64, error) {
	f, err := input.OpenKept(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return from, err
	}
	defer f.Close()
	if _, err := f.Seek(from, io.SeekStart); err != nil {
		return from, err
	}
	in, at := bufio.NewReader(io.LimitReader(f, maxBugs)), from
	for {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return at, nil
		}
		if err != nil {
			return at, err
		}
		var e entry
		if err := json.Unmarshal(line, &e); err != nil {
			return at, &DamagedError{path, fmt.Errorf("after byte %d: %w", at, err)}
		}
		if at == 0 && (e.Generation == nil || *e.Generation != b.Generation) {
			return 0, nil
		}
		if err := e.apply(b, byID); err != nil {
			return at, &DamagedError{path, fmt.Errorf("after byte %d: %w", at, err)}
		}
		at += int64(len(line))
	}
}

// apply makes the bugs what a line says.
func (e *entry) apply(b *finding.Bugs, byID map[string]*finding.Bug) error {
	maps.Copy(b.Known, e.Known)
	b.Gone = append(b.Gone, e.Gone...)
	b.Next = max(b.Next, e.Next)
	if e.Bug == nil {
		return nil
	}
	if err := (&finding.Bugs{Bugs: []*finding.Bug{e.Bug}}).Check(); err != nil {
		return err
	}
	if g, has := byID[e.Bug.ID]; has {
		*g = *e.Bug
	} else {
		byID[e.Bug.ID] = e.Bug
		b.Bugs = append(b.Bugs, e.Bug)
	}
	b.Changed()
	return nil
}

// Bugs implements Store. What it returns is the caller's own.
func (d *Directory) Bugs() (*finding.Bugs, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, err := os.Stat(d.dir); errors.Is(err, fs.ErrNotExist) {
		return &finding.Bugs{Next: 1, Bugs: []*finding.Bug{}, Known: map[string]int{}}, nil
	}
	var out *finding.Bugs
	err := d.locked(func() error {
		out = d.bugs
		return nil
	})
	d.forget()
	if err == nil {
		out.Explain()
	}
	return out, err
}

// Update implements Store.
func (d *Directory) Update(change func(*finding.Bugs) error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.locked(func() error {
		if err := change(d.bugs); err != nil {
			return err
		}
		return d.snapshot()
	})
}

// settle writes bugs.json if the journal holds anything.
func (d *Directory) settle() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if st, err := os.Stat(filepath.Join(d.dir, journalFile)); err != nil || st.Size() == 0 {
		return nil
	}
	return d.locked(func() error {
		if d.read == 0 {
			return nil
		}
		return d.snapshot()
	})
}

// snapshot writes bugs.json, of a new generation, and ends the journal. The file and journal before them stay as the
// backup, so that at each moment one of the two pairs is whole. The caller holds the lock.
func (d *Directory) snapshot() error {
	placed := d.bugs.Placed()
	maps.DeleteFunc(d.bugs.Said, func(name string, _ finding.Said) bool { return placed[name] })
	d.bugs.Gone = slices.DeleteFunc(d.bugs.Gone, func(name string) bool {
		_, err := os.Lstat(filepath.Join(d.dir, name))
		return errors.Is(err, fs.ErrNotExist)
	})
	d.bugs.Format = finding.BugsFormat
	d.bugs.Generation++
	text, err := json.MarshalIndent(d.bugs, "", "  ")
	if err != nil {
		return err
	}
	path := filepath.Join(d.dir, bugFile)
	tmp, err := newFile(d.dir, append(text, '\n'))
	if err != nil {
		return err
	}
	err = backUp(path, filepath.Join(d.dir, backupFile))
	if err == nil {
		err = backUp(filepath.Join(d.dir, journalFile), filepath.Join(d.dir, oldJournalFile))
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp))
	}
	if err := os.Rename(tmp, path); err != nil {
		return errors.Join(err, os.Remove(tmp))
	}
	// From here on the journal is of another generation, whether it is still there or not.
	if err := os.Remove(filepath.Join(d.dir, journalFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := finding.SyncDir(d.dir); err != nil {
		return err
	}
	b := d.bugs
	d.forget()
	b.Changed()
	d.bugs, d.byID = b, index(b)
	d.file, err = identify(path)
	return err
}

// backUp gives a file a second name, in the place of what had it.
func backUp(from, to string) error {
	tmp := to + ".new"
	if err := os.Remove(tmp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	err := os.Link(from, tmp)
	if errors.Is(err, fs.ErrNotExist) {
		return removeOld(to)
	}
	if err != nil {
		return err
	}
	return os.Rename(tmp, to)
}

func removeOld(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// newFile writes a file under a temporary name, which it returns.
func newFile(dir string, text []byte) (path string, err error) {
	f, err := os.CreateTemp(dir, finding.TempPrefix)
	if err != nil {
		return "", err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), nil
}

// journal lets change alter bugs, which it returns, and counts of known bugs, and appends what they have become.
func (d *Directory) journal(change func(*finding.Bugs) ([]*finding.Bug, error)) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.locked(func() error {
		known, gone := maps.Clone(d.bugs.Known), len(d.bugs.Gone)
		changed, err := change(d.bugs)
		if err != nil {
			return err
		}
		var text bytes.Buffer
		enc := json.NewEncoder(&text)
		written := map[*finding.Bug]bool{}
		for _, g := range changed {
			if written[g] {
				continue
			}
			written[g], d.byID[g.ID] = true, g
			if err := enc.Encode(entry{Bug: g, Next: d.bugs.Next}); err != nil {
				return err
			}
		}
		maps.DeleteFunc(known, func(name string, n int) bool { return d.bugs.Known[name] != n })
		if news := maps.Clone(d.bugs.Known); len(news) != len(known) {
			maps.DeleteFunc(news, func(name string, n int) bool { return known[name] == n })
			if err := enc.Encode(entry{Known: news}); err != nil {
				return err
			}
		}
		if more := d.bugs.Gone[gone:]; len(more) > 0 {
			if err := enc.Encode(entry{Gone: more}); err != nil {
				return err
			}
		}
		return d.append(text.Bytes())
	})
}

// append adds lines to the journal, a new one if need be, and writes bugs.json where the journal has become long.
func (d *Directory) append(text []byte) error {
	path := filepath.Join(d.dir, journalFile)
	if d.read == 0 {
		head, err := json.Marshal(entry{Generation: &d.bugs.Generation})
		if err != nil {
			return err
		}
		head = append(head, '\n')
		tmp, err := newFile(d.dir, head)
		if err != nil {
			return err
		}
		if err := os.Rename(tmp, path); err != nil {
			return errors.Join(err, os.Remove(tmp))
		}
		if err := finding.SyncDir(d.dir); err != nil {
			return err
		}
		d.read = int64(len(head))
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Truncate(d.read); err != nil { // a line that a killed process had begun
		return err
	}
	if _, err := f.WriteAt(text, d.read); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	d.read += int64(len(text))
	if d.read > max(minJournal, d.file.size) {
		return d.snapshot()
	}
	return nil
}
