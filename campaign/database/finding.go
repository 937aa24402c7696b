package database

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"txweave/campaign/store"
	"txweave/finding"
	"txweave/report/page"
)

// The states of a finding.
const (
	findingWaiting = "waiting" // to be reduced and counted to a bug
	findingPlaced  = "placed"
	findingKnown   = "known" // it turned out to be a known bug
)

func hostName() string {
	name, err := os.Hostname()
	if err != nil {
		return "?"
	}
	return short(name)
}

// valid makes a text one that every DBMS takes: no NUL, and UTF-8.
func valid(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "�"), "\x00", "�")
}

// short cuts a text to what a key may have.
func short(text string) string {
	text = valid(text)
	for utf8.RuneCountInString(text) > 190 {
		text = string([]rune(text)[:190])
	}
	return text
}

// hash makes a key of any length one of 64 characters.
func hash(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:])
}

// wait writes the row of a finding that is to be placed.
func (c *part) wait(t *tx, n int64, p *store.Placement) error {
	rec := *p.Record
	rec.Differences, rec.Log = nil, "" // they are in its files
	record, err := json.Marshal(&rec)
	if err != nil {
		return err
	}
	sig, err := json.Marshal(&p.Signature)
	if err != nil {
		return err
	}
	kept := 0
	if p.Name != "" {
		kept = 1
	}
	return t.exec(
		"INSERT INTO findings (name, cell, shard, n, state, bug, kept, at, record, signature) VALUES (?, ?, ?, ?, ?, 0, ?, "+
			"?, ?, ?)",
		rec.ID, c.id, c.db.shard.Index, n, findingWaiting, kept, now(), valid(string(record)), valid(string(sig)))
}

// Enter implements store.Store: what a killed process had begun to write, or to remove, goes away; findings that were
// only counted are placed.
func (c *Cell) Enter() (left []string, err error) {
	if err := c.sweep(context.Background()); err != nil {
		return nil, err
	}
	return c.left()
}

// left lists the findings that wait to be reduced, and places those that were only counted.
func (c *part) left() (left []string, err error) {
	ctx := context.Background()
	var counted []store.Placement
	var unread []string
	err = c.db.rows(ctx, func(scan func(...any) error) error {
		var name, record, sig string
		var kept int64
		if err := scan(&name, &kept, &record, &sig); err != nil {
			return err
		}
		if kept > 0 {
			left = append(left, name)
			return nil
		}
		p := store.Placement{Record: &finding.Record{}}
		if err := errors.Join(json.Unmarshal([]byte(record), p.Record), json.Unmarshal([]byte(sig), &p.Signature)); err !=
			nil {
			unread = append(unread, name)
			c.say(fmt.Sprintf("what the campaign's database says of %s cannot be read, and it is counted to no bug: %v", name,
				err))
			return nil
		}
		counted = append(counted, p)
		return nil
	}, "SELECT name, kept, record, signature FROM findings WHERE cell = ? AND shard = ? AND state = ? ORDER BY n, name",
		c.id, c.db.shard.Index, findingWaiting)
	if err != nil {
		return nil, err
	}
	for _, name := range unread {
		if err := c.spoil(name); err != nil {
			return nil, err
		}
	}
	if len(counted) > 0 {
		_, err = c.Place(counted, 1)
	}
	return left, err
}

// spoil notes that a finding cannot be read: it waits no longer.
func (c *part) spoil(name string) error {
	return c.db.tx(context.Background(), func(t *tx) error {
		return t.exec("UPDATE findings SET state = 'damaged', kept = 0 WHERE name = ?", name)
	})
}

// say tells what somebody should know.
func (c *part) say(line string) {
	if c.note != nil {
		c.note(line)
	}
}

// Tell implements store.Store.
func (c *part) Tell(note func(line string)) { c.note = note }

// sweep removes directories of this cell that are of no finding that is kept: their cases come again, where they were
// not counted. Nobody else writes the cell's findings here. Where no case has been counted, though, findings that are
// older than the database are those of one that is lost: they are put into quarantine, and that is said.
func (c *Cell) sweep(ctx context.Context) error {
	entries, err := os.ReadDir(c.db.dir)
	if err != nil {
		return err
	}
	var cases, began int64 // the number of a start is its moment, in nanoseconds
	if err := c.db.row(ctx, "SELECT COALESCE(SUM(cases), 0) FROM counts WHERE cell = ?", c.id).Scan(&cases); err != nil {
		return err
	}
	if err := c.db.row(ctx, "SELECT COALESCE(MIN(id), 0) FROM starts").Scan(&began); err != nil {
		return err
	}
	var lost []string
	for _, e := range entries {
		if !e.IsDir() || !c.owns(e.Name()) {
			continue
		}
		var kept int64
		err := c.db.row(ctx, "SELECT kept FROM findings WHERE name = ?", e.Name()).Scan(&kept)
		if err != nil && !isNone(err) {
			return err
		}
		path := filepath.Join(c.db.dir, e.Name())
		whole, oerr := finding.Open(path)
		switch {
		case kept > 0:
			continue
		case cases == 0 && isNone(err) && oerr == nil && whole.Record != nil && olderThan(e, began):
			lost = append(lost, e.Name())
			_, err = store.Quarantine(c.db.dir, e.Name())
		default:
			err = finding.Remove(path)
		}
		if err != nil {
			return err
		}
	}
	if len(lost) > 0 {
		c.say(fmt.Sprintf("%s is new, and findings of it are there (%d, %s the first): was the campaign's database lost? "+
			"They lie in %s now", c.Name, len(lost), lost[0],
			filepath.Join(c.db.dir, store.QuarantineDir)))
	}
	return nil
}

