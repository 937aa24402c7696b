package polygraph

import (
	"context"
	"errors"
	"testing"
	"time"

	"txweave/checker"
	"txweave/internal/testkit/cputime"
	"txweave/internal/testkit/effort"
)

// TestStop stops checks that would take long, in all that they do: none goes on for long, by processor time, and none
// has a verdict then.
func TestStop(t *testing.T) {
	errEnough := errors.New("enough")
	limits := []time.Duration{0, 200 * time.Millisecond, time.Second}
	for i, b := range benches {
		if b.name != "blind-zipf-10k" {
			continue
		}
		h, opt := b.make(t)
		for _, after := range limits[:effort.Cases(len(limits))] {
			ctx, cancel := context.WithTimeoutCause(t.Context(), after, errEnough)
			started := cputime.Process()
			v := Check(ctx, h, b.level, opt)
			cancel()
			if v.Unmet != checker.Finished || v.Outcome != checker.Unknown || v.Reason != "the check was stopped: enough" {
				t.Errorf("bench %d after %v: %.500s", i, after, v)
			}
			if d := cputime.Process() - started; d > after+20*time.Second {
				t.Errorf("bench %d stopped %v after it was told to", i, d-after)
			}
		}
	}
}
