package postgresql

import (
	"fmt"
	"net/url"
	"path/filepath"
	"testing"

	"txweave/exec"
	"txweave/testcase"
)

// TestSwept: a campaign on a server of the user's loses all of its connections, and another one that begins meanwhile takes its database for
// one whose owner is gone. The first makes it again.
func TestSwept(t *testing.T) {
	socket := shared.Socket(t)
	dsn, err := exec.ParseDSN(fmt.Sprintf("postgres://postgres@/?host=%s&port=%s", url.QueryEscape(filepath.Dir(socket)), filepath.Ext(socket)[1:]))
	if err != nil {
		t.Fatal(err)
	}
	join := func() *target {
		t.Helper()
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
	first := join()
	c := &testcase.Case{Schema: []testcase.Stmt{{SQL: "CREATE TABLE t (a INT PRIMARY KEY)"}}}
	if err := first.Load(t.Context(), c, []string{"t"}); err != nil {
		t.Fatal(err)
	}
	second := join()
	there := func() bool {
		rows, err := second.control.Read(t.Context(), "SELECT 1 FROM pg_database WHERE datname = '"+first.database+"'")
		if err != nil {
			t.Fatal(err)
		}
		return rows.Len() > 0
	}
	if !there() {
		t.Fatal("the database of one that lives is gone")
	}
	if _, err := second.control.Read(t.Context(), fmt.Sprintf("SELECT pg_terminate_backend(%d, 10000)", first.control.ID())); err != nil {
		t.Fatal(err)
	}
	join()
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
