package guide

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"txweave/history"
	"txweave/instrument"
	"txweave/observe"
	"txweave/sqltext"
	"txweave/weave"
)

// The kinds of shapes: what stands before the first blank of each.
const (
	ShapeError   = "error"   // a statement's kind and the code of its error
	ShapeWait    = "wait"    // a statement that waited, the one that let it go, how it ended
	ShapeLock    = "lock"    // a statement that waited, and the mode of the lock that it waited for first
	ShapeFeature = "feature" // a statement's kind and one feature of its text
	ShapePair    = "pair"    // two statements of a transaction, by their classes
	ShapeNext    = "next"    // features of two neighbours in a transaction
	ShapeEdge    = "edge"    // an edge between transactions: labels and both ends' classes
	ShapeAcross  = "across"  // features of both ends of an edge between transactions
	ShapePath    = "path"    // two edges that follow each other, over at least two transactions
	// Two edges that meet in a transaction, as a certifier of serialization looks at them: what they are, which of the three were open at
	// once, who ended first (Cahill et al., Serializable Isolation for Snapshot Databases, section 3.2, looks at two rw edges and these).
	ShapeCertificate = "certificate"
	ShapeProduction  = "production" // of the generator's, in a case that was checked
)

// Shapes collects the shapes of cases, each of which it gives out once.
type Shapes struct {
	seen   map[uint64]bool
	parser sqltext.Parser
}

// NewShapes returns a collector for cases of a DBMS.
func NewShapes(dbms string) *Shapes {
	return &Shapes{seen: map[uint64]bool{}, parser: sqltext.SyntaxOf(dbms).Grammar()}
}

// digest names a shape, cut at its blanks, in maps: FNV-1a, as hash/fnv has it, without an allocation.
func digest(parts ...string) uint64 {
	const offset, prime = 14695981039346656037, 1099511628211
	h := uint64(offset)
	for i, p := range parts {
		if i > 0 {
			h = (h ^ ' ') * prime
		}
		for j := range len(p) {
			h = (h ^ uint64(p[j])) * prime
		}
	}
	return h
}

// look is what is known of one statement of a case while its shapes are listed.
type look struct {
	class    string   // kind, lock, how many tables, whether it waited
	kind     string   // the class's first word
	by       string   // what it finds its rows by
	features []string // of its text
}

// Of lists the shapes of a case that was checked, those that no case showed before, sorted. productions are the generator's that
// it is made of, nil where that is not known.
func (s *Shapes) Of(rep *weave.Report, productions map[string]bool) []string {
	var out []string
	s.each(rep, productions, func(parts ...string) {
		if d := digest(parts...); !s.seen[d] {
			s.seen[d] = true
			out = append(out, strings.Join(parts, " "))
		}
	})
	slices.Sort(out)
	return out
}

// Shown lists those of some shapes that a case shows, whoever showed them before; plans are not looked at.
func (s *Shapes) Shown(rep *weave.Report, shapes []string) []string {
	if len(shapes) == 0 {
		return nil
	}
	shown := map[uint64]bool{}
	s.each(rep, nil, func(parts ...string) { shown[digest(parts...)] = true })
	return slices.DeleteFunc(slices.Clone(shapes), func(shape string) bool { return !shown[digest(shape)] })
}

// each tells of the shapes of a case that was checked, of some more than once.
func (s *Shapes) each(rep *weave.Report, productions map[string]bool, add func(...string)) {
	if !rep.Checked || rep.First == nil {
		return
	}
	for name := range productions {
		add(ShapeProduction, name)
	}
	looks := map[string]*look{}
	for i := range rep.Plan.Txns {
		for _, b := range rep.Plan.Txns[i].Blocks {
			if b.Info != nil && !b.Control() {
				looks[b.Name()] = s.look(rep.Plan.Schema, b)
			}
		}
	}
	first(rep.First, looks, add)
	inTransactions(rep, looks, add)
	inGraph(rep, looks, add)
	certificates(rep, add)
}

