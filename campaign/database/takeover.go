package database

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"txweave/campaign/store"
	"txweave/finding"
	"txweave/finding/signature"
)

// taken is what the bugs.json is called afterwards that a campaign has taken over.
const taken = ".taken"

// TakeOver takes over the bugs that fuzz has kept in the same directory, with their findings, if there are any. They
// count to no cell. It returns how many bugs there were; tell is told of what had to be put aside.
func (d *DB) TakeOver(ctx context.Context, tell func(line string)) (bugs int, err error) {
	old := store.In(d.dir)
	if !old.Exists() {
		return 0, nil
	}
	old.Tell(tell)
	if err := errors.Join(adopt(old, tell), old.Close()); err != nil {
		return 0, err
	}
	b, err := old.Bugs()
	if err != nil {
		return 0, err
	}
	if err := d.tx(ctx, func(t *tx) error { return d.takeAll(t, b) }); err != nil {
		return 0, err
	}
	if err := d.flush(ctx); err != nil {
		return 0, err
	}
	for _, name := range old.Files() {
		if err := os.Rename(filepath.Join(d.dir, name), filepath.Join(d.dir, name+taken)); err != nil &&
			!errors.Is(err, os.ErrNotExist) {
			return 0, err
		}
	}
	return len(b.Bugs), finding.SyncDir(d.dir)
}

// takeAll writes the bugs of fuzz, unless that was done by a process that was killed before it renamed their files.
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
	return nil
}

// ofFuzz says whether a name is one that fuzz gives its findings, in which there is no cell, perhaps with the number of
// another one of that name: finding-000012-0.2.
func ofFuzz(name string) bool {
	if at := strings.LastIndexByte(name, '.'); at >= 0 && finding.IsDigits(name[at+1:]) {
		name = name[:at]
	}
	n, ok := finding.ParseName(name)
	return ok && n.Cell == ""
}

// adopt counts the findings to bugs that a fuzz which was killed has left without one, or whose bug could not be read
// any more.
func adopt(old *store.Directory, tell func(line string)) error {
	left, err := old.Enter()
	if err != nil {
		return err
	}
	for _, name := range left {
		if !ofFuzz(name) {
			continue
		}
		p, err := orphan(old, name)
		if err == nil {
			_, err = old.Place([]store.Placement{p}, math.MaxInt)
		} else if where, qerr := old.Quarantine(name); qerr == nil {
			tell(fmt.Sprintf("a finding of an earlier campaign cannot be read: %v: it lies in %s now", err, where))
			err = nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// orphan reads a finding that belongs to no bug.
func orphan(old *store.Directory, name string) (store.Placement, error) {
	f, err := old.Open(name)
	if err != nil {
		return store.Placement{}, err
	}
	if f.Record == nil {
		return store.Placement{}, fmt.Errorf("%s has no %s", f.Path, finding.RecordFile)
	}
	text, _ := f.Read(finding.CaseFile) // a storm has none
	return store.Placement{Record: f.Record, Signature: signature.OfText(&f.Record.Finding, text), Name: name}, nil
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
	_, err := os.Stat(filepath.Join(dir, store.In(dir).Files()[0]+taken))
	return err == nil
}
