package histories

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"txweave/dbms"
	"txweave/fault"
	"txweave/gen/workload"
	"txweave/history"
)

// Anomaly is a kind of fault that can be planted in a history: a few transactions that no engine of the levels that
// forbid it executes so.
type Anomaly struct {
	Kind fault.Kind
	// Forbidden are the levels that forbid it, with session order as part of them. All others of Levels allow it.
	Forbidden []dbms.Level
	gadget    []plantedTxn
}

// plantedTxn is a transaction of an anomaly, which its client saw committed unless aborted is set.
type plantedTxn struct {
	session int // of the anomaly's own sessions, from 0: those of one session run one after the other
	after   int // how many moments it starts after the others; those of the same moment overlap
	aborted bool
	ops     []plantedOp
}

// plantedOp is an operation on one of the anomaly's keys, or a search among all of them. Version 0 is what the key held
// before, others are new values.
type plantedOp struct {
	key     int
	version int
	write   bool
	search  *plantedSearch // nil: it is a read or a write
}

// The keys of anomalies.
const (
	keyX = iota
	keyY
	keyZ
)

func r(key, version int) plantedOp { return plantedOp{key: key, version: version} }

func w(key, version int) plantedOp { return plantedOp{key: key, version: version, write: true} }

// search looks at versions of the anomaly's keys, from the first one on.
func search(versions ...int) plantedOp { return plantedOp{search: &plantedSearch{versions: versions}} }

func in(session int, ops ...plantedOp) plantedTxn { return plantedTxn{session: session, ops: ops} }

// The levels that forbid an anomaly, down to the weakest that does.
var (
	fromRC   = []dbms.Level{dbms.RC, dbms.RA, dbms.TCC, dbms.SI, dbms.RR, dbms.SER, dbms.SSER}
	fromRA   = fromRC[1:]
	fromTCC  = fromRC[2:]
	fromSI   = fromRC[3:]
	fromRR   = fromRC[4:]
	fromSER  = fromRC[5:]
	onlySSER = fromRC[6:]
	// Repeatable read lets others change what a search would find (Adya, PL-2.99: G2-item, of items alone).
	fromSIButRR = []dbms.Level{dbms.SI, dbms.SER, dbms.SSER}
)

// anomalies holds what can be planted. All but ConflictingOrder, which is of blind writes, are made of
// mini-transactions, each write of which reads its key before it (Wei et al., ICDE 2025, figure 5). The last ones are
// of searches, which a certificate tells.
var anomalies = []Anomaly{
	{Kind: fault.HistoryThinAirRead, Forbidden: fromRC, gadget: []plantedTxn{in(0, r(keyX, 1))}},
	{Kind: fault.HistoryAbortedRead, Forbidden: fromRC, gadget: []plantedTxn{
		{session: 0, aborted: true, ops: []plantedOp{r(keyX, 0), w(keyX, 1)}},
		in(1, r(keyX, 1))}},
	{Kind: fault.HistoryFutureRead, Forbidden: fromRC, gadget: []plantedTxn{in(0, r(keyX, 1), w(keyX, 1))}},
	{
		Kind:      fault.HistoryNotMyLastWrite,
		Forbidden: fromRC,
		gadget:    []plantedTxn{in(0, r(keyX, 0), w(keyX, 1), w(keyX, 2), r(keyX, 1))},
	},
	{
		Kind:      fault.HistoryNotMyOwnWrite,
		Forbidden: fromRC,
		gadget:    []plantedTxn{in(0, r(keyX, 0), w(keyX, 1), r(keyX, 0))},
	},
	{Kind: fault.HistoryIntermediateRead, Forbidden: fromRC, gadget: []plantedTxn{
		in(0, r(keyX, 0), w(keyX, 1), w(keyX, 2)),
		in(1, r(keyX, 1))}},
	{Kind: fault.HistoryNonRepeatableReads, Forbidden: fromRA, gadget: []plantedTxn{
		in(0, r(keyX, 0), w(keyX, 1)),
		in(1, r(keyX, 0), r(keyX, 1))}},
	{Kind: fault.HistorySessionGuaranteeViolation, Forbidden: fromRA, gadget: []plantedTxn{
		in(0, r(keyX, 0), w(keyX, 1)),
		{session: 0, after: 2, ops: []plantedOp{r(keyX, 0)}}}},
	{Kind: fault.HistoryNonMonotonicRead, Forbidden: fromRC, gadget: []plantedTxn{
		in(0, r(keyX, 0), r(keyY, 0), w(keyX, 1), w(keyY, 1)),
		in(1, r(keyY, 1), r(keyX, 0))}},
	{Kind: fault.HistoryFracturedRead, Forbidden: fromRA, gadget: []plantedTxn{
		in(0, r(keyX, 0), r(keyY, 0), w(keyX, 1), w(keyY, 1)),
		in(1, r(keyX, 0), r(keyY, 1))}},
	{Kind: fault.HistoryCausalityViolation, Forbidden: fromTCC, gadget: []plantedTxn{
		in(0, r(keyX, 0), w(keyX, 1)),
		in(1, r(keyX, 1), r(keyY, 0), w(keyY, 1)),
		in(2, r(keyX, 0), r(keyY, 1))}},
	{Kind: fault.HistoryLongFork, Forbidden: fromSI, gadget: []plantedTxn{
		in(0, r(keyX, 0), w(keyX, 1)),
		in(1, r(keyY, 0), w(keyY, 1)),
		in(2, r(keyX, 1), r(keyY, 0)),
		in(3, r(keyX, 0), r(keyY, 1))}},
	{Kind: fault.HistoryLostUpdate, Forbidden: fromSI, gadget: []plantedTxn{
		in(0, r(keyX, 0), w(keyX, 1)),
		in(1, r(keyX, 0), w(keyX, 2))}},
	{Kind: fault.HistoryWriteSkew, Forbidden: fromRR, gadget: []plantedTxn{
		in(0, r(keyX, 0), r(keyY, 0), w(keyX, 1)),
		in(1, r(keyX, 0), r(keyY, 0), w(keyY, 1))}},
	{Kind: fault.HistoryCyclicInformationFlow, Forbidden: fromRC, gadget: []plantedTxn{
		in(0, r(keyX, 0), w(keyX, 1), r(keyY, 1)),
		in(1, r(keyY, 0), w(keyY, 1), r(keyX, 1))}},
	{Kind: fault.HistoryConflictingOrder, Forbidden: fromRC, gadget: []plantedTxn{
		in(0, w(keyX, 1), w(keyY, 1)),
		in(1, w(keyX, 2), w(keyZ, 1)),
		in(2, r(keyZ, 1), r(keyX, 1)),
		in(3, r(keyY, 1), r(keyX, 2))}},
	{Kind: fault.HistoryRealTimeViolation, Forbidden: onlySSER, gadget: []plantedTxn{
		in(0, r(keyX, 0), w(keyX, 1)),
		{session: 1, after: 2, ops: []plantedOp{r(keyX, 0)}}}},
	{Kind: fault.HistoryPhantom, Forbidden: fromSER, gadget: []plantedTxn{
		in(0, search(0, 0), r(keyY, 0), w(keyY, 1)),
		in(1, search(0, 0), r(keyX, 0), w(keyX, 1))}},
	{Kind: fault.PMP, Forbidden: fromSIButRR, gadget: []plantedTxn{
		in(0, r(keyX, 0), w(keyX, 1)),
		in(1, search(0), search(1), r(keyX, 1))}},
	{Kind: fault.HistoryResultSetMismatch, Forbidden: fromRC, gadget: []plantedTxn{
		in(0, r(keyX, 0), w(keyX, 1)),
		in(1, plantedOp{search: &plantedSearch{versions: []int{1}, misses: true}}, r(keyX, 1))}},
}

