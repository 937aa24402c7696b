package database

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"txweave/campaign/store"
	"txweave/finding"
	"txweave/internal/input"
)

// The files in which a txweave of before kept the bugs of fuzz: all of them, and what each has become since then, on a
// line of its own; and what the former is called once it was taken over.
const (
	oldBugs    = "bugs.json"
	oldJournal = "bugs.journal.jsonl"
	taken      = ".taken"
)

// maxBugs is how long such a file may be.
const maxBugs = 4 << 30

// holds says whether a directory has something that belongs into a database that is not there: findings, or bugs of a
// txweave of before.
func holds(dir string) bool {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	for _, e := range entries {
		if e.Name() == oldBugs || e.Name() == oldJournal || e.IsDir() && ofNoCell(e.Name()) {
			return true
		}
	}
	return false
}

// TakeOver counts to their bugs what fuzz has left in the directory that is in the database, so that a campaign can go
// on with it: findings that wait, and the bugs of a txweave of before. They count to no cell. It returns how many bugs
// were taken over; tell is told of what had to be put aside.
func (d *DB) TakeOver(ctx context.Context, tell func(line string)) (bugs int, err error) {
	l := &Loose{dir: d.dir, note: tell}
	if err := l.enter(); err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, l.leave()) }()
	if bugs, err = d.takeOver(ctx, tell); err != nil || !l.alone {
		return bugs, err
	}
	p := &part{BugStore: d, db: d, note: tell}
	if err := p.gather(); err != nil {
		return bugs, err
	}
	left, err := p.left()
	if err != nil {
		return bugs, err
	}
	for _, name := range left {
		r, sig, err := orphan(filepath.Join(d.dir, name))
		if err == nil {
			_, err = p.Place([]store.Placement{{Record: r, Signature: sig, Name: name}}, math.MaxInt)
		}
		if err != nil {
			return bugs, fmt.Errorf("%s: %w", name, err)
		}
	}
	return bugs, nil
}

// takeOver takes over the bugs of a txweave of before, with their findings.
func (d *DB) takeOver(ctx context.Context, tell func(line string)) (bugs int, err error) {
	b, err := readOld(d.dir, tell)
	if err != nil || b == nil {
		return 0, err
	}
	if err := d.tx(ctx, func(t *tx) error { return d.takeAll(t, &b.Bugs) }); err != nil {
		return 0, err
	}
	if err := d.flush(ctx); err != nil {
		return 0, err
	}
	for _, name := range b.Gone {
		if err := d.discard(ctx, name); err != nil {
			return 0, err
		}
	}
	for _, name := range []string{oldBugs, oldJournal} {
		path := filepath.Join(d.dir, name)
		if err := os.Rename(path, path+taken); err != nil && !errors.Is(err, os.ErrNotExist) {
			return 0, err
		}
	}
	return len(b.Bugs.Bugs), finding.SyncDir(d.dir)
}

