package storm

import (
	"context"
	"database/sql/driver"
	"errors"
	"testing"

	"txweave/dbms"
	"txweave/dbms/mysqlwire"
	"txweave/exec"
	"txweave/history"
)

// telling is a connection that answers every statement, and says of the transaction what it is made to.
type telling struct {
	driver.Conn
	says func(sql string) exec.TxnState
	last exec.TxnState
}

func (c *telling) ExecContext(_ context.Context, sql string, _ []driver.NamedValue) (driver.Result, error) {
	c.last = c.says(sql)
	return driver.RowsAffected(0), nil
}

func (c *telling) TxnState() exec.TxnState { return c.last }

// TestGone: a transaction that is gone with the answer to a statement is a wrong answer, and is given up. One that the
// database never said was open, and one that has been ended, is not.
func TestGone(t *testing.T) {
	p, err := dbms.Lookup("mariadb", "repeatable-read")
	if err != nil {
		t.Fatal(err)
	}
	for name, x := range map[string]struct {
		says map[string]exec.TxnState
		want int
	}{
		"gone": {map[string]exec.TxnState{"BEGIN": exec.TxnOpen, "UPDATE": exec.TxnNone, "COMMIT": exec.TxnNone,
			"ROLLBACK": exec.TxnNone}, 1},
		"open":         {map[string]exec.TxnState{"BEGIN": exec.TxnOpen, "UPDATE": exec.TxnOpen, "COMMIT": exec.TxnNone}, 0},
		"never said":   {map[string]exec.TxnState{}, 0},
		"never opened": {map[string]exec.TxnState{"BEGIN": exec.TxnNone, "UPDATE": exec.TxnNone}, 0},
	} {
		st := &storm{profile: p, opt: Options{}}
		sink := &kept{t: t}
		conn := &telling{says: func(sql string) exec.TxnState { return x.says[sql] }}
		s := &session{storm: st, sink: sink, txn: 7, errors: map[int]int64{}, conn: exec.NewSession(conn, 1,
			&exec.Protocol{DBError: mysqlwire.Error})}
		if _, _, _, err := s.send(t.Context(), plain("BEGIN", false)); err != nil {
			t.Fatal(err)
		}
		s.open = s.conn.TxnState() == exec.TxnOpen
		_, _, _, err := s.send(t.Context(), plain("UPDATE", false))
		if errors.Is(err, errAborted) != (x.want > 0) || len(st.faults) != x.want {
			t.Errorf("%s: %v, %+v", name, err, st.faults)
		}
		if err == nil {
			err = s.commit(t.Context())
		} else {
			err = s.rollback(t.Context(), s.failedAt)
		}
		if err != nil || len(st.faults) != x.want || len(sink.ops) != 1 || (sink.ops[0].Kind == history.OpCommit) !=
			(x.want == 0) {
			t.Errorf("%s, at its end: %v, %+v, %+v", name, err, st.faults, sink.ops)
		}
	}
}
