package registry

import (
	"slices"
	"strings"
	"testing"

	"txweave/dbms"
	"txweave/dbms/mariadb"
)

// runs are the levels of all DBMSs that txweave runs.
func runs() []*dbms.Profile {
	var out []*dbms.Profile
	for _, d := range all {
		out = append(out, d.Levels...)
	}
	return out
}

// TestProfilesAreSound checks what the instrumenter and the runner take for granted of every profile.
func TestProfilesAreSound(t *testing.T) {
	for _, p := range runs() {
		name := p.DBMS + " " + p.Isolation
		if got, err := dbms.Lookup(p.DBMS, p.Isolation); err != nil || got.DBMS != p.DBMS || got.Isolation != p.Isolation {
			t.Errorf("%s: Lookup gives %v, %v", name, got, err)
		}
		if (p.ReadModes.SelectView == dbms.Current || p.DMLView == dbms.Current) && p.ReadModes.Observer == dbms.NoObserver &&
			!p.ReadModes.StatementSnapshots {
			t.Errorf("%s: a current view without observers would be read inside the transaction, with locks", name)
		}
		if p.ReadModes.MixedSubqueries && (p.ReadModes.SelectView != dbms.Snapshot || p.DMLView != dbms.Current) {
			t.Errorf("%s: there are no two views to mix", name)
		}
		if (p.ReadModes.Before == dbms.LockingBeforeRead || p.ReadModes.Before == dbms.LockingDeleteRead) &&
			p.DMLView != dbms.Current {
			t.Errorf("%s: a locking before-write read is current, the write it is for is not", name)
		}
		if p.GapLocks && p.DMLView != dbms.Current {
			t.Errorf("%s: only statements with a current view keep what they scanned locked", name)
		}
		dirty := p.Isolation == "read-uncommitted"
		if (p.Guarantees.NoReplay != "") != dirty {
			t.Errorf("%s: reason not to replay is %q", name, p.Guarantees.NoReplay)
		}
		if p.Serializable != (p.Isolation == "serializable") {
			t.Errorf("%s: Serializable is %v", name, p.Serializable)
		}
		if p.Errors.Classify(1, "") != dbms.Deterministic {
			t.Errorf("%s: a code that is not listed is not deterministic", name)
		}
	}
}

// TestSnapshotIsolationIsExplicit: the default differs between MariaDB 10.11 and 11.8.
func TestSnapshotIsolationIsExplicit(t *testing.T) {
	for _, p := range mariadb.Levels() {
		want := "SET SESSION innodb_snapshot_isolation = OFF"
		if p.Isolation == "snapshot" {
			want = "SET SESSION innodb_snapshot_isolation = ON"
		}
		if !slices.Contains(p.Sessions.Setup, want) {
			t.Errorf("%s: the setup %q lacks %q", p.Isolation, p.Sessions.Setup, want)
		}
	}
}

func TestLookup(t *testing.T) {
	for name, level := range map[string]string{"sqlite": "serializable", "mariadb": "repeatable-read",
		"mysql": "repeatable-read", "tidb": "repeatable-read"} {
		if p, err := dbms.Lookup(name, ""); err != nil || p.Isolation != level {
			t.Errorf("the default of %s is %v, %v; want %s", name, p, err, level)
		}
	}
	for _, c := range []struct{ system, level, want string }{
		{"oracle", "", `no profile for DBMS "oracle"`},
		{"mysql", "snapshot", "repeatable-read, read-committed, serializable"},
		{"sqlite", "repeatable-read", "it has serializable"},
	} {
		if p, err := dbms.Lookup(c.system, c.level); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Lookup(%q, %q) = %v, %v; want an error with %q", c.system, c.level, p, err, c.want)
		}
	}
}

