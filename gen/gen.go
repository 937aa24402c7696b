// Package gen generates test cases: a schema, initial rows, transactions and a schedule.
//
// Its claim: the same seed, dialect and options give the same case on every machine, and every statement of a
// case is valid by construction and has one possible result, whatever plan, index or row order the server uses.
// The errors that a write may raise by itself are those of its values: a duplicate key, a violated CHECK, foreign key
// or NOT NULL, a value that its column does not take, a division by zero, an overflow, many rows where one is wanted:
// they stand where every row that is written evaluates them. In a query the plan decides whether such an error arises,
// or how often a warning does: sqltext.Analysis.PlanDecides says so, and only its rows are compared.
//
// Left out, with the reason:
//   - GROUP_CONCAT, LIMIT and window functions that tell rows apart without a total order: the result can depend on the
//     row order;
//   - SUM and AVG over DOUBLE, fractions, ROUND: the result can depend on the order or on the engine's rounding;
//   - functions of time, randomness, user or connection: no result to compare;
//   - in the WHERE clause of a write, divisions and conversions of texts beside other conditions: the plan decides
//     whether they are errors;
//   - user variables, procedures: not in the case model yet;
//   - writes through views;
//   - UPDATE IGNORE of several rows that could collide: which of them are passed over depends on the order in which
//     they are met;
//   - columns whose values can be equal and yet differ (case-insensitive and padded collations) in GROUP BY, DISTINCT
//     and set operations: any of the equal values may come out. They are read by their bytes there, and bare in
//     predicates; nor are they read by subqueries of the query around them, whose answers a server may remember by
//     values that compare as equal;
//   - a subquery of an UPDATE's SET list or of VALUES that reads the target table: engines evaluate it against a
//     table that is half changed.
package gen

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"txweave/testcase"
)

// stream separates this package's random stream from others that start from the same seed.
const stream = 0x7478_7765_6176_6531

// sessionStream is the random stream of sessions. It is one of its own, so that a case without shared sessions
// is the same whether or not there are such cases.
const sessionStream = stream + 1

// sideStream is the random stream of what stands beside the statements of transactions, such as savepoints: a case
// without any is the same whether or not there are such cases.
const sideStream = stream + 2

// A Range is an inclusive range of sizes. The zero Range means the documented default.
type Range struct{ Min, Max int }

// check reports whether the range is usable with lo as its smallest value.
func (r Range) check(name string, lo, hi int) error {
	if r.Min < lo || r.Max < r.Min || r.Max > hi {
		return fmt.Errorf("gen: %s %d..%d: want %d <= min <= max <= %d", name, r.Min, r.Max, lo, hi)
	}
	return nil
}

// Options says what kind of case to generate. The zero value of a size means its default.
type Options struct {
	Tool      string // version of the tool, copied into the case
	Isolation string // profile name, copied into the case; it also decides which BEGIN texts are possible

	Tables  Range // tables in the schema; default 1..5, few more often than many
	Columns Range // columns per table beyond pkey, vkey, pvkey; default 1..6, few more often than many
	Rows    Range // initial rows over all tables; default 0..80, few more often than many
	Txns    Range // transactions; default 2..6
	Stmts   Range // target statements over all transactions; default 8..16
	Many    int   // rows that one of the tables has beyond the others; default 0, at most MostRows
	Refs    int   // table references that one query statement may hold, subqueries included; default 5
	Depth   int   // nesting depth of expressions; default 3

	// Statements seeds what comes after the tables and their rows, for other transactions on the same ones; 0: the case's
	// seed does.
	Statements uint64

	// Beside defines a column that every table has after those that its statements know of; "": none. FirstVKey is the
	// vkey of the first statement that gives one; 0: 1001. The next one has the next number.
	Beside    string
	FirstVKey int64

	// Weights replaces the weight of productions by their name (see weights.go). It wins over the dialect's.
	Weights map[string]int
}

