package exec

import (
	"path/filepath"
	"testing"
)

// A server is named from where txweave runs, not from the directory that it is started in.
func TestResolveBinary(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for path, want := range map[string]string{"mysqld": "mysqld", "./mysqld": filepath.Join(dir, "mysqld"),
		"/opt/bin/mysqld": "/opt/bin/mysqld"} {
		if got, err := resolveBinary(path); err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", path, got, err, want)
		}
	}
}
