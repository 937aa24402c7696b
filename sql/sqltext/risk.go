package sqltext

// Risk is a set of reasons for which more than one result of a statement is right, or it fails for certain. A
// statement with a risk can differ without a bug, so a rewrite must not add one: a candidate that fails for that
// reason has slipped.
type Risk uint8

// The risks.
const (
	RiskTies    Risk = 1 << iota // LIMIT without a total order
	RiskBare                     // a column outside of aggregates that is no grouping column
	RiskRows                     // a scalar subquery that may give several rows, of which any is taken
	RiskFloats                   // a sum whose last digits depend on the order of the rows
	RiskUnique                   // an UPDATE of several rows that computes a unique column: it may fail or not
	RiskDangles                  // a column of no source
)
