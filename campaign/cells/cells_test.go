package cells

import (
	"strings"
	"testing"

	"txweave/campaign/rotation"
	"txweave/internal/outcome"
)

// TestPlans: a cell is refused for what its command is refused for, with the cell's name, before anything is opened;
// one that says nothing is what its command is that is told nothing.
func TestPlans(t *testing.T) {
	part := func(mode string, change func(*rotation.Part)) *rotation.CampaignPlan {
		p := rotation.Part{Name: "x", Target: "sqlite", Mode: mode}
		change(&p)
		return &rotation.CampaignPlan{Parts: []rotation.Part{p}}
	}
	for want, plan := range map[string]*rotation.CampaignPlan{
		`unknown target "oracle"`: part("fuzz", func(p *rotation.Part) { p.Target = "oracle" }),
		`--without: `: part("fuzz",
			func(p *rotation.Part) { p.Without = []string{"nothing-of-this-name"} }),
		`--claim: sqlite has no isolation`: part("fuzz", func(p *rotation.Part) { p.Claim = "none" }),
		`--inject: no planted bug "none"`:  part("fuzz", func(p *rotation.Part) { p.Inject = []string{"none"} }),
		`only storm --nemesis `: part("fuzz",
			func(p *rotation.Part) { p.Inject = []string{"half-commit-after-crash"} }),
		`--sessions must be from 1 to 256`: part("storm", func(p *rotation.Part) { p.Sessions = 1000 }),
		`--length: the transactions of mini`: part("storm",
			func(p *rotation.Part) { p.Workload, p.Operations = "mini", 5 }),
		`--nemesis: `:                         part("storm", func(p *rotation.Part) { p.Nemesis = []string{"rain"} }),
		`--inject: no planted bug "nor this"`: part("detect", func(p *rotation.Part) { p.Inject = []string{"nor this"} }),
	} {
		if err := plan.Check(); err != nil {
			t.Fatal(err)
		}
		_, err := Plans(plan)
		code, _ := outcome.Of(err)
		if err == nil || code != outcome.Usage || !strings.HasPrefix(err.Error(), `cell "x": `) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("want %s, got %v", want, err)
		}
	}
	for _, mode := range []string{"fuzz", "storm", "detect"} {
		plan := part(mode, func(p *rotation.Part) { p.Seed = 7 })
		if err := plan.Check(); err != nil {
			t.Fatal(err)
		}
		list, err := Plans(plan)
		if err != nil || len(list) != 1 || list[0].Isolation != "serializable" || list[0].Seed != 7 {
			t.Errorf("%s: %+v, %v", mode, list, err)
		}
	}
}
