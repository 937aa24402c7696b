package database

import (
	"context"
	"maps"
	"slices"

	"txweave/campaign/store"
	"txweave/finding"
)

// usage is how often a production of the generator was used.
type usage struct {
	cases int64 // that were checked and are made of it
	found int64 // those of them in which something is wrong
}

// used notes what a case is made of, to be written with the next sample: what a killed process has not written is
// missing in the map of what was tried, and nowhere else.
func (c *Cell) used(done *store.CaseDone) {
	if done.Outcome == finding.Unchecked {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.uses == nil {
		c.uses = map[string]usage{}
	}
	for _, name := range done.Uses {
		u := c.uses[name]
		u.cases++
		if done.Outcome == finding.Found {
			u.found++
		}
		c.uses[name] = u
	}
}

// WriteUses writes what cases were made of since it was written last.
func (c *Cell) WriteUses(ctx context.Context) error {
	c.mu.Lock()
	uses := c.uses
	c.uses = nil
	c.mu.Unlock()
	if len(uses) == 0 {
		return nil
	}
	err := c.db.tx(ctx, func(t *tx) error {
		for _, name := range slices.Sorted(maps.Keys(uses)) {
			u := uses[name]
			n, err := t.changes("UPDATE features SET cases = cases + ?, found = found + ? WHERE cell = ? AND shard = ? AND "+
				"name = ?", u.cases, u.found, c.id, c.db.shard.Index, short(name))
			if err == nil && n == 0 {
				err = t.exec("INSERT INTO features (cell, shard, name, cases, found) VALUES (?, ?, ?, ?, ?)", c.id,
					c.db.shard.Index, short(name), u.cases, u.found)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil { // they come with the next ones
		c.mu.Lock()
		defer c.mu.Unlock()
		for name, u := range c.uses {
			uses[name] = usage{uses[name].cases + u.cases, uses[name].found + u.found}
		}
		c.uses = uses
	}
	return err
}

// Production is how often the cases of a cell were made of a production.
type Production struct {
	Cell         int64
	Name         string
	Cases, Found int64 // checked ones, and those of them in which something is wrong
}

// Features returns what the cases of all starts were made of, by cell and name.
func (d *DB) Features(ctx context.Context) (out []Production, err error) {
	err = d.rows(ctx, func(scan func(...any) error) error {
		var f Production
		err := scan(&f.Cell, &f.Name, &f.Cases, &f.Found)
		out = append(out, f)
		return err
	}, "SELECT cell, name, SUM(cases), SUM(found) FROM features GROUP BY cell, name ORDER BY cell, name")
	return out, err
}
