package trust

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// own makes a directory of the test's that of the user's configuration.
func own(t *testing.T) string {
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	return dir
}

func refused(t *testing.T, b *Book, w Way) bool {
	t.Helper()
	err := b.Refuse("there", w)
	if err != nil && !strings.Contains(err.Error(), w.Code()) {
		t.Fatalf("%v does not say how it is confirmed", err)
	}
	return err != nil
}

// TestNamedIsRemembered: what the user has named, or confirmed by its code, is known to the next process, and nothing
// else is.
func TestNamedIsRemembered(t *testing.T) {
	own(t)
	mine, other, shown := Program("/opt/mine"), Program("/opt/other"), Command([]string{"sh", "x.sh"})
	if b := Open(); !refused(t, b, mine) {
		t.Fatal("nobody has named it")
	} else if err := b.Name(mine); err != nil || refused(t, b, mine) {
		t.Fatalf("it was named: %v", err)
	}
	if b := Open(); refused(t, b, mine) || !refused(t, b, other) || !refused(t, b, shown) {
		t.Fatal("one was named, and two were not")
	}
	if b := Open(shown.Code()); refused(t, b, shown) || !refused(t, b, other) {
		t.Fatal("one was confirmed, and the other was not")
	}
	if refused(t, Open(), shown) {
		t.Fatal("it was confirmed before")
	}
}

// TestPathsMeanTheirDirectory: a relative path that was named in one directory is not named in another one.
func TestPathsMeanTheirDirectory(t *testing.T) {
	own(t)
	t.Chdir(t.TempDir())
	b := Open()
	if err := b.Name(Program("server"), File("dsn"), Command([]string{"./tell"})); err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for _, w := range []Way{Program("server"), File("dsn"), Command([]string{"./tell"})} {
		if !refused(t, b, w) {
			t.Errorf("%s was named elsewhere", w)
		}
	}
}

// TestNobodyElseNames: a directory in which others can write is no book, and without one nothing is kept.
func TestNobodyElseNames(t *testing.T) {
	dir := own(t)
	w := Program("/opt/mine")
	if err := Open().Name(w); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(dir, "txweave", "named"), 0o777); err != nil {
		t.Fatal(err)
	}
	if Open().Refuse("there", w) == nil {
		t.Error("somebody else may have named it")
	}
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("HOME", "")
	b := Open()
	if err := b.Name(w); err == nil {
		t.Error("it was kept nowhere")
	}
	if refused(t, b, w) || !refused(t, Open(), w) {
		t.Error("it holds for the process in which it was named")
	}
}

// TestShownOnOneLine: what is shown holds no line and no control character of whoever wrote it.
func TestShownOnOneLine(t *testing.T) {
	for _, w := range []Way{Program("/a\n\x1b[2J"), Address("dsn", "x\r\u2028y"), Command([]string{"a\nb", "\x07"})} {
		if strings.ContainsFunc(w.String(), func(r rune) bool { return r < ' ' || r == '\u2028' }) {
			t.Errorf("%q", w.String())
		}
	}
}
