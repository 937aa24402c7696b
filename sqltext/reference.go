package sqltext

import (
	"slices"
	"strings"
)

// Reference is a foreign key; names are in lower case, Column and Key empty where it is of several, or names none.
type Reference struct {
	Column, Parent, Key string
	// Columns and Keys are all of them, in their order; Keys is empty where the definition names none.
	Columns, Keys []string
	// Deferred says that it is checked when the transaction commits, and not with each statement: DEFERRABLE INITIALLY DEFERRED.
	Deferred bool
	// Full says that of its columns all are NULL or none: MATCH FULL. By others a row of which one is NULL refers to none.
	Full bool
	// Acts says that it does something with the rows that refer to one which goes, or refuses that at once: CASCADE, SET NULL, SET DEFAULT, RESTRICT.
	Acts bool
	// OnDelete and OnUpdate are what it does then: "cascade", "set null"; "" for all else.
	OnDelete, OnUpdate string
}

// Deferred are the foreign keys of the table that are checked when a transaction commits.
func (t *Table) Deferred() (out []Reference) {
	return slices.DeleteFunc(slices.Clone(t.References), func(r Reference) bool { return !r.Deferred })
}

// Asked are the tables in which each statement that writes rows of this one looks for those that they refer to.
func (t *Table) Asked() (out []string) {
	for _, r := range t.References {
		if !r.Deferred {
			out = append(out, r.Parent)
		}
	}
	return out
}

// Children returns the tables with a foreign key to the named one.
func (s *Schema) Children(name string) (out []string) {
	for _, t := range s.Tables {
		if slices.Contains(t.Parents, name) {
			out = append(out, t.Name)
		}
	}
	return out
}

// Asking returns the tables in which each statement that takes rows of the named one away, or gives them other keys, looks for rows that refer to them.
func (s *Schema) Asking(name string) (out []string) {
	for _, t := range s.Tables {
		if slices.Contains(t.Asked(), name) {
			out = append(out, t.Name)
		}
	}
	return out
}

// Fixed says of a foreign key that no UPDATE changes what it refers to: pkey, to which no statement of a case gives another value.
func (s *Schema) Fixed(r *Reference) bool {
	keys := r.Keys
	if t := s.Table(r.Parent); len(keys) == 0 && t != nil {
		keys = t.Key
	}
	return len(keys) == 1 && keys[0] == PKey
}

// Linked returns the tables that foreign keys link with a table, in whatever direction and over however many, itself included.
func (s *Schema) Linked(name string) []string {
	out := []string{name}
	for i := 0; i < len(out); i++ {
		near := s.Children(out[i])
		if t := s.Table(out[i]); t != nil {
			near = append(near, t.Parents...)
		}
		for _, n := range near {
			if !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	return out
}

// deferred says whether the foreign key whose REFERENCES stands at a place is DEFERRABLE INITIALLY DEFERRED, and where its clause ends.
func deferred(tokens []Token, at int) (is bool, end int) {
	for end = at + 1; end < len(tokens); end++ { // its table, and the columns in parentheses
		if t := tokens[end]; t.Text == "(" {
			for depth := 0; end < len(tokens); end++ {
				if depth += tokens[end].Nesting(); depth == 0 {
					break
				}
			}
			end++
			break
		} else if end > at+1 && t.Text != "." && tokens[end-1].Text != "." {
			break
		}
	}
	for end < len(tokens) {
		is2 := func(words ...string) bool { // the words that follow
			for i, w := range words {
				if end+i >= len(tokens) || w != "…" && !tokens[end+i].Is(w) {
					return false
				}
			}
			return true
		}
		switch {
		case is2("on", "…", "set"), is2("on", "…", "no"):
			end += 4
		case is2("on", "delete"), is2("on", "update"):
			end += 3
		case is2("match"), is2("not", "deferrable"):
			end += 2
		case is2("deferrable"):
			end++
		case is2("initially"):
			not := tokens[end-1].Is("deferrable") && tokens[end-2].Is("not")
			is = is2("initially", "deferred") && !not
			end += 2
		default:
			return is, end
		}
	}
	return is, min(end, len(tokens))
}

// WithoutDeferred returns CREATE TABLE without its foreign keys that are checked when a transaction commits; any other text as it is.
func WithoutDeferred(sql string) string {
	d, ok := SplitTable(sql)
	if !ok {
		return sql
	}
	var items []TableElement
	changed := false
	for _, x := range d.Items {
		text, all := x.withoutDeferred()
		changed = changed || text != string(x)
		if !all {
			items = append(items, TableElement(text))
		}
	}
	if !changed {
		return sql
	}
	d.Items = items
	return d.Text()
}

// withoutDeferred returns the element without the clause of such a foreign key, or says that the element is nothing else.
func (x TableElement) withoutDeferred() (text string, all bool) {
	text = string(x)
	tokens := Significant(text, -1)
	at := slices.IndexFunc(tokens, func(t Token) bool { return t.Is("references") })
	if at < 0 {
		return text, false
	}
	is, end := deferred(tokens, at)
	if !is {
		return text, false
	}
	if _, kind := x.Kind(); kind != ColumnElement {
		return "", true
	}
	if at > 1 && tokens[at-2].Is("constraint") {
		at -= 2
	}
	var out []string
	for i, t := range tokens {
		if i < at || i >= end {
			out = append(out, t.Text)
		}
	}
	return strings.Join(out, " "), false
}
