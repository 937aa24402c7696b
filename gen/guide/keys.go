package guide

import (
	"slices"
	"strconv"

	"txweave/sql"
	"txweave/sql/sqltext"
)

// Keys of what a case takes over. The generator's INSERTs write pkeys from a base of their own, 1000·2^k, to which they
// add a small number or the pkey of a source row: a pkey names the INSERTs that it went through. So an INSERT that is
// repeated, or comes from a related case, gets another base; and a write another vkey.

// lastBase is the largest k: pkeys stay below 2^31, and below what a table's pkey is taken to be bounded by.
const lastBase = 18

// baseOf returns the base of a pkey that an INSERT of the generator's writes; 0 for an initial row's.
func baseOf(pkey int64) int64 {
	for k := lastBase; k >= 1; k-- {
		if b := int64(1000) << k; pkey >= b {
			if pkey < b+1000 {
				return b
			}
			return 0
		}
	}
	return 0
}

// bases lists the bases from which a statement writes pkeys.
func (m *mutator) bases(sql string) []int64 {
	var out []int64
	add := func(n int64) {
		if b := baseOf(n); b > 0 && !slices.Contains(out, b) {
			out = append(out, b)
		}
	}
	if m.statement(sql).Kind != sqltext.Insert {
		return nil
	}
	for _, n := range m.numbersOf(sql) {
		add(n)
	}
	return out
}

// numbersOf lists the whole numbers of a statement, in the order of its text.
func (m *mutator) numbersOf(text string) (out []int64) {
	stmt, err := m.dialect().Parse(text)
	if err != nil {
		return nil
	}
	sql.Walk(stmt, func(n sql.Node) bool {
		if whole, ok := wholeNumber(n); ok {
			out = append(out, whole)
		}
		return true
	})
	return out
}

// wholeNumber is the value of a literal that is a whole number.
func wholeNumber(n sql.Node) (int64, bool) {
	l, ok := n.(*sql.Literal)
	if !ok || l.Kind != sql.Number {
		return 0, false
	}
	whole, err := strconv.ParseInt(l.Text, 10, 64)
	return whole, err == nil
}

// fresh returns a statement with version and row keys that nothing in the case has; ok is false where there are none
// left, or the statement is one whose keys are not known.
func (m *mutator) fresh(text string) (fresh string, ok bool) {
	kind := m.statement(text).Kind
	if !kind.IsTarget() || !kind.Writes() {
		return text, true
	}
	a, err := m.parser.Analyze(m.schema, text)
	if err != nil {
		return "", false
	}
	renamed := map[int64]int64{}
	if a.VKey != 0 {
		renamed[a.VKey] = m.freshVKey()
	}
	shift := map[int64]int64{}
	taken := m.takenBases()
	for _, b := range m.bases(text) {
		k := 1
		for ; k <= lastBase && taken[int64(1000)<<k]; k++ {
		}
		if k > lastBase {
			return "", false
		}
		shift[b] = int64(1000)<<k - b
		taken[int64(1000)<<k] = true
	}
	stmt, err := m.dialect().Parse(text)
	if err != nil {
		return "", false
	}
	now, err := m.dialect().Print(sql.Rewrite(stmt, func(node sql.Node) sql.Node {
		n, ok := wholeNumber(node)
		if !ok {
			return node
		}
		to, is := renamed[n]
		if !is && kind == sqltext.Insert {
			to, is = n+shift[baseOf(n)], shift[baseOf(n)] != 0
		}
		if !is {
			return node
		}
		return number(to)
	}))
	return now, err == nil
}

// firstVKey is the first version key that the generator gives a statement.
const firstVKey = 1001

// freshVKey returns a version key that no statement of the case mentions.
func (m *mutator) freshVKey() int64 {
	used := map[int64]bool{}
	for n := range m.c.Txns {
		for i := range m.c.Txns[n].Stmts {
			for _, v := range m.numbersOf(m.c.Txns[n].Stmts[i].SQL) {
				used[v] = true
			}
		}
	}
	key := int64(firstVKey)
	for used[key] || used[-key] {
		key++
	}
	return key
}

// takenBases are the bases from which statements of the case write pkeys, and those that its triggers add to these.
func (m *mutator) takenBases() map[int64]bool {
	out := map[int64]bool{}
	for i := range m.c.Schema {
		stmt, _ := m.dialect().Parse(m.c.Schema[i].SQL)
		if _, trigger := stmt.(*sql.CreateTrigger); trigger {
			for _, n := range m.numbersOf(m.c.Schema[i].SQL) {
				out[baseOf(n)] = true
			}
		}
	}
	for n := range m.c.Txns {
		for i := range m.c.Txns[n].Stmts {
			for _, b := range m.bases(m.c.Txns[n].Stmts[i].SQL) {
				out[b] = true
			}
		}
	}
	return out
}
