// Package exec reaches databases: it opens sessions, runs instrumented cases in the order of a schedule while
// statements block and wake, replays statements one by one, and looks after private servers.
package exec

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"
	"unsafe"

	"txweave/history"
)

// Session is one client connection, used by one goroutine at a time. Statements go straight to the driver, so
// that nothing is sent that the case does not hold.
type Session struct {
	conn     driver.Conn
	id       uint64 // the server's number of the connection; 0 if it has none
	protocol *Protocol
	raw      *network // below conn; nil where there is no network
	refused  string   // the last statement and its error; "" where it was answered without one
}

// NewSession makes a session of a connection that is open; id is the server's number of it, 0 if it has none.
func NewSession(conn driver.Conn, id uint64, p *Protocol) *Session {
	return &Session{conn: conn, id: id, protocol: p}
}

// Interrupter is a connection to an embedded engine, whose statement is ended over the connection itself.
type Interrupter interface{ Interrupt() }

// Wire is the network connection below the session's, for requests that its driver does not know; nil where what goes
// over it is encrypted or compressed, or there is none. Whoever uses it is to close the session then.
func (s *Session) Wire() net.Conn {
	if s.raw == nil || s.raw.follow == nil {
		return nil
	}
	return s.raw.Conn
}

// ID is the server's number of the connection; 0 if it has none.
func (s *Session) ID() uint64 { return s.id }

// Conn is the connection that the session's statements go over.
func (s *Session) Conn() driver.Conn { return s.conn }

// Over returns the session with another connection in place of its own: one that wraps it.
func (s *Session) Over(conn driver.Conn) *Session {
	over := *s
	over.conn = conn
	return &over
}

// DBError returns a driver's error as the database's answer; nil if the database did not answer it.
func (s *Session) DBError(err error) *history.DBError { return s.protocol.DBError(err) }

// hardLimit ends a statement whose session nobody watches, and one that survives KILL QUERY: its context expires
// and the connection with it. Lock waits end long before (dbms.Sessions.WaitLimits).
var hardLimit = 60 * time.Second // a variable for tests

// longer is the key of how long a statement may take that says itself that it takes longer than others.
type longer struct{}

// limitOf is after how long a statement is ended that nobody watches.
func limitOf(ctx context.Context) time.Duration {
	own, _ := ctx.Value(longer{}).(time.Duration)
	return hardLimit + own
}

// written is a result of a driver that tells how many rows the statement wrote, apart from those that it returned.
type written interface{ Affected() int64 }

// selected is a result of a driver that tells whether the statement was a query: one may have no columns.
type selected interface{ Selected() bool }

// Returning is Query of a write that returns the rows which it writes: Affected is how many the database says they are.
func (s *Session) Returning(ctx context.Context, sql string) (history.Answer, error) {
	return s.query(ctx, sql, func(rows driver.Rows, read *history.Rows) int64 {
		if w, ok := rows.(written); ok {
			return w.Affected()
		}
		return int64(read.Len())
	})
}

// Query sends a statement that returns rows. The error is the connection's or the environment's, never the
// database's answer; the latter may also come in mid-result, and the rows are then dropped.
func (s *Session) Query(ctx context.Context, sql string) (history.Answer, error) {
	return s.query(ctx, sql, func(driver.Rows, *history.Rows) int64 { return -1 })
}

func (s *Session) query(ctx context.Context, sql string, affected func(driver.Rows, *history.Rows) int64) (
	answer history.Answer, err error) {
	defer s.unreadable(sql, &answer, &err)
	q, ok := s.conn.(driver.QueryerContext)
	if !ok {
		return history.Answer{}, fmt.Errorf("driver %T cannot query", s.conn)
	}
	if ended := ctx.Err(); ended != nil { // nothing is sent, and the connection is as good as it was
		return s.failed(ctx, sql, ended)
	}
	sending, over := s.watched(ctx)
	defer over()
	rows, err := q.QueryContext(sending, sql, nil)
	if err != nil {
		return s.failed(ctx, sql, err)
	}
	out, err := readRows(rows)
	if errors.Is(err, ErrTooLarge) {
		s.hangUp(over) // to close the rows is to read the rest of them
	}
	if cerr := rows.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return s.failed(ctx, sql, err)
	}
	s.refused = ""
	// MERGE, EXECUTE of a write, VACUUM; a DELETE … RETURNING of which the database knows that no row matches.
	if len(out.Columns) == 0 && !isSelected(rows) {
		answer := history.Answer{Affected: affected(rows, out)}
		if w, ok := rows.(written); ok {
			answer.Affected = w.Affected()
		}
		return answer, nil
	}
	return history.Answer{Rows: out, Affected: affected(rows, out)}, nil
}

