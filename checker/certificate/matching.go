package certificate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"txweave/history"
	"txweave/history/register"
)

// search is a predicate without who asked it: its matches are found once.
type search struct {
	table int
	where string
}

// matching says which rows of a table match a WHERE clause.
type matching struct {
	*projection
	match []bool           // by row of the projection
	flips map[int32]*flips // by key, once it is asked for
}

// flips are the places of a key's chain at which what matches changes.
type flips struct {
	last []int32 // by place: the first one of those up to it that match alike
	next []int32 // by place: the next one that does not match alike; the chain's length where there is none
	// between are the first and the last place that does not match, [0], and that does, [1]; -1, -1: there is none.
	between [2]struct{ first, last int32 }
}

// flipsOf finds them once: searches that look at the same key again and again would go along the whole chain each time.
func (m *matching) flipsOf(key int32) *flips {
	if f := m.flips[key]; f != nil {
		return f
	}
	rows := m.chain[key]
	f := &flips{last: make([]int32, len(rows)), next: make([]int32, len(rows))}
	for i := range rows {
		if i > 0 && m.at(rows[i]) == m.at(rows[i-1]) {
			f.last[i] = f.last[i-1]
		} else {
			f.last[i] = int32(i)
		}
	}
	for i := len(rows) - 1; i >= 0; i-- {
		switch {
		case i == len(rows)-1 || m.at(rows[i]) != m.at(rows[i+1]):
			f.next[i] = int32(i + 1)
		default:
			f.next[i] = f.next[i+1]
		}
	}
	for match := range f.between {
		is := func(row int32) bool { return m.at(row) == (match == 1) }
		b := &f.between[match]
		b.first, b.last = int32(slices.IndexFunc(rows, is)), int32(len(rows)-1)
		for b.last >= 0 && !is(rows[b.last]) {
			b.last--
		}
	}
	if m.flips == nil {
		m.flips = map[int32]*flips{}
	}
	m.flips[key] = f
	return f
}

// projection is the versions of a table in the columns that some clauses mention: those that are equal there match
// alike.
type projection struct {
	of    *Relation
	used  []int                // the columns, by their places in the table
	table Relation             // with these columns, and no keys
	rows  [][]history.Value    // each once
	index map[string]int32     // of rows, by their values
	row   map[KeyVersion]int32 // by version: its row, or gone
	chain map[int32][]int32    // by key: the rows of its chain
	first int32                // the row that unwritten keys have, or gone
	lacks map[int32]int32      // by key: a version of its chain that has a blank row
}

// What stands for a row.
const (
	gone  int32 = -1 // a deletion, or not there yet
	blank int32 = -2 // the certificate does not have it
)

// state is what a search looked at of one key: a version in its chain, by its place, or what its transaction had
// written itself.
type state struct {
	place int32
	own   *KeyVersion
}

// at says whether a row, which may be gone, matches.
func (m *matching) at(row int32) bool { return row >= 0 && m.match[row] }

// matches says whether a state of a key matches.
func (m *matching) matches(key int32, s state) bool {
	if s.own != nil {
		return m.at(m.row[*s.own])
	}
	return m.at(m.chain[key][s.place])
}

// isWord says whether a rune is one of plain names: an ASCII letter, a digit or an underscore.
func isWord(r rune) bool {
	return r == '_' || r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z'
}

