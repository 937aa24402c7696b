package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"txweave/finding"
	"txweave/report/page"
)

// The files of a store beside its findings.
const (
	bugFile        = "bugs.json"
	backupFile     = "bugs.json.bak"
	journalFile    = "bugs.journal.jsonl" // what came after bugs.json was written
	oldJournalFile = "bugs.journal.jsonl.bak"
	uncheckedFile  = "unchecked.jsonl"
	lockFile       = ".lock"      // held while bugs are read and written: a campaign and "txweave bugs" may run at once
	presenceFile   = ".campaign"  // locked, shared, by every campaign that uses a store
	QuarantineDir  = "quarantine" // below a store: what cannot be read
	FaultsDir      = "faults"     // below a store: what txweave itself did wrong
)

// Directory is a store in a directory, made when the first finding comes: one directory for each finding, and bugs.json
// with its journal.
type Directory struct {
	dir  string
	note func(line string) // nil: nobody is told

	present  sync.Mutex
	presence *os.File // locked while a campaign uses the store

	mu sync.Mutex
	state
}

var _ Store = (*Directory)(nil)

// In returns the store in a directory.
func In(dir string) *Directory { return &Directory{dir: dir} }

// Exists says whether the store has bugs.
func (d *Directory) Exists() bool {
	for _, name := range []string{bugFile, journalFile} {
		if _, err := os.Stat(filepath.Join(d.dir, name)); err == nil {
			return true
		}
	}
	return false
}

// Files names the files, beside the findings, that hold the bugs.
func (d *Directory) Files() []string {
	return []string{bugFile, journalFile, backupFile, oldJournalFile}
}

// Check tells, before there is anything to lose, whether findings can be kept: it writes a file and removes it again,
// and the directories that it had to make.
func (d *Directory) Check() (err error) {
	dir, err := filepath.Abs(d.dir)
	if err != nil {
		return err
	}
	var made []string
	for at := dir; ; at = filepath.Dir(at) {
		st, err := os.Stat(at)
		if err == nil && !st.IsDir() {
			return fmt.Errorf("%s is not a directory", at)
		}
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at) {
			return err
		}
		made = append(made, at)
	}
	defer func() {
		for _, name := range made {
			_ = os.Remove(name) // one that was not made, or that another campaign uses already, stays
		}
	}()
	var f *os.File
	if err := making(dir, func() (err error) {
		f, err = os.CreateTemp(dir, finding.TempPrefix)
		return err
	}); err != nil {
		return fmt.Errorf("cannot write to %s: %w", dir, err)
	}
	_, err = f.WriteString("txweave\n")
	err = errors.Join(err, f.Sync(), f.Close())
	if gone := os.Remove(f.Name()); !errors.Is(gone, fs.ErrNotExist) {
		// another campaign that enters takes it for what was left
		err = errors.Join(err, gone)
	}
	if err != nil {
		return fmt.Errorf("cannot write to %s: %w", dir, err)
	}
	return nil
}

