package checker

import "txweave/history"

// Adya names what is wrong as Adya's thesis does, with what Elle adds to its names: "-item" for what needs no predicate,
// "-process" and "-realtime" for cycles that need session order or real time; "P4" is the lost update of Berenson et al.
// (SIGMOD 1995). "internal", "incompatible-order" and, of a list that
// holds an element twice, "duplicate-elements" are Elle's own. It returns "" where neither has a name.
func Adya(a Anomaly, cycle []ExplainedEdge) string {
	switch a {
	case AbortedRead:
		return "G1a"
	case IntermediateRead:
		return "G1b"
	case FutureRead, NotMyLastWrite, NotMyOwnWrite, NonRepeatableReads:
		return "internal"
	case LostUpdate:
		return "P4"
	}
	count := map[history.EdgeKind]int{}
	adjacent := false
	anti := func(e ExplainedEdge) bool { return e.Kind == history.RW || e.Kind == history.PRW }
	for i, e := range cycle {
		count[e.Kind]++
		adjacent = adjacent || anti(e) && anti(cycle[(i+1)%len(cycle)])
	}
	item := "-item"
	if count[history.PRW]+count[history.PWR] > 0 {
		item = ""
	}
	rw := count[history.RW] + count[history.PRW] + count[history.CO]
	var name string
	switch {
	case len(cycle) == 0 || cycle[len(cycle)-1].To != cycle[0].From || count[history.CO] > 1:
		if a == LongFork && len(cycle) == 1 {
			return "incompatible-order"
		}
		return ""
	case rw == 0 && count[history.WR]+count[history.PWR] > 0:
		name = "G1c"
	case rw == 0:
		name = "G0"
	case rw == 1:
		name = "G-single" + item
	case adjacent:
		name = "G2" + item
	default:
		name = "G-nonadjacent" + item
	}
	switch {
	case count[history.RT] > 0:
		name += "-realtime"
	case count[history.SO] > 0:
		name += "-process"
	}
	return name
}
