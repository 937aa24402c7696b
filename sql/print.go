package sql

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// printer writes the text of a tree.
type printer struct {
	d      *Dialect
	out    []byte
	anew   bool    // also what is as it was read
	source *source // each node notes where it stands in it; nil: it does not
	shared bool    // with a source: one does so already
	joint  joint
	err    error
}

// joint is how the next piece of text is joined to what is there.
type joint uint8

const (
	spaced joint = iota // with a space but at commas and within parentheses
	near                // with a space if they were another word or sign without it
	tight               // without
)

// fail says what the dialect has no words for.
func (p *printer) fail(what string) {
	if p.err == nil {
		p.err = fmt.Errorf("%s has no words for %s", p.d.Product, what)
	}
}

// text writes a piece of text, with a space in front of it where there may be one. What stands there ends in no
// comment.
func (p *printer) text(s string) {
	if s == "" {
		return
	}
	if n := len(p.out); n > 0 && p.gap(p.out[n-1], s[0]) {
		p.out = append(p.out, ' ')
	}
	p.joint = spaced
	p.out = append(p.out, s...)
}

// gap says whether a space stands between two bytes.
func (p *printer) gap(last, first byte) bool {
	switch p.joint {
	case tight:
		return false
	case near:
		bracketed := strings.IndexByte(p.d.Lexis.Names, '[') >= 0
		word := func(c byte) bool {
			return wordByte(c) || strings.IndexByte("'\"`", c) >= 0 || bracketed && (c == '[' || c == ']')
		}
		sign := func(c byte) bool { return strings.IndexByte("+-*/%<>=!|&~:@?#^", c) >= 0 }
		return word(last) && word(first) || sign(last) && sign(first)
	default:
		return last > ' ' && last != '(' && first > ' ' && strings.IndexByte("),;", first) < 0
	}
}

// words writes those that are not "".
func (p *printer) words(words ...string) {
	for _, w := range words {
		p.text(w)
	}
}

// when writes words where they are to be there.
func (p *printer) when(there bool, words ...string) {
	if there {
		p.words(words...)
	}
}

// right writes a sign right behind what stands there, and has the next piece stand right behind it.
func (p *printer) right(sign string) {
	p.joint = tight
	p.text(sign)
	p.joint = tight
}

// node writes a node: its own bytes, those of the node that it is a copy of with what differs in its children's
// places, or printed anew.
func (p *printer) node(n Node) {
	switch o := n.head(); {
	case p.source != nil:
		p.spanned(n)
	case p.anew || o.node == nil:
		n.print(p)
	case o.node == n:
		p.text(o.text())
	case alike(n, o.node):
		p.splice(n, o.node)
	default:
		n.print(p)
	}
}

// splice writes the bytes of a node that was read with other children in the places of its own.
func (p *printer) splice(n, was Node) {
	type place struct {
		old   *origin
		child int
		now   Node
	}
	var places []place
	old := childrenOf(was)
	for i, now := range childrenOf(n) {
		if now != old[i] {
			places = append(places, place{old[i].head(), i, now})
		}
	}
	slices.SortFunc(places, func(a, b place) int { return cmp.Compare(a.old.from, b.old.from) })
	o := was.head()
	done := o.from
	for _, c := range places {
		p.between(o.source.text[done:c.old.from])
		if x, ok := c.now.(Expr); ok {
			p.operand(n, c.child, x)
		} else {
			p.node(c.now)
		}
		done, p.joint = c.old.to, near
	}
	p.between(o.source.text[done:o.to])
	p.joint = spaced
}

// between writes what stands between two children. A dot there joins names.
func (p *printer) between(s string) {
	if s == "" {
		return
	}
	if s[0] == '.' {
		p.joint = tight
	}
	p.text(s)
	if p.joint = near; strings.HasSuffix(s, ".") {
		p.joint = tight
	}
}

// paren writes a node in parentheses.
func (p *printer) paren(n Node) {
	p.text("(")
	p.node(n)
	p.text(")")
}

// operand writes an expression that is a child of a node, in parentheses if its operators bind less than what is
// around it.
func (p *printer) operand(in Node, child int, x Expr) {
	_, sides := p.d.binding(in)
	if child < len(sides) && (p.level(x) < sides[child].level || sides[child].narrow && p.d.wide(x)) {
		p.paren(x)
		return
	}
	p.node(x)
}

// level is that of the operator that binds least of those of an expression that are printed outside parentheses and
// have an operand open at the right.
func (p *printer) level(x Expr) int {
	own, sides := p.d.binding(x)
	if len(sides) == 0 {
		return own
	}
	last := sides[len(sides)-1].x
	if last == nil || p.anew || x.head().node == nil || last.head().node != last {
		return own
	}
	return min(own, p.level(last)) // it was read there, and gets no parentheses
}

// side is an operand of an operator, and the level that it must have to stand there without parentheses.
type side struct {
	x      Expr
	level  int
	narrow bool // no operator that is Wide stands there
}

