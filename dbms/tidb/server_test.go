//go:build tidb

package tidb

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestBuild builds the server, or finds it in the cache.
func TestBuild(t *testing.T) {
	binary, err := Build(t.Context(), os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(binary, "-V").CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "Release Version: v"+Release {
		t.Errorf("%s -V: %s, %v", binary, out, err)
	}
}
