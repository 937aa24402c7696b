package dbms

import "slices"

// StoreShape is a way in which an embedded engine keeps its tables: small pages, a small cache, checkpoints after every commit. No
// answer may depend on it; what a few rows never reach at the usual sizes (overflow pages, splits, pages that are written before their
// transaction commits, checkpoints under readers) they reach here.
type StoreShape struct {
	Name string // as a case's header names it
	// Set are the settings that every connection makes before it does anything else, as "page_size(512)".
	Set []string
}

// Store returns a shape by its name; nil where the database has none of that name.
func (p *Profile) Store(name string) *StoreShape {
	if i := slices.IndexFunc(p.Stores, func(s StoreShape) bool { return s.Name == name }); i >= 0 {
		return &p.Stores[i]
	}
	return nil
}
