package guide

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"txweave/dbms"
	"txweave/sqltext"
	"txweave/testcase"
)

// Maker makes cases: those of the campaign by their numbers, and others over the same tables and rows.
type Maker interface {
	Seed() uint64
	Make(n int) (*testcase.Case, error)
	// Again is the case of a seed with other transactions; 0: with its own.
	Again(seed, statements uint64) (*testcase.Case, error)
}

// Guide decides what is tried next. Its methods may be called from several goroutines.
type Guide struct {
	mu      sync.Mutex
	source  Maker
	profile *dbms.Profile
	levels  []string
	parser  sqltext.Parser
	corpus  []*entry
	seeds   int             // in the corpus, of those that Seed added
	known   map[uint64]bool // digests of shapes
	given   map[int]*given  // mutants that are out, by their numbers
	store   *Corpus         // nil: nothing is kept
	tally   Tally
	// trimming is the case of the corpus that is being made smaller; nil: none.
	trimming *trimming
	// Watches says that every case is the generator's: what they show is counted, and kept, all the same.
	Watches bool
}

// Tally counts what guidance did.
type Tally struct {
	Shapes      int            `json:"shapes"`       // that are known, those of the corpus as it was included
	NewShapes   int            `json:"new_shapes"`   // that this campaign was the first to show
	FromMutants int            `json:"from_mutants"` // of them, shown by mutants
	Corpus      int            `json:"corpus"`       // cases to change
	Mutants     int            `json:"mutants"`      // cases that were made from others
	Unjudged    int            `json:"unjudged"`     // of them, those that could not be judged
	Trimmed     int            `json:"trimmed"`      // of them, those that took the place of the larger case that they were made from
	ByKind      map[string]int `json:"by_kind"`      // new shapes by their kinds
	ByOperator  map[string]int `json:"by_operator"`  // new shapes by the operators of their cases, each counted to all of these
	OverTime    []int          `json:"over_time"`    // new shapes after each 100 cases that were learned from
	learned     int
}

// entry is a case of the corpus.
type entry struct {
	c      *testcase.Case
	shapes int      // telling ones that it was the first to show
	tells  []string // they themselves, where they are known
	edges  int      // between its transactions
	born   int      // number of the case
	picked int      // how often it was changed
	heirs  int      // new telling shapes of what it was changed into
	// kin says that the generator makes others over its tables and rows.
	kin     bool
	trimmed bool // it has been made smaller, or is being made
	schema  *sqltext.Schema
}

// given is a mutant that is being checked.
type given struct {
	c         *testcase.Case
	parent    *entry
	operators []string
	trims     *trimming // it is a step of; nil: of none
}

// What guidance draws, in percent, and how far it goes.
const (
	freshShare   = 80 // cases of the campaign's by their numbers, among them those whose transactions are made to meet …
	freshBeside  = 50 // … until there were seedTries mutants for each seed
	seedTries    = 40
	edgesMost    = 32 // edges that count for a case's energy
	oftenChanged = 3  // operators that are applied, at most
	whole        = 70 // templates that nothing is done to afterwards
	attempts     = 6  // to make a mutant that can be judged, before the generator's case is taken
	maxCorpus    = 4000
)

// guideStream separates this package's random stream from others that start from the same seed.
const guideStream = 0x7478_7765_6775_6964

