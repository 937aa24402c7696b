package finding

// Violation is what a check of a history or of a trace finds, as check and storm print it.
type Violation struct {
	Signature    string   `json:"signature"`
	Summary      string   `json:"summary"`
	Transactions []int64  `json:"transactions"` // those that take part, by their names in the history
	Explanation  []string `json:"explanation"`  // line by line
}
