package postgresql

import (
	"testing"
	"time"

	"txweave/exec"
)

// TestPreemption: the process behind one session is stopped, and another one the next time; sessions that are closed
// are passed over.
func TestPreemption(t *testing.T) {
	db := shared.Target(t)
	u := exec.DisruptionOf(db)
	sessions(t, db, "read-committed", 1)[0].Close()
	own := sessions(t, db, "read-committed", 2)
	stopped := map[int]bool{}
	for range 100 { // other tests have had sessions, too
		if err := u.Stop(); err != nil {
			t.Fatal(err)
		}
		answers := make([]chan error, len(own))
		for i, s := range own {
			answers[i] = make(chan error, 1)
			go func() { answers[i] <- s.Must(t.Context(), "SELECT 1") }()
		}
		var early [2]bool
		deadline := time.After(200 * time.Millisecond)
		for i := range own {
			select {
			case err := <-answers[i]:
				answers[i] <- err
				early[i] = true
			case <-deadline:
				deadline = time.After(0)
			}
		}
		if err := u.Continue(); err != nil {
			t.Fatal(err)
		}
		for i := range own {
			if err := <-answers[i]; err != nil {
				t.Fatal(err)
			}
		}
		if early[0] != early[1] {
			stopped[map[bool]int{true: 1, false: 0}[early[0]]] = true
		}
		if stopped[0] && stopped[1] {
			return
		}
	}
	t.Errorf("the sessions whose process was stopped: %v", stopped)
}
