package finding

import (
	"txweave/fault"
)

// Listed is a violation that a check of a history or of a trace found, as check and storm print it.
type Listed struct {
	Signature    string   `json:"signature"`
	Summary      string   `json:"summary"`
	Transactions []int64  `json:"transactions"` // those that take part, by their names in the history
	Explanation  []string `json:"explanation"`  // line by line
	// Class and Difference are what Signature, Transactions and Explanation print.
	Class      string     `json:"-"`
	Difference Difference `json:"-"`
}

// List lists a violation of a class: what is wrong, among which transactions of the history, and why.
func List(class string, what fault.Kind, summary string, txns []int64, why ...Sentence) Listed {
	l := Listed{Signature: class + "/" + string(what), Summary: summary, Transactions: txns, Explanation: []string{},
		Class:      class,
		Difference: Difference{What: what, Steps: why}}
	if txns == nil {
		l.Transactions = []int64{}
	}
	for i := range why {
		l.Explanation = append(l.Explanation, why[i].String())
	}
	return l
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

// samples is how many violations of one signature are told of.
const samples = 2

// Recurring are the violations of one signature that a storm found.
type Recurring struct {
	Signature string   `json:"signature"`
	Count     int      `json:"count"`
	Known     string   `json:"known,omitempty"` // the name of the known bug that they are …
	Link      string   `json:"link,omitempty"`  // … and where that is told
	Samples   []Listed `json:"samples"`
}

// Group gathers violations by their signatures, in the order in which these came first, with two samples of each.
func Group(all []Listed) []*Recurring {
	out, of := []*Recurring{}, map[string]*Recurring{}
	for _, l := range all {
		g := of[l.Signature]
		if g == nil {
			g = &Recurring{Signature: l.Signature}
			of[l.Signature] = g
			out = append(out, g)
		}
		if g.Count++; len(g.Samples) < samples {
			g.Samples = append(g.Samples, l)
		}
	}
	return out
}

// Finding is what a storm found as a finding: of the first sample, with what was told of both.
func (g *Recurring) Finding() Finding {
	f := Finding{Class: g.Samples[0].Class, Oracle: "storm", Signature: g.Signature, Summary: g.Samples[0].Summary}
	if g.Count > 1 {
		f.Summary += ", the first of " + Count(g.Count, "such violation")
	}
	for i := range g.Samples {
		f.Differences = append(f.Differences, g.Samples[i].Difference)
	}
	return f
}
