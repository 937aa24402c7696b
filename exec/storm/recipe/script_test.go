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
	"unicode"

	"txweave/dbms"
	"txweave/dbms/mariadb"
	"txweave/dbms/postgresql"
	"txweave/dbms/registry"
	"txweave/internal/testkit/effort"
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
func written(r *Recipe) (string, error) { return named(r, "storm.sh") }

func named(r *Recipe, name string) (string, error) {
	d, err := registry.Lookup(r.Target)
	if err != nil {
		return "", err
	}
	p, err := dbms.Lookup(r.Target, r.Isolation)
	if err != nil {
		return "", err
	}
	return r.Script(name, p, d.Server)
}

// TestScript: every DBMS with a server has a script at each of its levels where reads mean anything, which does what
// the recipe's nemeses do, and no more.
func TestScript(t *testing.T) {
	for _, name := range []string{"mariadb", "mysql", "tidb", "postgresql"} {
		for _, p := range dbms.Levels(name) {
			r := &Recipe{Target: name, Isolation: p.Isolation, Keys: 30, Sessions: 4, Seed: 7, Nemesis: []string{"crash", "ddl",
				"kill", "locks", "pressure"}}
			if p.SnapshotScope() == dbms.NoConsistentRead {
				why := "a query may see anything"
				if p.LockingReads { // it was said of them, too
					why = "reads lock what they see"
				}
				if _, err := written(r); err == nil || !strings.Contains(err.Error(), why) {
					t.Errorf("%s at %s: a script of what cannot be checked: %v", name, p.Isolation, err)
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
	few := &Recipe{Target: "mariadb", Keys: 30, Sessions: 2, Nemesis: []string{"ddl"},
		Acts: []string{"OPTIMIZE TABLE {table}"}}
	if text, err := os.ReadFile(scripted(t, few)); err != nil || strings.Count(string(text), "TABLE t0 FORCE")+
		strings.Count(string(text), "killer") > 0 ||
		!strings.Contains(string(text), "    echo 'OPTIMIZE TABLE t0;'\n") {
		t.Errorf("%v: of the acts of a reduced storm another one is done, or none:\n%s", err, text)
	}
	one := &Recipe{Target: "mariadb", Keys: 30, Sessions: 2, Nemesis: []string{"ddl"},
		Acts: []string{
			"ALTER TABLE {table} DROP INDEX {table}_v; ALTER TABLE {table} ADD INDEX {table}_v (v, vkey, pkey), ALGORITHM=COPY"}}
	if text, err := written(one); err != nil || !strings.Contains(text, "ALGORITHM=COPY;'\n") || strings.Contains(text,
		"ALGORITHM=NOCOPY") {
		t.Errorf("%v: of three ways to build an index another one is gone, or none:\n%s", err, text)
	}
	for why, r := range map[string]*Recipe{"planted": {Target: "mariadb", Inject: []string{"lost-commit"}},
		"no script": {Target: "sqlite"}} {
		if _, err := written(r); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", why, err)
		}
	}
}

// TestScriptAttacks: a file storm.toml comes from anywhere, and the script of one is run by a shell: nothing of it
// becomes a command there. A name of a nemesis did.
func TestScriptAttacks(t *testing.T) {
	plain := func() *Recipe {
		return &Recipe{Target: "mariadb", Keys: 30, Sessions: 4, Seed: 7, Nemesis: []string{"crash", "ddl", "kill"},
			Finding: []Seen{{Summary: "a finding"}}}
	}
	want, err := written(plain())
	if err != nil {
		t.Fatal(err)
	}
	for _, attack := range []string{"x\necho PWNED >&2", "x\r\necho PWNED", "'; echo PWNED; '", `"; echo PWNED; "`,
		"$(echo PWNED)", "`echo PWNED`",
		"{{.Level}}PWNED", "\x1b]0;PWNED\a", "x\\\necho PWNED",
		"ddl\u2028echo PWNED", "ddl\x00echo PWNED"} {
		for field, change := range map[string]func(*Recipe){ // nil: the script is as it would be without
			"nemesis": func(r *Recipe) { r.Nemesis = append(r.Nemesis, attack) },
			"acts":    func(r *Recipe) { r.Acts = []string{attack} },
			"target":  func(r *Recipe) { r.Target = attack }, "isolation": func(r *Recipe) { r.Isolation = attack },
			"summary": func(r *Recipe) { r.Finding[0].Summary = attack },
			"server":  func(r *Recipe) { r.Server = attack }, "claim": func(r *Recipe) { r.Claim = attack },
			"inject":   func(r *Recipe) { r.Inject = []string{attack} },
			"workload": func(r *Recipe) { r.Workload = attack }, "distribution": func(r *Recipe) { r.Distribution = attack },
			"without":   func(r *Recipe) { r.Without = []string{attack} },
			"signature": func(r *Recipe) { r.Finding[0].Signature = attack },
		} {
			r := plain()
			change(r)
			text, err := written(r)
			switch {
			case err != nil && slices.Contains([]string{"nemesis", "target", "isolation", "inject"}, field):
			case err != nil:
				t.Errorf("%s is %q: %v", field, attack, err)
			case field == "summary":
				lines := strings.Split(text, "\n")
				i := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, "Found by txweave") })
				if first := strings.Replace(want, "a finding", "", 1); !strings.HasPrefix(lines[i], "# ") ||
					strings.ContainsFunc(lines[i], unicode.IsControl) ||
					strings.Count(first, "\n") != len(lines)-1 {
					t.Errorf("%s is %q: %q", field, attack, lines[i])
				}
			case field == "acts": // nobody's: none is done
				if strings.Contains(text, "PWNED") || strings.Contains(text, "disruption") {
					t.Errorf("%s is %q:\n%s", field, attack, text)
				}
			case text != want:
				t.Errorf("%s is %q, and reaches the script:\n%s", field, attack, text)
			}
		}
	}
	if text, err := named(plain(), "a\necho PWNED.sh"); err != nil || strings.Contains(text, "\necho PWNED") {
		t.Errorf("the script's name: %v:\n%s", err, text)
	}
}

