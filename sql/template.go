package sql

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// Template is an expression with holes, as a dialect's tables spell it: "IF(%s, %s, %s)". It is read once; each use
// puts other nodes into the holes, in their order. %[1]s is the first hole, wherever it stands.
type Template struct {
	x     Expr
	holes int
}

// templates are those that were read, by dialect and text.
var templates sync.Map

type templateKey struct {
	d    *Dialect
	text string
}

// holeName is the name that a hole has while its template is read.
const holeName = "txw_hole_"

// Template reads one. A text that the dialect does not read is a fault of its tables: it panics.
func (d *Dialect) Template(text string) *Template {
	key := templateKey{d, text}
	if t, ok := templates.Load(key); ok {
		return t.(*Template)
	}
	t := &Template{}
	var filled strings.Builder
	for rest := text; ; {
		before, after, found := strings.Cut(rest, "%")
		filled.WriteString(before)
		if !found {
			break
		}
		switch {
		case strings.HasPrefix(after, "s"):
			fmt.Fprint(&filled, holeName, t.holes)
			t.holes++
			rest = after[1:]
		case strings.HasPrefix(after, "["):
			n, tail, _ := strings.Cut(after[1:], "]s")
			at, err := strconv.Atoi(n)
			if err != nil {
				panic(fmt.Sprintf("sql: template %q: %v", text, err))
			}
			fmt.Fprint(&filled, holeName, at-1)
			t.holes, rest = max(t.holes, at), tail
		default:
			filled.WriteByte('%')
			rest = strings.TrimPrefix(after, "%")
		}
	}
	x, err := d.ParseExpr(filled.String())
	if err != nil {
		panic(fmt.Sprintf("sql: template %q: %v", text, err))
	}
	t.x = x
	actual, _ := templates.LoadOrStore(key, t)
	return actual.(*Template)
}

// Fill returns the expression with nodes in the holes; all others are new.
func (t *Template) Fill(holes ...Expr) Expr {
	if len(holes) != t.holes {
		panic(fmt.Sprintf("sql: template %s has %d holes, not %d", Tell(t.x), t.holes, len(holes)))
	}
	return fresh(t.x, func(n Node) Node {
		if c, ok := n.(*Column); ok && c.Table == nil {
			if at, hole := strings.CutPrefix(c.Name.Value, holeName); hole {
				i, _ := strconv.Atoi(at)
				return holes[i]
			}
		}
		return n
	})
}

// Words is a statement as a dialect's tables spell it: it is read once, and each call returns another copy. A text that
// the dialect does not read is a fault of its tables: it panics.
func (d *Dialect) Words(text string) Stmt {
	key := templateKey{d, text}
	read, ok := templates.Load(key)
	if !ok {
		stmt, err := d.parse(text)
		if err != nil {
			panic(fmt.Sprintf("sql: %q: %v", text, err))
		}
		read, _ = templates.LoadOrStore(key, stmt)
	}
	return fresh(read.(Stmt), func(n Node) Node { return n })
}

// fresh copies a tree, whose nodes were then read nowhere, with what to makes of each.
func fresh[N Node](n N, to func(Node) Node) N {
	f := &fields{mode: rewriting, all: true, to: to}
	return f.rewrite(n).(N)
}
