package gen

import "strings"

// What tells the optimizer how to execute a query.

// selectOption returns a word that advises the optimizer, in some queries.
func (g *generator) selectOption() string {
	if len(g.d.SelectOptions) == 0 || !g.wants("select-option") {
		return ""
	}
	return oneOf(g, g.d.SelectOptions) + " "
}

// advice returns a comment that tells the optimizer how to execute a query, in some queries of some cases.
func (g *generator) advice(sc *scope) string {
	var aliases []string
	for _, r := range sc.refs {
		aliases = append(aliases, r.alias)
	}
	if len(aliases) == 0 {
		return ""
	}
	return g.advise(g.d.Hints, aliases)
}

// innerAdvice is the same for a subquery.
func (g *generator) innerAdvice() string {
	if g.calm { // whether a hint can be followed is a warning, and in a write warnings are compared
		return ""
	}
	return g.advise(g.d.InnerHints, []string{""})
}

// advise spells one or two of some hints for the tables of these aliases.
func (g *generator) advise(hints, aliases []string) string {
	if len(hints) == 0 || !g.form("optimizer-hint") {
		return ""
	}
	rng := g.beside("optimizer-hint")
	var list []string
	for range 1 + rng.IntN(2) {
		hint := strings.ReplaceAll(hints[rng.IntN(len(hints))], "{all}", strings.Join(aliases, ", "))
		list = append(list, strings.ReplaceAll(hint, "{one}", aliases[rng.IntN(len(aliases))]))
	}
	return "/*+ " + strings.Join(list, " ") + " */ "
}
