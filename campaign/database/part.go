package database

import "txweave/campaign/store"

// part is a part of what is kept: a cell's findings and counts, or those of no cell, whose number is 0.
type part struct {
	store.BugStore // the database
	id             int64
	db             *DB

	note func(line string) // who is told of what was put aside; nil: nobody
}

func (c *part) tallyAll(t *tx, kind string, names []string) error {
	for _, name := range names {
		if err := c.tally(t, kind, name); err != nil {
			return err
		}
	}
	return nil
}

// tally adds one to what is counted under a name.
func (c *part) tally(t *tx, kind, name string) error {
	name = short(name)
	n, err := t.changes("UPDATE tallies SET n = n + 1 WHERE cell = ? AND shard = ? AND kind = ? AND name = ?", c.id,
		c.db.shard.Index, kind, name)
	if err != nil || n > 0 {
		return err
	}
	return t.exec("INSERT INTO tallies (cell, shard, kind, name, n) VALUES (?, ?, ?, ?, 1)", c.id,
		c.db.shard.Index, kind, name)
}