// withDefaults fills the sizes that are zero.
func (o Options) withDefaults() (Options, error) {
	o.Tables = cmp.Or(o.Tables, Range{1, 5})
	o.Columns = cmp.Or(o.Columns, Range{1, 6})
	o.Rows = cmp.Or(o.Rows, Range{0, 80})
	o.Txns = cmp.Or(o.Txns, Range{2, 6})
	o.Stmts = cmp.Or(o.Stmts, Range{8, 16})
	if o.Refs == 0 {
		o.Refs = 5
	}
	if o.Depth == 0 {
		o.Depth = 3
	}
	err := errors.Join(
		o.Tables.check("Tables", 1, 20),
		o.Columns.check("Columns", 1, 20),
		o.Rows.check("Rows", 0, 900),
		o.Txns.check("Txns", 1, 50),
		o.Stmts.check("Stmts", 1, 500))
	err = errors.Join(err, checkWeights(o.Weights))
	if o.Many < 0 || o.Many > MostRows {
		err = errors.Join(err, fmt.Errorf("gen: Many is %d: want 0 to %d", o.Many, MostRows))
	}
	if o.Depth < 0 || o.Refs < 1 {
		err = errors.Join(err, errors.New("gen: Depth and Refs must not be negative"))
	}
	return o, err
}

// CaseSeed returns the seed of case n of a campaign: two rounds of splitmix64 over both numbers, so that
// neighbouring cases and neighbouring campaigns share nothing.
func CaseSeed(campaign uint64, n int) uint64 {
	return mix(mix(campaign+0x9e3779b97f4a7c15) + uint64(n)*0x9e3779b97f4a7c15)
}

// mix is the finalizer of splitmix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014).
func mix(z uint64) uint64 {
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}

// Generate returns the case of a seed. An error means that the options are unusable.
func Generate(seed uint64, d *Dialect, o Options) (*testcase.Case, error) {
	c, _, err := GenerateTold(seed, d, o)
	return c, err
}

// GenerateTold returns the case of a seed, and the names of the productions that it is made of.
func GenerateTold(seed uint64, d *Dialect, o Options) (*testcase.Case, map[string]bool, error) {
	s, err := Draw(seed, d, o)
	if err != nil {
		return nil, nil, err
	}
	return s.Whole(), s.Uses, nil
}

// Sketch is a case whose rows are drawn but not written yet, as most sketches are thrown away.
type Sketch struct {
	Case *testcase.Case  // without its rows, and without numbers
	Uses map[string]bool // names of the productions that it is made of
	rows []func() testcase.Stmt
}

// Whole writes the rows. It is called once.
func (s *Sketch) Whole() *testcase.Case {
	for _, row := range s.rows {
		s.Case.Rows = append(s.Case.Rows, row())
	}
	return s.Case.Number()
}

// Draw is Generate without writing the rows.
func Draw(seed uint64, d *Dialect, o Options) (*Sketch, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	g := &generator{uses: map[string]bool{}, d: d, o: o, nextVkey: cmp.Or(o.FirstVKey, firstVkey)}
	g.makeRoom()
	g.reseed(seed, o.Depth)
	g.decScale = g.between(1, 3)
	c := &testcase.Case{Tool: o.Tool, Seed: seed, Target: d.Name, Isolation: o.Isolation}
	g.blind = g.wants("no-op-update")
	g.drawForms()
	c.Schema = g.schema()
	rows := g.rows()
	c.Schema = append(c.Schema, g.drawViews()...)
	triggers := g.drawTriggers()
	c.Schema, g.triggered = append(c.Schema, triggers...), len(triggers) > 0
	if o.Statements != 0 {
		g.reseed(o.Statements, o.Depth)
	}
	c.Txns, c.Schedule = g.txns()
	return &Sketch{Case: c, Uses: g.uses, rows: rows}, nil
}

// reseed begins new random streams and draws what the case concentrates on.
func (g *generator) reseed(seed uint64, depth int) {
	g.rng, g.sessionRNG = rand.New(rand.NewPCG(seed, stream)), rand.New(rand.NewPCG(seed, sessionStream))
	g.sideRNG, g.seed, g.streams = rand.New(rand.NewPCG(seed, sideStream)), seed, map[string]*rand.Rand{}
	g.weights = slices.Repeat([]int{-1}, registered+1)
	g.style = g.drawStyle()
	g.ascending = g.d.QueryForms.Ascending && !g.wants("descending")
	g.undoing, g.chaining = g.wants("undoing"), g.wants("chain")
	if g.o.Depth = depth; g.wants("deep-nesting") {
		g.o.Depth += 2
	}
}

