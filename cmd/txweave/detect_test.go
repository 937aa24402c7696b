package main

import (
	"io"
	"testing"
)

// TestUnplantedAgainTaken: detect takes the command that shows a finding with nothing planted again, which detect's own
// tests hold.
func TestUnplantedAgainTaken(t *testing.T) {
	var f detectFlags
	cmd := f.command()
	if err := cmd.ParseFlags([]string{"--only-unplanted", "--seed", "2", "--seeds", "1", "--budget", "67"}); err != nil {
		t.Fatal(err)
	}
	if err := f.check(cmd.Flags(), io.Discard); err != nil {
		t.Fatal(err)
	}
	if c := f.c; !c.Unplanted || c.First != 2 || c.Seeds != 1 || c.Budget != 67 || c.Target.Target != "" {
		t.Errorf("%+v", c)
	}
}
