package gen

import "slices"

// style is what one case concentrates on. Every case leaves a random part of the grammar out and stresses another,
// and has knobs of its own, so that features which hide one another, and small cases that repeat a few things
// in all their combinations, come up too (Groce, Zhang, Eide, Chen, Regehr: Swarm Testing, ISSTA 2012).
type style struct {
	factors []int // by its place, what the weight of a production is multiplied with, where it is not 1
	own     int   // references that go to a table that the transaction has written, in percent
	back    int   // statements of a transaction that has written that read what it wrote, in percent
	recent  int   // key literals that are rows which statements just before have written, in percent
	hot     int   // references that go to one of the first two tables, beyond their even share, in percent
	hotRow  int   // key literals that are one of the table's few hot keys, in percent
}

// kept are the productions that every case has: derived tables end in base tables, and what is never written, or never
// read, shows nothing.
var kept = []string{"base", "select", "update", "insert-values"}

// plainStyle is the whole grammar with the weights of its tables.
var plainStyle = style{own: 15, back: 20, recent: 30, hot: 40, hotRow: 50}

// drawStyle draws the style of a case. It draws the same numbers whatever the weights are.
func (g *generator) drawStyle() style {
	s := style{
		factors: slices.Repeat([]int{1}, registered+1),
		own:     oneOf(g, []int{0, 15, 35, 60}),
		back:    oneOf(g, []int{0, 15, 30, 60}),
		recent:  oneOf(g, []int{0, 30, 60, 90}),
		hot:     oneOf(g, []int{0, 40, 80}),
		hotRow:  oneOf(g, []int{20, 50, 70}),
	}
	for _, table := range groups {
		left := 0
		for _, e := range table.entries {
			f := 1
			pct := func(p int) bool { return g.stream(&e.about, e.name).IntN(100) < p }
			switch {
			case pct(dropShare) && !slices.Contains(kept, e.name):
				f = 0
			case pct(stressShare):
				f = 4
			}
			s.factors[e.at] = f
			if f > 0 && left == 0 { // one that is left will do
				left = g.baseWeight(&e.about, e.name, e.weight)
			}
		}
		if left == 0 && !table.optional { // nothing would be left to choose from
			for _, e := range table.entries {
				s.factors[e.at] = 1
			}
		}
	}
	if !g.pct(swarmShare) {
		return plainStyle
	}
	return s
}

// weight returns the weight of a production in this case. What Options.Weights names is not subject to the style.
func (g *generator) weight(a *about, name string, def int) int {
	if g.weights[a.at] < 0 {
		g.weights[a.at] = g.styledWeight(a, name, def)
	}
	return g.weights[a.at]
}

func (g *generator) styledWeight(a *about, name string, def int) int {
	w := g.baseWeight(a, name, def)
	if _, fixed := g.o.Weights[name]; fixed || g.style.factors == nil {
		return w
	}
	return w * g.style.factors[a.at]
}

// baseWeight returns the weight of a production before the style: the options', else the dialect's, else the default; 0
// where the dialect has not what it needs, or not at
// this level.
func (g *generator) baseWeight(a *about, name string, def int) int {
	if _, has := g.d.Capabilities.Has[a.needs]; !has && a.needs != "" {
		return 0
	}
	if levels := g.d.Capabilities.Levels[a.needs]; levels != nil && g.o.Isolation != "" && !slices.Contains(levels,
		g.o.Isolation) {
		return 0
	}
	if w, ok := g.o.Weights[name]; ok {
		return w
	}
	if w, ok := g.d.Capabilities.Weights[name]; ok {
		return w
	}
	return def
}
