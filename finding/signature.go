package finding

import (
	"fmt"
	"slices"
	"strings"
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
