package database

import (
	"context"
	"slices"
	"time"

	"txweave/finding"
)

// DropRepeat forgets the files of the oldest finding that its bug can do without: one of which another is kept. The
// finding stays counted. It returns its name, "" if there is none.
func (d *DB) DropRepeat(ctx context.Context) (name string, err error) {
	err = d.tx(ctx, func(t *tx) error {
		name = ""
		if err := t.lock(); err != nil {
			return err
		}
		b, err := t.bugs()
		if err != nil {
			return err
		}
		var of *finding.Bug
		var at time.Time
		for _, g := range b.Bugs {
			if len(g.Kept) > 1 && (of == nil || g.Last.Before(at)) {
				of, at = g, g.Last
			}
		}
		if of == nil {
			return nil
		}
		last := len(of.Kept) - 1 // the first one is what the bug was found by
		name = of.Kept[last].Dir
		of.Kept = slices.Delete(of.Kept, last, last+1)
		number, err := bugNumber(of.ID)
		if err != nil {
			return err
		}
		if err := t.saveBug(number, of); err != nil {
			return err
		}
		return t.exec("UPDATE findings SET kept = 0 WHERE name = ?", name)
	})
	if err != nil || name == "" {
		return "", err
	}
	return name, d.discard(ctx, name)
}
