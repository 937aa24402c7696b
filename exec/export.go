package exec

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"txweave/history"
	"txweave/instrument"
	"txweave/sql/sqltext"
)

// Snapshots that transactions export: the database's own account of what each of them sees.

// snapshotName asks for the name of the snapshot that the session's transaction has; "" where that is refused.
func (s *Session) snapshotName(ctx context.Context) (string, error) {
	rows, err := s.Read(ctx, s.protocol.Export.Ask)
	var refused *AnswerError
	switch {
	case errors.As(err, &refused):
		return "", nil
	case err != nil || rows.Len() != 1:
		return "", err
	}
	return rows.Cell(0, 0).S, nil
}

// exports says whether the snapshot of a transaction is asked for before an action: the first of a statement over its
// own connection, where it keeps the snapshot and no savepoint is set, inside of which none is given.
func (s *runState) exports(t *track, act action) bool {
	txn := &s.plan.Txns[t.txn]
	if !txn.Certified || t.exported || t.lane.session.protocol.Export == nil || act.conn != instrument.Own ||
		t.unit.block == nil || !t.unit.block.Snaps() || t.marks.Any() {
		return false
	}
	t.exported = true
	return true
}

// account files what the database tells of a statement and its transaction beside the answer. An error has ended the
// transaction where snapshots can be exported, and its snapshot with it.
func (s *runState) account(t *track, e *history.Event, rep reply) error {
	if err := s.stamp(t, e, rep.stamps); err != nil || rep.snapshot == "" || rep.answer.Err != nil {
		return err
	}
	return s.readExported(t, rep.snapshot)
}

// readExported reads what the snapshot of a transaction holds of the tables whose rows name their versions. Of a
// snapshot that is gone nothing is known.
func (s *runState) readExported(t *track, name string) error {
	var parts, tables []string
	for _, table := range s.plan.Schema.Tables {
		if keepsVersions(table) && !s.plan.Contents[table.Name] {
			parts = append(parts, fmt.Sprintf("SELECT %d AS t, %s, %s FROM %s", len(tables), sqltext.PKey,
				sqltext.VKey, table.Name))
			tables = append(tables, table.Name)
		}
	}
	if len(parts) == 0 {
		return nil
	}
	control := s.target.Control()
	rows, err := control.Read(s.ctx, control.protocol.Export.As(name, strings.Join(parts, " UNION ALL ")))
	if _, ok := errors.AsType[*AnswerError](err); ok {
		return control.Must(s.ctx, "ROLLBACK")
	}
	if err != nil {
		return s.classify(err)
	}
	if s.out.Exported == nil {
		s.out.Exported = make([]map[string]map[int64]int64, len(s.plan.Txns))
	}
	held := map[string]map[int64]int64{}
	for _, name := range tables {
		held[name] = map[int64]int64{}
	}
	for i := range rows.Len() {
		var row [3]int64
		for k, v := range rows.Row(i) {
			row[k], _ = v.Int64()
		}
		held[tables[row[0]]][row[1]] = row[2]
	}
	s.out.Exported[t.txn] = held
	return nil
}
