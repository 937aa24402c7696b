package database

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"txweave/campaign/store"
	"txweave/finding"
	"txweave/finding/signature"
	"txweave/internal/outcome"
	"txweave/report/page"
)

const (
	presenceFile  = ".campaign" // locked, shared, by every process that keeps findings of no cell
	uncheckedFile = "unchecked.jsonl"
)

// Loose keeps findings that are of no cell, those of fuzz and of measurements, in the database of a directory, which is
// made when the first one comes. Several processes may use a directory at the same time, a campaign among them.
type Loose struct {
	dir  string
	note func(line string) // who is told of what was put aside; nil: nobody

	mu       sync.Mutex
	kept     *part    // nil: nothing was there, and nothing has come yet
	presence *os.File // locked as long as kept is there
	alone    bool     // no other process kept findings of no cell here when this one began
}

var _ store.Store = (*Loose)(nil)

// In returns the store of findings of no cell in a directory.
func In(dir string) *Loose { return &Loose{dir: dir} }

// Of opens what is kept in a directory, whoever keeps it: a campaign, fuzz, or a txweave of before that had no database
// for it; also findings alone. Its error is fs.ErrNotExist where there is nothing of these.
func Of(dir string) (*DB, error) {
	if Exists(dir) {
		return Open(context.Background(), dir, false)
	}
	if _, err := os.ReadDir(dir); err != nil && !errors.Is(err, unix.ENOTDIR) {
		return nil, outcome.Misuse(err)
	}
	l := In(dir)
	db, err := l.Database()
	if err == nil && db == nil {
		err = &fs.PathError{Op: "open", Path: dir, Err: fs.ErrNotExist}
	}
	return db, errors.Join(err, l.leave())
}

// Database opens the directory's database if there is anything to keep in one; else it is nil.
func (l *Loose) Database() (*DB, error) {
	p, err := l.open(false)
	if p == nil || err != nil {
		return nil, err
	}
	return p.db, nil
}

// open opens the database. Where nothing is there to be kept it is made only with make, and else nil.
func (l *Loose) open(make bool) (p *part, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.kept != nil {
		return l.kept, l.here()
	}
	if !make && !Exists(l.dir) && !holds(l.dir) {
		return nil, nil
	}
	if err := store.Making(l.dir, l.enter); err != nil {
		return nil, err
	}
	was := Exists(l.dir)
	db, err := Open(context.Background(), l.dir, true)
	if err != nil {
		if !was && l.alone { // the disk is full: what is not whole would be in the next one's way
			for _, file := range []string{File, File + "-wal", File + "-shm"} {
				_ = os.Remove(filepath.Join(l.dir, file))
			}
		}
		return nil, errors.Join(err, l.leave())
	}
	p = &part{BugStore: db, db: db, note: l.note}
	_, err = db.takeOver(context.Background(), l.note)
	if err == nil && l.alone {
		err = p.gather()
	}
	if err != nil {
		return nil, errors.Join(err, db.Close(), l.leave())
	}
	l.kept = p
	return p, nil
}

// with calls do with the database, which is made if it is not there.
func (l *Loose) with(do func(*part) error) error {
	p, err := l.open(true)
	if err != nil {
		return err
	}
	return do(p)
}

// enter makes this process one that keeps findings in the directory, which must exist.
func (l *Loose) enter() error {
	f, err := os.OpenFile(filepath.Join(l.dir, presenceFile), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	l.alone = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil
	if err := unix.Flock(int(f.Fd()), unix.LOCK_SH); err != nil {
		f.Close()
		return fmt.Errorf("%s: %w", f.Name(), err)
	}
	l.presence = f
	return nil
}

// Here says that the directory is not the one any more that it was: somebody has removed it, and what was kept there.
func (l *Loose) Here() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.here()
}

func (l *Loose) here() error {
	if l.presence == nil {
		return nil
	}
	own, err := l.presence.Stat()
	if err != nil {
		return err
	}
	now, err := os.Stat(filepath.Join(l.dir, presenceFile))
	if err == nil && !os.SameFile(own, now) || errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s was removed while the campaign ran: what it had kept is gone", l.dir)
	}
	return err
}

