// Package sqlite3 is the switch that the bench of mutants compiles into a copy of SQLite's Go library: it says, at each
// place where a mutant sits, whether it strikes now. Here it stands on its own, so that it is vetted and tested.
//
// TXWEAVE_MUTANT names one mutant and, after colons, when it strikes: "always" (the default), or a number N, for one in
// N of the statements that reach it; and a state without which it does not strike:
//
//	own-write  the connection's open transaction has changed rows in an earlier statement
//	reader     another connection holds a snapshot
//	index      the statement has searched an index of a table
//	nth        the statement belongs to every fifth transaction begun by BEGIN
//	second     the same text is executed for an even time since the last CREATE TABLE
//
// All reaches of one statement share one decision, which is a hash of their number: the same campaign with one worker
// meets the same strikes. TXWEAVE_MUTANT_STRIKES names a file of three 64-bit counters that lives through a killed
// process: statements that reached the mutant, those of them in its state, and those in which it struck.
package sqlite3

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"unsafe"
)

// mutantStates are the states that TXWEAVE_MUTANT knows.
var mutantStates = []string{"own-write", "reader", "index", "nth", "second"}

// mutantEvery says which transactions are those of the state "nth".
const mutantEvery = 5

// mutantSwitch is one mutant, when it strikes, and what the engine is doing.
type mutantSwitch struct {
	id     int32 // -1: none
	rarity uint64
	state  string
	counts *[3]uint64 // reached, in the state, struck

	mu        sync.Mutex
	statement uint64 // number of the statement that runs
	reached   uint64 // statement that was last counted
	decided   uint64 // statement for which strikes holds
	strikes   bool
	draws     uint64
	db        uintptr // its connection
	kept      bool    // it is of a database that is not under test
	wrote     map[uintptr]bool
	readers   map[uintptr]uintptr // log to connection
	begun     uint64
	nth       map[uintptr]bool
	searched  bool
	texts     map[string]int
	second    bool
}

var mutants = mutantFromEnvironment()

func mutantFromEnvironment() *mutantSwitch {
	m, err := newMutantSwitch(os.Getenv("TXWEAVE_MUTANT"), mutantNames)
	if err == nil {
		err = m.count(os.Getenv("TXWEAVE_MUTANT_STRIKES"))
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "TXWEAVE_MUTANT: %v\n", err)
		os.Exit(64)
	}
	return m
}

// newMutantSwitch reads NAME[:always|:N|:STATE]... and "" as no mutant.
func newMutantSwitch(spec string, names []string) (*mutantSwitch, error) {
	m := &mutantSwitch{id: -1, rarity: 1, counts: new([3]uint64),
		wrote: map[uintptr]bool{}, readers: map[uintptr]uintptr{}, nth: map[uintptr]bool{}, texts: map[string]int{}}
	if spec == "" {
		return m, nil
	}
	name, rest, _ := strings.Cut(spec, ":")
	m.id = int32(slices.Index(names, name))
	if m.id < 0 {
		return nil, fmt.Errorf("no mutant %q", name)
	}
	for _, part := range strings.Split(rest, ":") {
		n, err := strconv.ParseUint(part, 10, 32)
		switch {
		case part == "" || part == "always":
		case slices.Contains(mutantStates, part):
			m.state = part
		case err == nil && n > 0:
			m.rarity = n
		default:
			return nil, fmt.Errorf("%q is neither \"always\", nor a number, nor one of %v", part, mutantStates)
		}
	}
	return m, nil
}

// count keeps the counters in a file from now on.
func (m *mutantSwitch) count(path string) error {
	if path == "" {
		return nil
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Truncate(int64(unsafe.Sizeof(*m.counts))); err != nil {
		return err
	}
	b, err := syscall.Mmap(int(f.Fd()), 0, int(unsafe.Sizeof(*m.counts)), syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_SHARED)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	m.counts = (*[3]uint64)(unsafe.Pointer(&b[0]))
	return nil
}

// mutantStrikes says whether a mutant does its harm here and now.
func mutantStrikes(id int32) bool { return mutants.id == id && mutants.strike() }

func (m *mutantSwitch) strike() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.kept {
		return false
	}
	if m.reached != m.statement {
		m.reached = m.statement
		atomic.AddUint64(&m.counts[0], 1)
	}
	if !m.holds() {
		return false
	}
	if m.decided != m.statement {
		m.decided = m.statement
		m.draws++
		m.strikes = mutantHash(m.draws)%m.rarity == 0
		atomic.AddUint64(&m.counts[1], 1)
		if m.strikes {
			atomic.AddUint64(&m.counts[2], 1)
		}
	}
	return m.strikes
}

func (m *mutantSwitch) holds() bool {
	switch m.state {
	case "own-write":
		return m.wrote[m.db]
	case "reader":
		for _, db := range m.readers {
			if db != m.db {
				return true
			}
		}
		return false
	case "index":
		return m.searched
	case "nth":
		return m.nth[m.db]
	case "second":
		return m.second
	}
	return true
}

// mutantHash is the finalizer of SplitMix64.
func mutantHash(n uint64) uint64 {
	n += 0x9e3779b97f4a7c15
	n = (n ^ n>>30) * 0xbf58476d1ce4e5b9
	n = (n ^ n>>27) * 0x94d049bb133111eb
	return n ^ n>>31
}

// mutantStatement says that a connection begins to execute a statement; kept: in a database in which txweave keeps what
// it found, which is spared.
func mutantStatement(db uintptr, kept bool, text func() string) {
	if m := mutants; m.id >= 0 {
		m.begins(db, kept, text)
	}
}

func (m *mutantSwitch) begins(db uintptr, kept bool, text func() string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.kept = kept; kept {
		return
	}
	m.statement++
	m.db, m.searched = db, false
	if m.state != "second" {
		return
	}
	s := text()
	if strings.HasPrefix(s, "CREATE TABLE") {
		clear(m.texts)
	}
	m.texts[s]++
	m.second = m.texts[s]%2 == 0
}

// mutantHalted says that a statement ended, and whether its connection is in autocommit now.
func mutantHalted(db uintptr, autocommit bool) {
	if m := mutants; m.id >= 0 && autocommit {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.wrote, db)
		delete(m.nth, db)
	}
}

// mutantBegan says that BEGIN was executed.
func mutantBegan(db uintptr) {
	if m := mutants; m.id >= 0 {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.begun++
		m.nth[db] = m.begun%mutantEvery == 0
	}
}

// mutantChanged says that a statement of a transaction changed rows.
func mutantChanged(db uintptr) {
	if m := mutants; m.id >= 0 {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.wrote[db] = true
	}
}

// mutantReads says that a connection took or gave up its snapshot of the log.
func mutantReads(wal uintptr, open bool) {
	if m := mutants; m.id >= 0 {
		m.mu.Lock()
		defer m.mu.Unlock()
		if open && !m.kept {
			m.readers[wal] = m.db
		} else {
			delete(m.readers, wal)
		}
	}
}

// mutantSearched says that the statement searched an index of a table.
func mutantSearched() {
	if m := mutants; m.id >= 0 {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.searched = true
	}
}
