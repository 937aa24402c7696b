package sql

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// printer writes the text of a tree.
type printer struct {
	d     *Dialect
	out   []byte
	anew  bool // also what is as it was read
	tight bool // what comes next stands right behind what is there
	err   error
}

// fail says what the dialect has no words for.
func (p *printer) fail(what string) {
	if p.err == nil {
		p.err = fmt.Errorf("%s has no words for %s", p.d.Product, what)
	}
}

// text writes a piece of text, with a space in front of it where there may be one. What stands there ends in no comment.
func (p *printer) text(s string) {
	if s == "" {
		return
	}
	if n := len(p.out); n > 0 && !p.tight && !spaced(p.out[n-1], "(") && !spaced(s[0], "),;") {
		p.out = append(p.out, ' ')
	}
	p.tight = false
	p.out = append(p.out, s...)
}

func spaced(c byte, signs string) bool { return c <= ' ' || strings.IndexByte(signs, c) >= 0 }

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
	p.tight = true
	p.text(sign)
	p.tight = true
}

// node writes a node: its own bytes, those of the node that it is a copy of with what differs in its children's places, or
// printed anew.
func (p *printer) node(n Node) {
	switch o := n.head(); {
	case p.anew || o.node == nil:
		n.print(p)
	case o.node == n:
		p.text(o.text)
	case alike(n, o.node):
		p.splice(n, o.node)
	default:
		n.print(p)
	}
}

// splice writes the bytes of a node that was read with other children in the places of its own.
func (p *printer) splice(n, was Node) {
	type place struct {
		at, to   int
		now, old Node
	}
	var places []place
	from := was.head()
	old := childrenOf(was)
	for i, now := range childrenOf(n) {
		if o := old[i].head(); now != old[i] {
			places = append(places, place{at: o.at - from.at, to: o.at - from.at + len(o.text), now: now, old: old[i]})
		}
	}
	slices.SortFunc(places, func(a, b place) int { return cmp.Compare(a.at, b.at) })
	done := 0
	for _, c := range places {
		p.between(from.text[done:c.at])
		p.inPlaceOf(c.now, c.old)
		done = c.to
	}
	p.between(from.text[done:])
}

// between writes what stands between two children. A dot there joins names.
func (p *printer) between(s string) {
	p.tight = strings.HasPrefix(s, ".")
	p.text(s)
	p.tight = strings.HasSuffix(s, ".")
}

// inPlaceOf writes a node where another one stood, in parentheses if it binds less tightly.
func (p *printer) inPlaceOf(now, old Node) {
	x, ok := now.(Expr)
	was, both := old.(Expr)
	if !ok || !both {
		p.node(now)
		return
	}
	level := p.d.level(was)
	if _, prefix := was.(*Unary); prefix {
		level = tightest // it may stand where no other operator of its level may
	}
	p.operand(x, level)
}

// operand writes an expression, in parentheses if it has operators below a level.
func (p *printer) operand(x Expr, level int) {
	if p.d.level(x) < level {
		p.paren(x)
		return
	}
	p.node(x)
}

// paren writes a node in parentheses.
func (p *printer) paren(n Node) {
	p.text("(")
	p.node(n)
	p.text(")")
}

// level is that of the operator that binds least of those of an expression that stand outside parentheses and have an
// operand open at their right, or the expression's own.
func (d *Dialect) level(x Expr) int {
	last, own := Expr(nil), tightest
	switch x := x.(type) {
	case *Unary:
		last, own = x.X, levelOf(d.signs[x.Op])
	case *Binary:
		last, own = x.Right, levelOf(d.spelled[x.Op])
	case *Is:
		own = levelOf(d.forms[IsForm])
	case *In:
		own = levelOf(d.forms[InForm])
	case *Between:
		last, own = x.High, levelOf(d.forms[BetweenForm])
	case *Like:
		last, own = x.Pattern, levelOf(d.spelled[x.Op])
		if x.Escape != nil {
			last = x.Escape
		}
	case *Collate:
		own = levelOf(d.forms[CollateForm])
	}
	if last != nil {
		own = min(own, d.level(last))
	}
	return own
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
