package postgresql

import (
	"fmt"
	"strconv"
	"syscall"
	"testing"
	"time"

	"txweave/exec"
	"txweave/internal/testkit/effort"
)

// TestBorn: since when a server lives changes with the crash of one of its processes, and with nothing else: neither
// for its superuser nor for somebody who may not see the others' processes.
func TestBorn(t *testing.T) {
	effort.Full(t)
	own := shared.Own(t, "-c", "restart_after_crash=on") // as servers are unless they are told otherwise
	dir := own.(*target).private.Dir()
	for _, user := range []string{superuser, owner} {
		database := "postgres"
		if user == owner {
			database = owner
		}
		at, err := itself.config(fmt.Sprintf("host='%s' port=5432 user=%s database=%s sslmode=disable", dir, user, database))
		if err != nil {
			t.Fatal(err)
		}
		db := &target{product: itself, config: at, database: database, home: home, wait: 20 * time.Second}
		if db.Connection, err = db.openControl(t.Context()); err != nil {
			t.Fatal(err)
		}
		pid := func() int {
			rows, err := db.Connection.Read(t.Context(), "SELECT pg_backend_pid()::text")
			if err != nil {
				t.Fatal(err)
			}
			n, err := strconv.Atoi(rows.Cell(0, 0).S)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		for _, step := range []struct {
			signal syscall.Signal
			anew   bool
		}{{syscall.SIGTERM, false}, {syscall.SIGSEGV, true}, {syscall.SIGTERM, false}, {syscall.SIGABRT, true}} {
			if err := db.Alive(t.Context()); err != nil {
				t.Fatal(err)
			}
			before := exec.Born(t.Context(), db)
			if before.At.IsZero() {
				t.Fatalf("%s does not learn since when the server lives", user)
			}
			if err := syscall.Kill(pid(), step.signal); err != nil {
				t.Fatal(err)
			}
			anew := false
			for begun := time.Now(); !anew && (step.anew && time.Since(begun) < time.Minute || time.Since(
				begun) < time.Second); {
				time.Sleep(100 * time.Millisecond) // its first process learns of it a moment later
				if err := db.Alive(t.Context()); err != nil {
					t.Fatal(err)
				}
				anew = exec.Born(t.Context(), db).After(before)
			}
			if anew != step.anew {
				t.Errorf("%s: after %s it began anew: %t", user, step.signal, anew)
			}
		}
		db.Connection.Close()
	}
}
