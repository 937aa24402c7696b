package sqlite

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"txweave/exec"
)

// TestOpenInterrupted: a connection whose opening is interrupted leaves no file open.
func TestOpenInterrupted(t *testing.T) {
	target, err := Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	files := func() (n int) {
		list, err := filepath.Glob("/proc/self/fd/*")
		if err != nil {
			t.Fatal(err)
		}
		for _, fd := range list {
			if to, err := os.Readlink(fd); err == nil && strings.Contains(to, "/case.db") {
				n++
			}
		}
		return n
	}
	p := Levels()[0]
	if len(p.Sessions.Setup) == 0 {
		t.Fatal("a session is opened without a statement")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 3 {
		if s, err := target.Open(ctx, exec.FirstNode, p); err == nil || s != nil {
			t.Fatalf("%v, %v", s, err)
		}
	}
	if err := target.Close(); err != nil {
		t.Fatal(err)
	}
	if n := files(); n > 0 {
		t.Errorf("%d files of it are open", n)
	}
}