// making calls use with the directory made. Another campaign's check may have made it, or one above it, and take it
// away again in between: then it is made again.
func making(dir string, use func() error) (err error) {
	for range 1000 {
		if err = os.MkdirAll(dir, 0o700); err == nil {
			err = use()
		}
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return err
}

// opened opens a file in a directory, which is made where it is not there.
func opened(dir, name string, how int) (f *os.File, err error) {
	err = making(dir, func() (err error) {
		f, err = os.OpenFile(filepath.Join(dir, name), how, 0o600)
		return err
	})
	return f, err
}

// Tell implements Store.
func (d *Directory) Tell(note func(line string)) { d.note = note }

func (d *Directory) tell(line string) {
	if d.note != nil {
		d.note(line)
	}
}

// Where implements Store.
func (d *Directory) Where(name string) string { return filepath.Join(d.dir, name) }

// Enter implements Store. What a killed campaign had not finished writing, or removing, goes away.
func (d *Directory) Enter() (left []string, err error) {
	entries, err := os.ReadDir(d.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	alone, err := d.enter()
	if errors.Is(err, fs.ErrNotExist) { // it was another campaign's check's
		return nil, nil
	}
	if err != nil || !alone {
		return nil, err
	}
	b, err := d.Bugs()
	if err != nil {
		return nil, err
	}
	placed := b.Placed()
	for _, name := range b.Gone { // it was killed before it could remove them
		if err := d.remove(name); err != nil {
			return nil, err
		}
	}
	for _, e := range entries { // sorted by name
		switch {
		case strings.HasPrefix(e.Name(), finding.TempPrefix):
			if err := os.RemoveAll(filepath.Join(d.dir, e.Name())); err != nil {
				return nil, err
			}
		case e.IsDir() && !placed[e.Name()] && isFinding(e.Name()):
			left = append(left, e.Name())
		}
	}
	return left, nil
}

// enter makes this campaign one that uses the store, and says whether no other one did. The directory must exist.
func (d *Directory) enter() (alone bool, err error) {
	d.present.Lock()
	defer d.present.Unlock()
	if d.presence != nil {
		return false, d.here()
	}
	f, err := os.OpenFile(filepath.Join(d.dir, presenceFile), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return false, err
	}
	alone = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil
	if err := unix.Flock(int(f.Fd()), unix.LOCK_SH); err != nil {
		f.Close()
		return false, fmt.Errorf("%s: %w", f.Name(), err)
	}
	d.presence = f
	return alone, nil
}

// Here says that a directory which this campaign uses is not the one any more that it was: somebody has removed it, and
// what was kept there.
func (d *Directory) Here() error {
	d.present.Lock()
	defer d.present.Unlock()
	return d.here()
}

func (d *Directory) here() error {
	if d.presence == nil {
		return nil
	}
	own, err := d.presence.Stat()
	if err != nil {
		return err
	}
	now, err := os.Stat(filepath.Join(d.dir, presenceFile))
	if err == nil && !os.SameFile(own, now) || errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s was removed while the campaign ran: what it had kept is gone", d.dir)
	}
	return err
}

// used says whether a campaign uses the store over this one.
func (d *Directory) used() bool {
	d.present.Lock()
	defer d.present.Unlock()
	return d.presence != nil
}

// Close implements Store. What is in the journal goes into bugs.json.
func (d *Directory) Close() error {
	err := d.settle()
	d.present.Lock()
	defer d.present.Unlock()
	if d.presence != nil {
		err = errors.Join(err, d.presence.Close())
		d.presence = nil
	}
	return err
}

// Save implements Store.
func (d *Directory) Save(r *finding.Record, files map[string][]byte) (name string, err error) {
	if err := making(d.dir, func() error {
		_, err := d.enter()
		return err
	}); err != nil {
		return "", err
	}
	name = r.ID
	for n := 2; ; n++ {
		err := finding.Write(filepath.Join(d.dir, name), r, files, page.ForDirectory)
		if err == nil {
			return name, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", err
		}
		name = fmt.Sprintf("%s.%d", r.ID, n) // another campaign's has the name
	}
}

// SaveReduced implements Store.
func (d *Directory) SaveReduced(name string, r *finding.Record, files map[string][]byte) error {
	dir, err := finding.PathIn(d.dir, name)
	if err != nil {
		return err
	}
	return WriteReduced(dir, r, files)
}

// WriteReduced puts the smaller case of a finding into its directory, in the place of an earlier one.
func WriteReduced(dir string, r *finding.Record, files map[string][]byte) error {
	to := filepath.Join(dir, finding.ReducedDir)
	if err := finding.Remove(to); err != nil {
		return err
	}
	return finding.Write(to, r, files, page.ForDirectory)
}

// Open implements Store.
func (d *Directory) Open(name string) (*finding.Dir, error) {
	path, err := finding.PathIn(d.dir, name)
	if err != nil {
		return nil, err
	}
	return finding.Open(path)
}

// remove removes a finding's files.
func (d *Directory) remove(name string) error {
	path, err := finding.PathIn(d.dir, name)
	if err != nil || name == "" {
		return err
	}
	return finding.Remove(path)
}

// Quarantine implements Store.
func (d *Directory) Quarantine(name string) (where string, err error) {
	path, err := finding.PathIn(d.dir, name)
	if err != nil {
		return "", err
	}
	to := filepath.Join(d.dir, QuarantineDir)
	if err := os.MkdirAll(to, 0o700); err != nil {
		return "", err
	}
	where = d.aside(name)
	return where, os.Rename(path, where)
}

// Unchecked implements Store: a line for each case.
func (d *Directory) Unchecked(list ...Unchecked) error {
	if len(list) == 0 {
		return nil
	}
	var text []byte
	for _, u := range list {
		line, err := json.Marshal(u)
		if err != nil {
			return err
		}
		text = append(append(text, line...), '\n')
	}
	f, err := opened(d.dir, uncheckedFile, os.O_CREATE|os.O_WRONLY|os.O_APPEND)
	if err != nil {
		return err
	}
	_, err = f.Write(text) // in one piece, so that another campaign's lines do not come between
	return errors.Join(err, f.Close())
}

// maxFaults is how many faults of txweave's own are described: whoever mends them wants a few.
const maxFaults = 100

// Fault implements Store: a file for each. The same case's is written anew.
func (d *Directory) Fault(name string, text []byte) (where string, err error) {
	dir := filepath.Join(d.dir, FaultsDir)
	where, err = finding.PathIn(dir, name)
	if err != nil {
		return "", err
	}
	var there []os.DirEntry
	if err := making(dir, func() (err error) {
		there, err = os.ReadDir(dir)
		return err
	}); err != nil {
		return "", err
	}
	if err := os.Remove(where); errors.Is(err, fs.ErrNotExist) && len(there) >= maxFaults {
		return "", nil
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	return where, errors.Join(finding.WriteFile(where, text), finding.SyncDir(dir))
}

// SmallestCase implements Store.
func (d *Directory) SmallestCase(g *finding.Bug) (where string, text []byte) {
	for _, below := range []string{finding.ReducedDir, ""} {
		for _, k := range g.Kept {
			if !finding.ValidName(k.Dir) {
				continue
			}
			in := finding.Dir{Path: filepath.Join(d.dir, k.Dir, below)}
			if text, err := in.Read(finding.CaseFile); err == nil {
				return filepath.Join(in.Path, finding.CaseFile), text
			}
		}
	}
	return "", nil
}

// Place implements Store.
func (d *Directory) Place(list []Placement, keep int) (out []Placed, err error) {
	out = make([]Placed, len(list))
	now := time.Now().UTC().Truncate(time.Second)
	var gone []string // of no use once the bugs are written
	var lost error
	err = d.journal(func(b *finding.Bugs) ([]*finding.Bug, error) {
		var changed []*finding.Bug
		for i := range list {
			p := &list[i]
			b.Unconfirmed = p.Unconfirmed
			g, fresh := b.Place(p.Record, p.Signature, now)
			b.Hear(g, p.Name, fresh)
			out[i].Fresh = fresh
			err := d.keep(g, p, &out[i], max(keep, 1))
			lost = errors.Join(lost, err)
			if p.Name != "" && out[i].Name == "" {
				gone = append(gone, p.Name)
			}
			if out[i].Gone != "" {
				gone = append(gone, out[i].Gone)
			}
			out[i].Bug = *g
			changed = append(changed, g)
		}
		b.Gone = append(b.Gone, gone...)
		return changed, nil
	})
	if err != nil {
		return out, err
	}
	for _, name := range gone {
		lost = errors.Join(lost, d.remove(name))
	}
	return out, lost
}

// keep keeps a finding's files if its bug wants them.
func (d *Directory) keep(g *finding.Bug, p *Placement, out *Placed, limit int) (err error) {
	if p.Name == "" && p.Files == nil {
		return nil
	}
	gone, kept := g.Keep(finding.Kept{Dir: p.Name, Signature: p.Signature, Title: p.Record.Title,
		Origin: p.Record.Origin()}, limit)
	if !kept {
		return nil
	}
	if out.Name = p.Name; out.Name == "" {
		out.Name, err = d.Save(p.Record, p.Files)
	}
	last := len(g.Kept) - 1
	if g.Kept[last].Dir = out.Name; out.Name == "" {
		g.Kept = g.Kept[:last]
	}
	out.Gone = gone
	return err
}

// CountKnown implements Store.
func (d *Directory) CountKnown(bug, name string) error {
	err := d.journal(func(b *finding.Bugs) ([]*finding.Bug, error) {
		if b.Known[bug]++; name != "" {
			b.Gone = append(b.Gone, name)
		}
		return nil, nil
	})
	if err != nil || name == "" {
		return err
	}
	return d.remove(name)
}

// Note implements Store.
func (d *Directory) Note(list map[string]finding.Verification) error {
	return d.Update(func(b *finding.Bugs) error {
		for _, g := range b.Bugs {
			if v, has := list[g.ID]; has {
				g.Verified = append(g.Verified, v)
			}
		}
		return nil
	})
}
