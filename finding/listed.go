package finding

// Listed is a violation that a check of a history or of a trace found, as check and storm print it.
type Listed struct {
	Signature    string   `json:"signature"`
	Summary      string   `json:"summary"`
	Transactions []int64  `json:"transactions"` // those that take part, by their names in the history
	Explanation  []string `json:"explanation"`  // line by line
}
