package store

import (
	"fmt"
	"io/fs"
	"sync"
	"time"

	"txweave/finding"
)

// Memory is a store that counts bugs and keeps no files: of a campaign that nobody wants to look into.
type Memory struct {
	mu        sync.Mutex
	bugs      finding.Bugs
	unchecked []Unchecked
}

var _ Store = (*Memory)(nil)

// Enter implements Store.
func (m *Memory) Enter() (left []string, err error) { return nil, nil }

// Tell implements Store.
func (m *Memory) Tell(func(line string)) {}

// Save implements Store: a name of "" says that nothing was kept.
func (m *Memory) Save(*finding.Record, map[string][]byte) (name string, err error) { return "", nil }

// SaveReduced implements Store.
func (m *Memory) SaveReduced(string, *finding.Record, map[string][]byte) error { return nil }

// Open implements Store.
func (m *Memory) Open(name string) (*finding.Dir, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// Place implements Store.
func (m *Memory) Place(list []Placement, _ int) (out []Placed, err error) {
	err = m.Update(func(b *finding.Bugs) error {
		for i := range list {
			p := &list[i]
			b.Unconfirmed = p.Unconfirmed
			g, fresh := b.Place(p.Record, p.Signature, time.Now().UTC().Truncate(time.Second))
			out = append(out, Placed{Bug: *g, Fresh: fresh})
		}
		return nil
	})
	return out, err
}

// CountKnown implements Store.
func (m *Memory) CountKnown(bug, _ string) error {
	return m.Update(func(b *finding.Bugs) error { b.Known[bug]++; return nil })
}

// Unchecked implements Store.
func (m *Memory) Unchecked(list ...Unchecked) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.unchecked = append(m.unchecked, list...)
	return nil
}

// Fault implements Store.
func (m *Memory) Fault(string, []byte) (where string, err error) { return "", nil }

// Bugs implements Store. They go on changing with the store.
func (m *Memory) Bugs() (*finding.Bugs, error) { return &m.bugs, nil }

// Update implements Store.
func (m *Memory) Update(change func(*finding.Bugs) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.bugs.Known == nil {
		m.bugs.Known = map[string]int{}
	}
	return change(&m.bugs)
}

// Note implements Store.
func (m *Memory) Note(list map[string]finding.Verification) error {
	return m.Update(func(b *finding.Bugs) error {
		for _, g := range b.Bugs {
			if v, has := list[g.ID]; has {
				g.Verified = append(g.Verified, v)
			}
		}
		return nil
	})
}

// SmallestCase implements Store.
func (m *Memory) SmallestCase(*finding.Bug) (where string, text []byte) { return "", nil }

// Quarantine implements Store.
func (m *Memory) Quarantine(name string) (where string, err error) {
	return "", fmt.Errorf("%s is not kept", name)
}

// Where implements Store.
func (m *Memory) Where(string) string { return "" }

// Close implements Store.
func (m *Memory) Close() error { return nil }
