package sql

import "sync"

// memo keeps the statements that a dialect has read last. Trees are frozen, so that whoever asks for a statement again
// can have the same one: a case's are asked about dozens of times.
type memo struct {
	mu          sync.Mutex
	now, before map[string]parsed // before is what the last generation was
}

type parsed struct {
	stmt Stmt
	err  error
}

// How many statements a generation has, and how long one may be that is kept, in bytes: two generations of a dialect are
// some ten megabytes.
const (
	generation  = 512
	longestKept = 8 << 10
)

func (m *memo) get(text string) (p parsed, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if p, ok = m.now[text]; ok {
		return p, true
	}
	if p, ok = m.before[text]; ok {
		m.keep(text, p)
	}
	return p, ok
}

func (m *memo) put(text string, p parsed) {
	if len(text) > longestKept {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.keep(text, p)
}

func (m *memo) keep(text string, p parsed) {
	if m.now == nil || len(m.now) >= generation {
		m.now, m.before = make(map[string]parsed, generation), m.now
	}
	m.now[text] = p
}
