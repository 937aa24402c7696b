//go:build tidb

package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestTiDBScripts runs testdata/tidb on the TiDB server in the user's cache, which is built where it is not there.
func TestTiDBScripts(t *testing.T) {
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	home, err := os.UserHomeDir() // of Go's own caches
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/tidb",
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("GORACE", gorace)
			e.Setenv("XDG_CONFIG_HOME", os.Getenv("XDG_CONFIG_HOME"))
			e.Setenv("HOME", home)
			e.Setenv("XDG_CACHE_HOME", cache)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exit": exitScript, "finds": findsScript, "oneline": onelineScript,
		},
	})
}
