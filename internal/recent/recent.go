// Package recent keeps what was worked out last of texts that are asked about again and again. What it keeps must be
// frozen: whoever asks again is given the same.
package recent

import "sync"

// Memo keeps two generations of answers, by their keys. Its zero value keeps nothing; it is for any number of
// goroutines.
type Memo[K comparable, V any] struct {
	size        int
	mu          sync.Mutex
	now, before map[K]V // before is what the last generation was
}

// New returns a memo of generations of a size.
func New[K comparable, V any](size int) *Memo[K, V] { return &Memo[K, V]{size: size} }

// Get returns what is kept under a key.
func (m *Memo[K, V]) Get(key K) (v V, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if v, ok = m.now[key]; ok {
		return v, true
	}
	if v, ok = m.before[key]; ok {
		m.keep(key, v)
	}
	return v, ok
}

// Put keeps an answer under a key.
func (m *Memo[K, V]) Put(key K, v V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.keep(key, v)
}

func (m *Memo[K, V]) keep(key K, v V) {
	if m.now == nil || len(m.now) >= m.size {
		m.now, m.before = make(map[K]V, m.size), m.now
	}
	m.now[key] = v
}
