package consistency

import (
	"txweave/observe"
)

// read compares a SELECT of a whole table with the version-set read of the same snapshot: both find as many rows.
func (j *judge) read(s *observe.ObservedStmt) {
	if !j.comparable(s) || s.Waited || s.Mixed || s.Undone || s.SawUndone || s.Run != nil && s.Run.Block.Info.MatchWhere != "" {
		return
	}
	if n := int64(len(s.Search[0].Seen)); s.Counted != n {
		j.odd(s, "count-versus-seen", "it finds %d rows in %s; a read of all columns that saw the same, right beside it, found %d", s.Counted, s.Search[0].Table, n)
	}
}
