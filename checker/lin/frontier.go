package lin

import (
	"cmp"
	"slices"
)

// frontier is a set of states in which none stands for another: of those with the same value and the same operations
// done, one that used no more of any class of unknown outcome than another one stands for it.
type frontier struct {
	groups map[group][]entry
	order  []*entryRef // states in order of adding
	next   int
}

type group struct {
	value value
	done  uint64
}

type entry struct {
	used string
	ref  *entryRef
}

type entryRef struct {
	state state
	gone  bool
}

func newFrontier() *frontier { return &frontier{groups: make(map[group][]entry)} }

// add adds a state, unless one of the set stands for it; those that it stands for are taken out.
func (f *frontier) add(s state) {
	g := group{s.value, s.done}
	entries := f.groups[g]
	for _, e := range entries {
		if leq(e.used, s.used) {
			return
		}
	}
	entries = slices.DeleteFunc(entries, func(e entry) bool {
		if leq(s.used, e.used) {
			e.ref.gone = true
			return true
		}
		return false
	})
	ref := &entryRef{state: s}
	f.groups[g] = append(entries, entry{s.used, ref})
	f.order = append(f.order, ref)
}

// take returns the next state that has not been taken.
func (f *frontier) take() (state, bool) {
	for f.next < len(f.order) {
		f.next++
		if r := f.order[f.next-1]; !r.gone {
			return r.state, true
		}
	}
	return state{}, false
}

// all returns the states of the set in a fixed order.
func (f *frontier) all() []state {
	var out []state
	for _, r := range f.order {
		if !r.gone {
			out = append(out, r.state)
		}
	}
	slices.SortFunc(out, func(a, b state) int {
		return cmp.Or(cmp.Compare(btoi(a.value.none), btoi(b.value.none)), cmp.Compare(a.value.n, b.value.n),
			cmp.Compare(a.done, b.done), cmp.Compare(a.used, b.used))
	})
	return out
}

// leq says whether a used no more than b of any class.
func leq(a, b string) bool {
	for i := range len(a) {
		if a[i] > b[i] {
			return false
		}
	}
	return true
}