// readOld reads the bugs of a txweave of before; nil if there are none. What is damaged is put aside, and the findings
// are counted anew; where nobody is told of that it is an error.
func readOld(dir string, tell func(line string)) (*oldStore, error) {
	text, err := input.Kept(filepath.Join(dir, oldBugs), maxBugs)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	since, jerr := input.Kept(filepath.Join(dir, oldJournal), maxBugs)
	if jerr != nil && !errors.Is(jerr, fs.ErrNotExist) {
		return nil, jerr
	}
	if err != nil && jerr != nil {
		return nil, nil
	}
	b := &oldStore{Bugs: finding.Bugs{Next: 1, Known: map[string]int{}}}
	var damaged error
	if err == nil {
		damaged = json.Unmarshal(text, b)
	}
	if damaged == nil {
		if err := finding.CheckFormat(b.Format, finding.BugsFormat); err != nil { // another txweave reads it
			return nil, fmt.Errorf("%s: %w", filepath.Join(dir, oldBugs), err)
		}
		damaged = errors.Join(b.goOn(since), b.Check(), b.checkGone())
	}
	if damaged == nil {
		return b, nil
	}
	if tell == nil {
		return nil, fmt.Errorf("%s: %w: the next campaign with this --out puts it aside and goes on",
			filepath.Join(dir, oldBugs), damaged)
	}
	for _, name := range []string{oldBugs, oldJournal} {
		where, err := store.Quarantine(dir, name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if err == nil {
			tell(fmt.Sprintf("%s cannot be read: %v: it lies in %s now, and findings that lie beside it are counted anew",
				filepath.Join(dir, name), damaged, where))
		}
	}
	return nil, nil
}

// oldStore is a bugs.json.
type oldStore struct {
	finding.Bugs
	Generation int      `json:"generation"`
	Gone       []string `json:"gone"` // findings that were counted, and whose directories are to be removed
}

// goOn takes over what the lines of a journal say. The first one names the bugs.json that it goes on from; a last line
// that is cut off, as a kill leaves it, is as if it had not been.
func (b *oldStore) goOn(journal []byte) error {
	of := -1
	for line := range bytes.Lines(journal) {
		var e struct {
			Generation *int           `json:"generation"`
			Next       int            `json:"next"`
			Bug        *finding.Bug   `json:"bug"`
			Known      map[string]int `json:"known"`
			Gone       []string       `json:"gone"`
		}
		if !bytes.HasSuffix(line, []byte("\n")) {
			return nil
		}
		if err := json.Unmarshal(line, &e); err != nil {
			return err
		}
		if of < 0 {
			if e.Generation == nil || *e.Generation != b.Generation {
				return nil // it is from before
			}
			of = *e.Generation
		}
		for name, n := range e.Known {
			b.Known[name] = n
		}
		b.Gone, b.Next = append(b.Gone, e.Gone...), max(b.Next, e.Next)
		if e.Bug == nil {
			continue
		}
		if g, err := b.Find(e.Bug.ID); err == nil {
			*g = *e.Bug
		} else {
			b.Bugs.Bugs = append(b.Bugs.Bugs, e.Bug)
		}
		b.Changed()
	}
	return nil
}

// takeAll writes bugs, unless that was done by a process that was killed before it renamed their files.
func (d *DB) takeAll(t *tx, b *finding.Bugs) error {
	if err := t.lock(); err != nil {
		return err
	}
	var have, done int64
	if err := t.row("SELECT COUNT(*) FROM bugs").Scan(&have); err != nil {
		return err
	}
	if err := t.row("SELECT COUNT(*) FROM changes WHERE what = ?", takenNote).Scan(&done); err != nil {
		return err
	}
	if done > 0 && !renamed(d.dir) {
		return nil
	}
	if have > 0 {
		return &PlanError{fmt.Sprintf("%s holds a campaign's bugs and those of fuzz, which are numbered by themselves: "+
			"give one of them another directory", d.dir)}
	}
	for _, g := range b.Bugs {
		if err := t.take(g, b.Next); err != nil {
			return fmt.Errorf("%s: %w", g.ID, err)
		}
	}
	for name, n := range b.Known {
		if err := t.exec("INSERT INTO tallies (cell, shard, kind, name, n) VALUES (0, 0, ?, ?, ?)", kindKnown, short(name),
			n); err != nil {
			return err
		}
	}
	if len(b.Said) == 0 {
		return nil
	}
	return t.say(b.Said)
}

// take writes a bug with its findings: those that are kept, and a row for each that was only counted.
func (t *tx) take(g *finding.Bug, next int) error {
	number, err := bugNumber(g.ID)
	if err != nil {
		return err
	}
	if err := t.insertBug(number, g, nil, next); err != nil {
		return err
	}
	add := func(name string, n, kept int) error {
		return t.exec(
			"INSERT INTO findings (name, cell, shard, n, state, bug, kept, at, record, signature) VALUES (?, 0, 0, ?, ?, ?, "+
				"?, ?, '', '')",
			name, n, findingPlaced, number, kept, g.Last.Unix())
	}
	for _, k := range g.Kept {
		if err := add(k.Dir, k.Case, 1); err != nil {
			return err
		}
	}
	for i := len(g.Kept); i < g.Count; i++ {
		if err := add("counted-"+g.ID+"-"+strconv.Itoa(i), g.Origin.Case, 0); err != nil {
			return err
		}
	}
	return t.note(number, "txweave", takenNote)
}

// takenNote is what the history of a bug says that was taken over.
const takenNote = "taken over from bugs.json"

// renamed says whether a bugs.json was taken over to the end.
func renamed(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, oldBugs+taken))
	return err == nil
}

// checkGone refuses names that are no findings' beside the file.
func (b *oldStore) checkGone() error {
	for _, name := range b.Gone {
		if !finding.ValidName(name) {
			return fmt.Errorf("it names %q for removal, which is not a directory beside this file", name)
		}
	}
	return nil
}