func isSelected(rows driver.Rows) bool {
	q, ok := rows.(selected)
	return ok && q.Selected()
}

// Scratch sends a query whose answer goes through a table of its own, reads that and drops it.
func (s *Session) Scratch(ctx context.Context, sql, read, drop string) (history.Answer, error) {
	made, err := s.Exec(ctx, sql)
	if err != nil || made.Err != nil {
		return made, err
	}
	var warnings []history.Warning
	if s.protocol.Warnings != "" {
		if warnings, err = s.readWarnings(ctx); err != nil {
			return made, err
		}
	}
	answer, err := s.Query(ctx, read)
	if err != nil {
		return answer, err
	}
	answer.Warnings = warnings
	return answer, s.Must(ctx, drop)
}

// Exec sends a statement that returns no rows.
func (s *Session) Exec(ctx context.Context, sql string) (answer history.Answer, err error) {
	defer s.unreadable(sql, &answer, &err)
	x, ok := s.conn.(driver.ExecerContext)
	if !ok {
		return history.Answer{}, fmt.Errorf("driver %T cannot execute", s.conn)
	}
	if ended := ctx.Err(); ended != nil { // nothing is sent, and the connection is as good as it was
		return s.failed(ctx, sql, ended)
	}
	sending, over := s.watched(ctx)
	defer over()
	res, err := x.ExecContext(sending, sql, nil)
	if err != nil {
		return s.failed(ctx, sql, err)
	}
	n, err := res.RowsAffected()
	if err != nil {
		return s.failed(ctx, sql, err)
	}
	s.refused = ""
	return history.Answer{Affected: n}, nil
}

// watched returns the context for a driver that sends something. Over a network that is one that never ends, as a
// driver starts a goroutine, or wakes one, to watch another, which costs more than a short statement: what the driver
// waits for fails when ctx ends (see call). over has to be called.
func (s *Session) watched(ctx context.Context) (sending context.Context, over func()) {
	if s.raw == nil {
		return context.WithTimeout(ctx, limitOf(ctx))
	}
	s.raw.begin(ctx)
	return context.WithoutCancel(ctx), s.raw.over
}

// hangUp ends a statement whose answer nobody reads to its end.
func (s *Session) hangUp(over func()) {
	if s.raw != nil {
		_ = s.raw.SetDeadline(past)
		return
	}
	over()
}

// ended is the error of what a statement was sent under: ctx, and the limit on what nobody watches.
func (s *Session) ended(ctx context.Context) error {
	if s.raw == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	return s.raw.call.err()
}

// failed sorts an error of something that was sent under ctx into the database's answer and the connection's failure.
func (s *Session) failed(ctx context.Context, sql string, err error) (history.Answer, error) {
	if end := s.ended(ctx); end != nil && s.raw != nil && !errors.Is(err, ErrTooLarge) {
		err = end
	}
	if db := s.protocol.DBError(err); db != nil {
		s.refused = clip(sql) + ": " + db.String()
		return history.Answer{Affected: -1, Err: db}, nil
	}
	if s.raw != nil && s.raw.flooded() { // which drivers call the loss of their connection
		err = fmt.Errorf("%w: more than %d MiB", ErrTooLarge, maxAnswer>>20)
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		err = fmt.Errorf("%w: %w", ErrTimeout, err)
	case errors.Is(err, context.Canceled), errors.Is(err, ErrTooLarge), errors.Is(err, errValue):
	default:
		return history.Answer{}, &LostError{Statement: clip(sql), After: s.refused, Err: err}
	}
	return history.Answer{}, fmt.Errorf("%s: %w", clip(sql), err)
}

