package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"txweave/finding"
	"txweave/report/timeline"
	"txweave/sdg"
	"txweave/testcase"
)

// maxEdges is how many edges are spelled out.
const maxEdges = 12

// Why says why the expected answers are the right ones: the edges that the order keeps, or the cycle.
func Why(d *Doc) {
	switch {
	case d.f.Record.Class == finding.ClassIsolation:
		d.cycle()
	case d.f.Record.Class == finding.ClassReplay && d.f.Graph != nil:
		d.edges(d.f.Graph)
	case d.f.Record.Class == finding.ClassReplay && len(d.f.Case.Order) > 0:
		d.Text("The order is the one that the case itself gives as equivalent.")
	case d.f.Record.Class == finding.ClassReplay:
		d.Text("unknown: the finding has no sdg.json, which holds the dependencies.")
	case d.f.Searched() != nil:
		d.Text("The statements were run without transactions, and before each write its rows were asked for (%s).",
			d.f.PlanSetting())
	case d.f.Record.Class == finding.ClassPlan:
		d.Text("The statements are the same, in the same order, without transactions both times; only how the database "+
			"goes about them differs (%s).", d.f.PlanSetting())
	case d.f.Record.Class == finding.ClassCrash:
		d.Text("No statement may end the server.")
	case d.f.Complains():
		d.Text("The database was asked to check its tables, and says so itself.")
	case d.f.Record.Class == finding.ClassUnexpected || d.f.Record.Class == finding.ClassCorruption:
		d.Text("The error says that the database is damaged, or that the engine is at fault.")
	case d.f.Record.Class == finding.ClassHang && d.f.KeptLock():
		d.Text("All other transactions had ended, or waited as long themselves.")
	case d.f.Record.Class == finding.ClassHang:
		d.Text("Without transactions, after the same statements, it ends at once.")
	case d.f.Record.Class == finding.ClassInconsistent:
		d.cycle()
		d.Text("Nothing ran between the statement and the reads around it.")
	default:
		d.cycle()
	}
}

// edges says what the order keeps, and which statements it brings into another order.
func (d *Doc) edges(g *sdg.GraphDocument) {
	txn := map[string]int{}
	at := map[string]int{}
	for i, s := range g.Statements {
		txn[s.Name], at[s.Name] = s.Txn, i
	}
	place := map[string]int{}
	for i, name := range g.Order {
		place[name] = i
	}
	var cross []sdg.DocEdge
	for _, e := range g.Edges {
		if txn[e.From] != txn[e.To] {
			cross = append(cross, e)
		}
	}
	d.Text("In the order without transactions every statement comes after those whose versions it saw or overwrote, and "+
		"before those that overwrote what it saw; so each works on the same rows as in the transactions. %s",
		d.swapped(g, place))
	if len(cross) == 0 {
		d.Text("No statement of one transaction depends on one of another.")
		return
	}
	differ := d.differing()
	slices.SortStableFunc(cross, func(a, b sdg.DocEdge) int {
		return touches(b, differ) - touches(a, differ)
	})
	d.Text("The dependencies between the transactions:")
	for i, e := range cross {
		if i == maxEdges {
			d.item("and %d more", len(cross)-maxEdges)
			break
		}
		d.item("%s before %s: %s (%s)", e.From, e.To, e.Why, strings.Join(e.Labels, ", "))
	}
	d.WriteString("\n")
}

// swapped names a few pairs of statements that the order brings into another order than they really ran in.
func (d *Doc) swapped(g *sdg.GraphDocument, place map[string]int) string {
	var pairs []string
	for i, a := range g.Statements {
		for _, b := range g.Statements[i+1:] {
			if place[a.Name] > place[b.Name] && len(g.Order) == len(g.Statements) {
				pairs = append(pairs, fmt.Sprintf("%s and %s", a.Name, b.Name))
			}
		}
	}
	const few = 3
	switch {
	case len(pairs) == 0:
		return "It is the order in which they ran."
	case len(pairs) > few:
		pairs = append(pairs[:few], fmt.Sprintf("%d more pairs", len(pairs)-few))
	}
	return "Statements that it brings into another order do not depend on each other (" + strings.Join(pairs, ", ") + ")."
}

// differing are the statements that answer otherwise.
func (d *Doc) differing() []string {
	var out []string
	for _, x := range d.f.Record.Differences {
		out = append(out, x.Stmt)
	}
	return out
}

// touches says whether an edge concerns one of the statements.
func touches(e sdg.DocEdge, names []string) int {
	if slices.Contains(names, e.From) || slices.Contains(names, e.To) {
		return 1
	}
	return 0
}

// cycle explains a violation step by step; where the steps are dependencies, they make a cycle.
func (d *Doc) cycle() {
	for _, x := range d.f.Record.Differences {
		head := x.Told() + inBrackets(timeline.Called(x.What))
		if d.f.Record.Class == finding.ClassInconsistent {
			head = cmp.Or(x.Where(), head)
		}
		d.Text("%s:", head)
		var order []string
		for i := range x.Steps {
			edge, ok := before(&x.Steps[i])
			if ok {
				order = append(order, edge)
				d.item("%s: so %s", x.Steps[i].String(), edge)
			} else {
				d.item("%s", x.Steps[i].String())
			}
		}
		for i := range x.Failed {
			d.item("%s", x.Failed[i].String())
		}
		d.WriteString("\n")
		if len(order) == len(x.Steps) && len(order) > 1 {
			d.Text("They cannot hold together: no order of the transactions keeps them all.")
		}
	}
}

func inBrackets(s string) string {
	if s == "" {
		return ""
	}
	return " (" + s + ")"
}

// before says which transaction a step of an explanation puts before which.
func before(step *finding.Sentence) (string, bool) {
	first, second, ok := step.Precedes()
	from, _ := testcase.ParseRef(first)
	to, _ := testcase.ParseRef(second)
	return fmt.Sprintf("T%d comes before T%d", from.Txn, to.Txn), ok && from.Txn != to.Txn
}
