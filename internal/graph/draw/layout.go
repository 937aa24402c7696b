package draw

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Box is where a node stands, in pixels: its upper left corner.
type Box struct{ X, Y, Column, Row int }

// Arrow is the way of an edge as SVG's path data, and where its label stands.
type Arrow struct {
	Path string
	X, Y float64
}

// Grid is a layout of nodes in columns, one to a row.
type Grid struct {
	NodeWidth, NodeHeight int
	ColumnGap, RowGap     int
	Margin                int
	Boxes                 []Box
	Columns               int
}

// Place puts node i into column columns[i], below the node before it.
func (g *Grid) Place(columns []int) {
	for row, c := range columns {
		g.Columns = max(g.Columns, c+1)
		g.Boxes = append(g.Boxes, Box{X: g.Margin + c*(g.NodeWidth+g.ColumnGap), Y: g.Margin + row*(g.NodeHeight+g.RowGap),
			Column: c, Row: row})
	}
}

// Size returns how large the picture is.
func (g *Grid) Size() (width, height int) {
	return 2*g.Margin + g.Columns*g.NodeWidth + max(g.Columns-1, 0)*g.ColumnGap, g.Margin +
		len(g.Boxes)*(g.NodeHeight+g.RowGap)
}

// end is one end of an edge at one side of a node.
type end struct{ edge, other int }

// Route draws edges, each from a node to another one, from side to side. The ends at one side of a node are spread, in
// the order of where they lead.
func (g *Grid) Route(edges [][2]int) []Arrow {
	type place struct{ node, side int } // sides: 0 left, 1 right
	ends := map[place][]end{}
	sides := make([][2]int, len(edges))
	for i, e := range edges {
		s := [2]int{1, 0}
		switch x, y := g.Boxes[e[0]].Column, g.Boxes[e[1]].Column; {
		case x > y:
			s = [2]int{0, 1}
		case x == y:
			s = [2]int{1, 1}
		}
		sides[i] = s
		ends[place{e[0], s[0]}] = append(ends[place{e[0], s[0]}], end{i, e[1]})
		ends[place{e[1], s[1]}] = append(ends[place{e[1], s[1]}], end{i, e[0]})
	}
	for _, list := range ends {
		slices.SortFunc(list, func(a, b end) int {
			return cmp.Or(cmp.Compare(a.other, b.other), cmp.Compare(a.edge, b.edge))
		})
	}
	at := func(node, side, edge int) (x, y int) {
		list := ends[place{node, side}]
		i := slices.IndexFunc(list, func(x end) bool { return x.edge == edge })
		return g.Boxes[node].X + side*g.NodeWidth, g.Boxes[node].Y + g.NodeHeight*(i+1)/(len(list)+1)
	}
	out := make([]Arrow, len(edges))
	for i, e := range edges {
		x1, y1 := at(e[0], sides[i][0], i)
		x2, y2 := at(e[1], sides[i][1], i)
		bend := g.ColumnGap / 2
		c1, c2 := x1+bend, x2-bend
		if sides[i][0] == 0 {
			c1 = x1 - bend
		}
		if sides[i][1] == 1 {
			c2 = x2 + bend
		}
		if sides[i] == [2]int{1, 1} {
			far := min(16+6*abs(g.Boxes[e[0]].Row-g.Boxes[e[1]].Row), g.ColumnGap-20)
			c1, c2 = x1+far, x2+far
		}
		out[i] = Arrow{fmt.Sprintf("M%d %d C%d %d %d %d %d %d", x1, y1, c1, y1, c2, y2, x2, y2),
			float64((x1 + 3*c1 + 3*c2 + x2) / 8), float64((y1 + y2) / 2)}
	}
	return out
}

func abs(n int) int { return max(n, -n) }

// Circle is a layout of n nodes, of about 60 by 30 pixels, on a circle, the first one on top.
type Circle struct {
	N       int
	X, Y, R float64 // centre and radius
}

// At returns where the middle of node i is.
func (c *Circle) At(i int) (x, y float64) {
	angle := 2*math.Pi*float64(i)/float64(c.N) - math.Pi/2
	return c.X + c.R*math.Cos(angle), c.Y + c.R*math.Sin(angle)
}

// Arrow draws an edge, bent to the outside so that two between the same nodes do not meet; from a node to itself it is
// a loop above it.
func (c *Circle) Arrow(from, to int) Arrow {
	const bend = 28
	x1, y1 := c.At(from)
	x2, y2 := c.At(to)
	dx, dy := x2-x1, y2-y1
	length := math.Hypot(dx, dy)
	if length == 0 {
		return Arrow{fmt.Sprintf("M%.1f %.1fc-60 -50 60 -50 0 0", x1, y1-15), x1, y1 - 52}
	}
	ux, uy := dx/length, dy/length
	mx, my := (x1+x2)/2+uy*bend, (y1+y2)/2-ux*bend
	return Arrow{fmt.Sprintf("M%.1f %.1fQ%.1f %.1f %.1f %.1f", x1+ux*28, y1+uy*20, mx, my, x2-ux*34, y2-uy*22), mx, my}
}
