package histories

import (
	"slices"

	"txweave/checker/certificate"
	"txweave/history"
	"txweave/history/register"
)

// plantedSearch is a search of the rows that match, among the anomaly's keys: those whose versions the anomaly made.
type plantedSearch struct {
	versions []int // by key, the one that it looked at
	misses   bool  // it returns none
}

// table is that of an anomaly's keys, and what was searched there.
type table struct {
	keys     []int32
	matching map[certificate.KeyVersion]bool // the anomaly's own versions
	searches []certificate.Predicate         // their Txn is a transaction's number yet
}

// What searches look for, and columns of rows that match it and that do not.
const (
	searchedColumn = "c"
	searchedFor    = searchedColumn + " < 5"
	matches        = 1
	matchesNot     = 9
)

// searched is a search before the operation at of its transaction. The anomaly's keys are some of the history's, and
// value says which value a version is.
func (p *table) searched(s *plantedSearch, at int, keys []int,
	value func(key, version int) int64) certificate.Predicate {
	out := certificate.Predicate{At: at, Where: searchedFor, Seen: map[int32]int64{}, Listed: true}
	for i, version := range s.versions {
		key := int32(keys[i])
		out.Among = append(out.Among, key)
		if v := value(i, version); v != noValue {
			out.Seen[key] = v
		}
		if version > 0 && !s.misses {
			out.Result = append(out.Result, key)
		}
	}
	return out
}

// written notes the anomaly's keys and versions.
func (p *table) written(keys []int, values map[[2]int]int64) {
	p.matching = map[certificate.KeyVersion]bool{}
	for _, key := range keys {
		p.keys = append(p.keys, int32(key))
	}
	for v, value := range values {
		p.matching[certificate.KeyVersion{Key: p.keys[v[0]], Value: value}] = v[1] > 0
	}
}

// search notes what the transaction of a number searched.
func (p *table) search(id int64, t *transaction) {
	for _, s := range t.searches {
		s.Txn = int(id)
		p.searches = append(p.searches, s)
	}
}

// certificate is what the engine says of a history: the order of versions, and the anomaly's searches.
func (c *central) certificate(h *register.History, p *planting) *certificate.Certificate {
	out := &certificate.Certificate{Source: "simulated engine", Order: make([][]int64, len(c.keys))}
	for key, versions := range c.keys {
		for _, v := range versions {
			out.Order[key] = append(out.Order[key], v.value)
		}
	}
	if p == nil || len(p.table.searches) == 0 {
		return out
	}
	rows := map[certificate.KeyVersion][]history.Value{}
	for _, key := range p.table.keys {
		for _, v := range c.keys[key] {
			version := certificate.KeyVersion{Key: key, Value: v.value}
			rows[version] = []history.Value{history.IntValue(matchesNot)}
			if p.table.matching[version] {
				rows[version][0] = history.IntValue(matches)
			}
		}
	}
	out.Tables = []certificate.Relation{{Name: "t", Keys: slices.Clone(p.table.keys), Rows: rows,
		Columns: []certificate.ColumnType{{Name: searchedColumn, Type: "INT"}}}}
	at := map[int64]int{}
	for t := range h.Txns {
		at[h.Txns[t].ID] = t
	}
	for _, s := range p.table.searches {
		s.Txn = at[int64(s.Txn)]
		out.Predicates = append(out.Predicates, s)
	}
	return out
}
