package mechanism

import (
	"slices"

	"txweave/history"
)

// hidden is a version that nobody but its writer may see.
type hidden struct {
	value int64
	txn   int64
	why   hiddenWhy
	end   int64 // of the transaction that rolled back: it is surely gone by then
}

type hiddenWhy uint8

const (
	rolledBack hiddenWhy = iota
	overwrittenByItself
)

// item is what is known of one row.
type item struct {
	id      history.ItemID
	last    *version   // of the chain
	chain   []*version // in order of cs
	trimAt  int32
	pins    int32   // checks that wait for it
	writers []*part // with a version that is not visible yet
	hidden  []hidden
	locks   []lock
}

// keptHidden is how many hidden versions an item remembers; they are only needed to say what went wrong.
const keptHidden = 8

func (it *item) hide(h hidden) {
	if len(it.hidden) >= keptHidden {
		it.hidden = append(it.hidden[:0], it.hidden[1:]...)
	}
	it.hidden = append(it.hidden, h)
}

// remove forgets a writer.
func (it *item) remove(t *part) {
	if k := slices.Index(it.writers, t); k >= 0 {
		last := len(it.writers) - 1
		it.writers[k], it.writers[last] = it.writers[last], nil
		it.writers = it.writers[:last]
	}
}

// itemTable finds items: an open-addressing hash table, twice as fast as a map because the key is in the item.
type itemTable struct {
	slots []*item
	n     int
}

func hashItem(i history.ItemID) uint64 {
	h := (uint64(i.Key) ^ uint64(i.Table)<<56) * 0x9E3779B97F4A7C15
	return h ^ h>>29
}

// find returns an item, nil if there is none, and the slot where it is or belongs.
func (t *itemTable) find(id history.ItemID) (*item, uint64) {
	if len(t.slots) == 0 {
		return nil, 0
	}
	mask := uint64(len(t.slots) - 1)
	for s := hashItem(id) & mask; ; s = (s + 1) & mask {
		if it := t.slots[s]; it == nil || it.id == id {
			return it, s
		}
	}
}

func (t *itemTable) add(it *item) {
	if 2*(t.n+1) > len(t.slots) {
		old := t.slots
		t.slots = make([]*item, max(64, 2*len(old)))
		for _, o := range old {
			if o != nil {
				_, s := t.find(o.id)
				t.slots[s] = o
			}
		}
	}
	_, s := t.find(it.id)
	t.slots[s] = it
	t.n++
}

// compact forgets the rows that were deleted before the horizon; it is called where nothing else holds items.
func (p *partition) compact() {
	if p.items.n < p.compactAt {
		return
	}
	old := p.items.slots
	p.items, p.tables = itemTable{}, map[int32][]*item{}
	for _, it := range old {
		if it != nil && !p.dead(it) {
			p.items.add(it)
			p.tables[it.id.Table] = append(p.tables[it.id.Table], it)
		}
	}
	p.compactAt = max(minCompact, 2*p.items.n)
}

// minCompact is how many items a partition has at least before deleted ones are forgotten.
const minCompact = 1024

// dead says whether an item that is forgotten and begun anew would be the same.
func (p *partition) dead(it *item) bool {
	p.trim(it)
	last := it.chain[0]
	return len(it.chain) == 1 && last.value == history.Absent && !last.wild && last.ce < p.horizon &&
		it.pins == 0 && len(it.writers) == 0 && len(it.locks) == 0
}

// item returns an item, which it begins with its initial version where it is new.
func (p *partition) item(id history.ItemID) *item {
	it, _ := p.items.find(id)
	if it == nil {
		first := &version{value: history.Absent, cs: never, ce: never, before: never, start: never, end: never,
			wild: !p.v.opt.Initial}
		it = &item{id: id, last: first, chain: []*version{first}, trimAt: 4}
		p.items.add(it)
		p.tables[id.Table] = append(p.tables[id.Table], it)
	}
	return it
}

// load sets an initial row, before anything else.
func (p *partition) load(a history.Access) {
	first := p.item(a.ItemID).chain[0]
	first.value, first.payload, first.wild = a.Version, a.Payload, false
}

// thereSince says whether a transaction surely wrote the row, and committed, between two moments: that nobody sees it
// then has nothing to do with one that deleted it and rolled back before, while any DELETE leaves the same version.
func (it *item) thereSince(from, to int64) bool {
	return slices.ContainsFunc(it.chain, func(v *version) bool {
		return v.value != history.Absent && v.w != nil && v.cs >= from && v.ce < to
	})
}
