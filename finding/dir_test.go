package finding

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestStrangersFiles: what is no regular file is not read, be it a pipe, which is not waited for, or a link to what
// lies elsewhere.
func TestStrangersFiles(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, make := range map[string]func(path string) error{
		CaseFile:   func(path string) error { return unix.Mkfifo(path, 0o600) },
		LogFile:    func(path string) error { return os.Symlink(secret, path) },
		RecordFile: func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		if err := make(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		text, err := (&Dir{Path: dir}).Read(name)
		if err == nil || !strings.Contains(err.Error(), "is not a regular file") {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}
