package weave

import (
	"testing"

	"txweave/finding"
)

// TestDamageExplains: damage that the database tells of explains wrong answers of the same case, and no more: a lock that two held, a
// cycle of dependencies stay bugs of their own. What did not come back each time explains nothing.
func TestDamageExplains(t *testing.T) {
	for _, c := range []struct {
		class, cause      string
		suspect, explains bool
	}{
		{finding.ClassReplay, "", false, true},
		{finding.ClassPlan, "", false, true},
		{finding.ClassInconsistent, "", false, true},
		{finding.ClassUnexplained, "", false, true},
		{finding.ClassIsolation, finding.CauseMissing, false, true},
		{finding.ClassReplay, "", true, false},
		{finding.ClassMechanism, "", false, false}, // lock-conflict
		{finding.ClassIsolation, "", false, false}, // G2-item, P4
		{finding.ClassIsolation, finding.CauseStale, false, false},
		{finding.ClassHang, "", false, false},
		{finding.ClassCrash, "", false, false},
	} {
		damage := &Evidence{Finding: finding.Finding{Class: finding.ClassCorruption, Cause: finding.CauseIndex}}
		other := &Evidence{Finding: finding.Finding{Class: c.class, Cause: c.cause}}
		rep := &Report{Findings: []*Evidence{damage, other}}
		if c.suspect {
			rep = &Report{Findings: []*Evidence{other}, Suspects: []*Evidence{damage}}
		}
		(&checker{rep: rep}).conclude()
		if got := other.Cause == finding.CauseIndex; got != c.explains {
			t.Errorf("%+v: cause %q", c, other.Cause)
		}
	}
}
