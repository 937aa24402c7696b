package exec

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"txweave/dbms"
	"txweave/history"
	"txweave/instrument"
	"txweave/oracle/observe"
	"txweave/sql/sqltext"
)

// Stamps are the times of a transaction by the database's own clock; 0 is one that it did not give, as there is no
// commit of what wrote nothing.
type Stamps struct{ Start, Commit uint64 }

// Stamps returns the times of the session's last transaction, which must have committed.
func (s *Session) Stamps(ctx context.Context) (Stamps, error) {
	clock := s.protocol.Clock
	if clock == nil {
		return Stamps{}, errors.New("the database has no clock of its own")
	}
	rows, err := s.Read(ctx, clock.Ask)
	if err != nil {
		return Stamps{}, err
	}
	times, err := clock.Read(rows.Row(0))
	if err != nil {
		return Stamps{}, err
	}
	out := Stamps{Start: times.Start}
	if times.EndedStart == times.Start { // else it is an earlier one's: this one wrote nothing
		out.Commit = times.EndedCommit
	}
	return out, nil
}

// SnapshotQuery is the query for what the open transaction sees (Protocol.Snapshot).
func (s *Session) SnapshotQuery() string { return s.protocol.Snapshot }

// stamp files the timestamps that followed a target or the end of a transaction.
func (s *runState) stamp(t *track, e *history.Event, row []history.Value) error {
	if row == nil {
		return nil
	}
	times, err := t.lane.session.protocol.Clock.Read(row)
	if err != nil {
		return fmt.Errorf("timestamps after %s: %w", clip(e.Text), err)
	}
	c := s.out.Certificate
	if c == nil {
		n := len(s.plan.Txns)
		c = &observe.Account{Start: make([]uint64, n), Commit: make([]uint64, n), Read: map[*observe.BlockRun]uint64{}}
		s.out.Certificate = c
	}
	switch {
	case s.plan.Txns[t.txn].Autocommit():
		if e.Role == history.Target && t.unit.block.Info.Target != "" && e.Affected > 0 { // else it is an earlier one's
			c.Start[t.txn], c.Commit[t.txn] = times.EndedStart, times.EndedCommit
		}
	case e.Role == history.Target:
		c.Start[t.txn] = times.Start
		c.Read[t.unit.run] = times.Read
		if t.unit.block.View == dbms.Snapshot {
			c.Read[t.unit.run] = times.Start
		}
	case e.Role == history.End:
		if times.EndedStart == c.Start[t.txn] { // else it is an earlier one's: this one wrote nothing
			c.Commit[t.txn] = times.EndedCommit
		}
	}
	return nil
}

// certify completes the certificate when the run is over.
func (s *runState) certify() error {
	c := s.out.Certificate
	c.Snapshots = make([]map[string]map[int64]int64, len(s.plan.Txns))
	if err := s.versions(c); err != nil {
		return err
	}
	past, err := s.target.Observe(s.ctx, FirstNode, ReadCommitted)
	if err != nil {
		return err
	}
	defer past.Close()
	for i := range s.plan.Txns {
		plain := slices.ContainsFunc(s.plan.Txns[i].Blocks, func(b *instrument.Block) bool { return b.View == dbms.Snapshot })
		if !plain || c.Start[i] == 0 {
			continue
		}
		clock := past.protocol.Clock
		var answer *AnswerError
		switch err := past.Must(s.ctx, clock.Past(c.Start[i])); {
		case errors.As(err, &answer) && clock.NoPast != "" && strings.Contains(answer.Err.Message, clock.NoPast):
			return nil // it will know later
		case err != nil:
			return s.classify(err)
		}
		c.Snapshots[i] = map[string]map[int64]int64{}
		for _, t := range s.plan.Schema.Tables {
			if !keepsVersions(t) {
				continue
			}
			rows, err := past.Read(s.ctx, fmt.Sprintf("SELECT %s, %s FROM %s", sqltext.PKey, sqltext.VKey, t.Name))
			if err != nil {
				return s.classify(err)
			}
			c.Snapshots[i][t.Name] = keyed(rows)
		}
	}
	return nil
}

// keepsVersions says whether a table has the columns that name its versions: that of a case with an order of its own
// need not, and then there is nothing to account for.
func keepsVersions(t *sqltext.Table) bool {
	return slices.Contains(t.Names(), sqltext.PKey) && slices.Contains(t.Names(), sqltext.VKey)
}

// keyed reads the columns pkey and vkey, wherever they are.
func keyed(rows *history.Rows) map[int64]int64 {
	p, v := slices.Index(rows.Columns, sqltext.PKey), slices.Index(rows.Columns, sqltext.VKey)
	out := make(map[int64]int64, rows.Len())
	for i := range rows.Len() {
		pkey, _ := rows.Row(i)[p].Int64()
		vkey, _ := rows.Row(i)[v].Int64()
		out[pkey] = vkey
	}
	return out
}

// truncates says whether a statement of the case is TRUNCATE of a table.
func (s *runState) truncates(table string) bool {
	return slices.ContainsFunc(s.plan.Txns, func(t instrument.TxnPlan) bool {
		return slices.ContainsFunc(t.Blocks, func(b *instrument.Block) bool {
			return b.Info.Truncates && b.Info.Target == table
		})
	})
}

// changed are the pkeys of a table's rows that changed or were written, in order.
func (s *runState) changed(table string) (keys []int64) {
	before, after := keyed(s.initial[table]), keyed(s.out.Final[table])
	add := func(rows map[int64]int64, than map[int64]int64) {
		for pkey, vkey := range rows {
			if old, there := than[pkey]; (!there || old != vkey) && !slices.Contains(keys, pkey) {
				keys = append(keys, pkey)
			}
		}
	}
	add(before, after)
	add(after, before)
	for _, b := range s.out.Blocks {
		add(b.Left(table), before) // one that is gone again is neither here nor there
	}
	slices.Sort(keys)
	return keys
}

// versions asks the store for the versions of every item that changed or was written.
func (s *runState) versions(c *observe.Account) error {
	c.Versions, c.Untold = map[history.Item][]observe.VersionStamp{}, map[string]bool{}
	for _, t := range s.plan.Schema.Tables {
		// The store finds rows by their primary key, in one table, and a table that is emptied is another one to it.
		if !keepsVersions(t) || s.plan.Contents[t.Name] || t.Partitioned || t.Apart ||
			!slices.Equal(t.Key, []string{sqltext.PKey}) || s.truncates(t.Name) {
			c.Untold[t.Name] = true
			continue
		}
		for chunk := range slices.Chunk(s.changed(t.Name), 40) {
			versions, err := s.committed.protocol.Clock.Versions(s.ctx, s.committed, t, chunk)
			var answer *AnswerError
			switch {
			case errors.As(err, &answer): // this version does not tell, or not this user
				c.Versions = nil
				return nil
			case err != nil:
				return err
			}
			for pkey, v := range versions {
				c.Versions[history.Item{Table: t.Name, PKey: pkey}] = v
			}
		}
	}
	return nil
}
