package storm

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"txweave/dbms"
	"txweave/gen/workload"
)

// told is a transaction that notes what it reads.
type told struct {
	workload.Tx
	did    []string
	onRead func()
}

func (x *told) Get(table int, _ int64, lock bool) (workload.Row, bool, error) {
	x.did = append(x.did, fmt.Sprintf("get %d %v", table, lock))
	x.onRead()
	return workload.Row{}, false, nil
}

func (x *told) Scan(table int, _, _ int64, _ workload.Where, lock bool) ([]workload.Row, error) {
	x.did = append(x.did, fmt.Sprintf("scan %d %v", table, lock))
	return nil, nil
}

// While a table is being changed some transactions take their snapshot from another table and read the changed one when
// that has ended; where transactions keep no snapshot, and while nothing is being changed, none does.
func TestAcross(t *testing.T) {
	w := &workload.Workload{Kind: workload.Relational, Tables: []workload.TableSpec{{Name: "t0"}, {Name: "t1"}}}
	for level, keeps := range map[string]bool{"repeatable-read": true, "read-committed": false, "serializable": false} {
		p, err := dbms.Lookup("mariadb", level)
		if err != nil {
			t.Fatal(err)
		}
		s := &session{storm: &storm{opt: Options{Workload: w}, profile: p, base: time.Now()},
			rng: rand.New(rand.NewPCG(1, 1))}
		count := func() (n int) {
			for range 300 {
				if _, ok := s.across(); ok {
					n++
				}
			}
			return n
		}
		if n := count(); n > 0 {
			t.Errorf("%s: %d transactions are across a change that is none", level, n)
		}
		done := s.changing("t1")
		if n := count(); (n > 0) != keeps || n > 150 {
			t.Errorf("%s: %d transactions of 300 are across", level, n)
		}
		if !keeps {
			continue
		}
		x := &told{onRead: func() { time.AfterFunc(5*time.Millisecond, done) }}
		program, ok := s.across()
		for !ok {
			program, ok = s.across()
		}
		if err := program(x); err != nil || !slices.Equal(x.did, []string{"get 0 false", "scan 1 false", "scan 1 false"}) ||
			s.altered.Load() != 0 {
			t.Errorf("%q, %v; the change goes on: %v", x.did, err, s.altered.Load() != 0)
		}
	}
}
