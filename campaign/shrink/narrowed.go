package shrink

import (
	"context"
	"slices"

	"txweave/dbms"
	"txweave/fault"
	"txweave/finding"
	"txweave/testcase"
)

// narrowed has a case that needs a setting of several variables, or copies of its tables, or hidden conditions, run
// under one variable alone, the first one under which it shows the same: who is to mend the bug is told which part of
// the planner it is in. A write that is held against a query right before it is so under any setting, and says nothing
// of one.
func (k *shrinker) narrowed(ctx context.Context, c *testcase.Case) (*testcase.Case, error) {
	for _, key := range []string{testcase.OptionPlan, testcase.OptionSetting} {
		if key == testcase.OptionPlan && slices.Contains(bySearch, k.signature) {
			continue
		}
		for _, s := range k.narrower(c.Option(key), key) {
			variant := c.Clone()
			variant.SetOption(key, s.Name)
			holds, err := k.holds(ctx, variant)
			if err != nil {
				return c, err
			}
			if holds {
				c = variant
				break
			}
		}
	}
	return c, nil
}

// bySearch are the signatures of writes that are held against a query right before them.
var bySearch = func() (out []string) {
	for _, verb := range []string{"INSERT", "REPLACE", "UPDATE", "DELETE"} {
		for _, what := range []fault.Kind{fault.MatchedAffected, fault.RefusedHeld, fault.ChangedMatched} {
			out = append(out, finding.Signed(finding.ClassPlan, verb, what))
		}
	}
	return out
}()

// narrower are the settings of one variable that may do what another setting does: those of which it is made, and in
// place of copies or hidden conditions, which are no setting of the database's, all that there are, and then one of the
// two ways to hide conditions.
func (k *shrinker) narrower(name, key string) (out []dbms.PlanSetting) {
	p := k.profile
	if name == "" || p == nil {
		return nil
	}
	s := p.PlanSetting(name)
	if s == nil {
		return nil
	}
	if s.Copies == nil && !s.Opaque || key != testcase.OptionPlan {
		return s.Narrower()
	}
	for _, other := range p.Alternatives() {
		if other.Name != s.Name {
			out = append(out, other.Narrower()...)
		}
	}
	return append(out, s.Narrower()...)
}
