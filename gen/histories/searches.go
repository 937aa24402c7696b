package histories

import (
	"encoding/json"
	"io"

	"txweave/history/register"
)

// plantedSearch is a search of the rows that match, among the anomaly's keys: those whose versions the anomaly made.
type plantedSearch struct {
	versions []int // by key, the one that it looked at
	misses   bool  // it returns none
}

// searched is a search of a history.
type searched struct {
	txn    int64            // number of its transaction
	at     int              // it ran before this operation
	seen   map[string]int64 // by key that had been written: the version that it looked at
	among  []string         // the keys that it could find
	result []string         // … and found
}

// table is that of an anomaly's keys, and what was searched there.
type table struct {
	keys     []int
	matching map[int64]bool // values of the anomaly's own versions
	searches []searched
}

// What searches look for, and columns of rows that match it and that do not.
const (
	searchedTable  = "t"
	searchedColumn = "c"
	searchedFor    = searchedColumn + " < 5"
	matches        = 1
	matchesNot     = 9
)

// searched is a search before the operation at of its transaction. The anomaly's keys are some of the history's, which
// name says, and value says which value a version is.
func (p *plantedSearch) searched(at int, name func(key int) string, value func(key, version int) int64) searched {
	out := searched{at: at, seen: map[string]int64{}, result: []string{}}
	for i, version := range p.versions {
		key := name(i)
		out.among = append(out.among, key)
		if v := value(i, version); v != noValue {
			out.seen[key] = v
		}
		if version > 0 && !p.misses {
			out.result = append(out.result, key)
		}
	}
	return out
}

// written notes the anomaly's keys and the values of its versions.
func (t *table) written(keys []int, values map[[2]int]int64) {
	t.keys, t.matching = keys, map[int64]bool{}
	for v, value := range values {
		t.matching[value] = v[1] > 0
	}
}

// search notes what the transaction of a number searched.
func (t *table) search(id int64, x *transaction) {
	for _, s := range x.searches {
		s.txn = id
		t.searches = append(t.searches, s)
	}
}

// certificate is what the simulated engine says beside the history: the order of the versions of each key, and the
// anomaly's searches.
type certificate struct {
	h        *register.History
	versions [][]committedVersion
	table    table
}

// certificateLine is a line of a certificate as package checker/certificate reads it.
type certificateLine struct {
	Format  string            `json:"format,omitempty"`
	Version int               `json:"version,omitempty"`
	Source  string            `json:"source,omitempty"`
	Key     string            `json:"key,omitempty"`
	Order   []int64           `json:"order,omitempty"`
	Value   *int64            `json:"value,omitempty"`
	Row     []int             `json:"row,omitempty"`
	Txn     int64             `json:"txn,omitempty"`
	At      int               `json:"at,omitempty"`
	Table   string            `json:"table,omitempty"`
	Columns []tableColumn     `json:"columns,omitempty"`
	Keys    []string          `json:"keys,omitempty"`
	Where   string            `json:"where,omitempty"`
	Among   []string          `json:"among,omitempty"`
	Seen    *map[string]int64 `json:"seen,omitempty"`
	Result  *[]string         `json:"result,omitempty"`
}

type tableColumn struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// write writes the certificate.
func (c *certificate) write(out io.Writer) error {
	lines := []certificateLine{{Format: "txweave-certificate", Version: 1, Source: "simulated engine"}}
	if len(c.table.searches) > 0 {
		t := certificateLine{Table: searchedTable, Columns: []tableColumn{{searchedColumn, "INT"}}}
		for _, key := range c.table.keys {
			t.Keys = append(t.Keys, c.h.KeyName(int32(key)))
		}
		lines = append(lines, t)
	}
	for key, versions := range c.versions {
		l := certificateLine{Key: c.h.KeyName(int32(key))}
		for _, v := range versions {
			l.Order = append(l.Order, v.value)
		}
		if l.Order != nil {
			lines = append(lines, l)
		}
	}
	if len(c.table.searches) > 0 {
		lines = append(lines, c.rows()...)
	}
	for i := range c.table.searches {
		s := &c.table.searches[i]
		lines = append(lines, certificateLine{Txn: s.txn, At: s.at, Table: searchedTable, Where: searchedFor, Among: s.among,
			Seen: &s.seen, Result: &s.result})
	}
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for i := range lines {
		if err := enc.Encode(&lines[i]); err != nil {
			return err
		}
	}
	return nil
}

// rows are those of all versions of the table's keys.
func (c *certificate) rows() (lines []certificateLine) {
	for _, key := range c.table.keys {
		for i := range c.versions[key] {
			v := &c.versions[key][i].value
			row := matchesNot
			if c.table.matching[*v] {
				row = matches
			}
			lines = append(lines, certificateLine{Key: c.h.KeyName(int32(key)), Value: v, Row: []int{row}})
		}
	}
	return lines
}
