package main

import (
	"slices"
	"testing"

	"txweave/campaign/detect"
)

// TestUnplantedAgain: the command that shows a finding with nothing planted again is one that detect, or replay, takes, and is for the same
// cases of the same target.
func TestUnplantedAgain(t *testing.T) {
	var f detectFlags
	cmd := f.command()
	if err := cmd.ParseFlags([]string{"--target", "mariadb", "--isolation=snapshot", "--guide", "coverage", "--server", "/opt/my server/mariadbd", "--out", "kept", "--budget", "500"}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		of   detect.Unplanted
		want string
	}{
		{detect.Unplanted{Seed: 2, Case: 66, Dir: "kept/x", Alone: true}, "txweave replay kept/x --server '/opt/my server/mariadbd'"},
		{detect.Unplanted{Seed: 2, Case: 66, Dir: "kept/x"},
			"txweave detect --only-unplanted --seed 2 --seeds 1 --budget 67 --target mariadb --isolation snapshot --server '/opt/my server/mariadbd'"},
	} {
		if got := f.again(&c.of); got != c.want {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
	var again detectFlags
	if err := again.command().ParseFlags([]string{"--only-unplanted", "--seed", "2", "--seeds", "1", "--budget", "67"}); err != nil || again.check(again.flags) != nil {
		t.Errorf("detect does not take it: %v", err)
	}
	if faults, err := again.pick(); err != nil || len(faults) > 0 || slices.Contains([]int{again.budget, int(again.first)}, 0) {
		t.Errorf("%d planted bugs, %v", len(faults), err)
	}
}
