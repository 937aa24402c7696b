package finding

// Condition is one thing without which a reduced case does not show its finding.
type Condition struct {
	Kind  string `json:"kind"`            // "transaction", "statement", "row", "index", "constraint", "clause", "begin", "end", "overlap", "isolation"
	Where string `json:"where,omitempty"` // "T1", "T1.S0", a table, or an isolation level
	What  string `json:"what,omitempty"`  // the statement's kind, the row, the definition, the clause
	Text  string `json:"text"`            // one line for people
}