// look reads one statement.
func (s *Shapes) look(schema *sqltext.Schema, b *instrument.Block) *look {
	l := &look{kind: b.Info.Kind.String()}
	if b.Info.Diff {
		l.kind += "-over"
	}
	if b.Info.Locking {
		l.kind += "-locking"
	}
	l.class = l.kind
	switch {
	case b.Info.Subquery || b.Info.SetOrCTE:
		l.class += "/nested"
	case len(b.Info.Tables) > 1:
		l.class += "/joined"
	}
	l.features, _ = s.parser.Features(b.SQL, false)
	l.by = access(schema, b)
	l.features = append(l.features, l.by)
	if b.Info.TotalOrder {
		l.features = append(l.features, "total-order")
	}
	return l
}

// access says by what a statement finds the rows of the table whose rows it judges one by one: the kind of key that its
// condition names.
func access(schema *sqltext.Schema, b *instrument.Block) string {
	t := schema.Table(b.Info.MatchTable)
	if t == nil {
		return "by:several"
	}
	if b.Info.MatchWhere == "" {
		return "by:nothing"
	}
	best := "by:column"
	rank := 0
	for _, tok := range sqltext.Significant(b.Info.MatchWhere, -1) {
		name, ok := tok.Ident()
		if !ok || t.Column(name) == nil {
			continue
		}
		switch {
		case rank < 3 && len(t.Key) > 0 && t.Key[0] == name:
			best, rank = "by:key", 3
		case rank < 2 && slices.Contains(t.Unique, name):
			best, rank = "by:unique", 2
		case rank < 1 && name == sqltext.PKey:
			best, rank = "by:pkey", 1
		}
	}
	return best
}

// first adds what the run of the case as it was made shows: errors and waits.
func first(obs *observe.Observation, looks map[string]*look, add func(...string)) {
	for _, st := range obs.Stmts {
		l := looks[st.Name]
		if l == nil {
			continue
		}
		for _, f := range l.features {
			add(ShapeFeature, l.kind, f)
		}
		ended := "ok"
		if st.Err != nil {
			ended = strconv.Itoa(st.Err.Code)
			add(ShapeError, l.kind, ended)
		}
		if st.Run != nil && st.Run.Lock != "" {
			add(ShapeLock, l.kind, l.by, st.Run.Lock, ended)
		}
		if st.Waited {
			l.class += "/waited"
			add(ShapeWait, l.class, "woken-by", waker(obs, st), ended)
		}
	}
}

// waker is what ended last, of other transactions, while a statement waited.
func waker(obs *observe.Observation, st *observe.ObservedStmt) string {
	by, at := "nobody", st.Sent
	for n := range obs.Txns {
		t := &obs.Txns[n]
		if n == st.Txn || t.Done > st.Done || t.Sent < at || t.Sent >= st.Done {
			continue
		}
		at, by = t.Sent, "COMMIT"
		if t.Outcome != history.Committed {
			by = "ROLLBACK"
		}
	}
	return by
}

// inTransactions adds what follows each other within the transactions of a case.
func inTransactions(rep *weave.Report, looks map[string]*look, add func(...string)) {
	for i := range rep.Plan.Txns {
		t := &rep.Plan.Txns[i]
		frame := sqltext.FirstWord(t.Begin)
		if t.Autocommit() {
			frame = "autocommit"
		}
		var before *look
		var all []*look
		for _, b := range t.Blocks {
			l := looks[b.Name()]
			if l == nil || rep.Fates[b.Name()] == weave.DroppedAborted {
				continue
			}
			add(ShapeFeature, l.kind, "in:"+frame+":"+t.Profile.Isolation)
			for _, e := range all {
				add(ShapePair, e.class, l.class)
			}
			if before != nil {
				cross(ShapeNext, "", before, l, add)
			}
			before, all = l, append(all, l)
		}
	}
}

// cross adds each pair of features of two statements.
func cross(shape, label string, a, b *look, add func(...string)) {
	for _, x := range a.features {
		for _, y := range b.features {
			if label == "" {
				add(shape, a.kind, x, b.kind, y)
			} else {
				add(shape, label, a.kind, x, b.kind, y)
			}
		}
	}
}

