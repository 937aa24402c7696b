package known

import (
	"testing"

	"txweave/fault"
	"txweave/finding"
	"txweave/history"
	"txweave/internal/testkit/said"
)

// failed is a statement that had failed with an error; nil where that is 0.
func failed(code int) []finding.Failure {
	if code == 0 {
		return nil
	}
	return []finding.Failure{{Stmt: "T0.S1", Err: &history.DBError{Code: code,
		Message: "Failed to read auto-increment value from storage engine"}}}
}

// TestCounterDeadlock: locks that a transaction no longer holds are MariaDB's deadlock over a counter where it met
// error 1467, and nowhere else.
func TestCounterDeadlock(t *testing.T) {
	bugs, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	const held = "T2 acquired its shared lock at a moment in [1, 2] and released it in [9, 10]; T0 acquired its exclusive lock at a moment in [5, 6] and released it in [7, 8]"
	for _, c := range []struct {
		dbms  string
		what  fault.Kind
		after int // the code of what had failed before
		want  string
	}{
		{"mariadb", fault.LockConflict, 1467, "mariadb-33593-locks"},
		{"mariadb", fault.G0, 1467, "mariadb-33593-locks"},
		{"mariadb", fault.LockConflict, 1062, ""},
		{"mariadb", fault.LockConflict, 0, ""},
		{"mariadb", fault.RowLock, 1467, ""},
		{"mysql", fault.LockConflict, 1467, ""},
	} {
		f := &finding.Finding{Class: finding.ClassMechanism, Differences: []finding.Difference{
			{What: c.what, Steps: said.Steps(held), Failed: failed(c.after)}}}
		f.Sign()
		got := ""
		if b := bugs.In(&finding.Environment{DBMS: c.dbms, Version: "10.11.19", Isolation: "serializable"}).Match(f,
			finding.Signature{Coarse: f.Signature}); b != nil {
			got = b.Name
		}
		if got != c.want {
			t.Errorf("%s, %s behind %d: %q, want %q", c.dbms, f.Signature, c.after, got, c.want)
		}
	}
}

// TestCounterKept: what stays of a transaction that was rolled back is MariaDB's deadlock over a counter where that met
// error 1467 before.
func TestCounterKept(t *testing.T) {
	bugs, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		class  string
		what   fault.Kind
		before int
		want   string
	}{
		{finding.ClassReplay, fault.Final, 1467, "mariadb-33593-kept"},
		{finding.ClassReplay, fault.Final, 0, ""},
		{finding.ClassReplay, fault.Final, 0, ""},
		{finding.ClassSnapshot, "dirty-read", 1467, "mariadb-33593-kept"},
		{finding.ClassSnapshot, "dirty-read", 0, ""},
		{finding.ClassSnapshot, "stale-read", 1467, ""},
		{finding.ClassInconsistent, "transaction-gone", 1467, "mariadb-33593-gone"},
		{finding.ClassInconsistent, "transaction-gone", 0, ""},
	} {
		f := &finding.Finding{Class: c.class, Differences: []finding.Difference{{What: c.what, Failed: failed(c.before)}}}
		if c.class == finding.ClassInconsistent {
			f.Differences[0].Kind = "SELECT"
		}
		f.Sign()
		got := ""
		if b := bugs.In(&finding.Environment{DBMS: "mariadb", Version: "10.11.19", Isolation: "repeatable-read"}).Match(f,
			finding.Signature{Coarse: f.Signature}); b != nil {
			got = b.Name
		}
		if got != c.want {
			t.Errorf("%s behind %d: %q, want %q", f.Signature, c.before, got, c.want)
		}
	}
}
