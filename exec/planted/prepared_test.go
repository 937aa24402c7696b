package planted

import (
	"context"
	"database/sql/driver"
	"testing"

	"txweave/sql/control"
)

// preparing is a connection whose prepared statements write one row.
type preparing struct{ driver.Conn }

func (preparing) PrepareContext(context.Context, string) (driver.Stmt, error) { return wroteOne{}, nil }

type wroteOne struct{ driver.Stmt }

func (wroteOne) Close() error { return nil }

func (wroteOne) ExecContext(context.Context, []driver.NamedValue) (driver.Result, error) {
	return driver.RowsAffected(1), nil
}

// TestValuesBeside: what a statement with values beside it writes is its transaction's write: a bug that wants one who
// has not written leaves its reads alone.
func TestValuesBeside(t *testing.T) {
	c := rareConn(t, "non-repeatable-read", Rarity{})
	c.Conn = preparing{}
	c.begin(control.Begun)
	stmt, err := c.PrepareContext(t.Context(), "UPDATE t0 SET vkey = ?")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stmt.(driver.StmtExecContext).ExecContext(t.Context(),
		[]driver.NamedValue{{Ordinal: 1, Value: int64(1)}}); err != nil || !c.txn.wrote["t0"] {
		t.Errorf("%v, wrote %v", err, c.txn.wrote)
	}
}
