// Package workload holds histories of Jepsen's workloads that are no reads and writes of registers or lists: transfers
// between the accounts of a bank, elements added to a set, increments of a counter.
package workload

import (
	"txweave/history"
	"txweave/history/register"
)

// Func is what an operation does.
type Func uint8

// The functions.
const (
	Read     Func = iota // everything: the balances, the elements, or the number
	Add                  // an element to the set, or a number to the counter
	Transfer             // an amount from one account to another
)

// Call is one operation of a client.
type Call struct {
	Func    Func
	Process int64 // see Clients.Name
	Outcome history.Outcome
	// Start and End are the positions of the two records in the history; they order what happened as a clock does. End is
	// register.Forever where no outcome was told, and Start that of the outcome where the invocation is missing.
	Start, End int64
	Begun      register.Place
	Told       register.Place // zero where no outcome was told

	// Key is the set or counter that it is on, of a history of several (Clients.Keyed).
	Key int64

	// Value is what an Add adds, or what a Read of a counter returned: an integer where IsInteger is set, else the number
	// of a name.
	Value     int64
	IsInteger bool
	// Elements are what a Read of a set returned, or a Read of accounts that have no names; IsList is set then.
	Elements []int64
	IsList   bool
	// Balances are what a Read of accounts returned, in the order of the file; IsMap is set then.
	Balances []Balance
	IsMap    bool
	// From, To and Amount are of a Transfer.
	From, To, Amount int64
}

// Balance is one account's.
type Balance struct {
	Account, Amount int64
	Nil             bool // the account has none
}

// Clients is what was observed, in the order in which outcomes were told. Operations without one come last.
type Clients struct {
	Ops []Call
	// Paired says whether every outcome had its invocation.
	Paired bool
	// Keyed says that it is one of many sets or counters, as jepsen.independent writes it.
	Keyed bool
	names *register.Names
}

// New returns a history of operations in the order in which their outcomes were told; names are those of their values.
func New(ops []Call, paired bool, names *register.Names) *Clients {
	return &Clients{Ops: ops, Paired: paired, names: names}
}

// Name prints the number of a value, an account or a process as the file wrote it.
func (h *Clients) Name(n int64) string { return h.names.Name(n) }

// ByKey splits a history of many sets or counters: one for each, in the order in which they come first.
func (h *Clients) ByKey() (keys []int64, parts []*Clients) {
	at := map[int64]int{}
	for i := range h.Ops {
		op := &h.Ops[i]
		if op.Func == Read && op.Outcome != history.Committed {
			continue // nobody saw what it returned, nor of what
		}
		n, known := at[op.Key]
		if !known {
			n = len(parts)
			at[op.Key] = n
			keys, parts = append(keys, op.Key), append(parts, &Clients{Paired: h.Paired, names: h.names})
		}
		parts[n].Ops = append(parts[n].Ops, *op)
	}
	return keys, parts
}