// TestScriptRuns: on a server that does as it promises a script finds nothing, whatever else is done to it, and a row
// that somebody takes away it finds.
func TestScriptRuns(t *testing.T) {
	for name, c := range map[string]struct {
		server    *servers.Shared
		client    string
		arguments func(socket string) []string
		into      []string // the script's database
		// What somebody has set of the server, and how it is asked for, and set back.
		set, ask, forget string
	}{
		"mariadb": {mariaDB, "mariadb", func(at string) []string {
			return []string{"-uroot", "-S", at}
		}, []string{"txweave_storm"},
			"SET GLOBAL innodb_max_purge_lag = 17;",
			"SELECT CONCAT('is ', @@GLOBAL.innodb_max_purge_lag, ' ', @@GLOBAL.innodb_change_buffering);",
			"SET GLOBAL innodb_max_purge_lag = DEFAULT;"},
		"postgresql": {postgreSQL, "psql", func(at string) []string {
			return []string{"-h", filepath.Dir(at), "-U", "postgres", "-d", "postgres"}
		}, []string{"-d", "txweave_storm"},
			"ALTER SYSTEM SET autovacuum_naptime = '33s';",
			"SELECT 'is ' || name || setting FROM pg_file_settings WHERE sourcefile LIKE '%auto.conf' AND name LIKE " +
				"'autovacuum%';",
			"ALTER SYSTEM RESET autovacuum_naptime; SELECT pg_reload_conf();"},
	} {
		t.Run(name, func(t *testing.T) {
			if name != "mariadb" {
				effort.Full(t)
			}
			args := c.arguments(c.server.Socket(t))
			if _, err := osexec.LookPath(c.client); err != nil {
				need.Missing(t, "needs the client %s", c.client)
			}
			client := func(more []string, sql string) string {
				cmd := osexec.CommandContext(t.Context(), c.client, slices.Concat(args, more)...)
				cmd.Stdin = strings.NewReader(sql)
				out, _ := cmd.CombinedOutput()
				return string(out)
			}
			defer client(nil, c.forget)
			client(nil, c.set)
			was := client(nil, c.ask)
			path := scripted(t, &Recipe{Target: name, Keys: 20, Sessions: 3, Seed: 5, Nemesis: []string{"pressure", "locks"}})
			for seconds := 3; ; seconds *= 3 {
				out, code := execute(t, nil, path, append([]string{fmt.Sprint(seconds)}, args...)...)
				if code == 0 && strings.Contains(out, "nothing wrong in") {
					break
				}
				if code != 2 || seconds > 60 || !strings.Contains(out, "not one transaction") {
					// on a machine that has no time for us
					t.Fatalf("nothing is wrong, and it says, with code %d, %s", code, out)
				}
			}
			if now := client(nil, c.ask); now != was || !strings.Contains(now, "is ") {
				t.Errorf("the settings were %q and are %q", was, now)
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			broken := filepath.Join(t.TempDir(), "storm.sh")
			if err := os.WriteFile(broken, []byte(strings.Replace(string(text), `    { echo "`, `    { echo "NONSENSE; `, 1)),
				0o700); err != nil {
				t.Fatal(err)
			}
			// As on a server that does not have the level: that was nothing wrong in 0 transactions.
			for seconds := 2; ; seconds *= 3 {
				out, code := execute(t, nil, broken, append([]string{fmt.Sprint(seconds)}, args...)...)
				if code != 2 || !strings.Contains(out, "not one transaction was done") || seconds > 60 {
					t.Fatalf("no session gets anywhere, and it says, with code %d, %s", code, out)
				}
				if strings.Contains(out, "NONSENSE") { // on a busy machine the client may not have got as far
					break
				}
			}
			remove := func() { client(c.into, "DELETE FROM t0 WHERE pkey = 3;") } // a writer may have the row just then
			if out, code := execute(t, remove, path, append([]string{"120"}, args...)...); code != 1 || !strings.Contains(out,
				"19 rows of 20") {
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
