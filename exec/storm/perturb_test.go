package storm

import (
	"fmt"
	"testing"
	"time"

	"txweave/exec"
	"txweave/exec/planted"
)

func TestRows(t *testing.T) {
	for _, c := range []struct {
		q    request
		want string
	}{
		{request{table: 0, lo: 3, hi: 3}, "[{0 3}]"},
		{request{table: 1, lo: 7, hi: 9}, "[{1 7} {1 8} {1 9}]"},
		{*plain("COMMIT", false), "[]"},
		{request{lo: 0, hi: maxKey}, "16"},
	} {
		rows := c.q.rows()
		if got := fmt.Sprint(rows); got != c.want && fmt.Sprint(len(rows)) != c.want {
			t.Errorf("%+v: %s, want %s", c.q, got, c.want)
		}
	}
}

// Who waits for a transaction's end is let go when it is sent, or answered, however it ends, and nobody waits for
// himself or for one that has ended.
func TestGates(t *testing.T) {
	for _, end := range []act{commits, rollsBack, asks} { // the last one is a lost connection
		p := newPerturber()
		s := &session{storm: &storm{perturber: p, opt: Options{Sessions: 2}}}
		s.answered(&request{act: begins}, true)
		s.answered(&request{act: writes, table: 0, lo: 3, hi: 3}, true)
		read := &request{query: true, table: 0, lo: 1, hi: 5}
		if gate, _ := p.gate(0, read, false); gate != nil {
			t.Error("a session waits for itself")
		}
		sent, _ := p.gate(1, read, true)
		done, _ := p.gate(1, read, false)
		if other, _ := p.gate(1, &request{query: true, table: 1, lo: 3, hi: 3}, false); other != nil {
			t.Error("a row of another table is waited for")
		}
		isOpen := func(gate chan struct{}) bool {
			select {
			case <-gate:
				return false
			default:
				return gate != nil
			}
		}
		if !isOpen(sent) || !isOpen(done) {
			t.Fatal("nobody waits for an open transaction")
		}
		if end >= rollsBack {
			p.sends(s.delays.own, end)
			if isOpen(sent) || !isOpen(done) {
				t.Errorf("%d was sent: %v, %v", end, isOpen(sent), isOpen(done))
			}
			s.answered(&request{act: end}, true)
		} else {
			s.answered(read, false)
		}
		if isOpen(sent) || isOpen(done) {
			t.Errorf("after %d: %v, %v", end, isOpen(sent), isOpen(done))
		}
		if gate, _ := p.gate(1, read, false); gate != nil || len(p.writers) > 0 {
			t.Errorf("after %d there is somebody to wait for: %v", end, p.writers)
		}
	}
}

// A perturbed storm goes on, whatever is planted.
func TestPerturb(t *testing.T) {
	for _, f := range planted.Races() {
		_, res := run(t, "random-sql", func(db exec.Target) exec.Target {
			return planted.Plant(db, f, 1)
		}, Options{Perturb: true, Duration: 60 * time.Millisecond})
		if res.Committed == 0 {
			t.Errorf("%s: %+v", f.Name, res)
		}
	}
}
