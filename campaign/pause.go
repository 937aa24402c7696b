package campaign

// pauseWindow is over how many of the last cases pauses are measured; before that many it says nothing.
const pauseWindow = 50

// pauses notice a cause that shows in more than a share of the last cases: it is taken for a fault of the set-up, such
// as a server that runs at another level than its profile says, and its findings are held back while that lasts.
type pauses struct {
	percent int                   // share of the cases; 0: never
	recent  [pauseWindow][]string // causes of the last cases
	count   map[string]int        // last cases that show a cause
	cases   int                   // finished so far
	active  map[string]bool       // causes that are held back now
	held    map[string]int        // findings held back, by cause
	alarm   func(cause string, cases int)
}

func newPauses(percent int, alarm func(cause string, cases int)) *pauses {
	return &pauses{percent: percent, count: map[string]int{}, active: map[string]bool{}, held: map[string]int{},
		alarm: alarm}
}

// note takes the causes of one more case, each once.
func (f *pauses) note(causes []string) {
	if f.percent == 0 {
		return
	}
	slot := &f.recent[f.cases%pauseWindow]
	f.cases++
	for _, c := range *slot {
		if f.count[c]--; f.count[c]*200 <= f.percent*pauseWindow {
			delete(f.active, c) // rare enough to be let through again
		}
		if f.count[c] == 0 {
			delete(f.count, c)
		}
	}
	*slot = causes
	for _, c := range causes {
		if f.count[c]++; !f.active[c] && f.cases >= pauseWindow && f.count[c]*100 > f.percent*pauseWindow {
			f.active[c] = true
			f.alarm(c, f.count[c])
		}
	}
}

// holds says whether a finding of this cause is held back, and counts it then.
func (f *pauses) holds(cause string) bool {
	if f.active[cause] {
		f.held[cause]++
	}
	return f.active[cause]
}
