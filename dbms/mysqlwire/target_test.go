package mysqlwire

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"txweave/dbms"
	"txweave/exec"
	"txweave/internal/testkit/servers"
)

// TestServer is MariaDB's, and TestTiDB TiDB's, which import this package.
var TestServer, TestTiDB *exec.Server

var shared *servers.Shared

func TestMain(m *testing.M) {
	shared = servers.Launched("a MariaDB server", TestServer)
	os.Exit(servers.Run(m, shared))
}

// own is a private server for one test.
func own(t *testing.T) *target {
	t.Helper()
	return shared.Own(t).(*target)
}

// usersServer returns a target on the shared server as on one of the user's.
func usersServer(t *testing.T) *target {
	t.Helper()
	at := &exec.DSN{Text: "root@unix(" + shared.Socket(t) + ")/", Form: DSN}
	db, err := exec.Connect(t.Context(), TestServer, at, 0)
	if err != nil {
		t.Fatal(err)
	}
	return db.(*target)
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for until := time.Now().Add(time.Minute); time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Errorf("still not: %s", what)
}

func lookup(t *testing.T, name string) *dbms.Profile {
	t.Helper()
	return servers.Level(t, name, "")
}

// Databases that a killed process has left on a server of the user's go at the next start; those in use stay, and so
// does everything of another name.
func TestSweepDatabases(t *testing.T) {
	control := shared.Target(t).Control()
	dead, other := exec.DatabasePrefix+"l000000000001", exec.DatabasePrefix+"lager"
	if err := control.Must(t.Context(), "CREATE DATABASE "+dead, "CREATE DATABASE "+other); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := control.Must(context.Background(), "DROP DATABASE "+other); err != nil {
			t.Error(err)
		}
	}()
	first, second := usersServer(t), usersServer(t)
	rows, err := control.Read(t.Context(), "SHOW DATABASES LIKE 'txweave\\_l%'")
	if err != nil {
		t.Fatal(err)
	}
	names := fmt.Sprint(rows)
	for name, want := range map[string]bool{dead: false, other: true, first.database: true, second.database: true} {
		if strings.Contains(names, name) != want {
			t.Errorf("%s is there: %v; there are %s", name, !want, names)
		}
	}
	if err := errors.Join(first.Close(), second.Close()); err != nil {
		t.Error(err)
	}
}

// A database stays as long as a connection works in it, though the one that marks it as in use was lost; and one that
// was dropped while all connections were lost is made again.
func TestSweepLostControl(t *testing.T) {
	control := shared.Target(t).Control()
	there := func(name string) bool {
		rows, err := control.Read(t.Context(), "SHOW DATABASES LIKE '"+name+"'")
		if err != nil {
			t.Fatal(err)
		}
		return rows.Len() > 0
	}
	kill := func(s *exec.Session) {
		if err := control.Must(t.Context(), "KILL CONNECTION "+strconv.FormatUint(s.ID(), 10)); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the connection is gone", func() bool {
			rows, err := control.Read(t.Context(), "SELECT ID FROM information_schema.PROCESSLIST WHERE ID = "+
				strconv.FormatUint(s.ID(), 10))
			return err == nil && rows.Len() == 0
		})
	}
	db := usersServer(t)
	works, err := db.dial(t.Context(), db.database)
	if err != nil {
		t.Fatal(err)
	}
	defer works.Close()
	kill(db.Connection)
	second := usersServer(t)
	if !there(db.database) {
		t.Error("a database in which a connection works is gone")
	}
	kill(works)
	third := usersServer(t)
	if there(db.database) {
		t.Error("a database in which nobody works is there")
	}
	if err := db.Alive(t.Context()); err != nil || !there(db.database) {
		t.Errorf("its owner comes back: %v, its database is there: %v", err, there(db.database))
	}
	if err := errors.Join(db.Close(), second.Close(), third.Close()); err != nil {
		t.Error(err)
	}
}

// A server whose memory has grown is worn.
func TestWorn(t *testing.T) {
	db := *shared.Target(t).(*target)
	if db.memory < 10<<20 || db.instance.Memory() < 10<<20 {
		t.Fatalf("a server of %d bytes", db.memory)
	}
	if db.loads = 63; db.Worn() {
		t.Error("worn before it has grown")
	}
	if db.loads = 5000; !db.Worn() {
		t.Error("not worn after the cases that it lasts")
	}
	grown := wornMemory
	defer func() { wornMemory = grown }()
	if db.loads, wornMemory = 63, db.instance.Memory()/2; db.Worn() {
		t.Error("worn before it has grown")
	}
	if db.memory /= 4; !db.Worn() {
		t.Error("not worn though its memory has grown")
	}
}
