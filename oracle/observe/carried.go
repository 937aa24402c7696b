package observe

import "txweave/sql/sqltext"

// Carrying is a foreign key by which rows of another table follow those of a statement's own.
type Carrying struct {
	Table             string // whose rows refer
	Reference         sqltext.Reference
	Alike             bool // its column has the type of the one that it refers to
	KeyIsPKey, Beyond bool // rows are referred to by their pkey; others refer to the rows of Table
}

// carrying returns the foreign keys by which rows follow those of a table, where it is certain that nothing else
// changes these: there is no trigger, and each table has one foreign key at most.
func (o *observer) carrying(target string) (out []Carrying) {
	schema := o.plan.Schema
	parent := schema.Table(target)
	if parent == nil || len(schema.Triggers) > 0 || len(parent.References) > 0 {
		return nil
	}
	referred := map[string]bool{}
	for _, t := range schema.Tables {
		for _, r := range t.References {
			referred[r.Parent] = true
		}
	}
	for _, t := range schema.Tables {
		for _, r := range t.References {
			if r.Parent != target {
				continue
			}
			column, key := t.Column(r.Column), parent.Column(r.Key)
			if len(t.References) > 1 || column == nil || key == nil || r.Deferred {
				return nil
			}
			out = append(out, Carrying{Table: t.Name, Reference: r, Alike: column.Type == key.Type,
				KeyIsPKey: r.Key == sqltext.PKey, Beyond: referred[t.Name]})
		}
	}
	return out
}
