package sql

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// fields goes through the fields of a node, of which each has a generated method for it. What is done with them is the
// mode.
type fields struct {
	mode    mode
	visit   func(Node) bool
	to      func(Node) Node
	nodes   []Node // collecting: the children; rewriting, putting: what becomes of them
	at      int    // putting: the next of them
	changed bool   // rewriting: one is another one
	all     bool   // rewriting: each node is copied
	told    []byte
	deep    bool   // telling: what stands below the children too
	above   []Node // rewriting within: what the node stands in
	within  func(n Node, above []Node) Node
}

type mode uint8

const (
	walking    mode = iota // calls visit for what is below
	collecting             // keeps the children
	rewriting              // keeps what becomes of the children
	putting                // sets that into a copy
	telling                // says what the node is
)

// childType are the types of fields that hold a child.
type childType interface {
	comparable
	Node
}

// one goes through a field that is a child, or none.
func one[N childType](f *fields, name string, p *N) {
	var none N
	if *p == none {
		return
	}
	if f.mode == putting {
		if *p = none; f.nodes[f.at] != nil {
			*p = f.nodes[f.at].(N)
		}
		f.at++
		return
	}
	f.child(name, *p)
}

// list goes through a field that is a list of children.
func list[N childType](f *fields, name string, p *[]N) {
	if f.mode != putting {
		for i, n := range *p {
			if i > 0 {
				name = ""
			}
			f.child(name, n)
		}
		return
	}
	var to []N // nil stays nil, and what nothing is left of becomes it
	for range *p {
		if f.nodes[f.at] != nil {
			to = append(to, f.nodes[f.at].(N))
		}
		f.at++
	}
	*p = to
}

// value goes through a field that is no child.
func value[V comparable](f *fields, name string, p *V) {
	if none := *new(V); f.mode != telling || *p == none {
		return
	}
	f.name(name)
	switch v := any(p).(type) {
	case *string:
		if tellable(*v) {
			f.told = append(f.told, *v...)
		} else {
			f.told = strconv.AppendQuote(f.told, *v)
		}
	case *byte:
		f.told = append(f.told, *v)
	default:
		f.told = fmt.Append(f.told, *p)
	}
}

// name tells the name of a field.
func (f *fields) name(s string) {
	f.told = append(f.told, ' ')
	if s != "" {
		f.told = append(append(f.told, s...), ':')
	}
}

// tellable says whether a value can be told from what stands around it without quotes.
func tellable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == '(' || r == ')' || r == '"' || r == ':' })
}

// child does with a child what the mode says.
func (f *fields) child(name string, n Node) {
	switch f.mode {
	case walking:
		f.walk(n)
	case collecting:
		f.nodes = append(f.nodes, n)
	case rewriting:
		to := f.rewritten(n)
		f.nodes = append(f.nodes, to)
		f.changed = f.changed || to != n
	case telling:
		if f.name(name); f.deep {
			f.tell(n)
		}
	}
}

func (f *fields) walk(n Node) {
	if f.visit(n) {
		n.fields(f)
	}
}

func (f *fields) rewrite(n Node) Node {
	first, outer := len(f.nodes), f.changed
	f.changed = false
	n.fields(f)
	if f.changed || f.all {
		if n = copied(n); f.all {
			*n.head() = origin{}
		}
		f.mode, f.at = putting, first
		n.fields(f)
		f.mode = rewriting
	}
	f.nodes, f.changed = f.nodes[:first], outer
	return f.to(n)
}

// copied is a copy of a node, with its children.
func copied(n Node) Node {
	c := reflect.New(reflect.TypeOf(n).Elem())
	c.Elem().Set(reflect.ValueOf(n).Elem())
	return c.Interface().(Node)
}

// rewritten is what becomes of a child.
func (f *fields) rewritten(n Node) Node {
	if f.within == nil {
		return f.rewrite(n)
	}
	if to := f.within(n, f.above); to != n {
		return to
	}
	f.above = append(f.above, n)
	to := f.rewrite(n)
	f.above = f.above[:len(f.above)-1]
	return to
}

// tell writes what a node is, without the parentheses around an expression.
func (f *fields) tell(n Node) {
	if x, ok := n.(Expr); ok {
		n = Bare(x)
	}
	f.told = append(f.told, '(')
	f.kind(n)
	n.fields(f)
	f.told = append(f.told, ')')
}

// kind tells the name of a node's type.
func (f *fields) kind(n Node) { f.told = append(f.told, reflect.TypeOf(n).Elem().Name()...) }

// Walk calls visit for a node and, where that returns true, for what is below it, in the order of its fields.
func Walk(n Node, visit func(Node) bool) {
	f := &fields{mode: walking, visit: visit}
	f.walk(n)
}

// Has says whether a node, or one below it, is such a one.
func Has(n Node, is func(Node) bool) (found bool) {
	Walk(n, func(n Node) bool {
		found = found || is(n)
		return !found
	})
	return found
}

// Rewrite returns a tree with f of each node in its place, children first: f is given a node whose children are those
// that it has returned. What f returns as it is stays the same node, with all that is below it. nil takes a node out of
// a list, or leaves out what need not be there. A node that has no place where another one stood is a fault of f's: it
// panics.
func Rewrite[N Node](n N, f func(Node) Node) N {
	r := &fields{mode: rewriting, to: f}
	return r.rewrite(n).(N)
}

// Replace returns a tree with f of each node in its place, from the top: what f returns another node for is left as f
// made it, and otherwise what is below it is looked at. above is what a node stands in, from the outermost on.
func Replace[N Node](n N, f func(n Node, above []Node) Node) N {
	r := &fields{mode: rewriting, to: func(n Node) Node { return n }, within: f}
	return r.rewritten(n).(N)
}

// Edit returns what f makes of a copy of a node; the node itself where it leaves that as it is.
func Edit[T any, N interface {
	*T
	Node
}](n N, f func(N)) N {
	c := *n
	f(&c)
	before, after := childrenOf(n), childrenOf(N(&c))
	if slices.Equal(before, after) && alike(n, N(&c)) {
		return n
	}
	return &c
}

// Tell writes a tree as text: the types of its nodes with their fields, those left out that are empty, and without the
// parentheses around expressions.
func Tell(n Node) string {
	return string(told(n))
}

func told(n Node) []byte {
	f := &fields{mode: telling, deep: true}
	f.tell(n)
	return f.told
}

// Equal says whether two trees say the same in the same words: names, literals and parameters spelled alike; white
// space, comments and parentheses around expressions left out of account.
func Equal(a, b Node) bool { return bytes.Equal(told(a), told(b)) }

// Bare is an expression without the parentheses around it.
func Bare(x Expr) Expr {
	for {
		p, ok := x.(*Paren)
		if !ok {
			return x
		}
		x = p.X
	}
}

// childrenOf returns what stands right below a node, in the order of the fields.
func childrenOf(n Node) []Node {
	f := &fields{mode: collecting}
	n.fields(f)
	return f.nodes
}

// alike says whether two nodes differ in nothing but what stands in the places of their children.
func alike(a, b Node) bool {
	f := &fields{mode: telling, told: make([]byte, 0, 256)}
	f.kind(a)
	a.fields(f)
	half := len(f.told)
	f.kind(b)
	b.fields(f)
	return bytes.Equal(f.told[:half], f.told[half:])
}
