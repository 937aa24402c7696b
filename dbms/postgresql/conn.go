package postgresql

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/pgtype"

	"txweave/exec"
	"txweave/history"
)

// conn is a connection as package exec uses one: each text is sent as it is, as one message of the simple protocol, and
// results come as text.
type conn struct{ pg *pgconn.PgConn }

// TxnState is what the server said with its last answer.
func (c *conn) TxnState() exec.TxnState {
	if c.pg.TxStatus() == 'I' {
		return exec.TxnNone
	}
	return exec.TxnOpen
}

// stateCode is the code of an error that the server names by five letters and digits: they, read as a number of base
// 36.
func stateCode(state string) int {
	n, err := strconv.ParseInt(state, 36, 32)
	if err != nil {
		return 0
	}
	return int(n)
}

// undone is the SQLSTATE (transaction_rollback) of a COMMIT that the server answered with ROLLBACK: it is no error
// there.
const undone = "40000"

// crashed is the SQLSTATE (crash_shutdown) by which a server ends every session when one of its processes has crashed:
// no answer to what the session asked, but the loss of its connection.
const crashed = "57P02"

// dbError turns an error of the driver into the server's.
func dbError(err error) *history.DBError {
	var e *pgconn.PgError
	if !errors.As(err, &e) || e.Code == crashed {
		return nil
	}
	message := e.Message
	if strings.HasPrefix(e.Code, "23") && e.Detail != "" { // which key it was
		message += " (" + e.Detail + ")"
	}
	return &history.DBError{Code: stateCode(e.Code), State: e.Code, Message: message}
}

func (c *conn) Prepare(string) (driver.Stmt, error) {
	return nil, errors.New("statements are not prepared")
}
func (c *conn) Begin() (driver.Tx, error) {
	return nil, errors.New("transactions are begun by their statements")
}

func (c *conn) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	return c.pg.Close(ctx)
}

// ExecContext sends a text, one statement or several, and reads what comes of it.
func (c *conn) ExecContext(ctx context.Context, sql string, _ []driver.NamedValue) (driver.Result, error) {
	r, err := c.send(ctx, sql)
	if err != nil {
		return nil, err
	}
	return driver.RowsAffected(r.affected), nil
}

// QueryContext sends a text and returns the rows of its last result that has columns.
func (c *conn) QueryContext(ctx context.Context, sql string, _ []driver.NamedValue) (driver.Rows, error) {
	return c.send(ctx, sql)
}

// send sends a text and reads the answer to its end, unless it is too large to keep: that ends the connection.
func (c *conn) send(ctx context.Context, sql string) (*rows, error) {
	out, err := c.sent(ctx, sql)
	if long, ok := errors.AsType[*pgproto3.ExceededMaxBodyLenErr](err); ok {
		return nil, fmt.Errorf("%w: a row of %d MiB", exec.ErrTooLarge, long.ActualBodyLen>>20)
	}
	return out, err
}

func (c *conn) sent(ctx context.Context, sql string) (*rows, error) {
	out := &rows{}
	multi := c.pg.Exec(ctx, sql)
	for multi.NextResult() {
		reader := multi.ResultReader()
		if fields := reader.FieldDescriptions(); len(fields) > 0 {
			out.describe(fields)
		}
		for reader.NextRow() {
			if err := out.add(reader.Values()); err != nil {
				_ = c.pg.Conn().SetDeadline(time.Unix(1, 0)) // else the rest would be read
				_ = multi.Close()                            // it says so
				return nil, err
			}
		}
		tag, err := reader.Close()
		if err != nil {
			return nil, errors.Join(err, multi.Close())
		}
		out.affected, out.tag = tag.RowsAffected(), tag
		if tag.String() == "ROLLBACK" && commits(sql) {
			return nil, errors.Join(&pgconn.PgError{Severity: "ERROR", Code: undone,
				Message: "COMMIT was answered with ROLLBACK: an error had ended the transaction"}, multi.Close())
		}
	}
	return out, multi.Close()
}

// commits says whether a text is a COMMIT, or PREPARE TRANSACTION, which is answered so, too, where an error had ended
// the transaction.
func commits(sql string) bool {
	word, _, _ := strings.Cut(strings.TrimSpace(sql), " ")
	return strings.EqualFold(word, "COMMIT") || strings.EqualFold(word, "END") || strings.EqualFold(word, "PREPARE")
}

// rows is a result that has been read.
type rows struct {
	columns  []string
	types    []uint32
	cells    []driver.Value
	at       int
	affected int64
	tag      pgconn.CommandTag // of the last statement
	size     int               // of the cells, in bytes
}

// cellSize is what a cell takes beside its text, in bytes: an interface and what it points to.
const cellSize = 32

func (r *rows) describe(fields []pgconn.FieldDescription) {
	*r = rows{columns: make([]string, len(fields)), types: make([]uint32, len(fields))}
	for i, f := range fields {
		r.columns[i], r.types[i] = f.Name, f.DataTypeOID
	}
}

// add takes a row over: its bytes are the driver's.
func (r *rows) add(values [][]byte) error {
	for i, v := range values {
		value, err := scan(r.types[i], v)
		if err != nil {
			return err
		}
		r.cells = append(r.cells, value)
		r.size += cellSize + len(v)
	}
	if r.size > exec.MaxResult {
		return fmt.Errorf("%w: more than %d MiB", exec.ErrTooLarge, exec.MaxResult>>20)
	}
	return nil
}

// scan reads a value from its text: whole and floating-point numbers as such, all else as the server prints it, so
// truth values as t and f.
func scan(oid uint32, text []byte) (driver.Value, error) {
	if text == nil {
		return nil, nil
	}
	switch oid {
	case pgtype.Int2OID, pgtype.Int4OID, pgtype.Int8OID:
		return strconv.ParseInt(string(text), 10, 64)
	case pgtype.Float4OID, pgtype.Float8OID:
		return strconv.ParseFloat(string(text), 64)
	}
	return string(text), nil
}

func (r *rows) Columns() []string { return r.columns }

// typeNames are the types whose values are told from text where they are printed.
var typeNames = map[uint32]string{pgtype.NumericOID: "DECIMAL", pgtype.BoolOID: "BOOL", pgtype.DateOID: "DATE",
	pgtype.TimeOID: "TIME", pgtype.TimestampOID: "TIMESTAMP", pgtype.TimestamptzOID: "TIMESTAMP"}

// ColumnTypeDatabaseTypeName implements driver.RowsColumnTypeDatabaseTypeName.
func (r *rows) ColumnTypeDatabaseTypeName(i int) string { return typeNames[r.types[i]] }

func (r *rows) Close() error { return nil }

func (r *rows) Next(dest []driver.Value) error {
	if r.at >= len(r.cells) {
		return io.EOF
	}
	r.at += copy(dest, r.cells[r.at:r.at+len(r.columns)])
	return nil
}

// Affected is how many rows the statement wrote, or returned; -1 if it does not count them.
func (r *rows) Affected() int64 {
	if tag := r.tag.String(); tag == "" || tag[len(tag)-1] < '0' || tag[len(tag)-1] > '9' {
		return -1
	}
	return r.affected
}

// Selected says whether the statement was a query; it may have no columns.
func (r *rows) Selected() bool { return r.tag.Select() || strings.HasPrefix(r.tag.String(), "FETCH") }
