package sdg

import (
	"cmp"
	"fmt"
	"slices"

	"txweave/history"
	"txweave/sql/sqltext"
)

// absent says whether s is one of the two absences.
// noWriter marks the first state of a chain, which no node wrote.
const noWriter = -1

// chain is the history of one item: states[0] is the initial one (Unborn if the item was not there), and
// writer[k] is the node that turned states[k-1] into states[k]; from[k] is the state that it says it
// overwrote, which differs from states[k-1] only in a broken chain.
type chain struct {
	pkey   int64
	states []history.State
	from   []history.State
	writer []int
}

// position returns the index of a version in the chain, -1 if it is not there.
func (c *chain) position(s history.State) int {
	for k, t := range c.states {
		if t == s {
			return k
		}
	}
	return -1
}

// seenPosition returns where node j saw state s: the latest place of it that was there when it ran, else the first; -1
// if the item is never in that state.
func (c *chain) seenPosition(j int, s history.State) int {
	pos := -1
	for k, t := range c.states {
		if (t == s || t.Absent() && s.Absent()) && (pos < 0 || c.writer[k] < j) {
			pos = k
		}
	}
	return pos
}

// recurs says whether the item is in a state twice.
func (c *chain) recurs(s history.State) bool {
	n := 0
	for _, t := range c.states {
		if t == s {
			n++
		}
	}
	return n > 1
}

// written returns the index of the state that node i left, -1 if i did not write the item.
func (c *chain) written(i int) int {
	for k := 1; k < len(c.writer); k++ {
		if c.writer[k] == i {
			return k
		}
	}
	return -1
}

// tableState is what one table holds over a case.
type tableState struct {
	name   string
	chains []chain           // items that a node wrote, by pkey
	fixed  []history.Version // rows that no node wrote; Table is left empty
}

// write is one write with its node and the index of its table.
type write struct {
	table, stmt int
	pkey        int64
	from, to    history.State
}

// checkInput finds input that contradicts itself: that is a fault of the caller, not of the database.
func checkInput(in *Input) error {
	for i := range in.Stmts {
		s := &in.Stmts[i]
		if s.Kind == sqltext.Select && len(s.Writes) > 0 {
			return fmt.Errorf("sdg: statement %d (%s) is a SELECT with writes", i, s.Name)
		}
		for a := range s.Reads {
			for b := range a {
				if s.Reads[a].Table == s.Reads[b].Table {
					return fmt.Errorf("sdg: statement %d (%s) has two reads of table %s", i, s.Name, s.Reads[a].Table)
				}
			}
		}
		for _, w := range s.Writes {
			if w.To == history.Unborn || !w.From.Valid() || !w.To.Valid() || w.From == w.To || w.From.Absent() && w.To.Absent() {
				return fmt.Errorf("sdg: statement %d (%s) writes (%s, %d) from state %s to %s", i, s.Name, w.Table, w.PKey,
					w.From, w.To)
			}
		}
	}
	return nil
}

// collectTables builds the chains of all items, and lists what no chain can hold.
func (b *builder) collectTables() error {
	names := make(map[string]int, len(b.in.Initial))
	for name := range b.in.Initial {
		names[name] = 0
	}
	count := 0
	for i := range b.in.Stmts {
		count += len(b.in.Stmts[i].Writes)
		for _, w := range b.in.Stmts[i].Writes {
			names[w.Table] = 0
		}
		for _, r := range b.in.Stmts[i].Reads {
			names[r.Table] = 0
		}
	}
	b.tables = make([]tableState, 0, len(names))
	for name := range names {
		b.tables = append(b.tables, tableState{name: name})
	}
	slices.SortFunc(b.tables, func(x, y tableState) int { return cmp.Compare(x.name, y.name) })
	for k := range b.tables {
		names[b.tables[k].name] = k
	}
	b.index = names

	writes := make([]write, 0, count)
	for i := range b.in.Stmts {
		for _, w := range b.in.Stmts[i].Writes {
			writes = append(writes, write{names[w.Table], i, w.PKey, w.From, w.To})
		}
	}
	slices.SortFunc(writes, func(x, y write) int {
		return cmp.Or(cmp.Compare(x.table, y.table), cmp.Compare(x.pkey, y.pkey), cmp.Compare(x.stmt, y.stmt))
	})
	b.states, b.writers = make([]history.State, 4*count), make([]int, 2*count) // at most one chain for each write
	for len(writes) > 0 {
		n := 1
		for n < len(writes) && writes[n].table == writes[0].table && writes[n].pkey == writes[0].pkey {
			if writes[n].stmt == writes[n-1].stmt {
				return fmt.Errorf("sdg: statement %d writes (%s, %d) twice", writes[n].stmt, b.tables[writes[n].table].name,
					writes[n].pkey)
			}
			n++
		}
		t := &b.tables[writes[0].table]
		t.chains = append(t.chains, b.buildChain(t.name, writes[:n]))
		writes = writes[n:]
	}
	for k := range b.tables {
		b.collectFixed(&b.tables[k])
	}
	return nil
}

// collectFixed lists the initial rows of t that have no chain.
func (b *builder) collectFixed(t *tableState) {
	rows := b.in.Initial[t.name]
	t.fixed = make([]history.Version, 0, len(rows))
	for pkey, vkey := range rows {
		if _, ok := t.find(pkey); !ok {
			t.fixed = append(t.fixed, history.Version{Item: history.Item{PKey: pkey}, VKey: vkey})
		}
	}
	slices.SortFunc(t.fixed, func(x, y history.Version) int { return cmp.Compare(x.PKey, y.PKey) })
}

// find returns the index of the chain of pkey.
func (t *tableState) find(pkey int64) (int, bool) {
	return slices.BinarySearchFunc(t.chains, pkey, func(c chain, p int64) int { return cmp.Compare(c.pkey, p) })
}

// buildChain links the writes of one item (in order of execution) by what each of them overwrote. A write
// that links to nothing is reported, and put at the end in its real order, so that its edges are not lost.
// The two absences link to each other: an item may be inserted again after its death.
func (b *builder) buildChain(table string, ws []write) chain {
	n := len(ws) + 1
	c := chain{pkey: ws[0].pkey, states: b.states[:1:n], from: b.states[n : n+1 : 2*n], writer: b.writers[:1:n]}
	b.states, b.writers = b.states[2*n:], b.writers[n:]
	c.states[0], c.from[0], c.writer[0] = history.Unborn, history.Unborn, noWriter
	if v, ok := b.in.Initial[table][c.pkey]; ok {
		c.states[0] = history.State(v)
	}
	left := ws
	for len(left) > 0 {
		end := c.states[len(c.states)-1]
		k := slices.IndexFunc(left, func(w write) bool { return w.from == end || w.from.Absent() && end.Absent() })
		if k < 0 {
			k = 0
			reason := BrokenChain
			if c.position(left[0].from) >= 0 || left[0].from == history.Unborn && c.states[0] == history.Unborn {
				reason = TwoWriters
			} else if slices.ContainsFunc(ws, func(w write) bool { return w.to == left[0].from }) {
				reason = "" // its predecessor is a node: the break is reported there
			}
			if reason != "" {
				b.unexplained(left[0].stmt, history.Item{Table: table, PKey: c.pkey}, left[0].from, reason)
			}
		}
		c.states = append(c.states, left[k].to)
		c.from = append(c.from, left[k].from)
		c.writer = append(c.writer, left[k].stmt)
		if k == 0 {
			left = left[1:]
		} else {
			left = slices.Delete(slices.Clone(left), k, k+1)
		}
	}
	return c
}
