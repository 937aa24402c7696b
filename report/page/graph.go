package page

import (
	"fmt"
	"slices"
	"strings"

	"txweave/finding"
	"txweave/history"
	"txweave/internal/graph/draw"
	"txweave/report/timeline"
	"txweave/sdg"
	"txweave/testcase"
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
	Name, Kind, Ref string
	Wrong           bool // a difference names it
	X, Y, TextX     int
	NameY, KindY    int
}

// edge is one dependency: From must stay before To.
type edge struct {
	N          int // its number in the list
	From, To   string
	Labels     string
	Why        string
	Across     bool // between two transactions
	Anti       bool // To overwrote what From saw
	draw.Arrow      // with its number
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
		if t := txnOf(name); !slices.Contains(txns, t) {
			txns = append(txns, t)
		}
		at[name] = i
	}
	slices.Sort(txns)
	columns := make([]int, len(names))
	for i, name := range names {
		columns[i] = slices.Index(txns, txnOf(name))
	}
	grid := draw.Grid{NodeWidth: nodeWidth, NodeHeight: nodeHeight, ColumnGap: columnGap, RowGap: rowGap, Margin: margin}
	grid.Place(columns)
	g.Width, g.Height = grid.Size()
	for i, name := range names {
		box := grid.Boxes[i]
		g.Nodes = append(g.Nodes, node{Name: name, Ref: ref(name), Kind: kinds[name], Wrong: wrong(name), X: box.X, Y: box.Y,
			TextX: box.X + nodeWidth/2, NameY: box.Y + 17, KindY: box.Y + 32})
	}
	for i, t := range txns {
		x := margin + i*(nodeWidth+columnGap) - 10
		g.Columns = append(g.Columns, column{Name: fmt.Sprintf("T%d", t), X: x, Width: nodeWidth + 20, Height: g.Height - 4,
			Mid: x + nodeWidth/2 + 10})
	}
	var ends [][2]int
	for _, e := range edges {
		a, from := at[e.From]
		b, to := at[e.To]
		if from && to {
			e.N = len(g.Edges) + 1
			g.Edges, ends = append(g.Edges, e), append(ends, [2]int{a, b})
		}
	}
	for i, arrow := range grid.Route(ends) {
		g.Edges[i].Arrow = arrow
	}
	return g
}

// txnOf returns the number of the transaction in "T3.S1".
func txnOf(name string) int {
	at, _ := testcase.ParseRef(name) // another name is put to the first one
	return at.Txn
}

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
	g := f.Graph
	if g == nil {
		if edges = explained(f.Record.Differences); len(edges) == 0 {
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
	for _, s := range g.Statements {
		kinds[s.Name] = strings.ToUpper(s.Kind)
		names = append(names, s.Name)
	}
	if len(g.Order) == len(names) {
		names = g.Order
	}
	for _, e := range g.Edges {
		edges = append(edges, edge{From: e.From, To: e.To, Labels: strings.Join(e.Labels, ", "), Why: shorten(e.Why),
			Across: txnOf(e.From) != txnOf(e.To),
			Anti:   slices.ContainsFunc(e.Labels, func(l string) bool { return isAnti(sdg.EdgeOf(l)) })})
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

// explained are the edges that the explanations of differences name, each explanation once.
func explained(differences []finding.Difference) (edges []edge) {
	seen := map[string]bool{}
	for _, d := range differences {
		for i := range d.Steps {
			step := &d.Steps[i]
			why := step.String()
			from, to, ok := step.Precedes()
			if !ok || seen[why] {
				continue
			}
			seen[why] = true
			edges = append(edges, edge{From: from, To: to, Why: why, Across: txnOf(from) != txnOf(to),
				Anti: isAnti(step.Edge)})
		}
	}
	return edges
}

// isAnti says whether an edge is an anti-dependency.
func isAnti(k history.EdgeKind) bool { return k == history.RW || k == history.PRW }
