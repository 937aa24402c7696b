package observe

import (
	"maps"
	"slices"

	"txweave/dbms"
	"txweave/fault"
	"txweave/finding"
	"txweave/history"
	"txweave/sql/sqltext"
)

// writes tells what the block wrote, from its after-write reads.
func (o *observer) writes(b *BlockRun, sets *versionSets, after map[string]map[int64]int64) ([]history.Write, error) {
	info := b.Block.Info
	if info.Diff && b.Block.Returning != "" {
		return o.returned(b, sets)
	}
	if info.Diff {
		var out []history.Write
		for _, t := range b.Block.Writes {
			out = append(out, o.compared(b, t, sets, after[t])...)
		}
		return out, nil
	}
	rows := b.AWR.Rows
	written, err := o.keys(info.Target, rows)
	if err != nil {
		return nil, err
	}
	if len(written) != rows.Len() {
		return nil, &BadAnswer{What: fault.RowTwice, Why: finding.Say("the read after the write printed a row of %v twice",
			info.Target)}
	}
	p, pv := slices.Index(rows.Columns, sqltext.PKey), slices.Index(rows.Columns, sqltext.PVKey)
	var out []history.Write
	for i := range rows.Len() {
		r := rows.Row(i)
		pkey, _ := r[p].Int64()
		w := history.Write{Item: history.Item{Table: info.Target, PKey: pkey}, From: history.Unborn,
			To: history.State(info.VKey)}
		if info.Kind == sqltext.Update {
			from, ok := r[pv].Int64()
			if !ok {
				return nil, &BadAnswer{What: fault.BadKey, Why: finding.Say("table %v: %v is %v", info.Target, sqltext.PVKey,
					r[pv])}
			}
			w.From = history.State(from)
			if w.From == w.To && !b.Block.Info.Diff { // it changes each row once
				return nil, &BadAnswer{What: fault.OverwroteItself, Why: finding.Say("%v: the version that it overwrote is its own",
					history.Item{Table: info.Target, PKey: pkey})}
			}
		}
		out = append(out, w)
	}
	return out, nil
}

// returned tells what a block wrote from the rows that it returned: as a DELETE found them, and as others left them.
func (o *observer) returned(b *BlockRun, sets *versionSets) ([]history.Write, error) {
	info := b.Block.Info
	rows := b.AWR.Rows
	written, err := o.keys(info.Target, rows)
	if err != nil {
		return nil, err
	}
	if len(written) != rows.Len() {
		return nil, &BadAnswer{What: fault.RowTwice, Why: finding.Say("the write returned a row of %v twice", info.Target),
			Returned: true}
	}
	if info.Kind == sqltext.Delete {
		return difference(info.Target, written, nil), nil
	}
	before := map[int64]int64{}
	for pkey := range written {
		if vkey, there := sets.visible[info.Target][pkey]; there {
			before[pkey] = vkey
		}
	}
	return difference(info.Target, before, written), nil
}

// compared tells what a block wrote in a table from what that held before it and after it.
func (o *observer) compared(b *BlockRun, table string, sets *versionSets, after map[int64]int64) []history.Write {
	before := sets.visible[table]
	if latest, read := sets.latest[table]; read {
		before = latest
	}
	plain, read := sets.plain[table]
	if read && b.Block.Info.Kind == sqltext.Delete && table == b.Block.Info.Target {
		return o.deletions(b, plain, before, after)
	}
	if read {
		before = plain
	}
	return difference(table, before, after)
}

// unwrite puts a version set that was read after a write back to what it was before.
func unwrite(seen map[int64]int64, writes []history.Write) {
	for _, w := range writes {
		switch {
		case seen == nil: // the target was not read: a plain INSERT
		case w.From == history.Unborn:
			delete(seen, w.PKey)
		default:
			seen[w.PKey] = int64(w.From)
		}
	}
}

// deletions tells what a DELETE with a current view removed where reads after it see the snapshot: the rows that a
// plain read saw before it and does not see after it, and those that the locking read before it found and no plain
// read sees after it: but at the place where the snapshot has them, from which another transaction has moved them.
func (o *observer) deletions(b *BlockRun, plain, visible, after map[int64]int64) []history.Write {
	gone := map[int64]int64{}
	for pkey, vkey := range plain {
		if _, there := after[pkey]; there {
			continue
		}
		if o.displaced(b, history.Version{Item: history.Item{Table: b.Block.Info.Target, PKey: pkey}, VKey: vkey}) {
			continue
		}
		gone[pkey] = vkey
		if current, there := visible[pkey]; there {
			gone[pkey] = current
		}
	}
	if b.Target.Err == nil {
		for pkey, vkey := range b.matched(b.BWR) {
			item := history.Item{Table: b.Block.Info.Target, PKey: pkey}
			old, there := after[pkey]
			if !there || o.covers(b.Block.Txn, history.Version{Item: item, VKey: old}, history.Version{Item: item, VKey: vkey}) {
				gone[pkey] = vkey
			}
		}
	}
	return difference(b.Block.Info.Target, gone, nil)
}

