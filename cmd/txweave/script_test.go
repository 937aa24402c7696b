package main

import (
	"errors"
	"os"
	osexec "os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"txweave/internal/testkit/effort"
)

// TestScripts runs testdata/script. Beyond the usual commands they have
//
//	exit CODE COMMAND...      runs a command and checks its exit code
//	finds DURATION [PATTERN...] txweave ARGUMENT...
//	                          runs a storm until it has findings, and its output lines like these, for so long or longer
//	oneline                   checks that standard error holds one line, without a stack trace
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("GORACE", gorace)
			userDirs(e)
			findings, err := filepath.Abs("../../report/testdata/findings")
			e.Setenv("FINDINGS", findings)
			return err
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exit": exitScript, "until": untilScript, "finds": findsScript, "oneline": onelineScript,
		},
	})
}

// TestServerScripts runs testdata/server, whose scripts find a server's socket in $SOCKET and a password in $SECRET
// that no output may show.
func TestServerScripts(t *testing.T) {
	socket := userServer.Socket(t)
	t.Run("scripts", func(t *testing.T) { // which run in parallel, and are over when this returns
		testscript.Run(t, testscript.Params{
			Dir:                 "testdata/server",
			RequireExplicitExec: true,
			Setup: func(e *testscript.Env) error {
				e.Setenv("GORACE", gorace)
				userDirs(e)
				e.Setenv("SOCKET", socket)
				e.Setenv("SECRET", secret)
				return nil
			},
			Cmds: map[string]func(*testscript.TestScript, bool, []string){
				"exit": exitScript, "until": untilScript, "finds": findsScript, "oneline": onelineScript,
			},
		})
	})
	if left := databases(t); len(left) > 0 {
		t.Errorf("databases left behind: %v", left)
	}
}

// userDirs tells a script, which has no home, the tests' directory of settings, and one among the user's caches, where
// data directories of servers are kept; what else is there, a TiDB that was built, is not for it.
func userDirs(e *testscript.Env) {
	e.Setenv("XDG_CONFIG_HOME", os.Getenv("XDG_CONFIG_HOME"))
	if caches, err := os.UserCacheDir(); err == nil {
		e.Setenv("XDG_CACHE_HOME", filepath.Join(caches, "txweave", "tests"))
	}
}

// exitScript checks a command's exit code, and that it does not print the password that it may have been given.
func exitScript(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exit CODE COMMAND...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	if got := exitOf(ts, args[1:]); got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// untilScript runs a command, which has so little time that a busy machine may come to nothing in it (exit code 2),
// until it ends with a code.
func untilScript(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: until CODE COMMAND...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	const tries = 60
	got := 0
	for range tries {
		if got = exitOf(ts, args[1:]); got != 2 {
			break
		}
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// findsScript checks that a storm has findings, within so long. What overlaps in a storm is chance, and on a busy
// machine little does: it is repeated for longer until it has some.
func findsScript(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: finds DURATION COMMAND...")
	}
	d, err := time.ParseDuration(args[0])
	ts.Check(err)
	at := max(slices.Index(args, "txweave"), 1)
	var want []*regexp.Regexp
	for _, p := range args[1:at] {
		re, err := regexp.Compile("(?m)" + p)
		ts.Check(err)
		want = append(want, re)
	}
	got, lacks := 0, ""
	for range 9 {
		got = exitOf(ts, append(slices.Clone(args[at:]), "--duration", d.String()))
		said := ts.ReadFile("stdout")
		n := slices.IndexFunc(want, func(re *regexp.Regexp) bool { return !re.MatchString(said) })
		if got == 1 && n < 0 {
			return
		}
		if lacks = ""; n >= 0 {
			lacks = "; no line like " + args[1+n]
		}
		d *= 2
	}
	ts.Fatalf("exit code %d, want 1%s", got, lacks)
}

// exitOf runs a command and returns its exit code. It must not print the password that it may have been given.
func exitOf(ts *testscript.TestScript, args []string) int {
	got := 0
	var exit *osexec.ExitError
	if err := ts.Exec(args[0], args[1:]...); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%s: %v", args[0], err)
	}
	for _, name := range []string{"stdout", "stderr"} {
		if strings.Contains(ts.ReadFile(name), secret) {
			ts.Fatalf("%s shows the password", name)
		}
	}
	return got
}

var trace = regexp.MustCompile(`(?m)^goroutine \d+|panic:|\.go:\d+`)

func onelineScript(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: oneline")
	}
	text := ts.ReadFile("stderr")
	if strings.Count(text, "\n") != 1 || !strings.HasPrefix(text, "txweave: ") || trace.MatchString(text) {
		ts.Fatalf("standard error is not one line:\n%s", text)
	}
}

// TestREADME runs the commands that README.md says run as they stand, in its order, in an empty directory. A remark
// that begins with an exit code says which one is right.
func TestREADME(t *testing.T) {
	effort.Full(t)
	_, block, _ := strings.Cut(doc(t, "README.md"), "These run as they stand")
	_, block, _ = strings.Cut(block, "```\n")
	block, _, _ = strings.Cut(block, "```")
	var script strings.Builder
	for line := range strings.Lines(block) {
		command, remark, _ := strings.Cut(strings.TrimSpace(line), " #")
		code := "0"
		if m := regexp.MustCompile(`^ exit code (\d+)`).FindStringSubmatch(remark); m != nil {
			code = m[1]
		}
		if strings.Contains(command, "'") {
			t.Fatalf("a quote in %s", command)
		}
		script.WriteString("exit " + code + " sh -c '" + strings.TrimSpace(command) + "'\n")
	}
	if n := strings.Count(script.String(), "txweave "); n < 10 {
		t.Fatalf("%d commands", n)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "readme.txtar"), []byte(script.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{Dir: dir, RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error { userDirs(e); return nil },
		Cmds:  map[string]func(*testscript.TestScript, bool, []string){"exit": exitScript}})
}
