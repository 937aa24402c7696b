package histories

import (
	"math/rand/v2"

	"txweave/gen/workload"
	"txweave/history"
	"txweave/history/register"
)

// noValue is what a key holds that was never written. Values are numbered from 0.
const noValue int64 = -1

// transaction is one attempt of a session.
type transaction struct {
	accesses []workload.KeyAccess
	vals     []int64 // what each executed access read or wrote
	start    int64   // time
	snapshot int64   // of a central store: the commit number whose state is read; of each read where < 0
	frozen   []int64 // of a replicated store: what each access would read at the start
	readOnly bool
	searches []searched // of an anomaly's
}

// own returns the transaction's last write of the key.
func (t *transaction) own(key int) (int64, bool) {
	for i := len(t.vals) - 1; i >= 0; i-- {
		if a := t.accesses[i]; a.Write && a.Key == key {
			return t.vals[i], true
		}
	}
	return 0, false
}

// store is a simulated engine.
type store interface {
	begin(session int, t *transaction, rng *rand.Rand)
	// read returns what the key holds for the transaction, its own writes not considered.
	read(session int, t *transaction, key int) int64
	// commit makes the transaction's writes visible; false where the engine aborts it instead.
	commit(session int, t *transaction) bool
	// background does what the engine does on its own, once.
	background(rng *rand.Rand)
	// load sets the initial value of a key.
	load(key int, v int64)
}

// simulator interleaves sessions.
type simulator struct {
	cfg   Config
	rng   *rand.Rand
	shape shaper
	keys  *workload.Keys
	store store
	open  []*transaction // by session
	b     *register.Builder
	next  int64 // next value to write
	clock int64
	ids   int64
	done  int

	lists    *lists    // nil: keys hold registers
	planting *planting // nil: nothing is planted, or it is there already
}

func (s *simulator) run() (*register.History, error) {
	c := s.cfg
	ops := 4
	if c.Shape == General || c.Shape == Blind {
		ops = c.Ops
	}
	s.b = register.NewBuilder(c.Txns+1, c.Txns*ops+c.Keys)
	s.b.SetRealTime()
	for k := range c.Keys {
		s.b.IntKey(int64(k))
	}
	if !c.NoInitial {
		s.b.BeginInitial()
		for k := range c.Keys {
			s.b.Write(int32(k), int64(k))
			s.store.load(k, int64(k))
		}
		s.b.End(history.Committed, 0, 0)
	}
	s.open = make([]*transaction, c.Sessions)
	free := make([]transaction, c.Sessions)
	for s.done < c.Txns || s.planting != nil {
		if s.clock++; s.clock%4096 == 0 && c.Stop != nil {
			if err := c.Stop(); err != nil {
				return nil, err
			}
		}
		if s.planting.ready(s) {
			s.plant(s.planting)
			s.planting = nil
			continue
		}
		i := s.rng.IntN(c.Sessions)
		t := s.open[i]
		switch {
		case t == nil && s.planting.waits(s, i):
		case t == nil:
			s.open[i] = s.begin(i, &free[i])
		case len(t.vals) < len(t.accesses):
			s.step(i, t)
		default:
			s.end(i, t)
			s.open[i] = nil
		}
		s.store.background(s.rng)
	}
	return s.b.History(), nil
}

func (s *simulator) begin(session int, t *transaction) *transaction {
	t.accesses, t.vals = s.shape(s.rng, t.accesses[:0]), t.vals[:0]
	t.start, t.readOnly = s.clock, true
	for _, a := range t.accesses {
		t.readOnly = t.readOnly && !a.Write
	}
	s.store.begin(session, t, s.rng)
	return t
}

func (s *simulator) step(session int, t *transaction) {
	a := t.accesses[len(t.vals)]
	v := s.next
	if a.Write {
		s.next++
	} else if own, ok := t.own(a.Key); ok {
		v = own
	} else {
		v = s.store.read(session, t, a.Key)
	}
	t.vals = append(t.vals, v)
}

// end commits or aborts the transaction and records it.
func (s *simulator) end(session int, t *transaction) {
	status := history.Committed
	switch {
	case s.cfg.Unknowns > 0 && s.rng.Float64() < s.cfg.Unknowns:
		if status = history.Unknown; s.rng.IntN(2) == 0 {
			s.commit(session, t)
		}
	case s.cfg.Aborts > 0 && s.rng.Float64() < s.cfg.Aborts, !s.commit(session, t):
		if status = history.Aborted; !s.cfg.KeepAborted {
			return
		}
	}
	s.record(session, t, status)
}

// commit reports whether the engine commits the transaction.
func (s *simulator) commit(session int, t *transaction) bool {
	committed := s.store.commit(session, t)
	if committed && s.lists != nil {
		s.lists.append(t)
	}
	return committed
}

// record adds the transaction to the history.
func (s *simulator) record(session int, t *transaction, status history.Outcome) {
	s.ids++
	s.b.Begin(int64(session), s.ids)
	for i, a := range t.accesses {
		switch v := t.vals[i]; {
		case s.lists != nil && a.Write:
			s.b.Append(int32(a.Key), v)
		case s.lists != nil:
			s.b.ReadList(int32(a.Key), s.lists.upTo(t, a.Key, v))
		case a.Write:
			s.b.Write(int32(a.Key), v)
		case v == noValue:
			s.b.ReadNil(int32(a.Key))
		default:
			s.b.Read(int32(a.Key), v)
		}
	}
	s.b.End(status, t.start, s.clock)
	if status == history.Committed {
		s.done++
	}
}
