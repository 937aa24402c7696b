package tidb

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestArchive: the text that is built is the module in the folder server.
func TestArchive(t *testing.T) {
	files, err := os.ReadDir("server")
	if err != nil {
		t.Fatal(err)
	}
	held := map[string][]byte{}
	for _, f := range txtar.Parse(archive).Files {
		held[f.Name] = f.Data
	}
	for _, f := range files {
		want, err := os.ReadFile(filepath.Join("server", f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(held[f.Name()], want) {
			t.Errorf("server.txtar holds another server/%s: run go generate in dbms/tidb", f.Name())
		}
		delete(held, f.Name())
	}
	if len(held) > 0 {
		t.Errorf("server.txtar holds %d files that are not in the folder", len(held))
	}
}

// TestNoNetwork: where the modules are not to be had the user is told so in one line, and nothing stays behind.
func TestNoNetwork(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("HOME", cache)
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOMODCACHE", t.TempDir())
	dir, err := CacheDir()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "src-1"), 0o755); err != nil { // of a build that was killed
		t.Fatal(err)
	}
	var progress bytes.Buffer
	_, err = Build(t.Context(), &progress)
	if err == nil {
		t.Fatal("built TiDB without its modules")
	}
	for _, want := range []string{"needs the network", "GOPROXY", "--server PATH"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q: %v", want, err)
		}
	}
	if strings.Contains(err.Error(), "\n") || len(err.Error()) > 800 {
		t.Errorf("not a short line: %v", err)
	}
	for _, want := range []string{"MB of Go modules", "GB of disk", "minutes"} {
		if !strings.Contains(progress.String(), want) {
			t.Errorf("the announcement does not say %q: %s", want, progress.String())
		}
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 || left[0].Name() != "lock" {
		t.Errorf("left in the cache: %v, %v", left, err)
	}
}

func TestNoGo(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("PATH", t.TempDir())
	if _, err := Build(t.Context(), &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "needs Go 1.26") {
		t.Errorf("without a go command: %v", err)
	}
}

// TestTurns: one process builds at a time, and who waits can be told to stop.
func TestTurns(t *testing.T) {
	dir := t.TempDir()
	unlock, err := lock(t.Context(), dir, &bytes.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var progress bytes.Buffer
	if _, err := lock(ctx, dir, &progress); err == nil || !strings.Contains(progress.String(), "waiting") {
		t.Errorf("a second builder: %v, told %q", err, progress.String())
	}
	unlock()
	again, err := lock(t.Context(), dir, &progress)
	if err != nil {
		t.Fatal(err)
	}
	again()
}
