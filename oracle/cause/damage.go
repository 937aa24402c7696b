package cause

import (
	"strings"

	"txweave/finding"
)

// damage is the cause where the database itself says that a table, or an index of it, is not whole: in answer to a statement, or
// asked for it.
func damage(what, said string) string {
	account := strings.ToLower(said)
	if shape, asked := strings.CutPrefix(what, "integrity "); asked {
		account = strings.ToLower(shape)
	} else if strings.Contains(account, "runtime error: ") { // a panic of a server in Go: the index that is out of range is an array's
		return ""
	} else if !strings.Contains(account, "malformed") && !strings.Contains(account, "corrupt") && !strings.Contains(account, "index") {
		return ""
	}
	if strings.Contains(account, "foreign key") {
		return finding.CauseOrphan
	}
	if strings.Contains(account, "index") || what == corruptIndex {
		return finding.CauseIndex
	}
	return finding.CauseDamaged
}

// corruptIndex is SQLITE_CORRUPT_INDEX, whose message does not say so.
const corruptIndex = "779"
