package sql

// Finish prints a tree that was made, anew in all its parts, and returns it as a reader of the text would: each node
// knows its bytes, and stands in no other place. Its nodes are those that were made, and nobody else may keep them.
// Parse returns that tree for the text from then on, for as long as it keeps what it has read. The dialect must read
// what it prints as it was made: tests hold that, for all that is made so.
func (d *Dialect) Finish(made Stmt) (Stmt, string, error) {
	p := &printer{d: d, anew: true, source: &source{}}
	if p.node(made); p.shared {
		made = fresh(made, func(n Node) Node { return n })
		p = &printer{d: d, anew: true, source: &source{}}
		p.node(made)
	}
	if p.err != nil {
		return nil, "", p.err
	}
	text := string(p.out)
	p.source.text, p.source.stmt = text, made
	if len(text) <= longestKept {
		d.read.Put(text, parsed{made, nil})
	}
	return made, text, nil
}

// spanned prints a node anew, and notes where it stands.
func (p *printer) spanned(n Node) {
	if p.shared = p.shared || n.head().node != nil; p.shared {
		return
	}
	from := len(p.out)
	n.print(p)
	if from < len(p.out) && p.out[from] == ' ' { // the gap before it
		from++
	}
	*n.head() = origin{node: n, source: p.source, from: int32(from), to: int32(len(p.out))}
}