// Must sends statements of our own that cannot fail on a healthy database; the database's error becomes ours.
func (s *Session) Must(ctx context.Context, sqls ...string) error {
	for _, sql := range sqls {
		a, err := s.Exec(ctx, sql)
		if err == nil && a.Err != nil {
			err = &AnswerError{Text: clip(sql), Err: a.Err}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Read sends a query of our own that cannot fail on a healthy database.
func (s *Session) Read(ctx context.Context, sql string) (*history.Rows, error) {
	a, err := s.Query(ctx, sql)
	if err == nil && a.Err != nil {
		err = &AnswerError{Text: clip(sql), Err: a.Err}
	}
	return a.Rows, err
}

// AnswerError is a database's error in answer to a statement of ours.
type AnswerError struct {
	Text string
	Err  *history.DBError
}

func (e *AnswerError) Error() string { return fmt.Sprintf("%s: %s", e.Text, e.Err) }

// readWarnings returns the warnings of the last statement.
func (s *Session) readWarnings(ctx context.Context) ([]history.Warning, error) {
	rows, err := s.Read(ctx, s.protocol.Warnings)
	if err != nil {
		return nil, err
	}
	var out []history.Warning
	for i := range rows.Len() {
		code, _ := rows.Cell(i, 1).Int64()
		w := history.Warning{Level: rows.Cell(i, 0).S, Code: int(code), Message: rows.Cell(i, 2).S}
		if s.protocol.Asides == nil || !s.protocol.Asides(w) {
			out = append(out, w)
		}
	}
	return out, nil
}

// unreadable makes a panic of a driver, which takes what comes over the network for what a server may send, the loss of
// its connection: a server that is broken, or a byte that changed under way, must not end a campaign. Deferred.
func (s *Session) unreadable(sql string, answer *history.Answer, err *error) {
	if s.protocol.InProcess {
		return
	}
	if why := recover(); why != nil {
		*answer, *err = history.Answer{}, &LostError{Statement: clip(sql),
			Err: fmt.Errorf("the driver cannot read the answer: panic: %v", why)}
	}
}

// Close ends the connection.
func (s *Session) Close() (err error) {
	defer s.unreadable("the end of the connection", &history.Answer{}, &err)
	return s.conn.Close()
}

// MaxResult is how large a result may be, in bytes: a join of many tables under a condition that is always true must
// not take the memory of the machine.
const MaxResult = 128 << 20

// readRows reads a result to its end, where an error may still come.
func readRows(rows driver.Rows) (*history.Rows, error) {
	out := &history.Rows{Columns: rows.Columns()}
	if t, ok := rows.(driver.RowsColumnTypeDatabaseTypeName); ok {
		out.Types = make([]string, len(out.Columns))
		for i := range out.Columns {
			out.Types[i] = t.ColumnTypeDatabaseTypeName(i)
		}
	}
	dest := make([]driver.Value, len(out.Columns))
	for size := 0; ; {
		if err := rows.Next(dest); errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return nil, err
		}
		for _, d := range dest {
			v, err := value(d)
			if err != nil {
				return nil, err
			}
			out.Cells = append(out.Cells, v)
			size += int(unsafe.Sizeof(v)) + len(v.S)
		}
		if size > MaxResult {
			return nil, fmt.Errorf("%w: more than %d MiB", ErrTooLarge, MaxResult>>20)
		}
	}
}

// errValue is a fault of ours: the database has answered.
var errValue = errors.New("driver value of unexpected type")

// Blob is what a driver answers where bytes are something else than the text that they would be.
type Blob []byte

// value converts a driver's value without rounding.
func value(d driver.Value) (history.Value, error) {
	switch x := d.(type) {
	case nil:
		return history.Value{}, nil
	case int64:
		return history.IntValue(x), nil
	case uint64:
		if x > 1<<63-1 {
			return history.TextValue(strconv.FormatUint(x, 10)), nil
		}
		return history.IntValue(int64(x)), nil
	case float64:
		return history.FloatValue(x), nil
	case float32:
		return history.FloatValue(float64(x)), nil
	case []byte:
		return history.TextValue(string(x)), nil
	case Blob:
		return history.BlobValue(string(x)), nil
	case string:
		return history.TextValue(x), nil
	case bool:
		if x {
			return history.IntValue(1), nil
		}
		return history.IntValue(0), nil
	case time.Time:
		return history.TextValue(x.Format("2006-01-02 15:04:05.999999999")), nil
	default:
		return history.Value{}, fmt.Errorf("%w %T", errValue, d)
	}
}

// clip shortens a statement for a message.
func clip(sql string) string {
	const limit = 120
	if len(sql) <= limit {
		return sql
	}
	return sql[:limit] + "…"
}

// TxnState is what a database says of a session's transaction with an answer.
type TxnState int

// What it says.
const (
	TxnUnsaid TxnState = iota // nothing
	TxnOpen
	TxnNone // none is open
)

// stateful is a connection that says whether a transaction is open, as of the last answer.
type stateful interface{ TxnState() TxnState }

// TxnState is what the last answer said.
func (s *Session) TxnState() TxnState {
	if c, tells := s.conn.(stateful); tells {
		if state := c.TxnState(); state != TxnUnsaid {
			return state
		}
	}
	if s.raw != nil && s.raw.follow != nil {
		return s.raw.follow.TxnState()
	}
	return TxnUnsaid
}

// noWarnings says that the last answer came with a count of warnings, and that it was 0: nobody needs to ask for them.
func (s *Session) noWarnings() bool {
	return s.raw != nil && s.raw.follow != nil && s.raw.follow.Warnings() == 0
}
