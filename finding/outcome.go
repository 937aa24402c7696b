package finding

// CaseOutcome is what became of a case.
type CaseOutcome uint8

// The outcomes of a case. Each case has one.
const (
	Clean     CaseOutcome = iota // judged to its end; nothing is wrong
	Found                        // something is wrong, whether or not it came back each time
	Unchecked                    // it could not be judged to its end
)

// String returns the outcome in a word.
func (o CaseOutcome) String() string {
	switch o {
	case Clean:
		return "clean"
	case Found:
		return "finding"
	}
	return "unchecked"
}
