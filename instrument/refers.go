package instrument

import (
	"maps"
	"slices"

	"txweave/sql/sqltext"
)

// versionSetTables lists the tables whose version sets a statement can depend on: those it references, and
// through foreign keys that are checked with it the parents of what it inserts or updates and the children of what it
// deletes or updates.
func (p *Plan) versionSetTables(info *sqltext.Analysis) []string {
	tables := slices.Clone(info.Tables)
	add := func(names []string) {
		for _, t := range names {
			if !slices.Contains(tables, t) {
				tables = append(tables, t)
			}
		}
	}
	if info.Target == "" {
		slices.Sort(tables)
		return tables
	}
	for _, t := range append([]string{info.Target}, info.Also...) {
		if p.asksParents(info, t) {
			add(p.Schema.Table(t).Asked())
		}
		if info.Kind != sqltext.Insert || info.Diff { // REPLACE deletes
			add(p.Asking(info, t))
		}
	}
	slices.Sort(tables)
	return tables
}

// asksParents says whether the rows that a statement writes into a table are looked for in those that it refers to: not
// where it takes them away, but a trigger may do something else to another table.
func (p *Plan) asksParents(info *sqltext.Analysis, table string) bool {
	return info.Kind != sqltext.Delete || table != info.Target && len(p.Schema.Triggers) > 0
}

// TakesKeys says whether a statement may take rows of a table that it writes away, or give them another pkey: an UPDATE
// does not, but what it reaches may.
func TakesKeys(info *sqltext.Analysis, table string) bool {
	return info.Kind != sqltext.Update || slices.Contains(info.Reached, table)
}

// Asking are the tables in which a statement that writes a table looks for rows that refer to those it writes.
func (p *Plan) Asking(info *sqltext.Analysis, table string) []string {
	out := p.Schema.Asking(table)
	if TakesKeys(info, table) {
		return out
	}
	return slices.DeleteFunc(out, func(child string) bool {
		return !slices.ContainsFunc(p.Schema.Table(child).References, func(r sqltext.Reference) bool {
			return r.Parent == table && !r.Deferred && !p.Schema.Fixed(&r)
		})
	})
}

// looksIn notes that a statement looks for rows by columns of a table, where it reads the table anyway.
func looksIn(info *sqltext.Analysis, table string, columns []string) {
	if !slices.Contains(info.Tables, table) {
		return
	}
	if !slices.Contains(info.Refers, table) {
		info.Refers = append(info.Refers, table)
	}
	used := info.Used[table]
	info.Used = maps.Clone(info.Used)
	if len(columns) == 0 || used == nil {
		delete(info.Used, table) // all of them
		return
	}
	info.Used[table] = slices.Compact(slices.Sorted(slices.Values(slices.Concat(used, columns))))
}

// asked notes that a statement that writes a table looks in another one for rows that refer to those which it writes.
func (p *Plan) asked(info *sqltext.Analysis, child, written string) {
	for _, r := range p.Schema.Table(child).References {
		if r.Parent == written && !r.Deferred && (TakesKeys(info, written) || !p.Schema.Fixed(&r)) {
			looksIn(info, child, r.Columns)
		}
	}
}

// refers notes in which tables that a block's statement reads anyway its foreign keys look for rows, and that it
// depends on their columns there; those that it does not read else are read whole (versionSetTables).
func (p *Plan) refers(b *Block) {
	info := b.Info
	for _, written := range b.Writes {
		for _, r := range p.Schema.Table(written).References {
			if !r.Deferred && p.asksParents(info, written) {
				looksIn(info, r.Parent, r.Keys)
			}
		}
		if info.Kind == sqltext.Insert && !info.Diff {
			continue
		}
		for _, child := range p.Asking(info, written) {
			p.asked(info, child, written)
		}
	}
}
