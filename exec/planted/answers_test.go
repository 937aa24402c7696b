package planted

import (
	"context"
	"database/sql/driver"
	"errors"
	"slices"
	"testing"
)

// failedTxn is a connection whose transaction an error has ended: it cannot be committed.
type failedTxn struct {
	driver.Conn
	sent []string
}

func (f *failedTxn) ExecContext(_ context.Context, sql string, _ []driver.NamedValue) (driver.Result, error) {
	f.sent = append(f.sent, sql)
	if sql == "COMMIT" {
		return nil, errors.New("it was rolled back")
	}
	return driver.RowsAffected(0), nil
}

// TestRollbackOfFailed: ROLLBACK of a transaction that cannot be committed is answered as it is without the planted
// bug.
func TestRollbackOfFailed(t *testing.T) {
	c := rareConn(t, "rollback-has-effects", Rarity{Every: 1})
	conn := &failedTxn{}
	c.Conn = conn
	if _, err := c.target.fault.exec(c, t.Context(), "ROLLBACK"); err != nil {
		t.Error(err)
	}
	if want := []string{"COMMIT", "ROLLBACK"}; !slices.Equal(conn.sent, want) {
		t.Errorf("%q were sent, want %q", conn.sent, want)
	}
}
