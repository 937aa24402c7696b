package weave

import (
	"txweave/dbms"
	"txweave/history"
	"txweave/observe"
	"txweave/oracle/tidbcert"
)

// certificates lists where a run disagrees with the database's own account of it.
func certificates(obs *observation, run *observe.Run) []tidbcert.Anomaly {
	c := run.Certificate
	if c == nil {
		return nil
	}
	h := &tidbcert.History{Initial: obs.input.Initial, Txns: make([]tidbcert.Txn, len(run.Txns))}
	for i := range h.Txns {
		h.Txns[i] = tidbcert.Txn{Name: history.SessionName(i), Committed: run.Txns[i] == history.Committed,
			Start: c.Start[i], Commit: c.Commit[i], Snapshot: c.Snapshots[i]}
	}
	for _, e := range run.Trace.Events {
		switch e.Role {
		case history.Begin:
			h.Txns[e.Txn].Began = e.Start
		case history.End:
			h.Txns[e.Txn].Ended = e.End
		}
	}
	if c.Versions != nil {
		h.Versions = map[history.Item][]tidbcert.Version{}
		for item, versions := range c.Versions {
			h.Versions[item] = nil
			for _, v := range versions {
				h.Versions[item] = append(h.Versions[item], tidbcert.Version(v))
			}
		}
	}
	for _, b := range run.Blocks {
		s := obs.built[b]
		if s == nil {
			continue
		}
		stmt := tidbcert.Stmt{Name: s.Name, Txn: s.Txn, Printed: s.Out, Writes: s.Writes}
		if b.Target.Err == nil {
			stmt.At = c.Read[b]
		}
		if b.Block.View == dbms.Snapshot {
			stmt.Saw = map[string]map[int64]int64{}
			for _, r := range s.Reads {
				stmt.Saw[r.Table] = r.Seen
			}
		}
		if b.Waited && b.Block.Info.Diff {
			stmt.Unsure = b.Block.Info.Target
		}
		h.Stmts = append(h.Stmts, stmt)
	}
	return tidbcert.Find(h)
}
