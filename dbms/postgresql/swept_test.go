package postgresql

import (
	"fmt"
	"net/url"
	"path/filepath"
	"testing"

	"txweave/exec"
	"txweave/testcase"
)

// TestSwept: a campaign on a server of the user's loses all of its connections, and another one that begins meanwhile
// takes its database for one whose owner is gone. The first makes it again.
func TestSwept(t *testing.T) {
	socket := shared.Socket(t)
	first := joinAs(t, socket)
	c := &testcase.Case{Schema: []testcase.Stmt{{SQL: "CREATE TABLE t (a INT PRIMARY KEY)"}}}
	if err := first.Load(t.Context(), c, []string{"t"}); err != nil {
		t.Fatal(err)
	}
	second := joinAs(t, socket)
	there := func() bool {
		rows, err := second.Connection.Read(t.Context(), "SELECT 1 FROM pg_database WHERE datname = '"+first.database+"'")
		if err != nil {
			t.Fatal(err)
		}
		return rows.Len() > 0
	}
	if !there() {
		t.Fatal("the database of one that lives is gone")
	}
	if _, err := second.Connection.Read(t.Context(), fmt.Sprintf("SELECT pg_terminate_backend(%d, 10000)",
		first.Connection.ID())); err != nil {
		t.Fatal(err)
	}
	joinAs(t, socket)
	if there() {
		t.Fatal("the database of one without a connection is there")
	}
	if err := first.Alive(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := first.Load(t.Context(), c, []string{"t"}); err != nil || !there() {
		t.Errorf("%v, the database is there: %v", err, there())
	}
}

// TestJoinedServer: a deadlock on a server of the user's is looked for at once, and nothing is compiled for a statement
// of a few rows; what cases try in vain there is said.
func TestJoinedServer(t *testing.T) {
	first := joinAs(t, shared.Socket(t))
	rows, err := first.Connection.Read(t.Context(), "SELECT current_setting('deadlock_timeout'), current_setting('jit')")
	if err != nil {
		t.Fatal(err)
	}
	if got := rows.Cell(0, 0).S + " " + rows.Cell(0, 1).S; got != "10ms off" {
		t.Errorf("deadlock_timeout and jit are %s", got)
	}
	set := first.Describe().Settings
	if set["max_prepared_transactions"] == "" || Server.Users.Lacks(set) != "" {
		t.Errorf("%q transactions may be prepared: %q", set["max_prepared_transactions"], Server.Users.Lacks(set))
	}
	if Server.Users.Lacks(map[string]string{"max_prepared_transactions": "0"}) == "" {
		t.Error("nothing is said of a server that prepares no transactions")
	}
}

// joinAs opens a server as if it were a user's.
func joinAs(t *testing.T, socket string) *target {
	t.Helper()
	dsn, err := exec.ParseDSN(fmt.Sprintf("postgres://postgres@/?host=%s&port=%s", url.QueryEscape(filepath.Dir(socket)),
		filepath.Ext(socket)[1:]), []*exec.DSNForm{dsn})
	if err != nil {
		t.Fatal(err)
	}
	db, err := exec.Connect(t.Context(), Server, dsn, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db.(*target)
}
