// Package draw draws small directed graphs: as text for Graphviz, and laid out, for pictures that are drawn by hand.
// Who draws says the nodes, the edges, what stands on them and what they look like.
package draw

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Diagram is a graph for Graphviz. Texts are quoted when it is written.
type Diagram struct {
	Name       string   // an identifier
	Label      string   // what stands below it; "" for nothing
	Attributes []string // of all nodes: "shape=box"
	Clusters   []Cluster
	Edges      []LabelledEdge
}

// Cluster is a group of nodes in a frame with a label.
type Cluster struct {
	ID    int
	Label string
	Nodes []LabelledNode
}

// LabelledNode is one node. One that is in no cluster is there as soon as an edge names it, with its name as label.
type LabelledNode struct{ ID, Label string }

// LabelledEdge is an arrow between nodes by their IDs.
type LabelledEdge struct {
	From, To, Label string
	Tooltip, Color  string // "" for none
}

// DOT writes the graph in Graphviz's language.
func (g *Diagram) DOT(out io.Writer) error {
	w := bufio.NewWriter(out)
	fmt.Fprintf(w, "digraph %s {\n", g.Name)
	if g.Label != "" {
		fmt.Fprintf(w, "  label=%q;\n", g.Label)
	}
	fmt.Fprintf(w, "  node [%s];\n", strings.Join(g.Attributes, ", "))
	for _, c := range g.Clusters {
		fmt.Fprintf(w, "  subgraph cluster_%d {\n    label=%q;\n", c.ID, c.Label)
		for _, n := range c.Nodes {
			fmt.Fprintf(w, "    %s [label=%q];\n", id(n.ID), n.Label)
		}
		fmt.Fprintln(w, "  }")
	}
	for _, e := range g.Edges {
		fmt.Fprintf(w, "  %s -> %s [label=%q", id(e.From), id(e.To), e.Label)
		if e.Tooltip != "" {
			fmt.Fprintf(w, ", tooltip=%q", e.Tooltip)
		}
		if e.Color != "" {
			fmt.Fprintf(w, ", color=%s", e.Color)
		}
		fmt.Fprintln(w, "];")
	}
	fmt.Fprintln(w, "}")
	return w.Flush()
}

// id quotes an ID, but for a small letter with a number, which is no word of the language.
func id(s string) string {
	if s != "" && s[0] >= 'a' && s[0] <= 'z' {
		if _, err := strconv.ParseUint(s[1:], 10, 32); err == nil {
			return s
		}
	}
	return fmt.Sprintf("%q", s)
}
