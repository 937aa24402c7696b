package consistency

import (
	"txweave/oracle/observe"
	"txweave/sql/sqltext"
)

// own is how many rows of its own table a write has written that carries something along to others, and to others
// alone; false where that is not known, or the database may count more.
func (j *judge) own(s *observe.ObservedStmt) (n int64, known bool) {
	if !s.Carries || !j.promise(s).Writes.CountsOwn || s.Replaces || len(s.Unsure) > 0 || s.Run == nil {
		return 0, false
	}
	if info := s.Run.Block.Info; info.Spreads || !s.Compared || info.Truncates || info.Kind == sqltext.Update &&
		(info.VKey == 0 || info.Unkeyed) {
		return 0, false
	}
	for _, w := range s.Writes {
		if w.Table != s.Target {
			continue
		}
		if s.Kind == sqltext.Update && (w.From.Absent() || w.To.Absent()) {
			return 0, false // it gives a row another name
		}
		n++
	}
	return n, true
}
