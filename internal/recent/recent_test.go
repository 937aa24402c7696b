package recent

import "testing"

// TestMemo: what was asked for in the last generation is kept, and no more than two generations are.
func TestMemo(t *testing.T) {
	m := New[int, string](3)
	for i := range 3 {
		m.Put(i, "a")
	}
	if _, ok := m.Get(0); !ok {
		t.Error("the first one is gone before a generation is over")
	}
	m.Put(3, "a") // the next generation
	if v, ok := m.Get(1); !ok || v != "a" {
		t.Error("one of the last generation is gone")
	}
	m.Put(4, "b")
	m.Put(5, "b") // and the next: 0 and 2 were of the one before the last
	for key, kept := range map[int]bool{0: false, 1: true, 2: false, 3: true, 4: true, 5: true} {
		if _, ok := m.Get(key); ok != kept {
			t.Errorf("%d: kept %v", key, ok)
		}
	}
}