// inGraph adds edges between transactions, and paths of two edges.
func inGraph(rep *weave.Report, looks map[string]*look, add func(...string)) {
	g := rep.Graph
	if g == nil {
		return
	}
	at := func(node int) (*look, int) { return looks[g.Stmts[node].Name], g.Stmts[node].Txn }
	for i := range g.Edges {
		e := &g.Edges[i]
		a, from := at(e.From)
		b, to := at(e.To)
		if a == nil || b == nil {
			continue
		}
		if from != to {
			add(ShapeEdge, e.Labels.String(), a.class, b.class)
			for _, l := range e.Labels.Split() {
				cross(ShapeAcross, l.String(), a, b, add)
			}
		}
		for j := range g.Edges {
			f := &g.Edges[j]
			if f.From != e.To {
				continue
			}
			c, last := at(f.To)
			if c == nil || from == to && to == last {
				continue
			}
			add(ShapePath, a.kind, e.Labels.String(), b.kind, f.Labels.String(), c.kind, visit(from, to, last))
		}
	}
}

// visit says which of three transactions are the same.
func visit(a, b, c int) string {
	switch {
	case a == b:
		return "aab"
	case b == c:
		return "abb"
	case a == c:
		return "aba"
	}
	return "abc"
}

// Coverage is what a map of shapes holds.
type Coverage struct {
	Kind   string
	Shapes int
}

// KindOf is the kind of a shape.
func KindOf(shape string) string {
	kind, _, _ := strings.Cut(shape, " ")
	return kind
}

// Kinds lists the kinds of shapes in the order of this package's documents.
func Kinds() []string {
	return []string{ShapeProduction, ShapeFeature, ShapePair, ShapeNext, ShapeEdge, ShapeAcross, ShapePath, ShapeCertificate, ShapeError, ShapeWait, ShapeLock, ShapeStep, ShapePlan}
}

// Count counts shapes by their kinds.
func Count(shapes []string) []Coverage {
	n := map[string]int{}
	for _, s := range shapes {
		n[KindOf(s)]++
	}
	out := make([]Coverage, 0, len(Kinds()))
	for _, k := range Kinds() {
		out = append(out, Coverage{k, n[k]})
	}
	return out
}

// Gaps are what a map of shapes lacks of what its own words make possible.
type Gaps struct {
	Pairs []string // kinds of two statements of one transaction
	Edges []string // a label and the kinds of both ends
}

// Untouched lists the pairs of kinds of statements, of those that the map knows at all, that no transaction held, and that no edge
// of a label joined.
func Untouched(shapes []string) Gaps {
	kinds, labels := map[string]bool{}, map[string]bool{}
	have := map[string]bool{}
	for _, s := range shapes {
		f := strings.Fields(s)
		switch {
		case f[0] == ShapeFeature && len(f) > 1:
			kinds[f[1]] = true
		case f[0] == ShapeNext && len(f) == 5:
			have[f[1]+" "+f[3]] = true
		case f[0] == ShapeAcross && len(f) == 6:
			labels[f[1]] = true
			have[f[1]+" "+f[2]+" "+f[4]] = true
		}
	}
	var out Gaps
	for _, a := range slices.Sorted(maps.Keys(kinds)) {
		for _, b := range slices.Sorted(maps.Keys(kinds)) {
			if !have[a+" "+b] {
				out.Pairs = append(out.Pairs, a+" "+b)
			}
		}
	}
	for _, l := range slices.Sorted(maps.Keys(labels)) {
		for _, a := range slices.Sorted(maps.Keys(kinds)) {
			for _, b := range slices.Sorted(maps.Keys(kinds)) {
				if possible(l, a, b) && !have[l+" "+a+" "+b] {
					out.Edges = append(out.Edges, l+" "+a+" "+b)
				}
			}
		}
	}
	return out
}

// possible says whether an edge of a label can join statements of these kinds: one of them writes, and where the label says that
// the second one read or the first one did, it is they.
func possible(label, a, b string) bool {
	writes := func(kind string) bool { return !strings.HasPrefix(kind, sqltext.Select.String()) }
	switch {
	case strings.HasSuffix(label, "-write"):
		return writes(a) && (label == "value-write" || writes(b))
	case strings.HasSuffix(label, "-read"):
		return writes(a)
	}
	return writes(b)
}
