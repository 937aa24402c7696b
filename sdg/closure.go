package sdg

// closure is the transitive closure of the edges found so far, as rows of bits.
type closure struct {
	n, words int
	bits     []uint64
}

func newClosure(n int) *closure {
	words := (n + 63) / 64
	return &closure{n, words, make([]uint64, n*words)}
}

func (c *closure) row(u int) []uint64 { return c.bits[u*c.words : (u+1)*c.words] }

// edge notes u → v without closing.
func (c *closure) edge(u, v int) { c.row(u)[v/64] |= 1 << (v % 64) }

// reaches says whether there is a path of at least one edge from u to v.
func (c *closure) reaches(u, v int) bool { return c.row(u)[v/64]&(1<<(v%64)) != 0 }

// close makes the noted edges transitive (Warshall 1962).
func (c *closure) close() {
	for k := range c.n {
		for u := range c.n {
			if c.reaches(u, k) {
				or(c.row(u), c.row(k))
			}
		}
	}
}

// insert adds u → v and keeps the closure transitive.
func (c *closure) insert(u, v int) {
	if c.reaches(u, v) {
		return
	}
	for x := range c.n {
		if x == u || c.reaches(x, u) {
			c.edge(x, v)
			or(c.row(x), c.row(v))
		}
	}
}

// closes says whether taking the window r closes a cycle.
func (c *closure) closes(ch *choice, r run) bool {
	a, b := ch.chain.writer[r.lo], noWriter
	if r.hi+1 < len(ch.chain.writer) {
		b = ch.chain.writer[r.hi+1]
	}
	if a != noWriter && c.reaches(ch.stmt, a) {
		return true
	}
	if b == noWriter {
		return false
	}
	return c.reaches(b, ch.stmt) || a != noWriter && c.reaches(b, a)
}

func or(dst, src []uint64) {
	for i, w := range src {
		dst[i] |= w
	}
}
