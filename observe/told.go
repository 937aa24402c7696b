package observe

import (
	"slices"

	"txweave/sqltext"
)

// told notes what a write says of itself, and need only say so where no trigger and no foreign key of its own table changes rows besides.
func (o *observer) told(s *ObservedStmt, info *sqltext.Analysis) {
	table := o.plan.Schema.Table(info.Target)
	if table == nil || len(s.Changes) > 1 || len(o.plan.Schema.On(info.Target)) > 0 || slices.Contains(table.Parents, info.Target) {
		return
	}
	if block := s.Run.Block; info.Returns && block.Returning == "" {
		s.Returned = sqltext.Returned(block.SQL)
	}
	n := int64(info.Upserts)
	switch {
	case n == 0 || o.isVersioned(info.Target): // the row that it keeps of before counts, too
	case o.plan.Profile.CountsMatched: // a row, whether it is inserted or changed
		s.Least, s.Most = n, n
	case !info.Unkeyed: // MySQL and its kin count two for one that is changed, and none for one that stays as an earlier one has left it
		s.Least, s.Most = 1, 2*n
	}
}
