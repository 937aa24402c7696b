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
func shownCommands(t *testing.T, text string) (all []shown) {
	t.Helper()
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
	requireServer(t)
	if _, err := osexec.LookPath("mysqltest"); err != nil {
		t.Skip("no mysqltest, which runs exported tests")
	}
	text := doc(t, "docs/tutorial.md")
	docs, err := filepath.Abs("../../docs")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(docs, filepath.Join(dir, "docs")); err != nil {
		t.Fatal(err)
	}
	all := shownCommands(t, text)
	if len(all) < 12 {
		t.Fatalf("%d commands", len(all))
	}
	for _, s := range all {
		cmd := osexec.CommandContext(t.Context(), "sh", "-c", s.command)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		code := 0
		if exit := (*osexec.ExitError)(nil); errors.As(err, &exit) {
			code = exit.ExitCode()
		} else if err != nil {
			t.Fatal(err)
		}
		if code != s.code {
			t.Fatalf("docs/tutorial.md:%d: %s: exit code %d, want %d\n%s", s.line, s.command, code, s.code, out)
		}
		got := slices.DeleteFunc(strings.Split(string(out), "\n"), func(l string) bool { return strings.HasPrefix(l, "```") })
		for len(got) > 0 && got[len(got)-1] == "" {
			got = got[:len(got)-1]
		}
		if !sameOutput(s.output, got) {
			t.Errorf("docs/tutorial.md:%d: %s prints\n%s", s.line, s.command, out)
		}
	}
}
