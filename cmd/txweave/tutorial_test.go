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

	"txweave/internal/testkit/effort"
	"txweave/internal/testkit/need"
)

// shown is a command of a document with what the document says that it prints.
type shown struct {
	line    int // of the document, from 1
	command string
	code    int // that it ends with
	output  []string
}

// exitRemark is the remark behind a command that says with which code it ends.
var exitRemark = regexp.MustCompile(`\s+# exit code (\d+)$`)

// shownCommands are the commands of the code blocks that begin with a prompt.
func shownCommands(text string) (all []shown) {
	in := false
	for n, line := range strings.Split(text, "\n") {
		command, prompt := strings.CutPrefix(line, "$ ")
		switch {
		case strings.HasPrefix(line, "```"):
			in = false
		case prompt:
			s := shown{line: n + 1, command: command}
			if m := exitRemark.FindStringSubmatch(command); m != nil {
				s.command = strings.TrimSuffix(command, m[0])
				s.code, _ = strconv.Atoi(m[1]) // digits
			}
			all = append(all, s)
			in = true
		case in:
			all[len(all)-1].output = append(all[len(all)-1].output, line)
		}
	}
	return all
}

// varying are parts of an output that are others on another day or machine, and in whose place a word stands that says
// what it was.
var varying = []struct {
	pattern *regexp.Regexp
	name    string
}{
	{regexp.MustCompile(`\d+(\.\d+)? s\b`), "TIME s"},
	{regexp.MustCompile(`\d+ a minute`), "RATE a minute"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d`), "DATE"},
	{regexp.MustCompile(`\d+\.\d+\.\d+-MariaDB\S*`), "MARIADB"},
	{regexp.MustCompile(`\d+ tries`), "N tries"},
	{regexp.MustCompile(`(linux|darwin)/\w+`), "PLATFORM"},
	{regexp.MustCompile(`(\.md\)) \d+$`), "$1 N"}, // how often a campaign met a known bug
}

func normal(line string) string {
	for _, v := range varying {
		line = v.pattern.ReplaceAllString(line, v.name)
	}
	return strings.TrimRight(line, " ")
}

// sameOutput says whether an output is as it is shown: a line … stands for any number of lines.
func sameOutput(shown, got []string) bool {
	if len(shown) == 0 {
		return len(got) == 0
	}
	if shown[0] != "…" {
		return len(got) > 0 && normal(shown[0]) == normal(got[0]) && sameOutput(shown[1:], got[1:])
	}
	for i := range len(got) + 1 {
		if sameOutput(shown[1:], got[i:]) {
			return true
		}
	}
	return false
}

// TestTutorial runs every command of docs/tutorial.md in its order, in one directory, and holds what it prints to what
// stands there.
func TestTutorial(t *testing.T) {
	effort.Full(t)
	if _, err := osexec.LookPath("mysqltest"); err != nil {
		need.Missing(t, "no mysqltest, which runs exported tests")
	}
	runShown(t, "docs/tutorial.md", 12)
}

// TestDocumentedReplays does the same with the commands of the case format's page.
func TestDocumentedReplays(t *testing.T) { runShown(t, "docs/reference/case-format.md", 2) }

// runShown runs the commands that a page shows, of which there are so many or more.
func runShown(t *testing.T, name string, least int) {
	t.Helper()
	requireServer(t)
	docs, err := filepath.Abs("../../docs")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(docs, filepath.Join(dir, "docs")); err != nil {
		t.Fatal(err)
	}
	all := shownCommands(doc(t, name))
	if len(all) < least {
		t.Fatalf("%s shows %d commands", name, len(all))
	}
	for _, s := range all {
		out, code := runShell(t, dir, s.command)
		if code != s.code {
			t.Fatalf("%s:%d: %s: exit code %d, want %d\n%s", name, s.line, s.command, code, s.code, out)
		}
		fence := func(l string) bool { return strings.HasPrefix(l, "```") }
		got := slices.DeleteFunc(strings.Split(strings.TrimRight(out, "\n"), "\n"), fence)
		if out == "" {
			got = nil
		}
		if !sameOutput(s.output, got) {
			t.Errorf("%s:%d: %s prints\n%s", name, s.line, s.command, out)
		}
	}
}

// runShell runs a command line and returns what it printed to either output, and its exit code.
func runShell(t *testing.T, dir, line string) (out string, code int) {
	t.Helper()
	cmd := osexec.CommandContext(t.Context(), "sh", "-c", line)
	cmd.Dir = dir
	text, err := cmd.CombinedOutput()
	if exit := (*osexec.ExitError)(nil); errors.As(err, &exit) {
		return string(text), exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	return string(text), 0
}
