package histories

import "slices"

// lists are what keys hold whose versions are lists: each element's predecessor.
type lists struct {
	last   []int64 // by key: what was appended last of what committed; noValue: nothing
	before map[int64]int64
}

func newLists(keys int) *lists {
	return &lists{slices.Repeat([]int64{noValue}, keys), map[int64]int64{}}
}

// append appends what a transaction wrote that commits.
func (l *lists) append(t *transaction) {
	for i, a := range t.accesses {
		if a.Write {
			l.before[t.vals[i]], l.last[a.Key] = l.last[a.Key], t.vals[i]
		}
	}
}

// upTo is the list of a key as a transaction reads it that finds an element last: noValue in an empty one. What did not
// commit stands behind what the transaction itself has appended, else behind what did.
func (l *lists) upTo(t *transaction, key int, element int64) []int64 {
	list := []int64{}
	if _, committed := l.before[element]; !committed && element != noValue {
		list = append(list, element)
		for i, a := range slices.Backward(t.accesses) {
			if a.Write && a.Key == key && t.vals[i] < element {
				list = append(list, t.vals[i])
			}
		}
		element = l.last[key]
	}
	for ; element != noValue; element = l.before[element] {
		list = append(list, element)
	}
	slices.Reverse(list)
	return list
}
