package sdg

import (
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

// edges are the kinds of edges by the names of labels, those of files of before among them.
var edges = map[string]history.EdgeKind{
	"item-wr": history.WR, "item-ww": history.WW, "item-rw": history.RW,
	"predicate-wr": history.PWR, "predicate-ww": history.WW, "predicate-rw": history.PRW, "value-ww": history.WW,
	"item-read": history.WR, "item-write": history.WW, "item-anti": history.RW,
	"predicate-read": history.PWR, "predicate-write": history.WW, "predicate-anti": history.PRW, "value-write": history.WW,
}

// EdgeOf is the kind of edge that a label's name stands for; history.NoEdge where there is no such label.
func EdgeOf(name string) history.EdgeKind { return edges[name] }
