package sql

// Finish prints a tree that was made, anew in all its parts, and returns it as a reader of the text would: a copy that no other tree shares nodes
// with, of which each node knows its bytes. Parse returns that for the text from then on, for as long as it keeps what it has read. The
// dialect must read what it prints as it was made: tests hold that, for all that is made so.
func (d *Dialect) Finish(made Stmt) (Stmt, string, error) {
	c := &fields{mode: rewriting, to: func(n Node) Node { return n }, all: true}
	stmt := c.rewrite(made).(Stmt)
	p := &printer{d: d, anew: true, spans: true}
	p.node(stmt)
	if p.err != nil {
		return nil, "", p.err
	}
	text := string(p.out)
	Walk(stmt, func(n Node) bool {
		n.head().source = text
		return true
	})
	stmt.head().whole = true
	if len(text) <= longestKept {
		d.read.Put(text, parsed{stmt, nil})
	}
	return stmt, text, nil
}

// Known returns the tree of a text that was made or read not long ago, without reading it.
func (d *Dialect) Known(text string) (Stmt, bool) {
	p, ok := d.read.Get(text)
	return p.stmt, ok && p.err == nil
}

// spanned prints a node anew, and notes where it stands.
func (p *printer) spanned(n Node) {
	from := len(p.out)
	n.print(p)
	if from < len(p.out) && p.out[from] == ' ' { // the gap before it
		from++
	}
	*n.head() = origin{node: n, from: int32(from), to: int32(len(p.out))}
}
