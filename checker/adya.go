package checker

import (
	"strings"

	"txweave/fault"
	"txweave/history"
)

// Adya names what is wrong as Adya's thesis does, with what Elle adds to its names: "-item" for what needs no
// predicate, "-process" and "-realtime" for cycles that need session order or real time; "P4" is the lost update of
// Berenson et al. (SIGMOD 1995). "internal", "future-read", "incompatible-order" and, of a list that holds an element
// twice, "duplicate-elements" are Elle's own. It returns "" where neither has a name.
func Adya(a fault.Kind, cycle []ExplainedEdge) string {
	switch a {
	case fault.HistoryAbortedRead:
		return "G1a"
	case fault.HistoryIntermediateRead:
		return "G1b"
	case fault.HistoryFutureRead:
		return "future-read"
	case fault.HistoryNotMyLastWrite, fault.HistoryNotMyOwnWrite, fault.HistoryNonRepeatableReads:
		return "internal"
	case fault.HistoryLostUpdate:
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
		if a == fault.HistoryLongFork && len(cycle) == 1 {
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

// forbidden are the weakest levels that forbid what Adya returns: of levels of which none is weaker than the other,
// all.
var forbidden = map[string][]string{
	"G0":                 {"read-uncommitted"},
	"duplicate-elements": {"read-uncommitted"},
	"G1a":                {"read-committed"},
	"G1b":                {"read-committed"},
	"G1c":                {"read-committed"},
	"incompatible-order": {"read-committed"},
	"future-read":        {"read-committed"},
	"internal":           {"read-atomic"},
	"P4":                 {"cursor-stability", "update-atomic"},
	"G-single":           {"consistent-view"},
	"G-single-item":      {"consistent-view", "repeatable-read"},
	"G-nonadjacent":      {"snapshot-isolation"},
	"G-nonadjacent-item": {"repeatable-read", "snapshot-isolation"},
	"G2":                 {"serializable"},
	"G2-item":            {"repeatable-read"},
}

// Forbidden returns the weakest levels that forbid an anomaly, given by the name that the function Adya has for it, by
// the names of jepsen.io/consistency: what Elle prints as :not. They come from Adya's thesis, Cerone et al. (CONCUR
// 2015) for read-atomic and update-atomic, and Berenson et al. for cursor stability. A cycle that needs session order
// or real time is forbidden by levels that promise it: "strong-session-…", "strong-…". It returns nil for what has no
// name.
func Forbidden(name string) []string {
	for _, needs := range []struct{ suffix, prefix string }{{"-process", "strong-session-"}, {"-realtime", "strong-"}} {
		base, ok := strings.CutSuffix(name, needs.suffix)
		if !ok {
			continue
		}
		levels := map[string]string{"G0": "read-uncommitted", "G1c": "read-committed", "G2": "serializable"}
		level := levels[strings.TrimSuffix(base, "-item")]
		if level == "" {
			level = "snapshot-isolation"
		}
		return []string{needs.prefix + level}
	}
	return forbidden[name]
}
