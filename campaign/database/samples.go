package database

import (
	"context"
	"slices"
	"time"
)

// Sample is how a cell stood at a moment.
type Sample struct {
	Cell                                      int64
	At                                        time.Time
	Cases, Generated, Survived, Aborted, Bugs int64
	Spent                                     time.Duration
	RSS, Disk                                 int64 // bytes
	Edges                                     int64 // cases with an edge between transactions that overlap
	Features                                  int64 // productions of the generator that cases were made of
}

// For how long each sample is kept; of older ones one of a stretch stays.
const (
	samplesWhole   = 24 * time.Hour
	samplesStretch = 15 * time.Minute
)

// bugsOf is of how many bugs a cell has findings.
func (t *tx) bugsOf(cell int64) (n int64, err error) {
	b, err := t.bugs()
	if err != nil {
		return 0, err
	}
	b.Explain()
	none := unreduced(b)
	err = t.rows(func(scan func(...any) error) error {
		var bug int64
		err := scan(&bug)
		if !none[bug] {
			n++
		}
		return err
	}, bugsOfCell, cell)
	return n, err
}

// TakeSample notes how a cell stands, for charts. A cell that has done nothing since the last one needs none, so that
// what rests, of any number of shards, costs nothing.
func (c *Cell) TakeSample(ctx context.Context, rss, disk int64) error {
	if err := c.WriteUses(ctx); err != nil {
		return err
	}
	var s Sample
	err := c.db.tx(ctx, func(t *tx) error {
		s = Sample{}
		err := t.row(
			"SELECT COALESCE(SUM(cases), 0), COALESCE(SUM(statements), 0), COALESCE(SUM(survived), 0), COALESCE(SUM(aborted), "+
				"0), "+
				"COALESCE(SUM(overlap_edge), 0) FROM counts WHERE cell = ? AND shard = ?",
			c.id, c.db.shard.Index).Scan(&s.Cases, &s.Generated, &s.Survived, &s.Aborted, &s.Edges)
		if err != nil {
			return err
		}
		if s.Bugs, err = t.bugsOf(c.id); err != nil {
			return err
		}
		if err := t.row("SELECT COUNT(*) FROM features WHERE cell = ? AND shard = ?", c.id, c.db.shard.Index).Scan(
			&s.Features); err != nil {
			return err
		}
		var spent int64
		if err := t.row("SELECT spent_ms FROM progress WHERE cell = ? AND shard = ?", c.id, c.db.shard.Index).Scan(
			&spent); err != nil {
			return err
		}
		if s.Spent = time.Duration(spent) * time.Millisecond; c.sampled != nil && s == *c.sampled {
			return nil
		}
		at := now()
		if err := t.exec("DELETE FROM samples WHERE cell = ? AND shard = ? AND at = ?", c.id, c.db.shard.Index,
			at); err != nil {
			return err
		}
		return t.exec(
			"INSERT INTO samples (cell, shard, at, cases, statements, survived, aborted, bugs, spent_ms, rss, disk, edges, "+
				"features) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
			c.id, c.db.shard.Index, at, s.Cases, s.Generated, s.Survived, s.Aborted, s.Bugs, spent, rss, disk,
			s.Edges, s.Features)
	})
	if err == nil {
		c.sampled = &s
	}
	return err
}