// project returns the projection on the columns that a clause may mention.
func (k *judge) project(table int, where string) (*projection, error) {
	t := &k.c.Tables[table]
	words := strings.FieldsFunc(strings.ToLower(where), func(r rune) bool { return !isWord(r) })
	var used []int
	for i, c := range t.columns() {
		if slices.Contains(words, strings.ToLower(c.Name)) {
			used = append(used, i)
		}
	}
	id := fmt.Sprint(table, used)
	if p := k.projections[id]; p != nil {
		return p, nil
	}
	p := &projection{of: t, used: used, table: Relation{Name: t.Name}, index: map[string]int32{},
		row: map[KeyVersion]int32{}, chain: map[int32][]int32{}, lacks: map[int32]int32{}, first: gone}
	for _, i := range used {
		p.table.Columns = append(p.table.Columns, t.columns()[i])
	}
	if len(used) == 0 { // a condition without columns, or none
		p.table.Columns = []ColumnType{{"value", "BIGINT"}}
	}
	for _, v := range k.versionsOf(table) {
		var err error
		switch row, there, known := t.row(v); {
		case !known:
			p.row[v] = blank
		case !there:
			p.row[v] = gone
		default:
			p.row[v], err = p.add(row)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(t.Columns) == 0 && k.h.HasInitialValue {
		var err error
		if p.first, err = p.add([]history.Value{history.IntValue(k.h.InitialValue)}); err != nil {
			return nil, err
		}
	}
	for _, key := range t.Keys {
		k.projectChain(p, key)
	}
	k.projections[id] = p
	return p, nil
}

// projectChain finds the rows of a key's chain.
func (k *judge) projectChain(p *projection, key int32) {
	rows := make([]int32, len(k.chains[key]))
	for i, v := range k.chains[key] {
		rows[i] = p.first
		if int(v) >= k.h.Keys() {
			rows[i] = p.row[KeyVersion{key, k.value(v)}]
		}
		if rows[i] == blank {
			p.lacks[key] = v
		}
	}
	p.chain[key] = rows
}

// add adds a row of the table, unless one that is equal in the columns is there, and returns which one it is.
func (p *projection) add(row []history.Value) (int32, error) {
	if len(row) != len(p.of.columns()) {
		return 0, fmt.Errorf("a row of %s has %d columns, not %d", p.of.Name, len(row), len(p.of.columns()))
	}
	out := make([]history.Value, len(p.used), max(len(p.used), 1))
	var key strings.Builder
	for n, i := range p.used {
		out[n] = row[i]
		key.WriteString(row[i].String())
		key.WriteByte(0)
	}
	if len(p.used) == 0 {
		out = append(out, history.IntValue(0))
	}
	n, ok := p.index[key.String()]
	if !ok {
		n = int32(len(p.rows))
		p.index[key.String()] = n
		p.rows = append(p.rows, out)
	}
	return n, nil
}

// evaluate asks the matches oracle about every row of the table at once.
func (k *judge) evaluate(ctx context.Context, p *Predicate) (*matching, error) {
	s := search{p.Table, p.Where}
	m := k.found[s]
	if m == nil {
		rows, err := k.project(p.Table, p.Where)
		if err != nil {
			return nil, err
		}
		m = &matching{projection: rows, match: slices.Repeat([]bool{true}, len(rows.rows))}
		if p.Where != "" && len(rows.rows) > 0 {
			if k.matches == nil {
				return nil, errors.New("there is no matches oracle")
			}
			if m.match, err = k.matches.Match(ctx, &rows.table, p.Where, rows.rows); err != nil {
				return nil, err
			}
		}
		k.found[s] = m
	}
	return m, k.complete(p, m)
}

// complete makes sure that every row is known that a search may have seen.
func (k *judge) complete(p *Predicate, m *matching) error {
	for _, key := range k.c.among(p) {
		if v, lacks := m.lacks[key]; lacks {
			return unknownf("the certificate lacks the row of version %d of %s", k.value(v), k.h.KeyName(key))
		}
	}
	for _, op := range k.h.TxnOps(p.Txn)[:p.At] {
		if op.Kind == register.Write && m.row[KeyVersion{op.Key, op.Value}] == blank &&
			slices.Contains(k.c.among(p), op.Key) {
			return unknownf("the certificate lacks the row of version %d of %s", op.Value, k.h.KeyName(op.Key))
		}
	}
	return nil
}

// versionsOf lists every version that a transaction which counts wrote to a table.
func (k *judge) versionsOf(table int) []KeyVersion {
	if k.written == nil {
		k.written = make([][]KeyVersion, len(k.c.Tables))
		of := make([][]int32, k.h.Keys())
		for i := range k.c.Tables {
			for _, key := range k.c.Tables[i].Keys {
				of[key] = append(of[key], int32(i))
			}
		}
		for t := range k.h.Txns {
			for _, op := range k.h.TxnOps(t) {
				if op.Kind != register.Write || !k.r.Taken[t] {
					continue
				}
				for _, i := range of[op.Key] {
					k.written[i] = append(k.written[i], KeyVersion{op.Key, op.Value})
				}
			}
		}
	}
	return k.written[table]
}

// ownWrites returns what the transaction of a search had written before it, by key.
func (k *judge) ownWrites(p *Predicate) map[int32]KeyVersion {
	var own map[int32]KeyVersion
	for _, op := range k.h.TxnOps(p.Txn)[:p.At] {
		if op.Kind == register.Write {
			if own == nil {
				own = map[int32]KeyVersion{}
			}
			own[op.Key] = KeyVersion{op.Key, op.Value}
		}
	}
	return own
}

// wellFormed says whether a search is of a transaction, an operation, a table and keys that are there.
func (k *judge) wellFormed(p *Predicate) bool {
	if p.Txn < 0 || p.Txn >= len(k.h.Txns) || p.Table < 0 || p.Table >= len(k.c.Tables) || p.At < 0 ||
		p.At > len(k.h.TxnOps(p.Txn)) {
		return false
	}
	for i := len(k.members); i <= p.Table; i++ {
		member := make([]bool, k.h.Keys())
		for _, key := range k.c.Tables[i].Keys {
			member[key] = true
		}
		k.members = append(k.members, member)
	}
	return !slices.ContainsFunc(p.Among, func(key int32) bool {
		return key < 0 || int(key) >= k.h.Keys() || !k.members[p.Table][key]
	})
}

// name is a predicate in words.
func (k *judge) name(p *Predicate) string {
	t, keys := k.c.Tables[p.Table].Name, ""
	if p.Among != nil {
		keys = " among " + k.keys(p.Among)
	}
	if p.Where == "" {
		return "every row of " + t + keys
	}
	return t + " WHERE " + p.Where + keys
}

// keys lists keys by name.
func (k *judge) keys(keys []int32) string {
	names := make([]string, len(keys))
	for i, key := range keys {
		names[i] = k.h.KeyName(key)
	}
	return "{" + strings.Join(names, " ") + "}"
}