// New returns a guide for cases at a level, whose transactions may have levels of their own. store is where the corpus is kept
// between campaigns; nil: nowhere.
func New(ctx context.Context, src Maker, p *dbms.Profile, levels []string, store *Corpus) (*Guide, error) {
	g := &Guide{source: src, profile: p, levels: levels, parser: sqltext.SyntaxOf(p.DBMS).Grammar(), known: map[uint64]bool{}, given: map[int]*given{}, store: store,
		tally: Tally{ByKind: map[string]int{}, ByOperator: map[string]int{}}}
	if store == nil {
		return g, nil
	}
	cases, shapes, err := store.Load(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range shapes {
		g.known[digest(s)] = true
	}
	for _, c := range cases {
		g.take(c)
	}
	return g, nil
}

// Seed adds a case to the corpus that shows a known bug, so that cases like it are tried. Cases of another DBMS or level are passed over; it says
// whether this one was taken.
func (g *Guide) Seed(c *testcase.Case) bool {
	taken := g.take(c)
	if taken {
		g.seeds++
	}
	return taken
}

// take adds a case to the corpus that nobody has checked: a seed, or one of an earlier campaign's.
func (g *Guide) take(c *testcase.Case) bool {
	if c.Target != g.profile.DBMS || c.Isolation != g.profile.Isolation || len(c.Order) > 0 {
		return false
	}
	g.admit(&entry{c: c, shapes: 8, edges: edgesMost / 2, kin: g.isKin(c)}, 0) // what it shows nobody has counted
	return true
}

// isKin says whether the generator makes the tables and rows of a case from the seed that it names; indexes may have come since.
func (g *Guide) isKin(c *testcase.Case) bool {
	if c.Seed == 0 {
		return false
	}
	d, err := g.source.Again(c.Seed, 0)
	if err != nil || !slices.Equal(testcase.Texts(c.Rows), testcase.Texts(d.Rows)) {
		return false
	}
	schema := testcase.Texts(c.Schema)
	return !slices.ContainsFunc(testcase.Texts(d.Schema), func(sql string) bool { return !slices.Contains(schema, sql) })
}

// Next returns the case that is tried under a number: nil for the generator's of that number. What it returns is to be learned
// from, or forgotten, before the same number is asked for again.
func (g *Guide) Next(n int) []byte {
	g.mu.Lock()
	defer g.mu.Unlock()
	rng := rand.New(rand.NewPCG(g.source.Seed()^guideStream, uint64(n)))
	if g.Watches || rng.IntN(100) < g.fresh() || len(g.corpus) == 0 {
		return nil
	}
	if rng.IntN(100) < trimShare {
		if x := g.candidate(rng, n); x != nil {
			return g.give(n, x)
		}
	}
	for range attempts {
		if x := g.mutant(rng, g.pick(rng, n)); x != nil {
			return g.give(n, x)
		}
	}
	return nil
}

// fresh is in how many of 100 cases nothing is changed. Mutants repeat statements, and what a statement did not show it seldom shows the next time, so
// new cases find more (docs/guidance.md); whoever names seeds wants them changed.
func (g *Guide) fresh() int {
	if g.tally.Mutants < seedTries*g.seeds {
		return freshBeside
	}
	return freshShare
}

// give notes the mutant that is checked under a number, and returns its text. It lies on the server of the cases around it, whichever its parent lay on.
func (g *Guide) give(n int, x *given) []byte {
	name := x.c.Option(testcase.OptionStore)
	if lasting, s := g.profile.LastingStore(g.source.Seed(), n), g.profile.Store(name); lasting != "" || s != nil && s.Lasting() {
		x.c.SetOption(testcase.OptionStore, lasting)
	}
	g.given[n] = x
	return x.c.Print()
}

// Keeps lists the shapes that the mutant of a number is to be asked for, whoever showed them before: they decide what becomes of it.
func (g *Guide) Keeps(n int) []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	if x := g.given[n]; x != nil && x.trims != nil {
		return x.parent.tells
	}
	return nil
}

// mutant changes a case of the corpus; nil where what comes out cannot be judged, or is what went in.
func (g *Guide) mutant(rng *rand.Rand, e *entry) *given {
	if e.picked++; e.schema == nil {
		e.schema = sqltext.ReadSchema(testcase.Texts(e.c.Schema))
	}
	m := &mutator{rng: rng, profile: g.profile, levels: g.levels, parser: g.parser, c: e.c.Clone(),
		schema: e.schema, kin: func() *testcase.Case { return g.kin(rng, e) }}
	operators := m.change(func(o *operator) int { return o.weight })
	if operators == nil {
		return nil
	}
	m.c.SetOption(optionMutated, strings.Join(operators, " "))
	return &given{c: m.c, parent: e, operators: operators}
}

// optionMutated is the key of the header field that says how a case was made from another one.
const optionMutated = "mutated"

// pick draws a case of the corpus: those that showed much, whose heirs did, and that were not changed often, are drawn more often.
func (g *Guide) pick(rng *rand.Rand, n int) *entry {
	total := 0
	for _, e := range g.corpus {
		total += e.energy(n)
	}
	at := rng.IntN(total)
	for _, e := range g.corpus {
		if at -= e.energy(n); at < 0 {
			return e
		}
	}
	return g.corpus[0]
}

// energy is the weight of a case in a draw: a whole number, so that it is the same on every machine. A bug that transactions show needs an edge
// between them, and strikes one of many: a case has as many chances as edges.
func (e *entry) energy(n int) int {
	w := 64 * bits.Len(uint(e.shapes)) * (2 + bits.Len(uint(e.heirs))) / (4 + e.picked)
	w *= 1 + min(e.edges, edgesMost)
	return max(w*1000/(1000+max(n-e.born, 0)), 1)
}

