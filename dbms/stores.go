package dbms

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// StoreShape is a way in which a database keeps its tables, or goes to their rows, from the run of a case to its
// replay: small pages, a small cache, checkpoints after every commit; indexes where a few rows would be read one after
// the other. No answer may depend on it; what a few rows never reach at the usual sizes (overflow pages, splits, pages
// that are written before their transaction commits, checkpoints under readers, locks of parts of an index) they reach
// here.
type StoreShape struct {
	Name string // as a case's header names it
	// Set are the statements by which every connection that runs transactions makes its settings, before it does anything
	// else.
	Set []string
	// Server are arguments of the process that the tables lie in, from the making of its data directory on, behind the
	// usual ones: a shape with any asks for a server of its own.
	Server []string
	// Upkeep is a statement that is sent whenever tables have been filled, with their names in place of %s; "": none.
	Upkeep string
	// Unfit are errors by which it refuses tables, and rows, that others take: they do not fit its pages.
	Unfit []int
	// Spills says that so few pages are kept in memory that a transaction's own are written out before it ends.
	Spills bool
}

// Lasting says that a store of this shape is not made for one case: it takes another server.
func (s *StoreShape) Lasting() bool { return len(s.Server) > 0 }

// Follows is the statement that is sent whenever these tables have been filled; "": none.
func (s *StoreShape) Follows(tables []string) string {
	if !strings.Contains(s.Upkeep, "%s") {
		return s.Upkeep
	}
	return fmt.Sprintf(s.Upkeep, strings.Join(tables, ", "))
}

// How many cases one after the other have a server of one shape, and in which part of such stretches but the first it
// is not the usual one.
const (
	stretch     = 500
	reshaped    = 3
	shapeStream = 0x7478_7765_7368_6170 // the random stream that says so
)

// LastingStore names the shape of the store for which a case needs another server, by the campaign's seed and the
// case's number; "" for the usual one. As such a server takes seconds to start, a stretch of cases has the same, and
// the first has the usual one.
func (p *Profile) LastingStore(seed uint64, n int) string {
	var names []string
	for _, s := range p.Variants.Stores {
		if s.Lasting() {
			names = append(names, s.Name)
		}
	}
	rng := rand.New(rand.NewPCG(seed^shapeStream, uint64(n/stretch)))
	if len(names) == 0 || n < stretch || rng.IntN(reshaped) > 0 {
		return ""
	}
	return names[rng.IntN(len(names))]
}

// BriefStores are the shapes that are made for one case.
func (p *Profile) BriefStores() []StoreShape {
	return slices.DeleteFunc(slices.Clone(p.Variants.Stores), func(s StoreShape) bool { return s.Lasting() })
}

// Store returns a shape by its name; nil where the database has none of that name.
func (p *Profile) Store(name string) *StoreShape {
	if i := slices.IndexFunc(p.Variants.Stores, func(s StoreShape) bool { return s.Name == name }); i >= 0 {
		return &p.Variants.Stores[i]
	}
	return nil
}
