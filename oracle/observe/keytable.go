package observe

import "txweave/sql/sqltext"

// keyTable is the table whose rows are known to make no difference to a statement unless it meets a key of theirs.
func keyTable(info *sqltext.Analysis) string {
	if info.KeyWhere == "" || info.MatchTable != "" {
		return ""
	}
	return info.Target
}
