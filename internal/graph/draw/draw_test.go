package draw

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestDOT: texts and names are quoted, what is not said is left out.
func TestDOT(t *testing.T) {
	d := Diagram{Name: "d", Label: `a "b"`, Attributes: []string{"shape=box", "style=rounded"},
		Clusters: []Cluster{{ID: 3, Label: "T3", Nodes: []LabelledNode{{"n0", "x\ny"}}}},
		Edges: []LabelledEdge{{From: "n0", To: "T 1", Label: "ww", Tooltip: "why", Color: "red"}, {From: "1n", To: "node"},
			{From: "n-1", To: ""}}}
	var b strings.Builder
	if err := d.DOT(&b); err != nil {
		t.Fatal(err)
	}
	want := `digraph d {
  label="a \"b\"";
  node [shape=box, style=rounded];
  subgraph cluster_3 {
    label="T3";
    n0 [label="x\ny"];
  }
  n0 -> "T 1" [label="ww", tooltip="why", color=red];
  "1n" -> "node" [label=""];
  "n-1" -> "" [label=""];
}
`
	if b.String() != want {
		t.Errorf("%s\nwant\n%s", b.String(), want)
	}
}

// TestGrid: nodes do not overlap, arrows begin and end at the sides of their nodes, and no two at one point.
func TestGrid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := Grid{NodeWidth: 108, NodeHeight: 40, ColumnGap: 84, RowGap: 22, Margin: 34}
		columns := rapid.SliceOfN(rapid.IntRange(0, 3), 2, 8).Draw(t, "columns")
		g.Place(columns)
		width, height := g.Size()
		for i, b := range g.Boxes {
			if b.X < 0 || b.X+g.NodeWidth > width || b.Y+g.NodeHeight > height || i > 0 && b.Y < g.Boxes[i-1].Y+g.NodeHeight {
				t.Fatalf("node %d at %+v of a picture of %dx%d", i, b, width, height)
			}
		}
		var edges [][2]int
		for a := range columns {
			for b := range columns {
				if a != b && rapid.Bool().Draw(t, "edge") {
					edges = append(edges, [2]int{a, b})
				}
			}
		}
		taken := map[[2]int]bool{}
		for i, arrow := range g.Route(edges) {
			var p [8]int
			if _, err := fmt.Sscanf(arrow.Path, "M%d %d C%d %d %d %d %d %d", &p[0], &p[1], &p[2], &p[3], &p[4], &p[5], &p[6],
				&p[7]); err != nil {
				t.Fatalf("%s: %v", arrow.Path, err)
			}
			for k, at := range [][2]int{{p[0], p[1]}, {p[6], p[7]}} {
				b := g.Boxes[edges[i][k]]
				if at[0] != b.X && at[0] != b.X+g.NodeWidth || at[1] <= b.Y || at[1] >= b.Y+g.NodeHeight || taken[at] {
					t.Fatalf("%s does not end at a free place of node %d, %+v", arrow.Path, edges[i][k], b)
				}
				taken[at] = true
			}
		}
	})
}

// TestCircle: two arrows between the same nodes do not meet.
func TestCircle(t *testing.T) {
	c := Circle{N: 2, X: 100, Y: 100, R: 80}
	there, back := c.Arrow(0, 1), c.Arrow(1, 0)
	if there.X == back.X && there.Y == back.Y {
		t.Errorf("%+v and %+v", there, back)
	}
	if loop := c.Arrow(0, 0); !strings.Contains(loop.Path, "c-60 -50 60 -50 0 0") || loop.Y >= 20 {
		t.Errorf("a loop is %+v", loop)
	}
}
