package storm

import (
	"fmt"
	"testing"
	"time"

	"txweave/exec"
	"txweave/exec/planted"
)

func TestRowsOf(t *testing.T) {
	for sql, want := range map[string]string{
		"UPDATE t0 SET vkey = 5, v = 7 WHERE pkey = 3":                        "[{t0 3}]",
		"SELECT pkey, vkey, v FROM t1 WHERE pkey BETWEEN 7 AND 9 AND (v < 3)": "[{t1 7} {t1 8} {t1 9}]",
		"INSERT INTO t0 (pkey, vkey, v) VALUES (12, 5, 7)":                    "[{t0 12}]",
		"DELETE FROM t0 WHERE pkey = 4 AND vkey = 9":                          "[{t0 4}]",
		"SELECT pkey, vkey, v FROM t0 WHERE v >= 3":                           "[]",
		"COMMIT": "[]",
		"":       "[]",
		"SELECT pkey FROM t0 WHERE pkey BETWEEN 0 AND 1125899906842624":         "16",
		"UPDATE t0 SET pvkey = vkey, vkey = 9, v = v + 1 WHERE pkey = 18 AND 1": "[{t0 18}]",
	} {
		rows := rowsOf(sql)
		if got := fmt.Sprint(rows); got != want && fmt.Sprint(len(rows)) != want {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
	}
}

// Who waits for a transaction's end is let go when it is sent, or answered, however it ends, and nobody waits for himself or for one
// that has ended.
func TestGates(t *testing.T) {
	for _, end := range []string{"COMMIT", "ROLLBACK", "a lost connection"} {
		p := newPerturber()
		s := &session{storm: &storm{perturber: p, opt: Options{Sessions: 2}}}
		s.answered("BEGIN", true)
		s.answered("UPDATE t0 SET v = 1 WHERE pkey = 3", true)
		read := "SELECT pkey FROM t0 WHERE pkey BETWEEN 1 AND 5"
		if gate, _ := p.gate(0, read, false); gate != nil {
			t.Error("a session waits for itself")
		}
		sent, _ := p.gate(1, read, true)
		done, _ := p.gate(1, read, false)
		if other, _ := p.gate(1, "SELECT pkey FROM t1 WHERE pkey = 3", false); other != nil {
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
		if ends(end) {
			p.sends(s.delays.own, end)
			if isOpen(sent) || !isOpen(done) {
				t.Errorf("%s was sent: %v, %v", end, isOpen(sent), isOpen(done))
			}
			s.answered(end, true)
		} else {
			s.answered("SELECT 1", false)
		}
		if isOpen(sent) || isOpen(done) {
			t.Errorf("after %s: %v, %v", end, isOpen(sent), isOpen(done))
		}
		if gate, _ := p.gate(1, read, false); gate != nil || len(p.writers) > 0 {
			t.Errorf("after %s there is somebody to wait for: %v", end, p.writers)
		}
	}
}

// A perturbed storm goes on, whatever is planted.
func TestPerturb(t *testing.T) {
	for _, f := range planted.Races() {
		_, res := run(t, "random-sql", func(db exec.Target) exec.Target { return planted.Plant(db, f, 1) }, Options{Perturb: true, Duration: 60 * time.Millisecond})
		if res.Committed == 0 {
			t.Errorf("%s: %+v", f.Name, res)
		}
	}
}
