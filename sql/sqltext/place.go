package sqltext

import "slices"

// NamesUnlisted says whether a condition names one of the columns that tables have of themselves (Traits.Unlisted),
// where the table has no other one of that name.
func (t *Table) NamesUnlisted(where string, unlisted []string) bool {
	for _, w := range Significant(where, -1) {
		if name, is := w.Ident(); is && slices.Contains(unlisted, name) && t.Column(name) == nil {
			return true
		}
	}
	return false
}
