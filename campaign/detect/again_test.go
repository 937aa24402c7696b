package detect

import (
	"testing"

	"txweave/campaign/target"
)

// TestUnplantedAgain: the command that shows a finding with nothing planted again is for the same cases of the same
// target.
func TestUnplantedAgain(t *testing.T) {
	o := Default()
	o.Target = target.Config{Target: "mariadb", Isolation: "snapshot", Server: "/opt/my server/mariadbd"}
	o.Out, o.Budget = "kept", 500
	for _, c := range []struct {
		of   Unplanted
		want string
	}{
		{Unplanted{Seed: 2, Case: 66, Dir: "kept/x", Alone: true},
			"txweave replay kept/x --server '/opt/my server/mariadbd'"},
		{Unplanted{Seed: 2, Case: 66, Dir: "kept/x"},
			"txweave detect --only-unplanted --seed 2 --seeds 1 --budget 67 --target mariadb --isolation snapshot --server " +
				"'/opt/my server/mariadbd'"},
	} {
		if got := o.again(&c.of); got != c.want {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
	o.Unplanted = true
	if faults, err := o.pick(); err != nil || len(faults) > 0 {
		t.Errorf("%d planted bugs, %v", len(faults), err)
	}
}
