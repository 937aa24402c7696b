package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	osexec "os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// onTerminal runs txweave with a terminal as its output and returns what that was sent.
func onTerminal(t *testing.T, args ...string) []byte {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	tty, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	cmd := osexec.CommandContext(t.Context(), "txweave", args...)
	cmd.Stdout, cmd.Stderr = tty, tty
	err = cmd.Start()
	_ = tty.Close()
	if err != nil {
		t.Fatal(err)
	}
	got, _ := io.ReadAll(master) // it ends with an error when nobody has the terminal open any more
	_ = cmd.Wait()               // the exit code is not what this is about
	return bytes.ReplaceAll(got, []byte("\r\n"), []byte("\n"))
}

// strangers' texts that would move a cursor, or set a window's title.
const escapes = "\x1b[2J\x1b]0;owned\a\u009b31m\u202e"

// TestTerminalIsShownNoEscapes: what a file says that somebody else has written does nothing to a terminal, whichever
// command prints it, and goes into a pipe byte by byte where it is not for people.
func TestTerminalIsShownNoEscapes(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	history := file("h.edn", strings.NewReplacer("K", `"`+escapes+`"`).Replace(
		"{:type :invoke, :f :txn, :value [[:append K 1]], :process 0}\n"+
			"{:type :ok, :f :txn, :value [[:append K 1]], :process 0}\n"+
			"{:type :invoke, :f :txn, :value [[:r K nil]], :process 1}\n{:type :ok, :f :txn, :value [[:r K [2 1]]], :process "+
			"1}\n"))
	script := file("c.txw",
		"txweave case 1\ntarget: sqlite\nisolation: serializable\n\n-- schema --\nCREATE TABLE t0 (pkey INTEGER PRIMARY "+
			"KEY, vkey INTEGER, a TEXT);\n\n"+
			"-- T0 --\nSELECT a FROM t0 WHERE a = '"+escapes+"';\n\n-- schedule --\n0\n")
	for _, args := range [][]string{{"check", history}, {"check", history, "--format-out", "json"},
		{"check", filepath.Join(dir, escapes)},
		{"replay", script}, {"import", script}, {escapes}, {"fuzz", "--" + escapes}} {
		got := onTerminal(t, args...)
		if len(got) == 0 {
			t.Errorf("%q prints nothing", args)
		}
		if at := regexp.MustCompile(`[\x00-\x08\x0b-\x1f\x7f]|\x{9b}|\x{202e}`).FindIndex(got); at != nil {
			t.Errorf("%q: at %d of %q", args, at[0], got)
		}
	}
	piped, _ := osexec.CommandContext(t.Context(), "txweave", "check", history).Output()
	if !bytes.Contains(piped, []byte(`\u001b[2J`)) || bytes.ContainsRune(piped, '\x1b') {
		t.Errorf("what is for people has escapes in a pipe, or nothing of the key: %q", piped)
	}
}
