package observe

import (
	"txweave/history"
	"txweave/sql/sqltext"
)

// Touches says whether a statement touches some rows of a table, at least one and not all that it saw there: an UPDATE
// or a DELETE of its target, a SELECT that prints which rows it read of any table. known is false for all others: of an
// INSERT's own rows there is no all, and what an aggregate read is not printed.
func (s *ObservedStmt) Touches() (some, known bool) {
	if s.Bad != nil || s.Err != nil || s.Run == nil {
		return false, false
	}
	rows := map[history.Item]bool{}
	var tables []string
	switch s.Kind {
	case sqltext.Update, sqltext.Delete:
		tables = []string{s.Target}
		for pkey := range s.Matched {
			rows[history.Item{Table: s.Target, PKey: pkey}] = true
		}
		for _, w := range s.Writes {
			rows[w.Item] = rows[w.Item] || w.From >= 0
		}
	case sqltext.Select:
		for _, item := range s.Run.Block.Info.Items {
			tables = append(tables, item.Table)
		}
		for _, v := range s.Out {
			rows[v.Item] = true
		}
	}
	touched := map[string]int{}
	for item, there := range rows {
		if there {
			touched[item.Table]++
		}
	}
	for _, t := range tables {
		some = some || touched[t] > 0 && touched[t] < len(s.Seen(t))
	}
	return some, len(tables) > 0
}
