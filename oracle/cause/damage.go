package cause

import (
	"strings"

	"txweave/finding"
)

// damage is the cause where the database itself says that a table, or an index of it, is not whole: in answer to a
// statement, or asked for it.
func damage(d *finding.Difference, said string) finding.Cause {
	account := strings.ToLower(said)
	if d.Shape != "" {
		account = strings.ToLower(d.Shape)
	} else if strings.Contains(account, "runtime error: ") {
		// a panic of a server in Go: the index that is out of range is an array's
		return finding.Cause{}
	} else if !strings.Contains(account, "malformed") && !strings.Contains(account, "corrupt") &&
		!strings.Contains(account, "index") {
		return finding.Cause{}
	}
	if strings.Contains(account, "foreign key") {
		return finding.CauseOrphan
	}
	if strings.Contains(account, "index") || d.Code == corruptIndex {
		return finding.CauseIndex
	}
	return finding.CauseDamaged
}

// corruptIndex is the code of a corrupt index (sqlite.org/rescode.html#corrupt_index), whose message does not say so.
const corruptIndex = 779
