package exec

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"txweave/dbms"
	"txweave/history"
)

// BareStmt is one statement as it was answered: over which connection, whether it returned rows, and the code of
// the database's error, 0 for none.
type BareStmt struct {
	Conn  string
	SQL   string
	Query bool
	Err   int
}

// Record makes the runner append every statement that is answered to into, in the order of the answers;
// statements that concurrency undid are left out. nil stops it.
func (r *Runner) Record(into *[]BareStmt) { r.recorded = into }

// BareRate is what Bare measured.
type BareRate struct {
	Statements int // answered as they were when recorded
	// Different statements were answered otherwise: purge runs when it likes, and what it has not removed yet can
	// be locked. They are in neither Statements nor Elapsed.
	Different int
	Elapsed   time.Duration
}

// Bare sends recorded statements again over the same connections, in the same order, reads every answer to its
// end and looks at none: the limit that the runner's own statement rate is measured against. Nothing waits for a
// lock: a statement that would have to is refused, and what says how long sessions wait (dbms.PlanSetting.Impatient) is
// left out.
func (r *Runner) Bare(ctx context.Context, recorded []BareStmt) (*BareRate, error) {
	conns := map[string]driver.Conn{
		controlConn:   r.target.Control().conn,
		committedConn: r.committed.conn,
		replayConn:    r.replayer.conn,
	}
	if r.latest != nil {
		conns[latestConn] = r.latest.conn
	}
	for i, l := range r.lanes {
		conns[history.SessionName(i)] = l.session.conn
		if err := l.session.Must(ctx, r.profile.Sessions.NoWait...); err != nil {
			return nil, err
		}
	}
	if err := r.target.Clear(ctx); err != nil { // the recording begins on an empty database
		return nil, err
	}
	out := &BareRate{}
	timeouts := lockTimeouts(r.profile)
	used := false // by transactions, since the tables were made
	for i, rec := range recorded {
		if slices.Contains(timeouts, rec.SQL) {
			continue
		}
		if rec.Conn == controlConn && used {
			// No transaction was open when this was recorded. One is now if it met another error, or if its end was the
			// database's doing; it would keep others from its tables for good.
			if err := r.rollBack(ctx); err != nil {
				return nil, fmt.Errorf("statement %d of the recording: %w", i, err)
			}
			used = false
		}
		used = used || rec.Conn != controlConn
		start := time.Now()
		same, err := bare(ctx, conns[rec.Conn], rec, r.replayer.protocol)
		if err != nil {
			return nil, fmt.Errorf("statement %d of the recording, over %s: %w", i, rec.Conn, err)
		}
		if !same {
			out.Different++
			continue
		}
		out.Statements++
		out.Elapsed += time.Since(start)
	}
	return out, nil
}

// rollBack ends whatever transactions the lanes have open.
func (r *Runner) rollBack(ctx context.Context) error {
	for _, l := range r.lanes {
		if _, err := l.session.Exec(ctx, "ROLLBACK"); err != nil {
			return err
		}
	}
	return nil
}

// lockTimeouts are the statements of settings that say how long a session waits for a lock.
func lockTimeouts(p *dbms.Profile) (sqls []string) {
	for i := range p.Variants.Plans {
		if s := &p.Variants.Plans[i]; s.Impatient {
			sqls = slices.Concat(sqls, s.Set, s.Unset)
		}
	}
	return sqls
}

// bare sends one statement and says whether it met the same error as before, or none.
func bare(ctx context.Context, conn driver.Conn, rec BareStmt, p *Protocol) (same bool, err error) {
	err = func() error {
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
	code := 0
	if db := p.DBError(err); db != nil {
		code = db.Code
	}
	if code != 0 {
		err = nil
	}
	return code == rec.Err, err
}
