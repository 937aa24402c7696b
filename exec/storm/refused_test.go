package storm

import (
	"context"
	"database/sql/driver"
	"errors"
	"testing"

	"github.com/go-sql-driver/mysql"

	"txweave/dbms"
	"txweave/dbms/mysqlwire"
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

// TestRefusedRollback: a ROLLBACK that is refused ended a storm after eight minutes as an error of ours: XA ROLLBACK
// waits for who locks all tables, and no longer than lock_wait_timeout. With that nemesis the session closes its
// connection, which rolls the transaction back, at some moment; so it does where its ROLLBACK was killed. Any other
// ROLLBACK that is refused is loud: beside nemeses it was not.
func TestRefusedRollback(t *testing.T) {
	p, err := dbms.Lookup("mariadb", "repeatable-read")
	if err != nil {
		t.Fatal(err)
	}
	const waited, killed = 1205, 1317
	for name, c := range map[string]struct {
		nemeses []Nemesis
		branch  string
		code    uint16
		quiet   bool
	}{
		"XA beside locks":                {[]Nemesis{Locks}, "'txweave-7'", waited, true},
		"XA, killed":                     {[]Nemesis{Kill, Locks}, "'txweave-7'", killed, true},
		"killed":                         {[]Nemesis{Kill}, "", killed, true},
		"XA without nemeses":             {nil, "'txweave-7'", waited, false},
		"without nemeses":                {nil, "", waited, false},
		"interrupted without nemeses":    {nil, "", killed, false},
		"no XA, and waited beside locks": {[]Nemesis{Locks}, "", waited, false},
		"waited beside changes":          {[]Nemesis{DDL, Kill}, "", waited, false},
	} {
		sink := &kept{t: t}
		s := &session{storm: &storm{profile: p, opt: Options{Nemeses: c.nemeses}}, sink: sink, txn: 7,
			branch: branch{id: c.branch}, errors: map[int]int64{},
			conn: exec.NewSession(refusing{err: &mysql.MySQLError{Number: c.code, Message: "no"}}, 1,
				&exec.Protocol{DBError: mysqlwire.Error})}
		err := s.rollback(t.Context(), 0)
		if err == nil || errors.Is(err, errBroken) != c.quiet || s.hit.Load() != c.quiet {
			t.Errorf("%s: %v", name, err)
		}
		if len(sink.ops) != 1 || sink.ops[0].Kind != history.OpAbort || sink.ops[0].Outcome != history.OpUnknown {
			t.Errorf("%s: %+v", name, sink.ops)
		}
	}
}
