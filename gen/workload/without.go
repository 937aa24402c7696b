package workload

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Operations are the names of what a workload's transactions may be spared, for Without.
var Operations = []string{"get", "scan", "put", "put-range", "insert", "delete"}

// errWhole says why a workload cannot be spared operations.
var errWhole = errors.New("what its transactions do belongs together")

// Without makes a workload leave operations out, wherever its programs ask for them: what is not read is not found, and
// what is not written was not there. Only of workloads whose statements have nothing to do with each other.
func (w *Workload) Without(operations []string) error {
	for _, o := range operations {
		if !slices.Contains(Operations, o) {
			return fmt.Errorf("there is no operation %q (there are %s)", o, strings.Join(Operations, ", "))
		}
	}
	if len(operations) == 0 {
		return nil
	}
	if !w.CanSpare() {
		return fmt.Errorf("workload %s cannot do without any operation: %w", w.Name, errWhole)
	}
	next := w.Next
	w.Next = func(rng *rand.Rand, m *SessionMemory) Program {
		program := next(rng, m)
		return func(tx Tx) error { return program(&sparing{tx, operations}) }
	}
	return nil
}

// CanSpare says whether the workload's statements have nothing to do with each other.
func (w *Workload) CanSpare() bool {
	return slices.Contains([]string{"random-sql", "hot", "blindw-w", "blindw-rw", "blindw-rw+", "gt", "ycsb-a"}, w.Name)
}

// sparing leaves operations out.
type sparing struct {
	Tx
	out []string
}

func (s *sparing) spared(operation string) bool { return slices.Contains(s.out, operation) }

func (s *sparing) Get(table int, key int64, lock bool) (Row, bool, error) {
	if s.spared("get") {
		return Row{}, false, nil
	}
	return s.Tx.Get(table, key, lock)
}

func (s *sparing) Scan(table int, lo, hi int64, where Where, lock bool) ([]Row, error) {
	if s.spared("scan") {
		return nil, nil
	}
	return s.Tx.Scan(table, lo, hi, where, lock)
}

func (s *sparing) Put(table int, key, value int64) (bool, error) {
	if s.spared("put") {
		return false, nil
	}
	return s.Tx.Put(table, key, value)
}

func (s *sparing) PutRange(table int, lo, hi int64, where Where, add int64) (int, error) {
	if s.spared("put-range") {
		return 0, nil
	}
	return s.Tx.PutRange(table, lo, hi, where, add)
}

func (s *sparing) Insert(table int, key, value int64) (bool, error) {
	if s.spared("insert") {
		return false, nil
	}
	return s.Tx.Insert(table, key, value)
}

func (s *sparing) Delete(table int, key int64) (bool, error) {
	if s.spared("delete") {
		return false, nil
	}
	return s.Tx.Delete(table, key)
}