// ThinSamples drops, of this process's samples that are older than a day, all but the last one of each quarter of an
// hour. It returns how many went.
func (d *DB) ThinSamples(ctx context.Context, at time.Time) (dropped int64, err error) {
	err = d.tx(ctx, func(t *tx) error {
		// The last one of a stretch is the only one that stays, so what went before is not read again but for its last
		// stretch.
		type key struct{ cell, at int64 }
		var gone []key
		var last key
		err := t.rows(func(scan func(...any) error) error {
			var k key
			if err := scan(&k.cell, &k.at); err != nil {
				return err
			}
			stretch := int64(samplesStretch.Seconds())
			if k.cell == last.cell && k.at/stretch == last.at/stretch {
				gone = append(gone, last)
			}
			last = k
			return nil
		}, "SELECT cell, at FROM samples WHERE shard = ? AND at < ? ORDER BY cell, at", d.shard.Index,
			at.Add(-samplesWhole).Unix())
		if err != nil {
			return err
		}
		for _, k := range gone {
			if err := t.exec("DELETE FROM samples WHERE cell = ? AND shard = ? AND at = ?", k.cell, d.shard.Index,
				k.at); err != nil {
				return err
			}
		}
		dropped = int64(len(gone))
		return nil
	})
	return dropped, err
}

// samplesRead is about how many moments Samples returns at most.
const samplesRead = 400

// Samples returns how the cells stood at moments since a moment, by time: evenly spaced, and of a cell in several
// shards the sum.
func (d *DB) Samples(ctx context.Context, since time.Time) (out []Sample, err error) {
	err = d.read(ctx, func(t *tx) error {
		var first, last, n int64
		if err := t.row("SELECT COALESCE(MIN(at), 0), COALESCE(MAX(at), 0), COUNT(*) FROM samples WHERE at >= ?",
			since.Unix()).Scan(&first, &last, &n); err != nil || n == 0 {
			out = nil
			return err
		}
		width := max(1, (last-first)/samplesRead)
		m := moments{stands: map[shardOfCell]Sample{}}
		err := t.rows(func(scan func(...any) error) error {
			var k shardOfCell
			var s Sample
			var slot, at, spent int64
			if err := scan(&slot, &k.cell, &k.shard, &at, &s.Cases, &s.Generated, &s.Survived, &s.Aborted, &s.Bugs, &spent,
				&s.RSS, &s.Disk, &s.Edges, &s.Features); err != nil {
				return err
			}
			if s.Spent = time.Duration(spent) * time.Millisecond; slot != m.at-m.at%width {
				m.flush()
				m.at = at
			}
			m.at = max(m.at, at)
			if m.stands[k] = s; !slices.Contains(m.met, k.cell) {
				m.met = append(m.met, k.cell)
			}
			return nil
		}, "SELECT at - at % ?, cell, shard, MAX(at), MAX(cases), MAX(statements), MAX(survived), MAX(aborted), MAX(bugs), "+
			"MAX(spent_ms), MAX(rss), MAX(disk), MAX(edges), MAX(features) "+
			"FROM samples WHERE at >= ? GROUP BY 1, 2, 3 ORDER BY 1, 2, 3", width, since.Unix())
		m.flush()
		out = m.out
		return err
	})
	return out, err
}

type shardOfCell struct{ cell, shard int64 }

// moments sums the samples of shards, moment by moment.
type moments struct {
	at     int64
	met    []int64                // cells of the moment
	stands map[shardOfCell]Sample // the last of each shard
	out    []Sample
}

// flush ends a moment.
func (m *moments) flush() {
	for _, cell := range m.met {
		sum := Sample{Cell: cell, At: time.Unix(m.at, 0).UTC()}
		for k, s := range m.stands {
			if k.cell == cell {
				sum.add(s)
			}
		}
		m.out = append(m.out, sum)
	}
	m.met = nil
}

// add adds another shard's sample. Each shard tells of the whole cell's bugs, and of its own features, most of which
// others have, too.
func (s *Sample) add(o Sample) {
	s.Cases, s.Generated, s.Survived, s.Aborted = s.Cases+o.Cases, s.Generated+o.Generated, s.Survived+o.Survived,
		s.Aborted+o.Aborted
	s.Spent, s.Edges = s.Spent+o.Spent, s.Edges+o.Edges
	s.Bugs, s.RSS, s.Disk = max(s.Bugs, o.Bugs), max(s.RSS, o.RSS), max(s.Disk, o.Disk)
	s.Features = max(s.Features, o.Features)
}
