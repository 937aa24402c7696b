package worker

import (
	"slices"
	"testing"

	"txweave/dbms"
)

// TestCasesOfVersion: what one version of a server answers wrong is made for the next only
// (docs/findings/mariadb-window-in-subquery-of-write.md).
func TestCasesOfVersion(t *testing.T) {
	p, err := dbms.Lookup("mariadb", "serializable")
	if err != nil {
		t.Fatal(err)
	}
	for version, left := range map[string]bool{"10.11.19-MariaDB-0+deb12u1": true, "11.8.6-MariaDB": false} {
		src, err := NewCasesFor(version, 25, p, "chain")
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.Contains(src.Without(), "window-in-write"); got != left || !slices.Contains(src.Without(), "chain") {
			t.Errorf("%s: left out are %v", version, src.Without())
		}
	}
}
