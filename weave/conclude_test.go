package weave

import (
	"testing"

	"txweave/finding"
)

// TestDamageExplains: damage that the database tells of explains wrong answers of the same case, and no more: a lock
// that two held, a cycle of dependencies stay bugs of their own. What did not come back each time explains nothing.
func TestDamageExplains(t *testing.T) {
	for _, c := range []struct {
		class                 string
		cause                 finding.Cause
		unconfirmed, explains bool
	}{
		{finding.ClassReplay, finding.Cause{}, false, true},
		{finding.ClassPlan, finding.Cause{}, false, true},
		{finding.ClassInconsistent, finding.Cause{}, false, true},
		{finding.ClassUnexplained, finding.Cause{}, false, true},
		{finding.ClassIsolation, finding.CauseMissing, false, true},
		{finding.ClassReplay, finding.Cause{}, true, false},
		{finding.ClassMechanism, finding.Cause{}, false, false}, // lock-conflict
		{finding.ClassIsolation, finding.Cause{}, false, false}, // G2-item, P4
		{finding.ClassIsolation, finding.CauseStale, false, false},
		{finding.ClassHang, finding.Cause{}, false, false},
		{finding.ClassCrash, finding.Cause{}, false, false},
	} {
		damage := &Evidence{Finding: finding.Finding{Class: finding.ClassCorruption, Cause: finding.CauseIndex}}
		other := &Evidence{Finding: finding.Finding{Class: c.class, Cause: c.cause}}
		rep := &Report{Findings: []*Evidence{damage, other}}
		if c.unconfirmed {
			rep = &Report{Findings: []*Evidence{other}, Unconfirmed: []*Evidence{damage}}
		}
		(&checker{rep: rep}).conclude()
		if got := other.Cause == finding.CauseIndex; got != c.explains {
			t.Errorf("%+v: cause %q", c, other.Cause)
		}
	}
}
