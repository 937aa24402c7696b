package display

import (
	"fmt"
	"time"

	"txweave/campaign/storming"
	"txweave/exec/storm/verdict"
	"txweave/finding"
	"txweave/internal/memory"
)

// Storm shows how far a storm is until it is stopped.
func (c *Console) Storm(v *verdict.OnlineCheck, duration time.Duration) (stop func()) {
	begun := time.Now()
	tick := time.NewTicker(200 * time.Millisecond)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-tick.C:
				if !c.Due() {
					continue
				}
				operations, verified, found := v.Progress()
				lasted := time.Since(begun)
				clock := lasted.Truncate(time.Second).String()
				if left := duration - lasted; left > 0 {
					clock += ", " + left.Truncate(time.Second).String() + " left"
				}
				c.Show([]string{clock, fmt.Sprintf("%d operations", operations), finding.Count(int(found), "finding"),
					fmt.Sprintf("%d not verified yet", operations-verified),
					fmt.Sprintf("%.0f a second", storming.Rate(operations, lasted)), fmt.Sprintf("%.0f MiB", memory.PeakMiB())})
			case <-done:
				return
			}
		}
	}()
	return func() {
		tick.Stop()
		close(done)
		<-ended
		c.End()
	}
}
