package weave

import (
	"cmp"
	"slices"
	"txweave/dbms"
	"txweave/observe"

	"txweave/history"
	"txweave/oracle/snapshot"
	"txweave/sdg"
)

// snapshots lists the plain reads of a run that did not see their snapshot.
func (k *checker) snapshots(obs *observation, run *observe.Run) []snapshot.Anomaly {
	h := &snapshot.History{Initial: obs.input.Initial}
	for i := range k.plan.Txns {
		h.Sessions = append(h.Sessions, k.plan.Txns[i].Session)
	}
	of := map[*history.Event]*observe.BlockRun{} // of the reads and targets that count
	for _, b := range run.Blocks {
		if obs.built[b] == nil {
			continue
		}
		of[b.Target] = b
		if b.Block.View == dbms.Snapshot && len(b.VSR) > 0 {
			of[b.VSR[0]] = b
		}
	}
	for _, e := range slices.SortedFunc(slices.Values(run.Trace.Events), func(a, b *history.Event) int { return cmp.Compare(a.Done, b.Done) }) {
		if e.Txn < 0 {
			continue
		}
		h.Events = append(h.Events, k.snapshotEvents(run, obs, e, of[e])...)
	}
	return snapshot.Find(h, k.plan.Profile.SnapshotScope())
}

// snapshotEvents is what one statement of a trace means to the snapshot oracle; b is the block whose version-set read or
// target it is, nil if it is neither or belongs to an attempt that was given up.
func (k *checker) snapshotEvents(run *observe.Run, obs *observation, e *history.Event, b *observe.BlockRun) []snapshot.Event {
	p := k.plan.Profile
	answered := e.Err == nil || p.Classify(e.Err.Code) == dbms.Deterministic
	event := snapshot.Event{Txn: e.Txn}
	switch {
	case !answered:
	case e.Role == history.Begin && p.BeginTakesSnapshot(e.Text):
		return []snapshot.Event{event}
	case e.Role == history.End && run.Txns[e.Txn] == history.Committed:
		event.Kind = snapshot.Commit
		return []snapshot.Event{event}
	case b == nil || e.Stmt < 0:
		// A read that was given up took the snapshot all the same.
		if e.Stmt >= 0 && k.takesSnapshot(e) {
			return []snapshot.Event{event}
		}
	default:
		return blockEvents(e, b, obs.built[b], k.takesSnapshot(e))
	}
	return nil
}

// takesSnapshot says whether a statement reads the snapshot over its transaction's own connection.
func (k *checker) takesSnapshot(e *history.Event) bool {
	b := k.plan.Txns[e.Txn].Blocks[e.Stmt]
	own := e.Session == history.SessionName(k.plan.Txns[e.Txn].Session)
	return own && b.View == dbms.Snapshot && (len(b.VSR) > 0 || b.Info.Target != "")
}

// blockEvents is what a version-set read or a target saw and wrote.
func blockEvents(e *history.Event, b *observe.BlockRun, s *sdg.Stmt, reads bool) []snapshot.Event {
	read := snapshot.Event{Kind: snapshot.Read, Txn: e.Txn, Stmt: s.Name}
	if e != b.Target {
		read.Tables = map[string]map[int64]int64{}
		for _, r := range s.Reads {
			read.Tables[r.Table] = r.Seen
		}
		return []snapshot.Event{read}
	}
	var out []snapshot.Event
	if reads {
		read.Printed = s.Out
		out = append(out, read)
	}
	if info := b.Block.Info; info.Target != "" {
		w := snapshot.Event{Kind: snapshot.Write, Txn: e.Txn, Stmt: s.Name, Writes: s.Writes}
		if b.Waited && info.Diff {
			w.Unknown = info.Target
		}
		out = append(out, w)
	}
	return out
}
