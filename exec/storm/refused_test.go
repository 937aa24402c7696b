package storm

import (
	"context"
	"database/sql/driver"
	"errors"
	"testing"

	"github.com/go-sql-driver/mysql"

	"txweave/dbms"
	"txweave/exec"
	"txweave/history"
)

// refusing is a connection that refuses every statement with one error.
type refusing struct {
	driver.Conn
	err error
}

func (r refusing) ExecContext(context.Context, string, []driver.NamedValue) (driver.Result, error) {
	return nil, r.err
}

// TestRefusedRollback: a ROLLBACK that is refused ended a storm after eight minutes as an error of ours: XA ROLLBACK waits for who locks all tables, and no
// longer than lock_wait_timeout. With nemeses the session closes its connection, which rolls the transaction back, at some moment.
func TestRefusedRollback(t *testing.T) {
	p, err := dbms.Lookup("mariadb", "repeatable-read")
	if err != nil {
		t.Fatal(err)
	}
	for _, nemeses := range [][]Nemesis{{Locks}, nil} {
		sink := &kept{t: t}
		s := &session{storm: &storm{profile: p, opt: Options{Nemeses: nemeses}}, sink: sink, txn: 7, branch: branch{id: "'txweave-7'"}, errors: map[int]int64{},
			conn: exec.NewSession(refusing{err: &mysql.MySQLError{Number: 1205, Message: "Lock wait timeout exceeded"}}, 1, &exec.Protocol{DBError: exec.MySQLError})}
		err := s.rollback(t.Context(), 0)
		if broken := errors.Is(err, errBroken); err == nil || broken != (nemeses != nil) || s.hit.Load() != broken {
			t.Errorf("with nemeses %v: %v", nemeses, err)
		}
		if len(sink.ops) != 1 || sink.ops[0].Kind != history.OpAbort || sink.ops[0].Outcome != history.OpUnknown {
			t.Errorf("with nemeses %v: %+v", nemeses, sink.ops)
		}
	}
}
