// Package triage tells when two findings are the same bug.
//
// Its claim: two findings of one DBMS with equal signatures need the same things to happen, as far as their reduced
// cases tell: the same oracle saw the same thing go wrong first in the same kind of statement, with the same error
// codes or the same innermost functions, and the cases consist of the same kinds of statements with the same features
// of SQL. Names, literals, and how often or in which order something occurs play no part.
package triage

import (
	"fmt"
	"slices"
	"strings"
	"txweave/finding"

	"txweave/testcase"
)

// Signature is what findings are grouped by.
type Signature struct {
	// Coarse is oracle.Finding's signature, which a reduction holds on to.
	Coarse string `json:"coarse"`
	// Features are what the case consists of, sorted; see Of.
	Features []string `json:"features"`
	// Minimal says that the case is reduced until nothing more could go, so that each feature is needed.
	Minimal bool `json:"minimal"`
}

// String prints the signature on one line.
func (s Signature) String() string {
	if len(s.Features) == 0 {
		return s.Coarse
	}
	return fmt.Sprintf("%s {%s}", s.Coarse, strings.Join(s.Features, " "))
}

// Equal says whether two signatures are the same.
func (s Signature) Equal(o Signature) bool {
	return s.Coarse == o.Coarse && slices.Equal(s.Features, o.Features)
}

// Within says whether a minimal case with signature o shows, in all likelihood, the bug of one with signature s inside
// something that a reduction does not take away, as it does not move a query out of the one around it: o covers s, and s
// has a feature that tells something. A bug that needs just a read and a write is not looked for in what needs a join.
func (s Signature) Within(o Signature) bool {
	return s.Covers(o) && slices.ContainsFunc(s.Features, telling)
}

// ordinary features are those that next to every case has, or that say only how a query stands inside another one.
var ordinary = []string{"DELETE", "INSERT", "ROLLBACK", "SELECT", "UPDATE", "arithmetic", "compare", "cte", "derived", "index", "insert-select", "is",
	"logic", "not", "null", "read", "subquery", "transactions", "unique", "where", "write"}

func telling(feature string) bool { return !slices.Contains(ordinary, feature) }

// Covers says whether a case with signature o has everything that one with signature s has, and more or the same, so
// that it may well show the same bug. (SQLancer++ ranks bug reports by the same test: Zhong and Rigger, "Scaling
// Automated Database System Testing", 2025, section "Bug prioritization".)
func (s Signature) Covers(o Signature) bool {
	return s.Coarse == o.Coarse && !slices.ContainsFunc(s.Features, func(f string) bool {
		_, has := slices.BinarySearch(o.Features, f)
		return !has
	})
}

// Of returns the signature of a finding that a case shows. Suspect is the statement that differs first; every statement
// where only the final contents differ; none where transactions as a whole misbehave. The features are
//
//   - of suspects the kind, and the nodes of the syntax tree: clauses, joins, subqueries, functions, classes of operators;
//   - of other statements whether they read or write, as any write will do to make a read wrong;
//   - several transactions, and how they begin and end;
//   - indexes beyond the primary key.
func Of(f *finding.Finding, c *testcase.Case) Signature {
	set := &features{seen: map[string]bool{}}
	named := ""
	if len(f.Differences) > 0 {
		named = f.Differences[0].Stmt
	}
	p := newParser(c.Target)
	for i := range c.Txns {
		t := &c.Txns[i]
		set.begin(t.Begin.SQL)
		if verb(t.End.SQL) == "ROLLBACK" {
			set.add("ROLLBACK")
		}
		for j, s := range t.Stmts {
			here := fmt.Sprintf("T%d.S%d", i, j)
			suspect := named == here || named == "" && f.Class == finding.ClassReplay
			set.kind(verb(s.SQL), suspect)
			if suspect {
				set.statement(p, s.SQL, named != "")
			}
		}
	}
	if len(c.Txns) > 1 {
		set.add("transactions")
	}
	for _, s := range c.Schema {
		set.schema(p, s.SQL)
	}
	return Signature{Coarse: f.Signature, Features: set.sorted()}
}

// verb returns the kind of a statement; a query that begins with WITH or a parenthesis is a SELECT.
func verb(sql string) string {
	word, _, _ := strings.Cut(strings.TrimLeft(sql, " \t\r\n("), " ")
	if word = strings.ToUpper(strings.TrimRight(word, ";")); word == "WITH" {
		return "SELECT"
	}
	return word
}
