package gen

import (
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// A production is one way to generate something. Adding one takes a line in a table of weights.go or options.go and its
// function. Options.Weights and Dialect.Weights replace a weight by the production's name; 0 switches it off.
type production[T any] struct {
	name   string
	weight int
	make   T
	about
}

// about says what a production is.
type about struct {
	at     int        // its place among all, from 1 on, once it is registered
	what   string     // for the list of features
	covers string     // words by which lists of bugs call what it brings, with semicolons between them
	needs  Capability // what the dialect must have; "" is all that every dialect has
	// apart says that it is drawn from a stream of its own: cases without it are what they were before there was such a
	// thing.
	apart bool
}

// A Capability is something that not every DBMS has, or not in every version. Dialect.Has says who has it since when.
type Capability string

// entry is a production without its function.
type entry struct {
	name   string
	weight int
	about
}

// group is a table of productions, of which one is drawn at a time; or, where they are optional, each by itself: their
// weights are shares in percent then.
type group struct {
	title    string
	entries  []entry
	optional bool
}

// groups lists every table of productions, filled in init.
var groups []group

// registered is how many productions there are.
var registered int

// options are the optional productions by their names.
var options = map[string]*entry{}

// register adds a table to groups.
func register[T any](title string, table []production[T]) {
	entries := make([]entry, len(table))
	for i := range table {
		p := &table[i]
		registered++
		p.at = registered
		entries[i] = entry{p.name, p.weight, p.about}
	}
	groups = append(groups, group{title: title, entries: entries})
}

// registerOptions adds a table of optional productions to groups.
func registerOptions(title string, table []entry) {
	groups = append(groups, group{title: title, entries: table, optional: true})
	for i := range table {
		registered++
		table[i].at = registered
		options[table[i].name] = &table[i]
	}
}

// checkWeights reports weights that name no production, are negative, or switch a whole table off.
func checkWeights(weights map[string]int) error {
	known := 0
	for _, table := range groups {
		total := 0
		for _, e := range table.entries {
			if w, ok := weights[e.name]; ok {
				known++
				if w < 0 {
					return fmt.Errorf("gen: weight of %s is %d, want 0 or more", e.name, w)
				}
				e.weight = w
			}
			total += e.weight
		}
		if total == 0 && !table.optional {
			return fmt.Errorf("gen: all alternatives of %s have weight 0", table.entries[0].name)
		}
	}
	if known < len(weights) {
		return errors.New("no production is called " + unknownNames(weights) + " (txweave features lists them)")
	}
	return nil
}

// unknownNames lists the weights that name no production, in quotes.
func unknownNames(weights map[string]int) string {
	var names []string
	for name := range weights {
		if !slices.ContainsFunc(groups, func(g group) bool {
			return slices.ContainsFunc(g.entries, func(e entry) bool { return e.name == name })
		}) {
			names = append(names, strconv.Quote(name))
		}
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// choose draws a production by weight.
func choose[T any](g *generator, table []production[T]) T {
	total := 0
	for i := range table {
		total += g.weight(&table[i].about, table[i].name, table[i].weight)
	}
	if total == 0 { // the dialect has none of those that the case keeps
		total = 1
	}
	at := g.stream(&table[0].about, table[0].name).IntN(total)
	for i := range table {
		w := g.weight(&table[i].about, table[i].name, table[i].weight)
		if at < w {
			g.uses[table[i].name] = true
			return table[i].make
		}
		at -= w
	}
	g.uses[table[0].name] = true
	return table[0].make
}

// has says whether a production of a table is one that this dialect and these options know, whatever the case's style
// makes of it.
func has[T any](g *generator, table []production[T], name string) bool {
	i := slices.IndexFunc(table, func(p production[T]) bool { return p.name == name })
	return g.baseWeight(&table[i].about, name, table[i].weight) > 0
}

// stream returns the random numbers that a production is drawn from.
func (g *generator) stream(a *about, name string) *rand.Rand {
	if !a.apart {
		return g.rng
	}
	return g.beside(name)
}

// beside returns a stream of random numbers of its own.
func (g *generator) beside(name string) *rand.Rand {
	if g.streams[name] == nil {
		h := fnv.New64a()
		h.Write([]byte(name))
		g.streams[name] = rand.New(rand.NewPCG(g.seed, h.Sum64()))
	}
	return g.streams[name]
}

// wants draws whether something optional is there: its weight is the share in percent.
func (g *generator) wants(name string) bool {
	e, ok := options[name]
	if !ok {
		panic("gen: no optional production " + name)
	}
	share := g.weight(&e.about, e.name, e.weight)
	if g.stream(&e.about, e.name).IntN(100) >= min(share, 95) {
		return false
	}
	g.uses[name] = true
	return true
}

// forms are ways of writing statements that a case has or has not, and the share, in percent, of the statements that
// could be written so which are, where it has.
var forms = map[string]int{"scratch-table": 25, "returning": 40, "or-ignore": 75, "insert-set": 40,
	"optimizer-hint": 50, "unused-window": 70, "window-frame": 60,
	"filter": 35, "nulls-order": 50, "upsert-where": 45, "materialized": 60}

// drawForms draws which of them the case has.
func (g *generator) drawForms() {
	g.forms = map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(forms)) {
		g.forms[name] = g.wants(name)
		delete(g.uses, name)
	}
}

// form draws whether the next statement that could be written in one of those ways is.
func (g *generator) form(name string) bool {
	if !g.forms[name] || g.beside(name).IntN(100) >= forms[name] {
		return false
	}
	g.uses[name] = true
	return true
}

// Feature is one production as a dialect has it.
type Feature struct {
	Group    string   `json:"group"`    // the table that it is drawn from
	Optional bool     `json:"optional"` // drawn by itself: its weight is a share in percent
	Name     string   `json:"name"`     // for --without
	What     string   `json:"-"`
	Covers   []string `json:"-"`               // words by which lists of bugs call what it brings
	Weight   int      `json:"weight"`          // of the group's, 0 where the dialect has it not
	Since    string   `json:"since,omitempty"` // the version that it needs; "" is every one
}

// Features lists the productions in the order of their tables, with the weights that a dialect gives them.
func Features(d *Dialect) []Feature {
	g := &generator{d: d}
	var out []Feature
	for _, table := range groups {
		for _, e := range table.entries {
			f := Feature{Group: table.title, Optional: table.optional, Name: e.name, What: e.what, Weight: g.baseWeight(&e.about,
				e.name, e.weight), Since: d.Capabilities.Has[e.needs]}
			for _, word := range strings.Split(e.covers, ";") {
				if word = strings.TrimSpace(word); word != "" {
					f.Covers = append(f.Covers, word)
				}
			}
			out = append(out, f)
		}
	}
	return out
}

// Missing names the productions that a version of the dialect's DBMS does not have, while newer ones do.
func Missing(d *Dialect, version string) []string {
	var names []string
	if d.Capabilities.Version != nil {
		version = d.Capabilities.Version(version)
	}
	for _, f := range Features(d) {
		if f.Weight > 0 && f.Since != "" && older(version, f.Since) {
			names = append(names, f.Name)
		}
	}
	return names
}