// kin returns another case over the tables and rows of one: new ones of the generator's, and those of the corpus.
func (g *Guide) kin(rng *rand.Rand, e *entry) *testcase.Case {
	if e.kin && rng.IntN(100) < 60 {
		if c, err := g.source.Again(e.c.Seed, rng.Uint64()|1); err == nil {
			return c
		}
	}
	var fit []*entry
	for _, o := range g.corpus {
		if o != e && o.c.Seed == e.c.Seed && len(o.c.Rows) == len(e.c.Rows) && slices.Equal(testcase.Texts(o.c.Rows), testcase.Texts(e.c.Rows)) {
			fit = append(fit, o)
		}
	}
	if len(fit) == 0 {
		return nil
	}
	return fit[rng.IntN(len(fit))].c
}

// Lesson is what guidance learns of a case that was tried.
type Lesson struct {
	Shapes []string // those that are new, and those that Keeps lists
	Judged bool     // to its end
	Edges  int      // between transactions, in the graph that was replayed
}

// Learn notes what became of the case that was tried under a number. An error means that the corpus cannot be written.
func (g *Guide) Learn(n int, o Lesson) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	x := g.given[n]
	delete(g.given, n)
	if x != nil {
		g.tally.Mutants++
		if !o.Judged {
			g.tally.Unjudged++
		}
		if x.trims != nil {
			if err := g.trimmed(x, o); err != nil {
				return err
			}
		}
	}
	g.tick()
	fresh := g.unknown(o.Shapes)
	if len(fresh) == 0 {
		return nil
	}
	for _, s := range fresh {
		g.tally.ByKind[KindOf(s)]++
	}
	g.tally.NewShapes += len(fresh)
	telling := slices.DeleteFunc(slices.Clone(fresh), func(s string) bool { return !tells(s) })
	if x != nil {
		g.tally.FromMutants += len(fresh)
		for _, o := range slices.Compact(slices.Sorted(slices.Values(x.operators))) {
			g.tally.ByOperator[o] += len(fresh)
		}
		x.parent.heirs += len(telling)
	}
	if len(telling) == 0 {
		return g.store.note(fresh)
	}
	e := &entry{shapes: len(telling), tells: telling, edges: o.Edges, born: n}
	if x != nil && x.trims != nil && x.parent.c == x.c { // it is in the corpus already, and is to stay what it is now
		x.parent.shapes, x.parent.tells = x.parent.shapes+len(telling), slices.Concat(x.parent.tells, telling)
		return g.store.note(fresh)
	}
	if x != nil {
		e.c, e.kin = x.c, x.parent.kin
	} else {
		c, err := g.source.Make(n)
		if err != nil {
			return fmt.Errorf("case %d: %w", n, err)
		}
		e.c, e.kin = c, true
	}
	g.admit(e, n)
	if g.store == nil {
		return nil
	}
	return g.store.Add(e.c, fresh)
}

// tells says whether a shape takes a case into the corpus: what transactions did to each other, errors, plans. Pairs of features are so many
// that nearly every case shows a new one.
func tells(shape string) bool {
	switch KindOf(shape) {
	case ShapeEdge, ShapePath, ShapeCertificate, ShapeWait, ShapeLock, ShapeError, ShapePlan:
		return true
	}
	return false
}

// tick counts a case, and every hundredth time the shapes.
func (g *Guide) tick() {
	if g.tally.learned++; g.tally.learned%100 == 0 {
		g.tally.OverTime = append(g.tally.OverTime, g.tally.NewShapes)
	}
}

// unknown returns those of the shapes that nobody has shown, and notes them.
func (g *Guide) unknown(shapes []string) []string {
	var fresh []string
	for _, s := range shapes {
		if d := digest(s); !g.known[d] {
			g.known[d] = true
			fresh = append(fresh, s)
		}
	}
	return fresh
}

// admit adds a case to the corpus, in the place of the one that is of least use where there are too many.
func (g *Guide) admit(e *entry, n int) {
	if len(g.corpus) >= maxCorpus {
		least := 0
		for i, o := range g.corpus {
			if o.energy(n) < g.corpus[least].energy(n) {
				least = i
			}
		}
		g.corpus = slices.Delete(g.corpus, least, least+1)
	}
	g.corpus = append(g.corpus, e)
}

// Tally says what guidance did so far.
func (g *Guide) Tally() *Tally {
	g.mu.Lock()
	defer g.mu.Unlock()
	t := g.tally
	t.Shapes, t.Corpus = len(g.known), len(g.corpus)
	t.ByKind, t.ByOperator, t.OverTime = maps.Clone(t.ByKind), maps.Clone(t.ByOperator), slices.Clone(t.OverTime)
	return &t
}

// Close ends the writing of the corpus.
func (g *Guide) Close() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.trimming != nil {
		g.trimming.stop()
		g.trimming = nil
	}
	if g.store == nil {
		return nil
	}
	return errors.Join(g.store.Close())
}
