package database

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"txweave/campaign/store"
	"txweave/finding"
)

// Waiting implements store.WaitingStore, of all cells and shards. What cannot be read is of no bug: its campaign says
// so.
func (d *DB) Waiting() (b *finding.Bugs, list []store.Waiting, err error) {
	err = d.read(context.Background(), func(t *tx) (err error) {
		list = nil
		if b, err = t.bugs(); err != nil {
			return err
		}
		return t.rows(func(scan func(...any) error) error {
			w := store.Waiting{Record: &finding.Record{}}
			var at, kept int64
			var record, sig string
			if err := scan(&w.Name, &at, &kept, &record, &sig); err != nil {
				return err
			}
			w.Since, w.Kept = time.Unix(at, 0), kept > 0
			if json.Unmarshal([]byte(record), w.Record) == nil && json.Unmarshal([]byte(sig), &w.Signature) == nil {
				list = append(list, w)
			}
			return nil
		}, "SELECT name, at, kept, record, signature FROM findings WHERE state = ? ORDER BY cell, n, name", findingWaiting)
	})
	return b, list, err
}

// metaSaid is the key of what was said of findings before they were counted to a bug.
const metaSaid = "said"

// said reads that.
func (t *tx) said() (said map[string]finding.Said, err error) {
	var text string
	err = t.row("SELECT v FROM meta WHERE k = ?", metaSaid).Scan(&text)
	if isNone(err) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal([]byte(text), &said)
	}
	if err != nil {
		return nil, fmt.Errorf("what was said of findings in the campaign's database cannot be read: %w", err)
	}
	return said, nil
}

// say writes it.
func (t *tx) say(said map[string]finding.Said) error {
	text, err := json.Marshal(said)
	if err != nil {
		return err
	}
	n, err := t.changes("UPDATE meta SET v = ? WHERE k = ?", valid(string(text)), metaSaid)
	if err == nil && n == 0 {
		err = t.exec("INSERT INTO meta (k, v) VALUES (?, ?)", metaSaid, valid(string(text)))
	}
	return err
}