// leave ends this process's presence.
func (l *Loose) leave() error {
	if l.presence == nil {
		return nil
	}
	err := l.presence.Close()
	l.presence = nil
	return err
}

// Close implements store.Store.
func (l *Loose) Close() (err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.kept != nil {
		err = l.kept.db.Close()
		l.kept = nil
	}
	return errors.Join(err, l.leave())
}

// Tell implements store.Store.
func (l *Loose) Tell(note func(line string)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.note = note; l.kept != nil {
		l.kept.note = note
	}
}

// Enter implements store.Store.
func (l *Loose) Enter() (left []string, err error) {
	p, err := l.open(false)
	if p == nil || err != nil || !l.alone {
		return nil, err
	}
	return p.left()
}

// Save implements store.Store. A name that another process's finding has gets a number, in the record, too.
func (l *Loose) Save(r *finding.Record, files map[string][]byte) (name string, err error) {
	err = l.with(func(p *part) error {
		wanted, made := r.ID, "" // where it was written, in a transaction that has failed
		err := p.db.tx(context.Background(), func(t *tx) (err error) {
			if made != "" {
				if err := finding.Remove(made); err != nil {
					return err
				}
				made = ""
			}
			if r.ID, err = t.free(wanted); err != nil {
				return err
			}
			path := filepath.Join(p.db.dir, r.ID)
			if err := finding.Write(path, r, files, page.ForDirectory); err != nil {
				return err
			}
			name, made = r.ID, path
			return p.wait(t, int64(r.Environment.Case), &store.Placement{Record: r, Name: name,
				Signature: signature.OfText(&r.Finding, files[finding.CaseFile])})
		})
		if err != nil && made != "" { // it counts for nothing, and must not be found again
			err = errors.Join(err, finding.Remove(made))
		}
		return err
	})
	if err != nil {
		return "", err
	}
	return name, nil
}

// free is a name for a finding that none has, here or of those that were only counted.
func (t *tx) free(wanted string) (name string, err error) {
	name = wanted
	for n := 2; ; n++ {
		var rows int64
		if err := t.row("SELECT COUNT(*) FROM findings WHERE name = ?", name).Scan(&rows); err != nil {
			return "", err
		}
		path, err := finding.PathIn(t.d.dir, name)
		if err != nil {
			return "", err
		}
		if _, err := os.Lstat(path); rows == 0 && errors.Is(err, fs.ErrNotExist) {
			return name, nil
		}
		name = fmt.Sprintf("%s.%d", wanted, n)
	}
}

