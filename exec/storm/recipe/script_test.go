package recipe

import (
	"context"
	"errors"
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"txweave/dbms"
	"txweave/dbms/mariadb"
	"txweave/dbms/postgresql"
	"txweave/dbms/registry"
	"txweave/internal/testkit/need"
	"txweave/internal/testkit/servers"
)

var (
	mariaDB    = servers.Launched("a MariaDB server", mariadb.Server)
	postgreSQL = servers.Launched("a PostgreSQL server", postgresql.Server)
)

func TestMain(m *testing.M) { os.Exit(servers.Run(m, mariaDB, postgreSQL)) }

// scripted writes the script of a recipe and returns its path.
func scripted(t *testing.T, r *Recipe) string {
	t.Helper()
	text, err := written(r)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "storm.sh")
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	if out, err := osexec.CommandContext(t.Context(), "bash", "-n", path).CombinedOutput(); err != nil {
		t.Fatalf("%s: %s", err, out)
	}
	return path
}

// written is the text of a recipe's script.
func written(r *Recipe) (string, error) {
	d, err := registry.Lookup(r.Target)
	if err != nil {
		return "", err
	}
	p, err := dbms.Lookup(r.Target, r.Isolation)
	if err != nil {
		return "", err
	}
	return r.Script("storm.sh", p, d.Server)
}

// TestScript: every DBMS with a server has a script at each of its levels where reads mean anything, which does what the recipe's nemeses do, and no more.
func TestScript(t *testing.T) {
	for _, name := range []string{"mariadb", "mysql", "tidb", "postgresql"} {
		for _, p := range dbms.Levels(name) {
			r := &Recipe{Target: name, Isolation: p.Isolation, Keys: 30, Sessions: 4, Seed: 7, Nemesis: []string{"crash", "ddl", "kill", "locks", "pressure"}}
			if p.SnapshotScope() == dbms.NoConsistentRead {
				if _, err := written(r); err == nil {
					t.Errorf("%s at %s: a script of what cannot be checked", name, p.Isolation)
				}
				continue
			}
			text, err := os.ReadFile(scripted(t, r))
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range []string{"{table}", "{{"} {
				if strings.Contains(string(text), want) {
					t.Errorf("%s at %s: %s is left in it", name, p.Isolation, want)
				}
			}
			if !strings.Contains(string(text), "# What meets that: ddl, kill, locks, pressure.\n# Not done here: crash.\n") {
				t.Errorf("%s at %s: it does not say what it does:\n%.900s", name, p.Isolation, text)
			}
		}
	}
	few := &Recipe{Target: "mariadb", Keys: 30, Sessions: 2, Nemesis: []string{"ddl"}, Acts: []string{"OPTIMIZE TABLE {table}"}}
	if text, err := os.ReadFile(scripted(t, few)); err != nil || strings.Count(string(text), "TABLE t0 FORCE")+strings.Count(string(text), "killer") > 0 ||
		!strings.Contains(string(text), "    echo 'OPTIMIZE TABLE t0;'\n") {
		t.Errorf("%v: of the acts of a reduced storm another one is done, or none:\n%s", err, text)
	}
	for why, r := range map[string]*Recipe{"planted": {Target: "mariadb", Faults: []string{"lost-commit"}}, "no script": {Target: "sqlite"}} {
		if _, err := written(r); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", why, err)
		}
	}
}

// TestScriptRuns: on a server that does as it promises a script finds nothing, whatever else is done to it, and a row that somebody takes away it finds.
func TestScriptRuns(t *testing.T) {
	for name, c := range map[string]struct {
		server    *servers.Shared
		client    string
		arguments func(socket string) []string
		into      []string // the script's database
	}{
		"mariadb":    {mariaDB, "mariadb", func(at string) []string { return []string{"-uroot", "-S", at} }, []string{"txweave_storm"}},
		"postgresql": {postgreSQL, "psql", func(at string) []string { return []string{"-h", filepath.Dir(at), "-U", "postgres", "-d", "postgres"} }, []string{"-d", "txweave_storm"}},
	} {
		t.Run(name, func(t *testing.T) {
			args := c.arguments(c.server.Socket(t))
			if _, err := osexec.LookPath(c.client); err != nil {
				need.Missing(t, "needs the client %s", c.client)
			}
			path := scripted(t, &Recipe{Target: name, Keys: 20, Sessions: 3, Seed: 5, Nemesis: []string{"pressure", "locks"}})
			for seconds := 3; ; seconds *= 3 {
				out, code := execute(t, nil, path, append([]string{fmt.Sprint(seconds)}, args...)...)
				if code != 0 || seconds > 60 {
					t.Fatalf("nothing is wrong, and it says, with code %d, %s", code, out)
				}
				if strings.Contains(out, "nothing wrong in") && !strings.Contains(out, " 0 transactions") {
					break
				}
			}
			remove := func() {
				client := osexec.CommandContext(t.Context(), c.client, slices.Concat(args, c.into)...)
				client.Stdin = strings.NewReader("DELETE FROM t0 WHERE pkey = 3;")
				_ = client.Run() // a writer may have the row just then
			}
			if out, code := execute(t, remove, path, append([]string{"120"}, args...)...); code != 1 || !strings.Contains(out, "19 rows of 20") {
				t.Errorf("a row was taken away, and it says, with code %d, %s", code, out)
			}
		})
	}
}

// execute runs a script, and from its second second on does something again and again meanwhile.
func execute(t *testing.T, meanwhile func(), path string, args ...string) (out string, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	if meanwhile != nil {
		go func() {
			for tick := time.NewTicker(time.Second); ; {
				select {
				case <-ctx.Done():
					tick.Stop()
					return
				case <-tick.C:
					meanwhile()
				}
			}
		}()
	}
	cmd := osexec.CommandContext(ctx, "bash", append([]string{path}, args...)...)
	cmd.WaitDelay = 10 * time.Second
	text, err := cmd.CombinedOutput()
	var exit *osexec.ExitError
	switch {
	case errors.As(err, &exit):
		return string(text), exit.ExitCode()
	case err != nil:
		t.Fatalf("%v: %s", err, text)
	}
	return string(text), 0
}
