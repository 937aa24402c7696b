package gen

import (
	"strings"

	"txweave/sql"
)

// What tells the optimizer how to execute a query.

// selectOption returns a word that advises the optimizer, in some queries.
func (g *generator) selectOption() []*sql.Option {
	if len(g.d.QueryForms.SelectOptions) == 0 || !g.wants("select-option") {
		return nil
	}
	return []*sql.Option{{Words: oneOf(g, g.d.QueryForms.SelectOptions)}}
}

// advice returns a comment that tells the optimizer how to execute a query, in some queries of some cases.
func (g *generator) advice(sc *scope) *sql.Hints {
	var aliases []string
	for _, r := range sc.refs {
		aliases = append(aliases, r.alias)
	}
	if len(aliases) == 0 {
		return nil
	}
	return g.advise(g.d.QueryForms.Hints, aliases)
}

// innerAdvice is the same for a subquery.
func (g *generator) innerAdvice() *sql.Hints {
	if g.calm { // whether a hint can be followed is a warning, and in a write warnings are compared
		return nil
	}
	return g.advise(g.d.QueryForms.InnerHints, []string{""})
}

// advise makes one or two of some hints for the tables of these aliases.
func (g *generator) advise(hints, aliases []string) *sql.Hints {
	if len(hints) == 0 || !g.form("optimizer-hint") {
		return nil
	}
	rng := g.beside("optimizer-hint")
	out := &sql.Hints{}
	for range 1 + rng.IntN(2) {
		hint := strings.ReplaceAll(hints[rng.IntN(len(hints))], "{all}", strings.Join(aliases, ", "))
		hint = strings.ReplaceAll(hint, "{one}", aliases[rng.IntN(len(aliases))])
		name, args, called := strings.Cut(hint, "(")
		out.List = append(out.List, &sql.Hint{Name: name, Called: called, Args: strings.TrimSuffix(args, ")")})
	}
	return out
}
