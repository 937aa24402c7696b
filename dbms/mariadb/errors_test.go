package mariadb

import (
	"testing"

	"txweave/dbms"
)

// TestErrorDuringCommit: error 1180 is the disk's fault, but where SKIP LOCKED was not to wait; that is a finding.
func TestErrorDuringCommit(t *testing.T) {
	for _, p := range Levels() {
		for _, tc := range []struct {
			message    string
			class      dbms.ErrorClass
			impossible bool
		}{
			{`Got error 1 "Operation not permitted" during COMMIT`, dbms.TxnLost, true},
			{`Got error 28 "No space left on device" during COMMIT`, dbms.Environment, false},
			{`Got error 5 "Input/output error" during COMMIT`, dbms.Environment, false},
		} {
			if class, impossible := p.Errors.Classify(1180, tc.message), p.Errors.Impossible.Has(1180,
				tc.message); class != tc.class ||
				impossible != tc.impossible {
				t.Errorf("%s: %s: class %v, impossible %v", p.Isolation, tc.message, class, impossible)
			}
		}
	}
}
