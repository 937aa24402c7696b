package resources

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

func TestMemory(t *testing.T) {
	if runtime.GOOS != "linux" {
		if Memory(Processes()) != 0 {
			t.Error("where there is no /proc nothing can be told")
		}
		return
	}
	alone := Memory(Processes())
	if alone < 1<<20 {
		t.Fatalf("%d bytes", alone)
	}
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = cmd.Process.Kill(), cmd.Wait() }()
	if with := Memory(Processes()); with <= alone/2 {
		t.Errorf("%d bytes with a child, %d without", with, alone)
	}
}

func TestDisk(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "a", "b"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"x", "a/y", "a/b/z"} {
		if err := os.WriteFile(filepath.Join(dir, name), make([]byte, 1000), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := Disk(dir); n != 3000 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}