func TestErrorClasses(t *testing.T) {
	for _, c := range []struct {
		system string
		code   int
		want   dbms.ErrorClass
	}{
		{"mariadb", 1062, dbms.Deterministic}, // duplicate key
		{"mariadb", 1242, dbms.Deterministic}, // subquery returns several rows
		{"mariadb", 1205, dbms.StatementLost},
		{"mariadb", 1213, dbms.TxnLost},
		{"mariadb", 1020, dbms.TxnLost},
		{"mariadb", 1317, dbms.Environment},
		{"mysql", 3024, dbms.Environment},
		{"tidb", 1062, dbms.Deterministic},
		{"tidb", 1205, dbms.StatementLost},
		{"tidb", 3572, dbms.StatementLost}, // NOWAIT
		{"tidb", 1213, dbms.TxnLost},
		{"tidb", 9007, dbms.TxnLost},
		{"tidb", 8002, dbms.TxnLost},
		{"tidb", 8022, dbms.TxnLost},
		{"tidb", 8048, dbms.Environment},
		{"sqlite", 19, dbms.Deterministic},   // constraint
		{"sqlite", 2067, dbms.Deterministic}, // unique constraint, extended
		{"sqlite", 5, dbms.WouldBlock},
		{"sqlite", 517, dbms.TxnLost}, // BUSY_SNAPSHOT
		{"sqlite", 9, dbms.Environment},
	} {
		p, err := dbms.Lookup(c.system, "")
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Errors.Classify(c.code, ""); got != c.want {
			t.Errorf("%s %d is of class %d, want %d", c.system, c.code, got, c.want)
		}
	}
}

// TestMalformed: a statement that no contents of the tables let run is told from one that fails for what they hold.
func TestMalformed(t *testing.T) {
	for system, codes := range map[string]map[int]bool{"mariadb": {1064: true, 1054: true, 1062: false},
		"tidb": {1054: true, 1690: false}} {
		p, err := dbms.Lookup(system, "")
		if err != nil {
			t.Fatal(err)
		}
		for code, want := range codes {
			if p.Errors.Malformed.Has(code, "") != want {
				t.Errorf("%s: IsMalformed(%d) is %v", system, code, !want)
			}
		}
	}
	p, err := dbms.Lookup("sqlite", "")
	if err != nil || !p.Errors.Malformed.Has(1, "no such column: a") || p.Errors.Malformed.Has(1, "integer overflow") {
		t.Errorf("sqlite: %v", err)
	}
}

func TestErrorTexts(t *testing.T) {
	p, err := dbms.Lookup("tidb", "")
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Errors.Classify(1105, "pessimistic lock retry limit reached"); got != dbms.StatementLost {
		t.Errorf("a retry limit is of class %d", got)
	}
	if got := p.Errors.Classify(1105, "[executor:1317]Query execution was interrupted"); got != dbms.Environment {
		t.Errorf("a kill within another error is of class %d", got)
	}
	if got := p.Errors.Classify(1105, "index out of range"); got != dbms.Deterministic {
		t.Errorf("another error of the same code is of class %d", got)
	}
	if got := p.Errors.Classify(1213, "Deadlock found"); got != dbms.TxnLost {
		t.Errorf("a deadlock is of class %d", got)
	}
}

// What a history of registers must keep follows from what the level forbids, and from what it is held to.
func TestHistoryLevel(t *testing.T) {
	for _, c := range []struct {
		system, level, claim string
		want                 dbms.Level
	}{
		{"sqlite", "serializable", "", "sser"},
		{"mariadb", "read-uncommitted", "", ""},
		{"mariadb", "read-committed", "", "rc"},
		{"mariadb", "repeatable-read", "", "tcc"},
		{"mariadb", "snapshot", "", "si"},
		{"mariadb", "serializable", "", "sser"},
		{"mysql", "repeatable-read", "", "tcc"},
		{"tidb", "read-committed", "", "rc"},
		{"tidb", "repeatable-read", "", "tcc"},
		{"tidb", "optimistic", "", "si"},
		{"mariadb", "read-committed", "snapshot", "si"},
	} {
		p, err := dbms.Lookup(c.system, c.level)
		if err != nil {
			t.Fatal(err)
		}
		if c.claim != "" {
			claimed, err := dbms.Lookup(c.system, c.claim)
			if err != nil {
				t.Fatal(err)
			}
			p = p.HeldTo(claimed)
		}
		if got := p.HistoryLevel(); got != c.want {
			t.Errorf("%s at %s, held to %q: %q, want %q", c.system, c.level, c.claim, got, c.want)
		}
		if _, err := dbms.LookupPromise(c.system, c.level); err != nil {
			t.Errorf("a storm at this level: %v", err)
		}
	}
}
