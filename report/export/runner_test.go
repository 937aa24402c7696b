package export_test

import (
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"testing"

	"txweave/internal/testkit/effort"
	"txweave/internal/testkit/need"
)

// TestMTRRunner runs an exported test under MariaDB's own runner, on a server that it starts: what the test answers
// when it is recorded it answers again.
func TestMTRRunner(t *testing.T) {
	effort.Full(t)
	const script, runner = "../../bench/mariadb-test-run.sh", "/usr/share/mysql/mysql-test/mariadb-test-run.pl"
	if _, err := os.Stat(runner); err != nil {
		need.Missing(t, "needs %s (Debian: apt-get install mariadb-test)", runner)
	}
	dir := save(t, "mtr", plainSkew(t))
	tests, err := filepath.Glob(filepath.Join(dir, "*.test"))
	if err != nil || len(tests) != 1 {
		t.Fatalf("%v: %v", tests, err)
	}
	out, err := osexec.CommandContext(t.Context(), "sh", script, tests[0]).CombinedOutput()
	if err != nil || strings.Count(string(out), "[ pass ]") != 2 {
		t.Errorf("%v\n%s", err, out)
	}
}
