package brute

import (
	"math/rand/v2"

	"txweave/history"
	"txweave/history/register"
)

// Bounds says what small histories look like.
type Bounds struct {
	Txns, Keys, Sessions, Ops int  // at most so many
	RMW                       bool // every write follows a read of its key
	Single                    bool // compare-and-set: one read, or a read and a write, of one key
	NotEqual                  bool // failed compares too
	Duplicates                bool // values that repeat
	Texts                     bool // values are digits; some are appended to what the key holds, which is 7 at first
	NoAborts                  bool // only committed transactions
}

// draw begins a history within the bounds: with so many transactions, keys and sessions.
func (s Bounds) draw(rng *rand.Rand) (b *register.Builder, txns, keys int, sessions int64) {
	txns, keys = 2+rng.IntN(s.Txns-1), 1+rng.IntN(s.Keys)
	sessions = int64(1 + rng.IntN(s.Sessions))
	b = register.NewBuilder(0, 0)
	b.SetRealTime()
	for k := range keys {
		b.IntKey(int64(k))
	}
	return b, txns, keys, sessions
}

// planned is a transaction before its reads have values.
type planned struct {
	ops     []register.Op
	session int64
	status  history.Outcome
	start   int64
	end     int64
}

// Random makes a small history whose reads mostly return something plausible, so that about half of the histories are
// valid at one level or another.
func Random(rng *rand.Rand, s Bounds) *register.History {
	b, n, keys, sessions := s.draw(rng)
	next := int64(1)
	values := make([][]int64, keys) // by key: all that is ever written
	if s.Texts {
		b.SetInitialValue(7)
	} else if rng.IntN(2) == 0 {
		b.BeginInitial()
		for k := range keys {
			if rng.IntN(8) > 0 {
				b.Write(int32(k), next)
				values[k] = append(values[k], next)
				next++
			}
		}
		b.End(history.Committed, 0, 0)
	} else if rng.IntN(2) == 0 {
		b.SetInitialValue(0)
	}
	current := make([]int64, keys) // by key: what the last transaction left; -1 for nothing
	for k := range keys {
		current[k] = -1
		if s.Texts {
			current[k] = 7
		}
		if len(values[k]) > 0 {
			current[k] = values[k][0]
		}
	}
	txns := make([]planned, n)
	ends := map[int64]int64{}
	for i := range txns {
		p := &txns[i]
		p.session = rng.Int64N(sessions)
		p.start = max(ends[p.session], int64(10*i)-rng.Int64N(40)) + 1
		p.end = max(p.start, int64(10*i)) + rng.Int64N(20)
		ends[p.session] = p.end
		next = p.draw(rng, s, keys, next)
		for _, op := range p.ops {
			if op.Kind == register.Write {
				values[op.Key] = append(values[op.Key], op.Value)
			}
		}
	}
	execute(rng, b, txns, values, current, next)
	return b.History()
}

// draw draws what a transaction does and how it ends; next is the next value that nobody writes, which it returns.
func (p *planned) draw(rng *rand.Rand, s Bounds, keys int, next int64) int64 {
	if !s.NoAborts {
		switch rng.IntN(10) {
		case 0:
			p.status = history.Aborted
		case 1:
			p.status = history.Unknown
		}
	}
	p.ops = skeleton(rng, s, keys, &next)
	if p.status == history.Aborted && rng.IntN(3) == 0 {
		for j := range p.ops { // who aborted may have written what others write, or the initial value
			if p.ops[j].Kind == register.Write {
				p.ops[j].Value = rng.Int64N(next + 3)
			}
		}
	}
	return next
}

// execute gives the planned transactions to the builder, with what their reads return.
func execute(rng *rand.Rand, b *register.Builder, txns []planned, values [][]int64, current []int64, next int64) {
	wild := []int{0, 10, 30}[rng.IntN(3)] // how many of a hundred reads return anything
	for i := range txns {
		p := &txns[i]
		own := map[int32]int64{}
		seen := map[int32]int64{}
		b.Begin(p.session, int64(i+1))
		for _, op := range p.ops {
			switch op.Kind {
			case register.Write:
				own[op.Key] = op.Value
			case register.Extend:
				own[op.Key] = joined(current[op.Key], op.Value)
			case register.NotEqual:
				op.Value = rng.Int64N(4)
			default:
				op.Value = returned(rng, wild, op.Key, current, seen, own, values, next)
				seen[op.Key] = op.Value
				if op.Value == -1 {
					op.Value, op.Nil = 0, true
				}
			}
			b.Op(op)
		}
		b.End(p.status, p.start, p.end)
		if p.status != history.Committed && rng.IntN(3) > 0 {
			continue
		}
		for k := range current {
			if v, ok := own[int32(k)]; ok && rng.IntN(5) > 0 {
				current[k] = v
			}
		}
	}
}

// returned chooses what a read of a key returns: mostly what the transaction wrote or read before, or what the last one
// left; sometimes anything. -1 stands for nothing.
func returned(rng *rand.Rand, wild int, key int32, current []int64, seen, own map[int32]int64, values [][]int64,
	next int64) int64 {
	v := current[key]
	if old, ok := seen[key]; ok {
		v = old
	}
	if w, ok := own[key]; ok {
		v = w
	}
	all := values[key]
	switch x := rng.IntN(100); {
	case x < wild/8:
		v = rng.Int64N(next + 2)
	case x < wild && len(all) > 0:
		v = all[rng.IntN(len(all))]
	case x < wild:
		v = -1
	}
	return v
}

// write draws a write of a key.
func (s Bounds) write(rng *rand.Rand, key int32, next *int64) register.Op {
	op := register.Op{Kind: register.Write, Key: key, Value: *next}
	if s.Duplicates && rng.IntN(s.Keys) < 2 {
		op.Value = rng.Int64N(4)
	} else {
		*next++
	}
	if s.Texts && rng.IntN(3) > 0 {
		op.Kind = register.Extend
	}
	return op
}

// skeleton makes the operations of a transaction; reads have no value yet.
func skeleton(rng *rand.Rand, s Bounds, keys int, next *int64) []register.Op {
	var ops []register.Op
	write := func(k int32) { ops = append(ops, s.write(rng, k, next)) }
	read := func(k int32) { ops = append(ops, register.Op{Kind: register.Read, Key: k}) }
	key := func() int32 { return int32(rng.IntN(keys)) }
	if s.Single {
		k := key()
		switch x := rng.IntN(5); {
		case s.NotEqual && x == 0:
			ops = append(ops, register.Op{Kind: register.NotEqual, Key: k})
		case s.NotEqual && x == 1, s.Texts && x > 2:
			write(k)
		default:
			if read(k); x > 2 {
				write(k)
			}
		}
		return ops
	}
	has := map[int32]bool{}
	for range 1 + rng.IntN(s.Ops) {
		k := key()
		if rng.IntN(2) == 0 && (has[k] || !s.RMW) {
			write(k)
		} else {
			has[k] = true
			read(k)
		}
	}
	return ops
}