// Anomalies lists what can be planted.
func Anomalies() []Anomaly { return anomalies }

// AnomalyNames lists their names.
func AnomalyNames() (names []string) {
	for _, a := range anomalies {
		names = append(names, string(a.Kind))
	}
	return names
}

// Allows says whether a level allows the anomaly.
func (a *Anomaly) Allows(level dbms.Level) bool { return !slices.Contains(a.Forbidden, level) }

// Named returns the anomaly of a kind.
func Named(k fault.Kind) (*Anomaly, error) {
	for i := range anomalies {
		if anomalies[i].Kind == k {
			return &anomalies[i], nil
		}
	}
	return nil, fmt.Errorf("no anomaly %q can be planted: want one of %s", k, strings.Join(AnomalyNames(), ", "))
}

// sessions returns how many sessions the anomaly needs.
func (a *Anomaly) sessions() (n int) {
	for i := range a.gadget {
		n = max(n, a.gadget[i].session+1)
	}
	return n
}

// keys returns how many keys the anomaly needs.
func (a *Anomaly) keys() (n int) {
	for i := range a.gadget {
		for _, op := range a.gadget[i].ops {
			if n = max(n, op.key+1); op.search != nil {
				n = max(n, len(op.search.versions))
			}
		}
	}
	return n
}

// Fits says whether transactions of a shape can show the anomaly.
func (a *Anomaly) Fits(shape Shape) bool {
	return !slices.ContainsFunc(a.gadget, func(t plantedTxn) bool {
		switch ops := t.onKeys(); shape {
		case Mini:
			return ops[0].write
		case CompareAndSet:
			return len(ops) > 2 || ops[0].write || len(ops) == 2 && (ops[1].key != ops[0].key || !ops[1].write)
		default:
			return false
		}
	})
}

// Searches says whether the anomaly is one of searches: a history shows it with its certificate alone.
func (a *Anomaly) Searches() bool {
	return slices.ContainsFunc(a.gadget, func(t plantedTxn) bool { return len(t.onKeys()) < len(t.ops) })
}

// onKeys are the operations that are no searches.
func (t *plantedTxn) onKeys() []plantedOp {
	return slices.DeleteFunc(slices.Clone(t.ops), func(op plantedOp) bool { return op.search != nil })
}