// firstVkey is the first vkey of a generated statement; the initial rows use 1, 2, ….
const firstVkey = 1001

// generator is the state of one Generate call.
type generator struct {
	rng        *rand.Rand
	sessionRNG *rand.Rand
	sideRNG    *rand.Rand
	seed       uint64
	streams    map[string]*rand.Rand // of the productions that are drawn apart
	d          *Dialect
	o          Options
	style      style
	weights    []int           // of productions by their places, -1 where nobody has asked
	uses       map[string]bool // productions that were drawn

	before []testcase.Stmt // that the next table needs: keys of those before it

	blind     bool // some UPDATEs give rows no version of their own
	ascending bool // nothing is read in descending order
	undoing   bool // much is undone
	chaining  bool // ends of transactions begin the next ones
	deferred  bool // some transactions that only read wait for a snapshot in which no anomaly can be
	tables    []*table
	viewed    []*view
	triggered bool // some table has triggers
	// scale of every DECIMAL in the case: one scale, so that branches and unions never mix two
	decScale  int
	pools     [numFamilies][]string // literals that the columns of the case share
	forms     map[string]bool       // ways of writing statements that the case has
	scratches int                   // tables that the answers of queries went through so far
	nextVkey  int64                 // vkey of the next INSERT or UPDATE
	inserts   int                   // INSERT statements so far, and the bases that are skipped
	skipped   int                   // bases of pkeys that a case with many rows leaves out
	fresh     int                   // values handed out that no unique index holds

	// per statement
	aliases  int                // table aliases handed out
	exprs    int                // output names handed out
	refs     int                // table references that may still be used
	nesting  int                // derived tables that enclose what is being made
	banned   *table             // table that subqueries must not read
	cte      *cte               // the common table expression of the statement, that subqueries may read; nil: none
	careless bool               // values of unique columns mostly exist already
	calm     bool               // no expression may raise an error of which the plan decides whether it arises
	named    []int64            // pkeys of the rows that a write names
	given    map[*column]string // values of columns of the rows that an INSERT spells; others are drawn
	txn      *txnState
}

// between returns a number in [lo, hi].
func (g *generator) between(lo, hi int) int { return lo + g.rng.IntN(hi-lo+1) }

// size returns a number in the range.
func (g *generator) size(r Range) int { return g.between(r.Min, r.Max) }

// small returns a number in the range, more often a small one: it is below a number that is itself drawn.
func (g *generator) small(r Range) int {
	return g.between(r.Min, g.between(min(r.Min+1, r.Max), r.Max))
}

// pct reports true in p of 100 cases.
func (g *generator) pct(p int) bool { return g.rng.IntN(100) < p }

// oneOf returns an element of s, all equally likely.
func oneOf[T any](g *generator, s []T) T { return s[g.rng.IntN(len(s))] }

// startStmt resets the state that belongs to one statement.
func (g *generator) startStmt() {
	g.aliases, g.exprs, g.refs, g.banned, g.careless, g.calm, g.named = 0, 0, g.o.Refs, nil, false, true, g.named[:0]
	g.cte = nil
}

// vkey returns the vkey of the next INSERT or UPDATE statement.
func (g *generator) vkey() int64 {
	g.nextVkey++
	return g.nextVkey - 1
}

// insertBase returns the base of the pkeys that the next INSERT statement writes: the k-th one has 1000·2^k, and
// adds to it either a number below 1000 or the pkey of a source row. A pkey then names the INSERTs that it
// went through, so it is unique, and the same in every order of execution.
func (g *generator) insertBase() int64 {
	g.inserts++
	return firstInserted << g.inserts
}

// firstInserted is above the pkeys of the rows that a case begins with.
const firstInserted = 1000

// maxInserts bounds the INSERT statements of a case, so that a pkey stays below 2^31.
const maxInserts = 18