// binding returns the level of an expression's operator, and its operands, which are its first children; a last one
// without an expression says that something else stands behind them. What is no operator has the level tightest and
// none.
func (d *Dialect) binding(n Node) (level int, sides []side) {
	switch x := n.(type) {
	case *Unary:
		o := d.signOf(x.Op)
		level = levelOf(o)
		if inner, ok := x.X.(*Unary); ok && levelOf(d.signOf(inner.Op)) == level { // it has nothing on its left
			return level, []side{{x: x.X, level: level}}
		}
		return level, []side{{x: x.X, level: max(level, rightOf(o))}}
	case *Binary:
		return d.bindingOf(x)
	case *Quantified:
		o := d.spells(x.Op)
		return levelOf(o), []side{{x: x.X, level: leftOf(o)}, {}}
	case *Is:
		o := d.forms[IsForm]
		if level = levelOf(o); d.Grammar.Truths && x.What != "NULL" {
			level = d.Grammar.Truth
		}
		return level, []side{{x: x.X, level: leftOf(o)}, {}}
	case *In:
		o := d.forms[InForm]
		return levelOf(o), []side{{x: x.X, level: o.leftOf(x.Not)}, {}}
	case *Between:
		o := d.forms[BetweenForm]
		if o == nil {
			return 0, []side{{x: x.X}, {x: x.Low}, {x: x.High}}
		}
		return levelOf(o), []side{{x: x.X, level: o.leftOf(x.Not)}, {x.Low, max(o.Low, o.Level+1), o.Wide},
			{x: x.High, level: rightOf(o)}}
	case *Like:
		o := d.spells(x.Op)
		sides = []side{{x: x.X, level: o.leftOf(x.Not)}, {x: x.Pattern, level: rightOf(o)}}
		if x.Escape != nil {
			sides = append(sides, side{x: x.Escape, level: rightOf(o)})
		}
		return levelOf(o), sides
	case *Collate:
		o := d.forms[CollateForm]
		return levelOf(o), []side{{x: x.X, level: leftOf(o)}, {}}
	case *Cast:
		if o := d.forms[CastForm]; o != nil && x.Colons {
			return o.Level, []side{{x: x.X, level: o.Left}, {}}
		}
	case *Subscript:
		return tightest, []side{divided(x.X, SubscriptForm), {}}
	case *Field:
		return tightest, []side{divided(x.X, FieldForm), {}}
	}
	return tightest, nil
}

// bindingOf is binding for an operator between two operands.
func (d *Dialect) bindingOf(x *Binary) (level int, sides []side) {
	o := d.spells(x.Op)
	right := rightOf(o)
	if !d.Grammar.Truths && (x.Op == OpSame || x.Op == OpDistinct) && truth(x.Right) {
		right = tightest + 1 // without parentheses it is another node
	}
	if o != nil && o.Form == MemberForm {
		return levelOf(o), []side{{x: x.Left, level: leftOf(o)}, {x: x.Right}, {}}
	}
	return levelOf(o), []side{{x: x.Left, level: leftOf(o)}, {x: x.Right, level: right}}
}

// divided is what a subscript or a field stands behind, in parentheses unless it may go without.
func divided(x Expr, form Form) side {
	if divisible(x, form) {
		return side{x: x}
	}
	return side{x: x, level: tightest + 1}
}

// wide says whether an expression has an operator outside parentheses that is Wide.
func (d *Dialect) wide(x Expr) bool {
	switch x := x.(type) {
	case *Is, *In, *Like, *Between, *Quantified, *Collate:
		return true
	case *Binary:
		if o := d.spells(x.Op); o != nil && o.Wide {
			return true
		}
	}
	_, sides := d.binding(x)
	return slices.ContainsFunc(sides, func(s side) bool { return s.x != nil && d.wide(s.x) })
}

// leftOf and rightOf are the levels that the operands of an operator must have.
func leftOf(o *Operator) int {
	if o == nil {
		return 0
	}
	return o.Left
}

// leftOf is the level that the left operand must have of an operator that may be negated.
func (o *Operator) leftOf(not bool) int {
	if o == nil || !not {
		return leftOf(o)
	}
	return max(o.Left, o.Negated)
}

func rightOf(o *Operator) int {
	if o == nil {
		return 0
	}
	return o.Right
}

// levelOf is the level of an operator; that of one that the dialect does not have is none.
func levelOf(o *Operator) int {
	if o == nil {
		return 0
	}
	return o.Level
}

// printEach writes nodes with commas between them.
func printEach[N Node](p *printer, nodes []N) {
	for i, n := range nodes {
		if i > 0 {
			p.text(",")
		}
		p.node(n)
	}
}

// printList writes nodes in parentheses with commas between them.
func printList[N Node](p *printer, nodes []N) {
	p.text("(")
	printEach(p, nodes)
	p.text(")")
}

// printClause writes words and nodes behind them if there are any.
func printClause[N Node](p *printer, nodes []N, words ...string) {
	if len(nodes) > 0 {
		p.words(words...)
		printEach(p, nodes)
	}
}

// printOne writes words and a node behind them if it is there.
func printOne[N childType](p *printer, n N, words ...string) {
	if n != *new(N) {
		p.words(words...)
		p.node(n)
	}
}

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