// Place implements store.Store.
func (l *Loose) Place(list []store.Placement, keep int) (out []store.Placed, err error) {
	err = l.with(func(p *part) error {
		if err := p.db.tx(context.Background(), func(t *tx) error {
			for i := range list {
				r := list[i].Record
				if list[i].Name != "" {
					continue
				}
				name, err := t.free(r.ID)
				if err != nil {
					return err
				}
				r.ID = name
				if err := p.wait(t, int64(r.Environment.Case), &list[i]); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return err
		}
		out, err = p.Place(list, keep)
		return err
	})
	return out, err
}

// SaveReduced implements store.Store.
func (l *Loose) SaveReduced(name string, r *finding.Record, files map[string][]byte) error {
	return l.with(func(p *part) error { return p.SaveReduced(name, r, files) })
}

// CountKnown implements store.Store.
func (l *Loose) CountKnown(bug, name string) error {
	return l.with(func(p *part) error { return p.CountKnown(bug, name) })
}

// Quarantine implements store.Store.
func (l *Loose) Quarantine(name string) (where string, err error) {
	err = l.with(func(p *part) error {
		where, err = p.Quarantine(name)
		return err
	})
	return where, err
}

// Unchecked implements store.Store: a line for each case.
func (l *Loose) Unchecked(list ...store.Unchecked) error {
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
	return store.Making(l.dir, func() error {
		f, err := os.OpenFile(filepath.Join(l.dir, uncheckedFile), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		if err != nil {
			return err
		}
		_, err = f.Write(text) // in one piece, so that another process's lines do not come between
		return errors.Join(err, f.Close())
	})
}

// Fault implements store.Store.
func (l *Loose) Fault(name string, text []byte) (where string, err error) {
	return store.Fault(l.dir, name, text)
}

// Where implements store.Store.
func (l *Loose) Where(name string) string { return filepath.Join(l.dir, name) }

// Open implements store.Store.
func (l *Loose) Open(name string) (d *finding.Dir, err error) {
	err = l.with(func(p *part) error {
		d, err = p.Open(name)
		return err
	})
	return d, err
}

// SmallestCase implements store.Store.
func (l *Loose) SmallestCase(g *finding.Bug) (where string, text []byte) {
	return store.SmallestCase(l.dir, g)
}

// Bugs implements store.Store.
func (l *Loose) Bugs() (*finding.Bugs, error) {
	p, err := l.open(false)
	if err != nil {
		return nil, err
	}
	if p == nil {
		return &finding.Bugs{Next: 1, Bugs: []*finding.Bug{}, Known: map[string]int{}}, nil
	}
	return p.Bugs()
}

// Update implements store.Store.
func (l *Loose) Update(change func(*finding.Bugs) error) error {
	return l.with(func(p *part) error { return p.Update(change) })
}

// Note implements store.Store.
func (l *Loose) Note(list map[string]finding.Verification) error {
	return l.with(func(p *part) error { return p.Note(list) })
}

// ofNoCell says whether a directory's name is that of a finding of no cell, perhaps with the number of another one of
// that name: finding-000012-0.2.
func ofNoCell(name string) bool {
	if at := strings.LastIndexByte(name, '.'); at >= 0 && finding.IsDigits(name[at+1:]) {
		name = name[:at]
	}
	n, ok := finding.ParseName(name)
	return ok && n.Cell == ""
}

// gather makes the database what the directory is, where a process was killed or the database is new. Findings that it
// does not have wait to be placed; what it does not keep goes, and what was half written. One that cannot be read is
// put aside.
func (c *part) gather() error {
	entries, err := os.ReadDir(c.db.dir)
	if err != nil {
		return err
	}
	runs, err := c.db.running(context.Background())
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := filepath.Join(c.db.dir, e.Name())
		switch {
		case strings.HasPrefix(e.Name(), finding.TempPrefix) && !runs: // a campaign writes its own meanwhile
			err = os.RemoveAll(path)
		case e.IsDir() && ofNoCell(e.Name()):
			err = c.gatherOne(e.Name(), path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *part) gatherOne(name, path string) error {
	var kept int64
	err := c.db.row(context.Background(), "SELECT kept FROM findings WHERE name = ?", name).Scan(&kept)
	switch {
	case err == nil && kept > 0:
		return nil
	case err == nil:
		return finding.Remove(path)
	case !isNone(err):
		return err
	}
	r, sig, err := orphan(path)
	if err != nil {
		where, qerr := store.Quarantine(c.db.dir, name)
		c.say(fmt.Sprintf("a finding of an earlier campaign cannot be read: %v: it lies in %s now", err, where))
		return qerr
	}
	r.ID = name
	return c.db.tx(context.Background(), func(t *tx) error {
		return c.wait(t, int64(r.Environment.Case), &store.Placement{Record: r, Signature: sig, Name: name})
	})
}

// orphan reads a finding that the database does not have.
func orphan(path string) (r *finding.Record, sig finding.Signature, err error) {
	d, err := finding.Open(path)
	if err != nil {
		return nil, sig, err
	}
	if d.Record == nil {
		return nil, sig, fmt.Errorf("%s has no %s", path, finding.RecordFile)
	}
	text, err := d.Read(finding.CaseFile)
	if errors.Is(err, fs.ErrNotExist) {
		_, err = d.Read(finding.StormFile) // a storm has no case
	}
	return d.Record, signature.OfText(&d.Record.Finding, text), err
}
