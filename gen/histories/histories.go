// Package histories makes histories that are valid at a level by construction: a simulated engine of that level
// executes a random workload of many interleaved sessions. An anomaly can be planted among its transactions. They try
// checkers, those of others and our own; benchmarks check them.
package histories

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"txweave/dbms"
	"txweave/fault"
	"txweave/gen/workload"
	"txweave/history/register"
)

// Levels are what the simulated engines guarantee, strongest first; each one's histories are, for long enough ones, not
// valid at the level before:
//
//   - SSER validates at commit that what a transaction read is still current: it is serial at its commit, which lies
//     between its start and its end.
//   - SER is the same, but read-only transactions may read an old state: the newest one that their session has seen, or
//     a later one.
//   - RR is SER: the two differ in searches alone, of which the random transactions have none.
//   - SI reads the state at its start, and aborts where another one committed a write of the same key since.
//   - TCC reads the state of a replica, which applies the transactions of others late but after what they depend on;
//     the write with the highest Lamport timestamp wins.
//   - RA is the same without regard to what they depend on.
//   - RC reads, statement by statement, what the replica holds at that moment.
var Levels = []dbms.Level{dbms.SSER, dbms.SER, dbms.RR, dbms.SI, dbms.TCC, dbms.RA, dbms.RC}

// Shape is what transactions look like.
type Shape string

// The shapes of transactions.
const (
	// Mini transactions have one or two reads and at most two writes, each after a read of its key (Wei et al.,
	// ICDE 2025, definition 8).
	Mini Shape = "mini"
	// Blind transactions write without reading: half of them only write, the others read and write other keys.
	Blind Shape = "blind"
	// General transactions have Ops operations on random keys, Writes of them writes.
	General Shape = "general"
	// CompareAndSet transactions are single operations on one key: a read, or a read and a write of it.
	CompareAndSet Shape = "cas"
)

// Config says what to make. The zero value of a field means its default.
type Config struct {
	Level        dbms.Level            // default Serializable
	Shape        Shape                 // default Mini
	Sessions     int                   // default 20
	Txns         int                   // committed transactions, the initial one not counted; default 1000
	Keys         int                   // default 1000
	Distribution workload.Distribution // default workload.Uniform
	Theta        float64               // how steep workload.Zipf is; default 1
	Ops          int                   // operations a transaction, of Blind and General; default 8
	Writes       float64               // share of writes, of General; default 0.5
	// Aborts is the share of attempts that the client rolls back on its own, apart from those that the engine
	// aborts. Aborted transactions are in the history where KeepAborted is set.
	Aborts      float64
	KeepAborted bool
	Stop        func() error // asked now and then: its error ends the making; nil: nothing does
	// Unknowns is the share of transactions whose outcome the client did not learn; half of them committed.
	Unknowns float64
	// Anomaly is what is planted, once; "": nothing. The level is then SSER, SER, RR or SI.
	Anomaly fault.Kind
	// NoInitial leaves the initial transaction out: first reads return nothing.
	NoInitial bool
	// Lists are what keys hold: writes append an element, and reads return all of them. There is no initial transaction.
	// The level is then SSER, SER, RR or SI: the lists of one key begin alike, which replicas cannot promise.
	Lists bool
}

// Default is what a history is that nothing is said of: valid at all levels.
func Default() Config {
	return Config{Level: dbms.SSER, Shape: Mini, Sessions: 20, Txns: 1000, Keys: 1000, Distribution: workload.Uniform,
		Ops: 8, Writes: 0.5}
}

func (c Config) withDefaults() (Config, error) {
	set := func(n *int, def int) {
		if *n == 0 {
			*n = def
		}
	}
	if c.Level == "" {
		c.Level = dbms.SER
	}
	if c.Shape == "" {
		c.Shape = Mini
	}
	if c.Distribution == "" {
		c.Distribution = workload.Uniform
	}
	if c.Writes == 0 {
		c.Writes = 0.5
	}
	set(&c.Sessions, 20)
	set(&c.Txns, 1000)
	set(&c.Keys, 1000)
	set(&c.Ops, 8)
	c.NoInitial = c.NoInitial || c.Lists
	switch {
	case c.Sessions < 1, c.Txns < 1, c.Keys < 1, c.Ops < 1:
		return c, errors.New("sessions, keys and operations must be positive")
	case float64(c.Txns)*float64(c.Ops)+float64(c.Keys)+float64(c.Sessions) > mostOperations:
		return c, fmt.Errorf("transactions, their length, keys and sessions: at most %d operations in all", int(mostOperations))
	case !(c.Aborts >= 0 && c.Aborts < 1 && c.Unknowns >= 0 && c.Unknowns < 1 && c.Writes >= 0 && c.Writes <= 1):
		return c, errors.New("a share must be at least 0 and below 1 (of writes: at most 1)")
	case c.Lists && float64(c.Txns)*float64(c.Txns)*float64(c.Ops) > mostElements*float64(c.Keys):
		return c, fmt.Errorf("lists of %d keys would become too long: take more keys, or fewer transactions", c.Keys)
	}
	return c, nil
}

// mostOperations bounds what is held in memory.
const mostOperations = 2e8

// mostElements bounds how many elements all lists that are read hold together: as each key's list grows by as much as
// it is read, that grows as the square of the transactions.
const mostElements = 2e8

// Generate makes a history. The same generator state and configuration give the same history.
func Generate(rng *rand.Rand, cfg Config) (*register.History, error) {
	h, _, err := certified(rng, cfg)
	return h, err
}

// certified is Generate, and gives the certificate of a history of registers of level SSER, SER, RR or SI; nil: it has
// none.
func certified(rng *rand.Rand, cfg Config) (*register.History, *certificate, error) {
	sim, err := newSimulator(rng, cfg)
	if err != nil {
		return nil, nil, err
	}
	planting := sim.planting
	h, err := sim.run()
	if err != nil {
		return nil, nil, err
	}
	if c, is := sim.store.(*central); is && sim.lists == nil {
		out := &certificate{h: h, versions: c.keys}
		if planting != nil {
			out.table = planting.table
		}
		return h, out, nil
	}
	return h, nil, nil
}

func newSimulator(rng *rand.Rand, cfg Config) (*simulator, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	keys, err := workload.NewKeys(cfg.Distribution, cfg.Keys, cfg.Theta)
	if err != nil {
		return nil, err
	}
	shape, err := newShape(cfg, keys)
	if err != nil {
		return nil, err
	}
	var lists *lists
	if cfg.Lists {
		lists = newLists(cfg.Keys)
	}
	sim := &simulator{lists: lists, cfg: cfg, rng: rng, shape: shape, keys: keys, next: int64(cfg.Keys)}
	switch cfg.Level {
	case dbms.SSER, dbms.SER, dbms.RR, dbms.SI:
		central := newCentral(cfg)
		sim.store = central
		if cfg.Anomaly != "" {
			if sim.planting, err = sim.newPlanting(central); err != nil {
				return nil, err
			}
		}
	case dbms.TCC, dbms.RA, dbms.RC:
		if sim.store = newReplicated(cfg); cfg.Anomaly != "" {
			return nil, fmt.Errorf("an anomaly is planted in a history of level sser, ser, rr or si, not %s", cfg.Level)
		}
		if cfg.Lists {
			return nil, fmt.Errorf("a history of lists is of level sser, ser, rr or si, not %s", cfg.Level)
		}
	default:
		return nil, fmt.Errorf("there is no level %q: want sser, ser, rr, si, tcc, ra or rc", cfg.Level)
	}
	return sim, nil
}
