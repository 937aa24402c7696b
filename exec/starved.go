package exec

import "time"

// patience is for how long a private server may give no answer that gets no processor.
const patience = 2 * time.Minute

// watch is how long the threads of a process had waited for a processor when it began to be watched.
type watch struct {
	since  time.Time
	delays map[int]time.Duration
}

func (p *process) watch() *watch { return &watch{time.Now(), p.delays()} }

// starved says whether a thread of the process was ready to run and had no processor for a quarter of the time since
// then. One that hangs sleeps, or runs.
func (w *watch) starved(p *process) bool {
	if w == nil {
		return false
	}
	lasted := time.Since(w.since)
	for tid, waited := range p.delays() {
		if waited-w.delays[tid] > lasted/4 {
			return true
		}
	}
	return false
}

// again says whether a server that gave no answer in time should be asked once more: the first time, as only then is it
// watched, and as long as the machine is too busy for it. One that somebody has stopped is not.
func (w *watch) again(p *process, waited time.Duration) bool {
	return !(&HangError{State: p.state()}).Stopped() && (w == nil || waited < patience && w.starved(p))
}
