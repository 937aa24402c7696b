package export_test

import (
	"os"
	osexec "os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"txweave/history"
	"txweave/internal/testkit/need"
	"txweave/report/timeline"
)

// postgresBinary finds a program of the newest PostgreSQL server; a test that needs it is skipped where there is none.
func postgresBinary(t *testing.T, below string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join("/usr/lib/postgresql/*", below))
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		need.Missing(t, "needs PostgreSQL's %s (Debian: apt-get install postgresql)", filepath.Base(below))
	}
	return found[len(found)-1]
}

// startPostgres starts a private server in a directory of its own, as another user where this one is root, and returns how
// to connect.
func startPostgres(t *testing.T) (dsn string) {
	t.Helper()
	initdb, ctl := postgresBinary(t, "bin/initdb"), postgresBinary(t, "bin/pg_ctl")
	dir, err := os.MkdirTemp("", "pg") // short: the name of a socket has at most 107 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	var attr *syscall.SysProcAttr
	if os.Geteuid() == 0 {
		u, err := user.Lookup("nobody")
		if err != nil {
			t.Fatal(err)
		}
		uid, err := strconv.Atoi(u.Uid)
		if err == nil {
			err = os.Chown(dir, uid, -1)
		}
		if err != nil {
			t.Fatal(err)
		}
		attr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
	}
	as := func(name string, args ...string) error {
		cmd := osexec.Command(name, args...)
		cmd.Dir, cmd.SysProcAttr = dir, attr
		log, err := os.Create(filepath.Join(t.TempDir(), "log"))
		if err != nil {
			return err
		}
		defer log.Close()
		cmd.Stdout, cmd.Stderr = log, log // a file: a pipe would stay open as long as the server
		if err = cmd.Run(); err != nil {
			text, _ := os.ReadFile(log.Name())
			t.Logf("%s: %s", filepath.Base(name), text)
		}
		return err
	}
	data := filepath.Join(dir, "data")
	if err := as(initdb, "-D", data, "-U", "postgres", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C"); err != nil {
		t.Fatal(err)
	}
	if err := as(ctl, "-D", data, "-w", "-l", filepath.Join(dir, "log"), "-o", "-k "+dir+" -c listen_addresses= -c fsync=off", "start"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := as(ctl, "-D", data, "-w", "-m", "immediate", "stop"); err != nil {
			t.Error(err)
		}
	})
	return "host=" + dir + " user=postgres dbname=postgres"
}

// isolationSpec runs the spec of a plain case under PostgreSQL's own isolation tester: at REPEATABLE READ the interleaving
// gives what it gave in the run.
func isolationSpec(t *testing.T, f *timeline.Dossier) {
	tester := postgresBinary(t, "lib/pgxs/src/test/isolation/isolationtester")
	dsn := startPostgres(t)
	spec, err := os.Open(filepath.Join(save(t, "isolation-spec", f), "case.spec"))
	if err != nil {
		t.Fatal(err)
	}
	defer spec.Close()
	cmd := osexec.CommandContext(t.Context(), tester, dsn)
	cmd.Stdin = spec
	printed, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("isolationtester: %v\n%s", err, printed)
	}
	parts := strings.Split(string(printed), "starting permutation:")
	if len(parts) != 4 || strings.Contains(string(printed), "ERROR") {
		t.Fatalf("%d permutations, want the interleaving and two orders:\n%s", len(parts)-1, printed)
	}
	for _, st := range f.Plain.Timeline.Steps {
		if st.Role != history.Target || st.Answer.Rows == nil {
			continue
		}
		if got := specRows(parts[1], "step "+strings.ToLower(strings.ReplaceAll(st.Name, ".", "_"))+":"); strings.Join(got, ";") != strings.Join(rawRows(st.Answer.Rows), ";") {
			t.Errorf("%s: got %v, want %v", st.Name, got, rawRows(st.Answer.Rows))
		}
	}
}

// specRows returns the rows that the tester printed after a step: the lines between the rule and the number of rows.
func specRows(text, step string) []string {
	_, after, _ := strings.Cut(text, step)
	_, after, _ = strings.Cut(after, "-+-")
	_, after, _ = strings.Cut(after, "\n")
	body, _, _ := strings.Cut(after, "(")
	var out []string
	for line := range strings.Lines(body) {
		var cells []string
		for cell := range strings.SplitSeq(line, "|") {
			cells = append(cells, strings.TrimSpace(cell))
		}
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, strings.Join(cells, "\t"))
		}
	}
	return out
}
