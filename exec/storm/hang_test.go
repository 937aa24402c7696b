package storm

import (
	"context"
	"errors"
	"sync"
	"testing"

	"txweave/exec"
)

// silent is a database that does not answer, and counts who asks whether it does.
type silent struct {
	exec.Target
	asked int
}

func (s *silent) Alive(context.Context) error {
	s.asked++
	return &exec.HangError{State: "T (stopped)", Err: exec.ErrTimeout}
}

// TestSilentDatabase: that the database does not answer is found out once, however many sessions lose their connections to it: to find it out
// takes half a minute.
func TestSilentDatabase(t *testing.T) {
	db := &silent{}
	st := &storm{target: db}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if st.lost(t.Context(), errors.New("conn closed")) {
				t.Error("a session goes on")
			}
		})
	}
	wg.Wait()
	var hang *exec.HangError
	if db.asked != 1 || !errors.As(st.err, &hang) || !hang.Stopped() || !st.stop.Load() {
		t.Errorf("asked %d times, %v", db.asked, st.err)
	}
}