// fileClock is by how much the clock of files may be behind.
const fileClock = 20 * time.Millisecond

// olderThan says whether a directory was made before a moment, in nanoseconds since 1970.
func olderThan(e os.DirEntry, moment int64) bool {
	about, err := e.Info()
	return err == nil && about.ModTime().Add(fileClock).UnixNano() < moment
}

// owns says whether a directory's name is that of one of the cell's findings.
func (c *Cell) owns(name string) bool {
	rest, is := finding.CutKind(name)
	numbers, found := strings.CutPrefix(rest, c.Name+"-")
	return is && found && strings.Trim(numbers, "0123456789-") == ""
}

// Save implements store.Store. A directory of that name is what was left of the same case when it was not counted.
func (c *Cell) Save(r *finding.Record, files map[string][]byte) (name string, err error) {
	path, err := finding.PathIn(c.db.dir, r.ID)
	if err != nil {
		return "", err
	}
	if err := finding.Remove(path); err != nil {
		return "", err
	}
	draw := page.ForDirectory
	if files[finding.CaseFile] == nil { // a storm's: there is no case to lay out
		draw = nil
	}
	return r.ID, finding.Write(path, r, files, draw)
}

// SaveReduced implements store.Store.
func (c *part) SaveReduced(name string, r *finding.Record, files map[string][]byte) error {
	path, err := finding.PathIn(c.db.dir, name)
	if err != nil {
		return err
	}
	if err := store.WriteReduced(path, r, files); err != nil {
		return err
	}
	return c.db.Share(context.Background(), name)
}

// Open implements store.Store. The files of a finding that another machine made are brought here.
func (d *DB) Open(name string) (*finding.Dir, error) {
	path, err := finding.PathIn(d.dir, name)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && d.shared() {
		if err := d.download(context.Background(), name, path); err != nil {
			return nil, err
		}
	}
	return finding.Open(path)
}

// Quarantine implements store.Store.
func (c *part) Quarantine(name string) (where string, err error) {
	if where, err = store.Quarantine(c.db.dir, name); err != nil {
		return "", err
	}
	return where, c.spoil(name)
}

// Where implements store.Store.
func (d *DB) Where(name string) string { return filepath.Join(d.dir, name) }

// SmallestCase implements store.Store.
func (d *DB) SmallestCase(g *finding.Bug) (where string, text []byte) {
	for _, k := range g.Kept {
		_, _ = d.Open(k.Dir) // so that it is here; what is not is passed over
	}
	return store.SmallestCase(d.dir, g)
}

// Fault implements store.Store: it lies in the directory of the process that met it.
func (c *part) Fault(name string, text []byte) (where string, err error) {
	return store.Fault(c.db.dir, name, text)
}

// CountKnown implements store.Store.
func (c *part) CountKnown(bug, name string) error {
	err := c.db.tx(context.Background(), func(t *tx) error {
		if name != "" {
			n, err := t.changes("UPDATE findings SET state = ?, kept = 0, record = '', signature = '' WHERE name = ? AND "+
				"state = ?", findingKnown, name, findingWaiting)
			if err != nil || n == 0 {
				return err // it was counted before
			}
		}
		return c.tally(t, kindKnown, bug)
	})
	if err != nil || name == "" {
		return err
	}
	return c.db.discard(context.Background(), name)
}

// discard removes the files of a finding that is not kept.
func (d *DB) discard(ctx context.Context, name string) error {
	path, err := finding.PathIn(d.dir, name)
	if err != nil {
		return err
	}
	if err := finding.Remove(path); err != nil || !d.shared() {
		return err
	}
	if err := d.tx(ctx, func(t *tx) error { return t.exec("DELETE FROM artifacts WHERE finding = ?", name) }); err !=
		nil || d.bucket == nil {
		return err
	}
	return d.bucket.drop(ctx, name)
}

// Unchecked implements store.Store. Cases of a cell come with Done.
func (c *Cell) Unchecked(list ...store.Unchecked) error {
	return c.db.tx(context.Background(), func(t *tx) error {
		for i := range list {
			if err := c.unchecked(t, &list[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// Close implements store.Store: the database stays open for the other cells.
func (c *part) Close() error { return nil }

// flush brings what is committed to disk, where that is this process's business.
func (d *DB) flush(ctx context.Context) error {
	if d.shared() {
		return nil
	}
	var busy, log, done int64
	return d.sql.QueryRowContext(ctx, "PRAGMA wal_checkpoint(PASSIVE)").Scan(&busy, &log, &done)
}
