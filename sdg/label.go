package sdg

import (
	"slices"
	"strings"

	"txweave/history"
)

// labelNames are the names of the single labels, in the order of their bits.
var labelNames = [...]string{
	"item-wr", "item-ww", "item-rw",
	"predicate-wr", "predicate-ww", "predicate-rw",
	"value-ww",
}

// Names returns the names of the labels in l, in the order of Definitions 2-8, for JSON and tables.
func (l Label) Names() []string {
	var names []string
	for i, name := range labelNames {
		if l&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return names
}

// String returns the names of the labels in l joined by "+", or "none".
func (l Label) String() string {
	if names := l.Names(); len(names) > 0 {
		return strings.Join(names, "+")
	}
	return "none"
}

// Split returns the single labels in l.
func (l Label) Split() []Label {
	var single []Label
	for i := range labelNames {
		if l&(1<<i) != 0 {
			single = append(single, 1<<i)
		}
	}
	return single
}

// MarshalText writes a label set as String does.
func (l Label) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// String returns the precision's name as the command line spells it.
func (p Precision) String() string {
	switch p {
	case Exact:
		return "exact"
	case Column:
		return "column"
	case Match:
		return "match"
	}
	return "unknown"
}

// formerNames are the names that labels have in files of before.
var formerNames = [...]string{
	"item-read", "item-write", "item-anti",
	"predicate-read", "predicate-write", "predicate-anti",
	"value-write",
}

// edges are the kinds of edges that labels are.
var edges = [...]history.EdgeKind{history.WR, history.WW, history.RW, history.PWR, history.WW, history.PRW, history.WW}

// LabelNamed is the present name of a label by a name of now or of before; the name itself where there is no such
// label.
func LabelNamed(name string) string {
	if i := slices.Index(formerNames[:], name); i >= 0 {
		return labelNames[i]
	}
	return name
}

// EdgeOf is the kind of edge that a label's name, of now or of before, stands for; history.NoEdge where there is no
// such label.
func EdgeOf(name string) history.EdgeKind {
	if i := slices.Index(labelNames[:], LabelNamed(name)); i >= 0 {
		return edges[i]
	}
	return history.NoEdge
}
