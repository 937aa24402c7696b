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
	p := q.Phrase(sql)
	if !respellable(sql, q) || p.Find(0, "merge") >= 0 {
		return sql
	}
	ends := map[int]int{} // how many conditions end before a word
	begins := map[int]bool{}
	for i := range p.Words {
		if end := conditionEnd(p, i); end > i+1 {
			begins[i+1] = true
			ends[end]++
		}
	}
	var out strings.Builder
	last := 0
	for i := 0; i <= len(p.Words); i++ {
		if ends[i] > 0 {
			out.WriteString(sql[last:p.Words[i-1].To] + strings.Repeat(") THEN TRUE ELSE FALSE END", ends[i]))
			last = p.Words[i-1].To
		}
		if begins[i] {
			out.WriteString(sql[last:p.Words[i-1].To] + " CASE WHEN (")
			last = p.Words[i].From
		}
	}
	return out.String() + sql[last:]
}

// respellable says whether a statement is a query or a write all of whose words are read: what stands in /*! … */ some servers execute.
func respellable(sql string, q sqltext.Quoting) bool {
	switch q.Read(sql).Kind {
	case sqltext.Select, sqltext.Insert, sqltext.Update, sqltext.Delete:
	default:
		return false
	}
	for t := range q.Tokens(sql) {
		if t.Kind == sqltext.Executable || t.Is("create") {
			return false
		}
	}
	return true
}

// conditionEnd returns the word behind the condition that word i begins; 0 where it begins none. That of a FULL JOIN stays, as PostgreSQL has to merge or hash by it.
func conditionEnd(p sqltext.Phrase, i int) int {
	w := p.Words[i]
	if !w.Is("where", "on", "having") || p.At(i-1).Text == "." || p.At(i-1).Is("as", "distinct") ||
		p.At(i+1).Is("conflict", "duplicate", "current", "empty", "error") || stands(p, i, "conflict") || w.Is("on") && stands(p, i, "full") {
		return 0
	}
	for j := i + 1; j < len(p.Words); j++ {
		x := p.Words[j]
		ends := x.Text == ";" || x.Text == "," && w.Is("on") || x.Is("left", "right") && p.At(j+1).Is("join", "outer") || x.Is(behindCondition...) && p.At(j-1).Text != "."
		if x.Depth < w.Depth || x.Depth == w.Depth && ends {
			return j
		}
	}
	return len(p.Words)
}

// stands says whether a word stands before word i in the same parentheses: behind ON CONFLICT a condition names an index.
func stands(p sqltext.Phrase, i int, word string) bool {
	for j := i - 1; j > 0 && p.Words[j].Depth >= p.Words[i].Depth; j-- {
		if p.Words[j].Depth == p.Words[i].Depth && p.Words[j].Is(word) && p.At(j-1).Text != "." {
			return true
		}
	}
	return false
}

// clauses are the words by which the clauses of a query begin that stand behind its WHERE.
var clauses = []string{"group", "having", "window", "order", "limit", "offset", "fetch", "for", "lock", "union", "except", "intersect", "minus", "returning", "into", "procedure"}

// behindCondition are the words that end a condition. LEFT and RIGHT are functions, too.
var behindCondition = append(slices.Clone(clauses), "where", "on", "inner", "full", "cross", "natural", "join", "straight_join", "set")
