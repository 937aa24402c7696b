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

// TestSilentDatabase: that the database does not answer is found out once, however many sessions lose their connections
// to it: to find it out takes half a minute.
func TestSilentDatabase(t *testing.T) {
	db := &silent{}
	st := &storm{target: db}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if st.lost(t.Context(), 0, errors.New("conn closed")) {
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

// TestKilledDatabase: a session that lost its connection because a nemesis killed the database, and waited until it was
// there again, does not ask once more, which takes half a second: all sessions ask one after another, and the next kill
// waits for them.
func TestKilledDatabase(t *testing.T) {
	db := &silent{}
	st := &storm{target: db}
	st.killedAt.Store(20)
	if !st.lost(t.Context(), 10, errors.New("conn closed")) || db.asked != 0 {
		t.Errorf("asked %d times", db.asked)
	}
	if st.lost(t.Context(), 30, errors.New("conn closed")) || db.asked != 1 {
		t.Errorf("it was opened after the kill, and asked %d times", db.asked)
	}
}
