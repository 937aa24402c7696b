package finding

// Listed is a violation that a check of a history or of a trace found, as check and storm print it.
type Listed struct {
	Signature    string   `json:"signature"`
	Summary      string   `json:"summary"`
	Transactions []int64  `json:"transactions"` // those that take part, by their names in the history
	Explanation  []string `json:"explanation"`  // line by line
}

// FirstOfEach moves the first of each signature before all others: only so many are printed.
func FirstOfEach(all []Listed) []Listed {
	seen := map[string]bool{}
	first, more := []Listed{}, []Listed{}
	for _, l := range all {
		if seen[l.Signature] {
			more = append(more, l)
			continue
		}
		seen[l.Signature] = true
		first = append(first, l)
	}
	return append(first, more...)
}
