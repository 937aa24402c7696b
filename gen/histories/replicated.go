package histories

import (
	"math/rand/v2"
	"slices"

	"txweave/dbms"
)

// replicas is how many copies a replicated store has. Session s works on copy s modulo it.
const replicas = 4

// reorder bounds how far a transaction can overtake others on its way to a replica, where causality is not kept.
const reorder = 16

// replicated is a store of several copies, each of which commits by itself and applies what the others committed
// later. The write with the highest Lamport timestamp wins, which makes these timestamps a commit order.
type replicated struct {
	level dbms.Level
	copy  [replicas]replica
}

type replica struct {
	clock   int64
	vals    []stamped
	applied [replicas]int // how many transactions of each replica
	inbox   []*shipped    // what is on its way, in the order of committing
}

type stamped struct{ stamp, value int64 }

// shipped is a committed transaction on its way to the other replicas.
type shipped struct {
	origin int
	stamp  int64
	keys   []int
	vals   []int64
	deps   [replicas]int // what its replica had applied when it committed
}

func newReplicated(c Config) *replicated {
	r := &replicated{level: c.Level}
	for i := range r.copy {
		r.copy[i].vals = slices.Repeat([]stamped{{-1, noValue}}, c.Keys)
	}
	return r
}

func (r *replicated) load(key int, v int64) {
	for i := range r.copy {
		r.copy[i].vals[key] = stamped{0, v}
	}
}

// begin executes all reads at once, where they must come from one state.
func (r *replicated) begin(session int, t *transaction, _ *rand.Rand) {
	t.frozen = t.frozen[:0]
	for _, a := range t.accesses {
		t.frozen = append(t.frozen, r.copy[session%replicas].vals[a.Key].value)
	}
}

func (r *replicated) read(session int, t *transaction, key int) int64 {
	if r.level == dbms.RC {
		return r.copy[session%replicas].vals[key].value
	}
	return t.frozen[len(t.vals)]
}

func (r *replicated) commit(session int, t *transaction) bool {
	if t.readOnly {
		return true
	}
	at := session % replicas
	c := &r.copy[at]
	s := &shipped{origin: at, stamp: (c.clock/replicas+1)*replicas + int64(at), deps: c.applied}
	for i, a := range t.accesses {
		if !a.Write {
			continue
		}
		if j := slices.Index(s.keys, a.Key); j >= 0 {
			s.vals[j] = t.vals[i]
			continue
		}
		s.keys, s.vals = append(s.keys, a.Key), append(s.vals, t.vals[i])
	}
	c.apply(s)
	c.applied[at]++
	for i := range r.copy {
		if i != at {
			r.copy[i].inbox = append(r.copy[i].inbox, s)
		}
	}
	return true
}

func (c *replica) apply(s *shipped) {
	c.clock = max(c.clock, s.stamp)
	for i, k := range s.keys {
		if v := &c.vals[k]; s.stamp > v.stamp {
			*v = stamped{s.stamp, s.vals[i]}
		}
	}
}

// background delivers one transaction to one replica, or none.
func (r *replicated) background(rng *rand.Rand) {
	c := &r.copy[rng.IntN(replicas)]
	if len(c.inbox) <= rng.IntN(2*reorder) {
		return // the network is slow, so that there is something to reorder
	}
	i := rng.IntN(min(len(c.inbox), reorder))
	s := c.inbox[i]
	if r.level == dbms.TCC {
		// The oldest one of an inbox whose dependencies are there can always be applied: look from i backwards.
		for ; !c.ready(s); s = c.inbox[i] {
			if i--; i < 0 {
				return
			}
		}
	}
	c.apply(s)
	c.applied[s.origin]++
	copy(c.inbox[1:i+1], c.inbox[:i])
	c.inbox = c.inbox[1:]
}

// ready says whether all that s depends on has been applied.
func (c *replica) ready(s *shipped) bool {
	for i, n := range s.deps {
		if c.applied[i] < n {
			return false
		}
	}
	return true
}
