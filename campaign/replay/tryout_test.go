package replay

import (
	"errors"
	"strings"
	"testing"

	"txweave/campaign/target"
	"txweave/dbms/mariadb"
	"txweave/exec"
	"txweave/finding"
	"txweave/report/export"
	"txweave/report/timeline"
	"txweave/testcase"
)

// TestTryOutUnavailable: a test that is written stays written where there is no server to run it on, unless one was
// asked for.
func TestTryOutUnavailable(t *testing.T) {
	tool, installed, binaries := export.ToolOf("mariadb", "mtr"), mariadb.Spelling.Tool.Installed,
		mariadb.Server.Binary.Names
	t.Cleanup(func() { tool.Installed, mariadb.Server.Binary.Names = installed, binaries })
	tool.Installed, mariadb.Server.Binary.Names = func() bool { return true }, []string{"no-such-server"}
	f := &timeline.Dossier{Case: &testcase.Case{Target: "mariadb", Isolation: "serializable"},
		Record: finding.Record{Environment: finding.Environment{DBMS: "mariadb", Isolation: "serializable"}}}
	var notes strings.Builder
	u := &Under{Target: target.Config{Notes: &notes}}
	if err := u.TryOut(t.Context(), f, "mtr", "SELECT 1;", "case.test"); err != nil {
		t.Error(err)
	}
	if got := notes.String(); !strings.HasPrefix(got, "txweave: the test was not run: ") || !strings.Contains(got,
		"no mariadb server found") || strings.Count(got, "\n") != 1 {
		t.Errorf("it is said that %q", got)
	}
	u.Target.Server = "/no/such/server"
	if err := u.TryOut(t.Context(), f, "mtr", "SELECT 1;", "case.test"); !errors.Is(err, exec.ErrUnavailable) {
		t.Errorf("a server that was asked for is not there: %v", err)
	}
}

// TestTryOutUntold: where no program is known that runs a test, that is said of a test that somebody's program runs.
func TestTryOutUntold(t *testing.T) {
	f := &timeline.Dossier{Record: finding.Record{Environment: finding.Environment{DBMS: "mysql"}}}
	for format, want := range map[string]string{
		"mtr": "txweave: the test was not run: txweave knows of no program of this " +
			"machine's that runs it on mysql\n", "sql": ""} {
		var notes strings.Builder
		u := &Under{Target: target.Config{Notes: &notes}}
		if err := u.TryOut(t.Context(), f, format, "SELECT 1;", "case.test"); err != nil || notes.String() != want {
			t.Errorf("%s: %q, %v", format, notes.String(), err)
		}
	}
}
