package mechanism

// spare are slices that nothing uses any more.
type spare[T any] [][]T

// give keeps a slice for the next one that needs it.
func (s *spare[T]) give(x []T) {
	if cap(x) > 0 && cap(x) <= 64 && len(*s) < 64 {
		clear(x)
		*s = append(*s, x[:0])
	}
}

// add appends to a slice, which it begins with a spare one.
func (s *spare[T]) add(x []T, one T) []T {
	if n := len(*s); x == nil && n > 0 {
		x, *s = (*s)[n-1], (*s)[:n-1]
	}
	return append(x, one)
}
