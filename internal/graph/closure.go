package graph

// Closure is the transitive closure of a small graph, as rows of bits. Cycles are allowed.
type Closure struct {
	n, words int
	bits     []uint64
}

// NewClosure returns the closure of n nodes without edges.
func NewClosure(n int) *Closure {
	words := (n + 63) / 64
	return &Closure{n, words, make([]uint64, n*words)}
}

func (c *Closure) row(u int) []uint64 { return c.bits[u*c.words : (u+1)*c.words] }

// Edge notes u → v without closing.
func (c *Closure) Edge(u, v int) { c.row(u)[v/64] |= 1 << (v % 64) }

// Reaches says whether there is a path of at least one edge from u to v.
func (c *Closure) Reaches(u, v int) bool { return c.row(u)[v/64]&(1<<(v%64)) != 0 }

// Close makes the noted edges transitive (Warshall 1962).
func (c *Closure) Close() {
	for k := range c.n {
		for u := range c.n {
			if c.Reaches(u, k) {
				or(c.row(u), c.row(k))
			}
		}
	}
}

// Insert adds u → v and keeps the closure transitive.
func (c *Closure) Insert(u, v int) {
	if c.Reaches(u, v) {
		return
	}
	for x := range c.n {
		if x == u || c.Reaches(x, u) {
			c.Edge(x, v)
			or(c.row(x), c.row(v))
		}
	}
}

func or(dst, src []uint64) {
	for i, w := range src {
		dst[i] |= w
	}
}
