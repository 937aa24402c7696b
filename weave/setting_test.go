package weave_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"txweave/history"
	"txweave/instrument"
	"txweave/oracle/observe"
	"txweave/testcase"
	"txweave/weave"
)

// sending notes what tells the sessions of runs their settings.
type sending struct {
	weave.Runner
	settings []string
}

func (s *sending) Run(p *instrument.Plan, steps []instrument.Step) (*observe.Run, error) {
	s.settings = nil
	run, err := s.Runner.Run(p, steps)
	for _, e := range run.Trace.Events {
		if e.Role == history.Level {
			s.settings = append(s.settings, e.Text)
		}
	}
	return run, err
}

// TestSetting: a case is run, and replayed, under the setting that its header names, over sessions that have their
// defaults again afterwards; one under which none can be run is refused.
func TestSetting(t *testing.T) {
	for _, level := range []string{"sqlite/serializable", "mariadb/repeatable-read"} {
		p := lookup(t, level)
		r := &sending{Runner: newRunner(t, p)}
		under := func(setting string) (*weave.Report, error) {
			text := strings.Replace(plantedCase, "target: sqlite\nisolation: serializable\n", "target: "+p.DBMS+"\nisolation: "+
				p.Isolation+"\n"+setting, 1)
			c, err := testcase.Parse("planted", []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			return weave.Check(r, c, p, weave.Options{Repeats: 3})
		}
		settings := p.Settings()
		if len(settings) < 2 {
			t.Fatalf("%s: %d settings", level, len(settings))
		}
		for _, s := range settings {
			rep, err := under("setting: " + s.Name + "\n")
			if err != nil || len(rep.Findings) > 0 || !rep.Checked {
				t.Fatalf("%s, %s: %v, %+v", level, s.Name, err, rep)
			}
			if got := r.settings; len(got) != len(s.Set)*len(rep.Plan.Txns) || len(s.Set) > 0 &&
				!slices.Equal(got[:len(s.Set)], s.Set) {
				t.Errorf("%s, %s: sent %q, want %q in each of %d sessions", level, s.Name, got, s.Set, len(rep.Plan.Txns))
			}
		}
		if rep, err := under(""); err != nil || len(rep.Findings)+len(r.settings) > 0 {
			t.Errorf("%s: the setting of the case before: %v, sent %q", level, err, r.settings)
		}
		for _, name := range []string{"by-magic", "no-indexes", "copies"} {
			var bad *weave.UnjudgeableError
			if _, err := under("plan: impatient\n"); err == nil {
				t.Errorf("%s: a third execution under a setting that is no other plan", level)
			}
			if _, err := under("setting: " + name + "\n"); !errors.As(err, &bad) || !strings.Contains(err.Error(), name) {
				t.Errorf("%s, %s: %v", level, name, err)
			}
		}
	}
}