// displaced says whether a row of the snapshot goes out of sight with a DELETE because that removes another row: one
// that the locking read before it found, unlike the first, and that others have put into the place where the snapshot
// has the first, which is no more or lies elsewhere.
func (o *observer) displaced(b *BlockRun, old history.Version) bool {
	found := b.matched(b.BWR)
	if _, there := found[old.PKey]; there || !o.mixes(b.Block.Txn) {
		return false
	}
	places := o.places(old)
	for pkey, vkey := range found {
		at := o.places(history.Version{Item: history.Item{Table: old.Table, PKey: pkey}, VKey: vkey})
		if slices.ContainsFunc(at, func(place string) bool { return slices.Contains(places, place) }) {
			return true
		}
	}
	return false
}

// difference tells the writes that lie between two version sets of a table, sorted by pkey.
func difference(table string, before, after map[int64]int64) []history.Write {
	var out []history.Write
	for pkey, old := range before {
		w := history.Write{Item: history.Item{Table: table, PKey: pkey}, From: history.State(old), To: history.Dead}
		now, there := after[pkey]
		if there {
			w.To = history.State(now)
		}
		if !there || now != old {
			out = append(out, w)
		}
	}
	for pkey, now := range after {
		if _, there := before[pkey]; !there {
			out = append(out, history.Write{Item: history.Item{Table: table, PKey: pkey}, From: history.Unborn,
				To: history.State(now)})
		}
	}
	slices.SortFunc(out, func(a, b history.Write) int { return int(a.PKey - b.PKey) })
	return out
}

// certainDeletes returns what a DELETE that waited has deleted, where that is certain: others may have written
// between the two version sets around it, and rolled it back. seen is the one before it. A row that is gone was
// deleted by it if no other statement deleted it and nobody rolled back what he wrote to it; and these must be as
// many as it says. What others had not committed when the second one was read, it does not show either way, but to
// those who read what is uncommitted. Else nil: the run is judged without its writes, and repeated in an order in which
// it need not wait.
func (o *observer) certainDeletes(b *BlockRun, seen, after map[int64]int64) []history.Write {
	info := b.Block.Info
	if info.Kind != sqltext.Delete || b.Block.Carries() || b.Target.Err != nil || b.Block.View == dbms.Current &&
		o.plan.Profile.ReadModes.Observer != dbms.DirtyObserver {
		return nil
	}
	last, shown := maps.Clone(seen), o.shownAfter(b)
	for _, s := range o.out.Stmts {
		if slices.Contains(s.Unsure, info.Target) {
			return nil
		}
		for _, w := range s.Writes {
			switch {
			case w.Table != info.Target:
			case w.To == history.Dead || o.run.Txns[s.Txn] != history.Committed || s.Undone || !shown[s.Txn]:
				delete(last, w.PKey)
			case last[w.PKey] == int64(w.From) || w.From == history.Unborn:
				last[w.PKey] = int64(w.To)
			}
		}
	}
	for _, other := range o.run.Blocks {
		if other != b && other.Waited && other.Block.Info.Diff && slices.Contains(other.Block.Writes, info.Target) {
			return nil // they may have woken together
		}
	}
	writes := difference(info.Target, last, after)
	writes = slices.DeleteFunc(writes, func(w history.Write) bool { return w.To != history.Dead })
	if int64(len(writes)) != b.Target.Affected {
		return nil
	}
	return writes
}

// shownAfter returns the transactions whose writes the reads after a block show.
func (o *observer) shownAfter(b *BlockRun) map[int]bool {
	out := map[int]bool{b.Block.Txn: true}
	for _, e := range o.run.Trace.Events {
		ends := e.Role == history.End || e.Role == history.Target && e.Txn >= 0 && o.plan.Txns[e.Txn].Autocommit()
		if o.plan.Profile.ReadModes.Observer == dbms.DirtyObserver || ends && e.Done < b.AWR.Done {
			out[e.Txn] = true
		}
	}
	return out
}

// deletesNothing says of a block that it deleted no row, and so carried nothing to others: a trigger could have done so
// before it kept a row.
func (o *observer) deletesNothing(b *BlockRun) bool {
	info := b.Block.Info
	return info.Kind == sqltext.Delete && !info.Truncates && b.Target.Err == nil && b.Target.Affected == 0 &&
		len(o.plan.Schema.On(info.Target)) == 0
}
