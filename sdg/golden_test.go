package sdg

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"txweave/history"
	"txweave/sql/sqltext"
)

// TestGolden runs the situations in testdata/golden. The input of a graph command is, line by line:
//
//	initial t 1@10 2@11(a=5)      rows of t as pkey@vkey, with contents where they matter
//	T1.S1 update | read t 1@10 2@11 | write t 1:10>20(a=6)
//
// in the order in which the statements ran. Parts of a statement:
//
//	read t 1@10 …      what its version-set read of t saw
//	cols t a b         the columns of t that it uses (default: all)
//	keycheck t         t is read for its unique keys only
//	out t 1@10 …       item outputs
//	write t 1:10>20    an update; 1:->20 inserts, 1:10>x deletes
//	where t a=5        match precision applies to t, with this WHERE clause
//	value              values that it writes depend on other rows
//
// The output has the edges, the feedback set's size or the number of orders, and what is unexplained.
func TestGolden(t *testing.T) {
	datadriven.Walk(t, "testdata/golden", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			precision := Exact
			for _, a := range d.CmdArgs {
				switch a.Key {
				case "column":
					precision = Column
				case "match":
					precision = Match
				}
			}
			in, err := parseGolden(d.Input)
			if err != nil {
				d.Fatalf(t, "%v", err)
			}
			g, err := Infer(in, precision)
			if err != nil {
				return err.Error() + "\n"
			}
			if d.Cmd == "json" {
				return printDocument(t, g)
			}
			if d.Cmd == "dot" {
				var b strings.Builder
				if err := g.DOT(&b); err != nil {
					d.Fatalf(t, "%v", err)
				}
				return b.String()
			}
			return printGolden(g)
		})
	})
}

