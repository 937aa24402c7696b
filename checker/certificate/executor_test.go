package certificate

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"txweave/dbms"

	"txweave/history/register"
)

// executor judges small histories with searches by executing them: every serial order (SER), or every order of starts
// and commits (SI), without session order. It shares nothing with the checker.
type executor struct {
	h        *register.History
	searches []Predicate
}

// run executes transaction t on a state, in which a key without a value is absent.
func (e *executor) run(t int, state map[int32]int64) (writes map[int32]int64, ok bool) {
	writes = map[int32]int64{}
	now := maps.Clone(state)
	ops := e.h.TxnOps(t)
	for i := 0; i <= len(ops); i++ {
		for _, p := range e.searches {
			if p.Txn != t || p.At != i {
				continue
			}
			limit, _ := strconv.ParseInt(strings.TrimPrefix(p.Where, "value < "), 10, 64)
			var found []int32
			for key := range int32(e.h.Keys()) {
				if v, there := now[key]; there && v < limit {
					found = append(found, key)
				}
			}
			if !slices.Equal(found, p.Result) {
				return nil, false
			}
		}
		if i == len(ops) {
			break
		}
		v, there := now[ops[i].Key]
		switch op := ops[i]; {
		case op.Kind == register.Write:
			now[op.Key], writes[op.Key] = op.Value, op.Value
		case op.Nil && e.h.HasInitialValue:
			if v != e.h.InitialValue {
				return nil, false
			}
		case op.Nil == there || there && v != op.Value:
			return nil, false
		}
	}
	return writes, true
}

func (e *executor) valid(level dbms.Level) bool {
	state := map[int32]int64{}
	if e.h.HasInitialValue {
		for key := range int32(e.h.Keys()) {
			state[key] = e.h.InitialValue
		}
	}
	left := 0
	for t := range e.h.Txns {
		if t == e.h.Initial {
			var ok bool
			if state, ok = e.run(t, state); !ok {
				return false
			}
			continue
		}
		left |= 1 << t
	}
	return e.search(level, state, left, nil)
}

// started is a transaction between its start and its commit, and the keys that others have committed since.
type started struct {
	txn     int
	writes  map[int32]int64
	changed map[int32]bool
}

func (e *executor) search(level dbms.Level, state map[int32]int64, left int, open []started) bool {
	if left == 0 && len(open) == 0 {
		return true
	}
	for i, s := range open {
		conflict := false
		for key := range s.writes {
			conflict = conflict || s.changed[key]
		}
		if conflict {
			return false // it can never commit
		}
		after := maps.Clone(state)
		maps.Copy(after, s.writes)
		var rest []started
		for j, o := range open {
			if j == i {
				continue
			}
			o.changed = maps.Clone(o.changed)
			for key := range s.writes {
				o.changed[key] = true
			}
			rest = append(rest, o)
		}
		if e.search(level, after, left, rest) {
			return true
		}
	}
	if level == dbms.SER && len(open) > 0 {
		return false
	}
	for t := range e.h.Txns {
		if left>>t&1 == 0 {
			continue
		}
		if writes, ok := e.run(t, state); ok && e.search(level, state, left&^(1<<t), append(slices.Clone(open),
			started{t, writes, map[int32]bool{}})) {
			return true
		}
	}
	return false
}
