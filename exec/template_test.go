package exec

import (
	"io"
	"path/filepath"
	"testing"
)

// TestTemplateKept: the data directory of an installed server is initialised once; that of a binary which somebody
// names is not kept.
func TestTemplateKept(t *testing.T) {
	installed := launch(t).binary // says what is missing
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	templates := func(binary string) (string, int) {
		t.Helper()
		l, err := NewLauncher(t.Context(), TestServers["mariadb"], binary, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		dir, err := l.template(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		kept, err := filepath.Glob(filepath.Join(l.root.Path, "template*"))
		if err != nil {
			t.Fatal(err)
		}
		return dir, len(kept)
	}
	if _, own := templates(installed); own != 1 {
		t.Errorf("a binary that is named: %d templates of its own", own)
	}
	if _, own := templates(""); own != 1 {
		t.Errorf("the first time: %d templates of its own", own)
	}
	dir, own := templates("")
	if own != 0 || filepath.Base(filepath.Dir(dir)) != "templates" {
		t.Errorf("the second time: %d templates of its own, and it starts from %s", own, dir)
	}
}
