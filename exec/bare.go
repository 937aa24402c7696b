package exec

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"time"
)

// Recorded is one statement as it was answered: over which connection, and whether it returned rows.
type Recorded struct {
	Conn  string
	SQL   string
	Query bool
}

// Record makes the runner append every statement that is answered to into, in the order of the answers;
// statements that concurrency undid are left out. nil stops it.
func (r *Runner) Record(into *[]Recorded) { r.recorded = into }

// Bare sends recorded statements again over the same connections, in the same order, reads every answer to its
// end and looks at none: the limit that the runner's own statement rate is measured against.
func (r *Runner) Bare(ctx context.Context, recorded []Recorded) (time.Duration, error) {
	conns := map[string]driver.Conn{
		controlConn:   r.target.Control().conn,
		committedConn: r.committed.conn,
		replayConn:    r.replayer.conn,
	}
	if r.latest != nil {
		conns[latestConn] = r.latest.conn
	}
	for i, l := range r.lanes {
		conns[laneName(i)] = l.session.conn
	}
	start := time.Now()
	for i, rec := range recorded {
		if err := bare(ctx, conns[rec.Conn], rec, r.replayer.dialect); err != nil {
			return 0, fmt.Errorf("statement %d of the recording, over %s: %w", i, rec.Conn, err)
		}
	}
	return time.Since(start), nil
}

// bare sends one statement; the database's error is an answer like any other.
func bare(ctx context.Context, conn driver.Conn, rec Recorded, d *dialect) error {
	err := func() error {
		if !rec.Query {
			_, err := conn.(driver.ExecerContext).ExecContext(ctx, rec.SQL, nil)
			return err
		}
		rows, err := conn.(driver.QueryerContext).QueryContext(ctx, rec.SQL, nil)
		if err != nil {
			return err
		}
		dest := make([]driver.Value, len(rows.Columns()))
		for err == nil {
			err = rows.Next(dest)
		}
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return errors.Join(err, rows.Close())
	}()
	if err != nil && d.dbError(err) != nil {
		return nil
	}
	return err
}
