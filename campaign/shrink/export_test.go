package shrink

import (
	"slices"
	"testing"

	"txweave/campaign"
	"txweave/testcase"
)

// Trials are the names of the trials, in their order.
func Trials() (out []string) {
	for _, t := range trials {
		out = append(out, t.name)
	}
	return out
}

// Told notes the trials that tell something, each once, until the test ends.
func Told(t testing.TB) *[]string {
	told, before := new([]string), slices.Clone(trials)
	t.Cleanup(func() { trials = before })
	for i := range trials {
		trial := before[i]
		trials[i].shows = func(x *tried, f *campaign.Found) bool {
			shows := trial.shows(x, f)
			if shows && !slices.Contains(*told, trial.name) {
				*told = append(*told, trial.name)
			}
			return shows
		}
	}
	return told
}

// LeaveOut leaves a trial out until it is put back.
func LeaveOut(name string) (back func()) {
	i := slices.IndexFunc(trials, func(t trial) bool { return t.name == name })
	before := trials[i].try
	trials[i].try = func(*tried) []*testcase.Case { return nil }
	return func() { trials[i].try = before }
}
