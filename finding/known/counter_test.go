package known

import (
	"testing"

	"txweave/fault"
	"txweave/finding"
)

// TestCounterDeadlock: locks that a transaction no longer holds are MariaDB's deadlock over a counter where it met error 1467, and nowhere else.
func TestCounterDeadlock(t *testing.T) {
	bugs, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	const held = "T2 acquired its shared lock at a moment in [1, 2] and released it in [9, 10]; T0 acquired its exclusive lock at a moment in [5, 6] and released it in [7, 8]"
	for _, c := range []struct {
		dbms, what, after string
		want              string
	}{
		{"mariadb", "lock-conflict", "; T2.S4 had failed before: error 1467: Failed to read auto-increment value from storage engine", "mariadb-33593-locks"},
		{"mariadb", "dirty-write", "; T2.S4 had failed before: error 1467: Failed to read auto-increment value from storage engine", "mariadb-33593-locks"},
		{"mariadb", "lock-conflict", "; T2.S4 had failed before: error 1062: Duplicate entry '1467' for key 'PRIMARY'", ""},
		{"mariadb", "lock-conflict", "", ""},
		{"mariadb", "row-lock", "; T2.S4 had failed before: error 1467: Failed to read auto-increment value from storage engine", ""},
		{"mysql", "lock-conflict", "; T2.S4 had failed before: error 1467: Failed to read auto-increment value from storage engine", ""},
	} {
		f := &finding.Finding{Class: finding.ClassMechanism, Differences: []finding.Difference{{What: "mutual-exclusion:" + c.what, Detail: held + c.after}}}
		f.Sign()
		got := ""
		if b := bugs.In(&finding.Environment{DBMS: c.dbms, Version: "10.11.19", Isolation: "serializable"}).Match(f, finding.Signature{Coarse: f.Signature}); b != nil {
			got = b.Name
		}
		if got != c.want {
			t.Errorf("%s, %s%s: %q, want %q", c.dbms, f.Signature, c.after, got, c.want)
		}
	}
}

// TestCounterKept: what stays of a transaction that was rolled back is MariaDB's deadlock over a counter where that met error 1467 before.
func TestCounterKept(t *testing.T) {
	bugs, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	const before = "; T0.S1 had failed before: error 1467: Failed to read auto-increment value from storage engine"
	for _, c := range []struct{ class, what, detail, want string }{
		{finding.ClassReplay, fault.Final, "table t0; what T0.S2 wrote is there, and T0 was rolled back" + before, "mariadb-33593-kept"},
		{finding.ClassReplay, fault.Final, "table t0; what T0.S2 wrote is there, and T0 was rolled back", ""},
		{finding.ClassReplay, fault.Final, "table t0", ""},
		{finding.ClassSnapshot, "dirty-read", "it saw version 3 of (t, 4), not nothing: T0 had not committed it" + before, "mariadb-33593-kept"},
		{finding.ClassSnapshot, "dirty-read", "it saw version 3 of (t, 4), not nothing: T0 had not committed it", ""},
		{finding.ClassSnapshot, "stale-read", "it saw version 3 of (t, 4)" + before, ""},
		{finding.ClassInconsistent, "transaction-gone", "no transaction is open" + before, "mariadb-33593-gone"},
		{finding.ClassInconsistent, "transaction-gone", "no transaction is open", ""},
	} {
		f := &finding.Finding{Class: c.class, Differences: []finding.Difference{{What: c.what, Detail: c.detail}}}
		if c.class == finding.ClassInconsistent {
			f.Differences[0].Kind = "SELECT"
		}
		f.Sign()
		got := ""
		if b := bugs.In(&finding.Environment{DBMS: "mariadb", Version: "10.11.19", Isolation: "repeatable-read"}).Match(f, finding.Signature{Coarse: f.Signature}); b != nil {
			got = b.Name
		}
		if got != c.want {
			t.Errorf("%s, %s: %q, want %q", f.Signature, c.detail, got, c.want)
		}
	}
}