// printDocument writes a graph as sdg.json holds it, and reads it back.
func printDocument(t *testing.T, g *Graph) string {
	t.Helper()
	doc := g.Document([]string{"T0.S0", "T1.S0"})
	var b strings.Builder
	if err := doc.Write(&b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	back, err := ReadDocument(strings.NewReader(text))
	if err != nil || !reflect.DeepEqual(back, doc) {
		t.Errorf("read back as %+v, %v", back, err)
	}
	return text
}

// goldenParser holds what the lines so far say.
type goldenParser struct {
	in       *Input
	contents map[history.Version]map[string]string
	where    []func(map[string]string) bool
}

func parseGolden(text string) (*Input, error) {
	p := &goldenParser{in: &Input{Initial: map[string]map[int64]int64{}},
		contents: map[history.Version]map[string]string{}}
	for _, line := range strings.Split(text, "\n") {
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		var err error
		if f[0] == "initial" {
			p.in.Initial[f[1]], err = p.rows(f[1], f[2:])
		} else {
			err = p.stmt(line)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", line, err)
		}
	}
	p.in.Content = func(v history.Version) map[string]string { return p.contents[v] }
	p.in.Matches = func(i int, v history.Version) (bool, bool) {
		c := p.contents[v]
		if c == nil || p.where[i] == nil {
			return false, false
		}
		return p.where[i](c), true
	}
	return p.in, nil
}

// version parses vkey or vkey(a=1,b=2).
func (p *goldenParser) version(item history.Item, s string) (int64, error) {
	key, content, has := strings.Cut(strings.TrimSuffix(s, ")"), "(")
	v, err := strconv.ParseInt(key, 10, 64)
	if has {
		m := map[string]string{}
		for _, kv := range strings.Split(content, ",") {
			name, value, _ := strings.Cut(kv, "=")
			m[name] = value
		}
		p.contents[history.Version{Item: item, VKey: v}] = m
	}
	return v, err
}

// rows parses 1@10 2@11(a=5) ….
func (p *goldenParser) rows(table string, fields []string) (map[int64]int64, error) {
	m := map[int64]int64{}
	for _, f := range fields {
		pk, rest, _ := strings.Cut(f, "@")
		pkey, err := strconv.ParseInt(pk, 10, 64)
		if err != nil {
			return nil, err
		}
		if m[pkey], err = p.version(history.Item{Table: table, PKey: pkey}, rest); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func (p *goldenParser) stmt(line string) error {
	parts := strings.Split(line, "|")
	head := strings.Fields(parts[0])
	s := Node{Name: head[0]}
	if _, err := fmt.Sscanf(head[0], "T%d.", &s.Txn); err != nil {
		return err
	}
	s.Kind = sqltext.Kind(slices.Index([]string{"select", "insert", "update", "delete"}, head[1]))
	p.where = append(p.where, nil)
	for _, part := range parts[1:] {
		if err := p.part(&s, strings.Fields(part)); err != nil {
			return err
		}
	}
	p.in.Stmts = append(p.in.Stmts, s)
	return nil
}

func (p *goldenParser) part(s *Node, f []string) error {
	table := ""
	if len(f) > 1 {
		table = f[1]
	}
	read := func() *TableRead {
		return &s.Reads[slices.IndexFunc(s.Reads, func(r TableRead) bool { return r.Table == table })]
	}
	switch f[0] {
	case "read":
		seen, err := p.rows(table, f[2:])
		s.Reads = append(s.Reads, TableRead{Table: table, Seen: seen})
		return err
	case "out":
		seen, err := p.rows(table, f[2:])
		for pkey, vkey := range seen {
			s.Out = append(s.Out, history.Version{Item: history.Item{Table: table, PKey: pkey}, VKey: vkey})
		}
		return err
	case "write":
		for _, x := range f[2:] {
			if err := p.write(s, table, x); err != nil {
				return err
			}
		}
	case "cols":
		read().Columns = append([]string{}, f[2:]...)
	case "keycheck":
		read().KeyCheck = true
	case "where":
		s.MatchTable = table
		name, value, _ := strings.Cut(f[2], "=")
		p.where[len(p.where)-1] = func(c map[string]string) bool { return c[name] == value }
	case "value":
		s.ValueDepends = true
	default:
		return fmt.Errorf("unknown part %q", f[0])
	}
	return nil
}

func (p *goldenParser) write(s *Node, table, x string) error {
	pk, rest, _ := strings.Cut(x, ":")
	from, to, _ := strings.Cut(rest, ">")
	pkey, err := strconv.ParseInt(pk, 10, 64)
	if err != nil {
		return err
	}
	w := history.Write{Item: history.Item{Table: table, PKey: pkey}, From: history.Unborn, To: history.Dead}
	if from != "-" {
		v, err := p.version(w.Item, from)
		if err != nil {
			return err
		}
		w.From = history.State(v)
	}
	if to != "x" {
		v, err := p.version(w.Item, to)
		if err != nil {
			return err
		}
		w.To = history.State(v)
	}
	s.Writes = append(s.Writes, w)
	return nil
}

// printGolden writes a graph as the goldens show it.
func printGolden(g *Graph) string {
	var b strings.Builder
	if len(g.Edges) == 0 {
		b.WriteString("no edges\n")
	}
	for i := range g.Edges {
		e := &g.Edges[i]
		fmt.Fprintf(&b, "%s -> %s  %s\n", g.name(e.From), g.name(e.To), e.Labels)
		for _, why := range strings.Split(g.Explain(e), "; ") {
			fmt.Fprintf(&b, "    %s\n", why)
		}
	}
	names := func(nodes []int) string {
		var ns []string
		for _, v := range nodes {
			ns = append(ns, g.name(v))
		}
		return strings.Join(ns, " ")
	}
	for _, c := range g.Cycles() {
		fmt.Fprintf(&b, "cycle: %s\n", names(c))
	}
	if set := g.FeedbackSet(rand.New(rand.NewPCG(1, 1))); len(set) > 0 {
		fmt.Fprintf(&b, "drop %d\n", len(set))
	} else {
		orders := allOrders(g)
		fmt.Fprintf(&b, "orders: %d\n", len(orders))
		for i := 0; i < len(orders) && len(orders) <= 3; i++ {
			fmt.Fprintf(&b, "    %s\n", names(orders[i]))
		}
	}
	for _, u := range g.Unexplained {
		fmt.Fprintf(&b, "unexplained: %s %s\n", g.name(u.Stmt), u)
	}
	return b.String()
}

// allOrders lists every topological order of a small graph.
func allOrders(g *Graph) (orders [][]int) {
	placed := make([]bool, len(g.Stmts))
	var order []int
	var visit func()
	visit = func() {
		if len(order) == len(g.Stmts) {
			orders = append(orders, slices.Clone(order))
			return
		}
		for v := range g.Stmts {
			if placed[v] || slices.ContainsFunc(g.pred[v], func(u int32) bool { return !placed[u] }) {
				continue
			}
			placed[v], order = true, append(order, v)
			visit()
			placed[v], order = false, order[:len(order)-1]
		}
	}
	visit()
	return orders
}
