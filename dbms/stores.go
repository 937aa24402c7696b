package dbms

import "slices"

// StoreShape is a way in which a database keeps its tables, or goes to their rows, from the run of a case to its replay: small pages, a
// small cache, checkpoints after every commit; indexes where a few rows would be read one after the other. No answer may depend on it;
// what a few rows never reach at the usual sizes (overflow pages, splits, pages that are written before their transaction commits,
// checkpoints under readers, locks of parts of an index) they reach here.
type StoreShape struct {
	Name string // as a case's header names it
	// Set are the settings that every connection which runs transactions makes before it does anything else, as "page_size(512)".
	Set []string
	// Upkeep is a statement that is sent whenever tables have been filled, with their names in place of %s; "": none.
	Upkeep string
	// Spills says that so few pages are kept in memory that a transaction's own are written out before it ends.
	Spills bool
}

// Store returns a shape by its name; nil where the database has none of that name.
func (p *Profile) Store(name string) *StoreShape {
	if i := slices.IndexFunc(p.Stores, func(s StoreShape) bool { return s.Name == name }); i >= 0 {
		return &p.Stores[i]
	}
	return nil
}
