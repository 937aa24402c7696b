package format

import (
	"fmt"

	"txweave/history/register"
	"txweave/history/workload"
)

// workloads makes a history of one of Jepsen's workloads that are none of registers.
type workloads struct {
	names *register.Names
	ops   []workload.Call
	keyed int   // operations on one of many sets or counters
	adds  []int // … those that add
	plain bool  // some add to the only one
	alone int   // on the only one
	pairs []int // reads of a list of two that may be a key and a number
}

// byKey takes apart the value of an operation on one of many sets or counters, as jepsen.independent writes it: [key
// value].
func byKey(value *datum) (key, of *datum, ok bool) {
	if value.kind != list || len(value.list) != 2 {
		return nil, nil, false
	}
	key, of = &value.list[0], &value.list[1]
	return key, of, key.kind != list && key.kind != dict && key.kind != null
}

// finish decides of the reads that may be either what they are.
func (w *workloads) finish() error {
	if w.alone > 0 && w.keyed == len(w.adds) && !w.plain {
		w.addPairs()
	}
	if w.keyed == 0 {
		return nil
	}
	for _, i := range w.pairs {
		op := &w.ops[i]
		op.Key, op.Value, op.Elements, op.IsList, op.IsInteger = op.Elements[0], op.Elements[1], nil, false, true
	}
	if w.alone > 0 {
		return fmt.Errorf("some operations are on one of many sets or counters, [key value], and others on the only one")
	}
	return nil
}

// addPairs makes the adds of [key value] adds of elements that are such pairs: no read names a key.
func (w *workloads) addPairs() {
	for _, i := range w.adds {
		op := &w.ops[i]
		key, value := datum{kind: text, s: w.names.Name(op.Key)}, datum{kind: text, s: w.names.Name(op.Value)}
		pair := datum{kind: list, list: []datum{key, value}}
		op.Key, op.Value, op.IsInteger = 0, w.names.Number(pair.String()), false
	}
	w.keyed, w.pairs = 0, nil
}

var workloadFuncs = map[string]workload.Func{"read": workload.Read, "r": workload.Read, "add": workload.Add,
	"transfer": workload.Transfer}

// add takes an operation with its outcome.
func (w *workloads) add(a *answer) error {
	f, ok := workloadFuncs[a.f]
	if !ok {
		return fmt.Errorf("operation %q in a history of a bank, a set or a counter: want read, transfer or add", a.f)
	}
	op := workload.Call{Func: f, Process: a.process, Outcome: a.outcome, Start: a.start, End: a.end, Begun: a.begun,
		Told: a.told}
	value := &nothing
	if a.value != nil {
		value = a.value
	}
	if a.txn {
		return fmt.Errorf("a transaction in a history of a bank, a set or a counter")
	}
	switch f {
	case workload.Transfer:
		if err := w.transfer(&op, value); err != nil {
			return err
		}
	case workload.Add:
		if value.kind == null {
			return fmt.Errorf("an add of nothing")
		}
		if value.kind == list {
			key, of, ok := byKey(value)
			if !ok || of.kind == list || of.kind == dict || of.kind == null {
				return fmt.Errorf("an add of %s: want an element or a number, or [key value]", clip([]byte(value.String())))
			}
			op.Key, value = w.number(key), of
			w.keyed, w.adds = w.keyed+1, append(w.adds, len(w.ops))
		} else {
			w.alone, w.plain = w.alone+1, true
		}
		op.Value, op.IsInteger = w.number(value), value.kind == integer
	case workload.Read:
		if a.outcome != 0 {
			break // nobody saw what it returned
		}
		if err := w.read(&op, value); err != nil {
			return err
		}
	}
	w.ops = append(w.ops, op)
	return nil
}

func (w *workloads) number(d *datum) int64 {
	if d.kind == integer {
		return w.names.Integer(d.n)
	}
	return w.names.Number(d.String())
}

func (w *workloads) transfer(op *workload.Call, value *datum) error {
	from, to, amount := value.get("from"), value.get("to"), value.get("amount")
	if from.kind == null || to.kind == null || amount.kind != integer {
		return fmt.Errorf("want a transfer such as {:from 1, :to 2, :amount 5}, not %s", clip([]byte(value.String())))
	}
	op.From, op.To, op.Amount = w.number(&from), w.number(&to), amount.n
	return nil
}

// read takes what a read returned.
func (w *workloads) read(op *workload.Call, value *datum) error {
	if key, of, ok := byKey(value); ok && (of.kind == list || of.kind == null) {
		op.Key, value = w.number(key), of
		w.keyed++
	} else if ok && of.kind == integer {
		w.pairs = append(w.pairs, len(w.ops))
	} else if value.kind != null {
		w.alone++
	}
	switch value.kind {
	case null:
	case list:
		op.IsList = true
		op.Elements = make([]int64, len(value.list))
		for i := range value.list {
			op.Elements[i] = w.number(&value.list[i])
		}
	case dict:
		op.IsMap = true
		for i := 0; i+1 < len(value.list); i += 2 {
			account, balance := &value.list[i], &value.list[i+1]
			if balance.kind != integer && balance.kind != null {
				return fmt.Errorf("a balance of %s: want an integer", clip([]byte(balance.String())))
			}
			op.Balances = append(op.Balances, workload.Balance{Account: w.number(account), Amount: balance.n,
				Nil: balance.kind == null})
		}
	default:
		op.Value, op.IsInteger = w.number(value), value.kind == integer
	}
	return nil
}

// isLongFork says whether an operation may be one of Jepsen's long-fork workload.
func isLongFork(a *answer) bool {
	if a.f == "write" {
		return len(a.mops) == 1 && a.mops[0].f == 'w'
	}
	for i := range a.mops {
		if a.mops[i].f != 'r' {
			return false
		}
	}
	return a.f == "read"
}