// planting is an anomaly that waits for its place in a history.
//
// It is executed at one moment of the simulated engine, as if all its transactions were one that commits then: what
// they read of before is what is current, what comes after sees the last of what they wrote, and whoever meanwhile read
// or wrote one of its keys is aborted as the level demands. So a cycle of dependencies that the level forbids lies
// within the anomaly, and what forbids the history is the anomaly alone.
type planting struct {
	*Anomaly
	store    *central
	after    int   // committed transactions before it
	sessions []int // by the anomaly's own: of the history
	table    table // of its keys
}

// newPlanting draws where the configuration's anomaly goes: somewhere in the middle half.
func (s *simulator) newPlanting(store *central) (*planting, error) {
	a, err := Named(s.cfg.Anomaly)
	switch {
	case err != nil:
		return nil, err
	case a.sessions() > s.cfg.Sessions || a.keys() > s.cfg.Keys:
		return nil, fmt.Errorf("%s needs at least %d sessions and %d keys", a.Kind, a.sessions(), a.keys())
	case !a.Fits(s.cfg.Shape):
		return nil, fmt.Errorf("transactions of shape %s cannot show %s", s.cfg.Shape, a.Kind)
	case a.Searches() && s.cfg.Lists:
		return nil, fmt.Errorf("%s is shown by a certificate, and there is none for lists", a.Kind)
	}
	return &planting{Anomaly: a, store: store, after: s.cfg.Txns/4 + s.rng.IntN(s.cfg.Txns/2+1),
		sessions: s.rng.Perm(s.cfg.Sessions)[:a.sessions()]}, nil
}

// waits says whether a session may begin no other transaction before the anomaly.
func (p *planting) waits(s *simulator, session int) bool {
	return p != nil && s.done >= p.after && slices.Contains(p.sessions, session)
}

// ready says whether the anomaly's sessions have ended what they had begun.
func (p *planting) ready(s *simulator) bool {
	return p != nil && s.done >= p.after &&
		!slices.ContainsFunc(p.sessions, func(i int) bool { return s.open[i] != nil })
}

// plant executes the anomaly.
func (s *simulator) plant(p *planting) {
	keys := s.distinctKeys(p.keys())
	now := &transaction{snapshot: -1}
	values := map[[2]int]int64{}
	value := func(key, version int) int64 {
		v, ok := values[[2]int{key, version}]
		if !ok {
			if v = s.next; version == 0 {
				v = p.store.read(p.sessions[0], now, keys[key])
			} else {
				s.next++
			}
			values[[2]int{key, version}] = v
		}
		return v
	}
	start := s.clock + 1
	for key := range keys {
		value(key, 0)
	}
	txns := make([]*transaction, len(p.gadget))
	for i := range p.gadget {
		txns[i] = p.transaction(&p.gadget[i], start, keys, value)
		if p.gadget[i].aborted {
			continue
		}
		p.store.install(txns[i])
		if s.lists != nil {
			s.lists.append(txns[i])
		}
	}
	p.table.written(keys, values)
	for i, t := range txns {
		p.pad(s, t, keys)
		status := history.Committed
		if p.gadget[i].aborted {
			status = history.Aborted
		}
		s.clock = t.start + 1
		s.record(p.sessions[p.gadget[i].session], t, status)
		p.table.search(s.ids, t)
	}
	for _, i := range p.sessions {
		p.store.seen[i] = p.store.latest
	}
}

// transaction is one of the anomaly's, on keys of the history. value says which value a version is.
func (p *planting) transaction(g *plantedTxn, start int64, keys []int,
	value func(key, version int) int64) *transaction {
	t := &transaction{start: start + int64(g.after)}
	name := func(key int) string { return strconv.Itoa(keys[key]) }
	for _, op := range g.ops {
		if op.search != nil {
			t.searches = append(t.searches, op.search.searched(len(t.vals), name, value))
			continue
		}
		t.accesses = append(t.accesses, workload.KeyAccess{Key: keys[op.key], Write: op.write})
		t.vals = append(t.vals, value(op.key, op.version))
	}
	return t
}

// pad adds reads of other keys until the transaction has as many operations as the others of its history.
func (p *planting) pad(s *simulator, t *transaction, taken []int) {
	if s.cfg.Shape != General && s.cfg.Shape != Blind || s.cfg.Keys <= len(taken) {
		return
	}
	now := &transaction{snapshot: -1}
	for len(t.accesses) < s.cfg.Ops {
		key := s.rng.IntN(s.cfg.Keys)
		if slices.Contains(taken, key) {
			continue
		}
		i := s.rng.IntN(len(t.accesses) + 1)
		t.accesses = slices.Insert(t.accesses, i, workload.KeyAccess{Key: key})
		t.vals = slices.Insert(t.vals, i, p.store.read(0, now, key))
		for n := range t.searches {
			if t.searches[n].at > i {
				t.searches[n].at++
			}
		}
	}
}

// distinctKeys draws so many keys.
func (s *simulator) distinctKeys(n int) []int {
	var keys []int
	for len(keys) < n {
		k := s.keys.Draw(s.rng)
		if slices.Contains(keys, k) { // of a steep distribution the same ones come again and again
			k = s.rng.IntN(s.cfg.Keys)
		}
		if !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	return keys
}
