package testcase

import "slices"

// Schedule is the order in which the steps of a case are submitted: of each step the number of its transaction. Its
// methods leave it as it is and return another one; a place is an index in it.
type Schedule []int

// Stretch is a range of a schedule whose steps are of one transaction: from From to before To.
type Stretch struct{ From, To int }

// Runs are the longest stretches, in order.
func (s Schedule) Runs() []Stretch {
	var runs []Stretch
	for i, n := range s {
		if i > 0 && s[i-1] == n {
			runs[len(runs)-1].To = i + 1
		} else {
			runs = append(runs, Stretch{i, i + 1})
		}
	}
	return runs
}

// Serial says whether the transactions run one after the other.
func (s Schedule) Serial() bool {
	seen := map[int]bool{}
	for _, r := range s.Runs() {
		if seen[s[r.From]] {
			return false
		}
		seen[s[r.From]] = true
	}
	return true
}

// Without leaves out the steps of transactions.
func (s Schedule) Without(txns ...int) Schedule {
	return slices.DeleteFunc(slices.Clone(s), func(n int) bool { return slices.Contains(txns, n) })
}

// Insert puts steps of a transaction in at a place.
func (s Schedule) Insert(place, txn, steps int) Schedule {
	return slices.Insert(slices.Clone(s), place, slices.Repeat([]int{txn}, steps)...)
}

// Move takes a run out and puts it in before the place to, which lies outside of it.
func (s Schedule) Move(r Stretch, to int) Schedule {
	if to <= r.From {
		return slices.Concat(s[:to], s[r.From:r.To], s[to:r.From], s[r.To:])
	}
	return slices.Concat(s[:r.From], s[r.To:to], s[r.From:r.To], s[to:])
}

// Swap exchanges the step at a place and the one before it.
func (s Schedule) Swap(place int) Schedule { return s.Move(Stretch{place, place + 1}, place-1) }

// Gather puts all steps of a transaction next to the one of them at a place.
func (s Schedule) Gather(txn, place int) Schedule {
	before, after := s[:place].Without(txn), s[place:].Without(txn)
	return slices.Concat(before, slices.Repeat(Schedule{txn}, len(s)-len(before)-len(after)), after)
}

// Lead puts the first step of each of the transactions in front, in their order.
func (s Schedule) Lead(txns ...int) Schedule {
	out := slices.Clone(s)
	for i, n := range txns {
		at := slices.Index(out[i:], n) + i
		out = out.Move(Stretch{at, at + 1}, i)
	}
	return out
}

// Behind puts the first steps of a transaction, as many as are to have run, right behind a step of another one, at a
// place: those that come before it stay there, but for the last, and those that are to come later do so behind it.
func (s Schedule) Behind(txn, steps, place int) Schedule {
	seen, early := 0, 0
	var out, late Schedule
	for i, n := range s {
		if n == txn {
			seen++
			switch {
			case seen < steps && i < place: // it may stay where it is
				early++
				out = append(out, n)
			case seen <= steps: // it goes behind the place
			case i < place:
				late = append(late, n)
			default:
				out = append(out, n)
			}
			continue
		}
		out = append(out, n)
		if i == place {
			out = slices.Concat(out, slices.Repeat(Schedule{txn}, steps-early), late)
		}
	}
	return out
}

// Finish lets a transaction take all the steps that it has left right behind the step at a place.
func (s Schedule) Finish(txn, place int) Schedule {
	rest := s[place+1:].Without(txn)
	return slices.Concat(s[:place+1], slices.Repeat(Schedule{txn}, len(s)-place-1-len(rest)), rest)
}

// Nest lets transactions run, one whole after the other, right behind so many steps of another one.
func (s Schedule) Nest(outer, steps int, inner []int) Schedule {
	rest := s.Without(inner...)
	at := 0
	for i, n := range rest {
		if n == outer {
			if steps--; steps == 0 {
				at = i + 1
			}
		}
	}
	out := slices.Clone(rest[:at])
	for _, n := range inner {
		out = append(out, slices.Repeat(Schedule{n}, len(s)-len(s.Without(n)))...)
	}
	return append(out, rest[at:]...)
}
