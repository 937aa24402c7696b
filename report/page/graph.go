package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"txweave/report/timeline"
)

// graph is a dependency graph to draw: a column for each transaction, statements from top to bottom.
type graph struct {
	Width, Height int
	Columns       []column
	Nodes         []node
	Edges         []edge
}

type column struct {
	Name             string
	X, Width, Height int
	Mid              int
}

type node struct {
	Name, Kind, Ref  string
	Wrong            bool // a difference names it
	X, Y, TextX      int
	NameY, KindY     int
	txn, row, column int
}

// edge is one dependency: From must stay before To.
type edge struct {
	N        int // its number in the list
	From, To string
	Labels   string
	Why      string
	Across   bool // between two transactions
	Anti     bool // To overwrote what From saw
	Path     string
	X, Y     int // of its number
}

// Sizes of the drawing, in pixels.
const (
	nodeWidth, nodeHeight = 108, 40
	columnGap, rowGap     = 84, 22
	margin                = 34
)

// newGraph draws statements, in the order from top to bottom, and their dependencies. kinds may lack names.
func newGraph(names []string, kinds map[string]string, wrong func(string) bool, edges []edge) *graph {
	g := &graph{}
	var txns []int
	at := map[string]int{}
	for i, name := range names {
		t := txnOf(name)
		if !slices.Contains(txns, t) {
			txns = append(txns, t)
		}
		at[name] = i
		g.Nodes = append(g.Nodes, node{Name: name, Ref: ref(name), Kind: kinds[name], Wrong: wrong(name), txn: t, row: i})
	}
	slices.Sort(txns)
	for i := range g.Nodes {
		n := &g.Nodes[i]
		n.column = slices.Index(txns, n.txn)
		n.X = margin + n.column*(nodeWidth+columnGap)
		n.Y = margin + n.row*(nodeHeight+rowGap)
		n.TextX, n.NameY, n.KindY = n.X+nodeWidth/2, n.Y+17, n.Y+32
	}
	g.Width = 2*margin + len(txns)*nodeWidth + max(len(txns)-1, 0)*columnGap
	g.Height = margin + len(g.Nodes)*(nodeHeight+rowGap)
	for i, t := range txns {
		x := margin + i*(nodeWidth+columnGap) - 10
		g.Columns = append(g.Columns, column{Name: fmt.Sprintf("T%d", t), X: x, Width: nodeWidth + 20, Height: g.Height - 4, Mid: x + nodeWidth/2 + 10})
	}
	for _, e := range edges {
		_, from := at[e.From]
		_, to := at[e.To]
		if from && to {
			e.N = len(g.Edges) + 1
			g.Edges = append(g.Edges, e)
		}
	}
	g.route(at)
	return g
}

// txnOf returns the number of the transaction in "T3.S1".
func txnOf(name string) (n int) {
	_, _ = fmt.Sscanf(name, "T%d", &n) // another name is put to the first one
	return n
}

// end is one end of an edge at one side of a node.
type end struct{ node, side, edge, other int }

// route draws the edges from side to side. The ends at one side of a node are spread, in the order of where they lead.
func (g *graph) route(at map[string]int) {
	ends := map[[2]int][]end{}
	sides := make([][2]int, len(g.Edges)) // of both ends: 0 left, 1 right
	for i := range g.Edges {
		a, b := at[g.Edges[i].From], at[g.Edges[i].To]
		s := [2]int{1, 0}
		switch x, y := g.Nodes[a].column, g.Nodes[b].column; {
		case x > y:
			s = [2]int{0, 1}
		case x == y:
			s = [2]int{1, 1}
		}
		sides[i] = s
		ends[[2]int{a, s[0]}] = append(ends[[2]int{a, s[0]}], end{a, s[0], i, b})
		ends[[2]int{b, s[1]}] = append(ends[[2]int{b, s[1]}], end{b, s[1], i, a})
	}
	place := func(n, side, e int) (x, y int) {
		list := slices.Clone(ends[[2]int{n, side}])
		slices.SortFunc(list, func(a, b end) int { return cmp.Or(cmp.Compare(a.other, b.other), cmp.Compare(a.edge, b.edge)) })
		i := slices.IndexFunc(list, func(x end) bool { return x.edge == e })
		return g.Nodes[n].X + side*nodeWidth, g.Nodes[n].Y + nodeHeight*(i+1)/(len(list)+1)
	}
	for i := range g.Edges {
		e := &g.Edges[i]
		a, b := at[e.From], at[e.To]
		x1, y1 := place(a, sides[i][0], i)
		x2, y2 := place(b, sides[i][1], i)
		bend := columnGap / 2
		c1, c2 := x1+bend, x2-bend
		if sides[i][0] == 0 {
			c1 = x1 - bend
		}
		if sides[i][1] == 1 {
			c2 = x2 + bend
		}
		if sides[i] == [2]int{1, 1} {
			far := min(16+6*abs(a-b), columnGap-20)
			c1, c2 = x1+far, x2+far
		}
		e.Path = fmt.Sprintf("M%d %d C%d %d %d %d %d %d", x1, y1, c1, y1, c2, y2, x2, y2)
		e.X, e.Y = (x1+3*c1+3*c2+x2)/8, (y1+y2)/2
	}
}

func abs(n int) int { return max(n, -n) }

// shorten keeps the first few of many reasons for one edge.
func shorten(why string) string {
	const few = 3
	reasons := strings.Split(why, "; ")
	if len(reasons) <= few+1 {
		return why
	}
	return fmt.Sprintf("%s; and %d more", strings.Join(reasons[:few], "; "), len(reasons)-few)
}

// dependencies is the graph of a finding: its SDG or, where it has none, what the explanations of its differences say.
func dependencies(f *timeline.Dossier, t *timeline.Timeline, wrong func(string) bool) *graph {
	kinds := map[string]string{}
	var names []string
	var edges []edge
	if g := f.Graph; g != nil {
		for _, s := range g.Statements {
			kinds[s.Name] = strings.ToUpper(s.Kind)
			names = append(names, s.Name)
		}
		if len(g.Order) == len(names) {
			names = g.Order
		}
		for _, e := range g.Edges {
			edges = append(edges, edge{From: e.From, To: e.To, Labels: strings.Join(e.Labels, ", "), Why: shorten(e.Why), Across: txnOf(e.From) != txnOf(e.To),
				Anti: slices.ContainsFunc(e.Labels, func(l string) bool { return strings.HasSuffix(l, "anti") })})
		}
		slices.SortStableFunc(edges, func(a, b edge) int { // what ties transactions together comes first
			switch {
			case a.Across == b.Across:
				return 0
			case a.Across:
				return -1
			}
			return 1
		})
		return newGraph(names, kinds, wrong, edges)
	}
	seen := map[string]bool{}
	for _, d := range f.Record.Differences {
		for step := range strings.SplitSeq(d.Detail, "; ") {
			from, to, ok := timeline.Precedes(step)
			if !ok || seen[step] {
				continue
			}
			seen[step] = true
			edges = append(edges, edge{From: from, To: to, Why: step, Across: txnOf(from) != txnOf(to),
				Anti: !strings.HasPrefix(step, from+" wrote ")})
		}
	}
	if len(edges) == 0 {
		return nil
	}
	for _, s := range t.Steps {
		if slices.ContainsFunc(edges, func(e edge) bool { return e.From == s.Name || e.To == s.Name }) {
			names = append(names, s.Name)
			kinds[s.Name] = s.Kind()
		}
	}
	return newGraph(names, kinds, wrong, edges)
}
