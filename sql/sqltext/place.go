package sqltext

// places are the names by which databases tell where a row lies, or in which table: SQLite's, TiDB's and PostgreSQL's.
// A column of such a name hides it.
var places = names("rowid _rowid_ oid _tidb_rowid tableoid ctid xmin xmax cmin cmax")

// NamesPlace says whether a condition asks where a row of the table lies: what it says of the same row elsewhere is
// another thing.
func (t *Table) NamesPlace(where string) bool {
	for _, w := range Significant(where, -1) {
		if name, is := w.Ident(); is && places[name] && t.Column(name) == nil {
			return true
		}
	}
	return false
}
