package dbms

import (
	"slices"
	"strings"

	"txweave/sqltext"
)

// OpaqueConditions is the setting under which the planner learns nothing from conditions, and makes no join of subqueries.
var OpaqueConditions = PlanSetting{Name: "opaque-conditions", Opaque: true, Unquantified: true}

// opaque is a query or a write in which each condition of WHERE, ON, HAVING and FILTER is said by a CASE. A row is taken where a condition is true, and left where
// it is false or unknown; so it is with CASE WHEN (condition) THEN TRUE ELSE FALSE END. Nothing of it can be asked of an index, pushed below a join, made
// a join of a subquery, put in the place of an equal value, or tell that an outer join is an inner one: the condition is worked out row by row (Rigger and Su,
// Detecting Optimization Bugs in Database Engines via Non-optimizing Reference Engine Construction, ESEC/FSE 2020; Jiang and Su, Detecting Logic Bugs in Database
// Engines via Equivalent Expression Transformation, OSDI 2024, section 3).
func opaque(sql string, q sqltext.Quoting) string {
	switch q.Read(sql).Kind {
	case sqltext.Select, sqltext.Insert, sqltext.Update, sqltext.Delete:
	default:
		return sql
	}
	p := q.Phrase(sql)
	if p.At(0).Is("merge") || p.At(0).Is("create") {
		return sql
	}
	type insertion struct {
		at   int
		text string
	}
	var in []insertion
	for i, w := range p.Words {
		if end := conditionEnd(p, i); end > i+1 {
			in = append(in, insertion{w.To, " CASE WHEN ("}, insertion{p.Words[end-1].To, ") THEN TRUE ELSE FALSE END"})
		}
	}
	slices.SortStableFunc(in, func(a, b insertion) int { return a.at - b.at })
	var out strings.Builder
	last := 0
	for _, x := range in {
		out.WriteString(sql[last:x.at] + x.text)
		last = x.at
		if strings.HasSuffix(x.text, "(") {
			last += len(sql[last:]) - len(strings.TrimLeft(sql[last:], sqltext.Space))
		}
	}
	return out.String() + sql[last:]
}

// conditionEnd returns the word behind the condition that word i begins; 0 where it begins none.
func conditionEnd(p sqltext.Phrase, i int) int {
	w := p.Words[i]
	if !w.Is("where", "on", "having") || p.At(i-1).Text == "." || p.At(i-1).Is("as", "distinct") || p.At(i+1).Is("conflict", "duplicate", "current") || besideConflict(p, i) {
		return 0
	}
	for j := i + 1; j < len(p.Words); j++ {
		switch x := p.Words[j]; {
		case x.Depth < w.Depth, x.Depth == w.Depth && (x.Text == "," || x.Text == ";" || x.Is(behindCondition...) && p.At(j-1).Text != "." || x.Is("left", "right") && p.At(j+1).Is("join", "outer")):
			return j
		}
	}
	return len(p.Words)
}

// besideConflict says whether word i stands behind an ON CONFLICT of its own statement: by such a condition an index is named.
func besideConflict(p sqltext.Phrase, i int) bool {
	for j := i - 1; j > 0 && p.Words[j].Depth >= p.Words[i].Depth; j-- {
		if p.Words[j].Depth == p.Words[i].Depth && p.Words[j].Is("conflict") {
			return true
		}
	}
	return false
}

// behindCondition are the words that end a condition. LEFT and RIGHT are functions, too.
var behindCondition = []string{"where", "on", "having", "group", "window", "order", "limit", "offset", "fetch", "for", "lock", "union", "except", "intersect", "minus",
	"returning", "inner", "full", "cross", "natural", "join", "straight_join", "set", "into", "procedure"}
