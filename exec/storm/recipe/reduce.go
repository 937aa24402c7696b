package recipe

import (
	"fmt"
	"math"
	"slices"
	"time"

	"txweave/internal/strict"
)

// Attempt runs a storm once and says whether it showed what is looked for, and after what time. The error ends a
// reduction.
type Attempt func(*Recipe) (shown bool, after time.Duration, err error)

// Rate runs a recipe so many times and says how often it showed what is looked for, and the median of the times until
// then.
func Rate(r *Recipe, times int, run Attempt) (Seen, error) {
	seen := Seen{}
	var after []time.Duration
	for range times {
		shown, t, err := run(r)
		if err != nil {
			return seen, err
		}
		seen.Storms++
		if shown {
			seen.Times++
			after = append(after, t)
		}
	}
	if len(after) > 0 {
		slices.Sort(after)
		seen.Median = strict.Duration(after[len(after)/2].Round(time.Millisecond))
	}
	return seen, nil
}

// Limits say how a recipe is reduced.
type Limits struct {
	Tries      int      // storms in which a smaller recipe must show the finding once
	Acts       []string // all that its nemeses can do
	Operations []string // all that its workload can do without
	Told       func(step string, kept bool)
}

// doubt is how likely a smaller recipe that shows the finding as often as the whole one may be given up.
const doubt = 0.05

// TriesFor returns in how many storms a finding of a rate is seen at least once, but for a small doubt; at most limit.
func TriesFor(rate float64, limit int) int {
	if rate >= 1 {
		return 1
	}
	return max(1, min(limit, int(math.Ceil(math.Log(doubt)/math.Log(1-rate)))))
}

// Reduce returns the smallest recipe that it found to show the same: with fewer nemeses, acts of these, sessions, rows
// and operations.
func Reduce(r *Recipe, l Limits, run Attempt) (*Recipe, error) {
	d := &reducing{best: r.clone(), l: l, run: run}
	for _, pass := range []func() error{d.nemeses, d.acts, d.plain, d.sessions, d.keys, d.length,
		d.operations, d.sessions, d.duration} {
		if err := pass(); err != nil {
			return d.best, err
		}
	}
	return d.best, nil
}

// reducing is a reduction under way.
type reducing struct {
	best  *Recipe
	l     Limits
	run   Attempt
	after time.Duration // until the finding was seen, the longest of the kept steps' times
}

// try keeps a smaller recipe if it shows the finding in one of so many storms.
func (d *reducing) try(step string, change func(*Recipe)) (bool, error) {
	c := d.best.clone()
	change(c)
	for range d.l.Tries {
		shown, after, err := d.run(c)
		if err != nil {
			return false, err
		}
		if shown {
			d.best, d.after = c, max(d.after, after)
			d.l.Told(step, true)
			return true, nil
		}
	}
	d.l.Told(step, false)
	return false, nil
}

// each tries to leave out each of some names.
func (d *reducing) each(what string, names []string, without func(*Recipe, string)) error {
	for _, name := range names {
		if _, err := d.try(fmt.Sprintf("without %s %s", what, name), func(r *Recipe) { without(r, name) }); err != nil {
			return err
		}
	}
	return nil
}

// remove takes a name from a list.
func remove(names []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == name })
}

func (d *reducing) nemeses() error {
	if len(d.best.Nemesis) > 0 {
		kept, err := d.try("without any nemesis", func(r *Recipe) { r.Nemesis, r.Every, r.Acts = nil, 0, nil })
		if err != nil || kept {
			return err
		}
	}
	if len(d.best.Nemesis) < 2 {
		return nil
	}
	return d.each("nemesis", d.best.Nemesis, func(r *Recipe, n string) { r.Nemesis = remove(r.Nemesis, n) })
}

// acts looks for the part of what the nemeses do that is enough: each half, and then one by one.
func (d *reducing) acts() error {
	acts := d.best.Acts
	if len(acts) == 0 {
		acts = d.l.Acts
	}
	if len(d.best.Nemesis) == 0 || len(acts) < 2 {
		return nil
	}
	for len(acts) > 1 {
		half, found := len(acts)/2, false
		for _, part := range [][]string{acts[:half], acts[half:]} {
			kept, err := d.try(fmt.Sprintf("%d acts of %d", len(part), len(acts)),
				func(r *Recipe) { r.Acts = slices.Clone(part) })
			if err != nil {
				return err
			}
			if kept {
				acts, found = part, true
				break
			}
		}
		if !found {
			break
		}
	}
	if len(d.best.Acts) < 2 {
		return nil
	}
	return d.each("act", d.best.Acts, func(r *Recipe, a string) { r.Acts = remove(r.Acts, a) })
}

// plain leaves out what only makes a storm more likely to show something.
func (d *reducing) plain() error {
	if d.best.Perturb {
		if _, err := d.try("without delays", func(r *Recipe) { r.Perturb = false }); err != nil {
			return err
		}
	}
	if d.best.Distribution != "uniform" {
		if _, err := d.try("every key as often", func(r *Recipe) { r.Distribution, r.Theta = "uniform", 0 }); err != nil {
			return err
		}
	}
	if d.best.ValueSize > 0 {
		if _, err := d.try("rows of numbers alone", func(r *Recipe) { r.ValueSize = 0 }); err != nil {
			return err
		}
	}
	if d.best.Reads != nil {
		if _, err := d.try("reads as the workload has them", func(r *Recipe) { r.Reads = nil }); err != nil {
			return err
		}
	}
	return nil
}

// length makes transactions shorter, where somebody has said how long they are.
func (d *reducing) length() error {
	if d.best.Operations == 0 {
		return nil
	}
	return d.shrink("operations a transaction", 1, func(r *Recipe) *int { return &r.Operations })
}

// shrink makes a number smaller, by halves and then by one.
func (d *reducing) shrink(what string, least int, of func(*Recipe) *int) error {
	for _, smaller := range []func(int) int{func(n int) int { return n / 2 }, func(n int) int { return n - 1 }} {
		for {
			n := *of(d.best)
			to := max(least, smaller(n))
			if to >= n {
				break
			}
			kept, err := d.try(fmt.Sprintf("%d %s", to, what), func(r *Recipe) { *of(r) = to })
			if err != nil {
				return err
			}
			if !kept {
				break
			}
		}
	}
	return nil
}

func (d *reducing) sessions() error {
	return d.shrink("sessions", 1, func(r *Recipe) *int { return &r.Sessions })
}

func (d *reducing) keys() error {
	return d.shrink("keys", 1, func(r *Recipe) *int { return &r.Keys })
}

func (d *reducing) operations() error {
	var left []string
	for _, o := range d.l.Operations {
		if !slices.Contains(d.best.Without, o) {
			left = append(left, o)
		}
	}
	return d.each("operation", left, func(r *Recipe, o string) { r.Without = append(r.Without, o) })
}

// duration makes the storm as long as its longest way to the finding was, and half as long again.
func (d *reducing) duration() error {
	to := (d.after + d.after/2).Round(time.Second) + time.Second
	if d.after > 0 && strict.Duration(to) < d.best.Duration {
		d.best.Duration = strict.Duration(to)
	}
	return nil
}
