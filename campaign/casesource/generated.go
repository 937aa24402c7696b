package casesource

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"txweave/dbms"
	"txweave/dbms/registry"
	"txweave/gen"
	"txweave/gen/guide"
	"txweave/internal/former"
	"txweave/internal/version"
	"txweave/testcase"
	"txweave/weave"
)

// Cases makes the cases of a campaign by their numbers: what the generator draws, the best of several candidates, made
// to meet, under a setting, a plan and in a store of their own.
type Cases struct {
	seed    uint64
	dialect *gen.Dialect
	options gen.Options
	without []string // productions and parts that are switched off
	profile *dbms.Profile
	rows    int // that one table has in a case of manyShare; 0: no case has so many
}

// manyShare: one case in so many has a table of many rows, where that is wanted.
const manyShare = 16

// WithRows gives one table of one case in manyShare so many rows beyond the others; 0: none. All other cases are what
// they are without.
func (s *Cases) WithRows(n int) error {
	if n < 0 || n > gen.MostRows {
		return fmt.Errorf("--rows must be from 0 to %d", gen.MostRows)
	}
	s.rows = n
	return nil
}

// Rows is how many rows a table of some cases has.
func (s *Cases) Rows() int { return s.rows }

// optionsOf are those of a case: one with many rows has few table references, so that no join of them takes too long.
func (s *Cases) optionsOf(n int) (o gen.Options, many bool) {
	o = s.options
	if s.rows == 0 || rand.New(rand.NewPCG(gen.CaseSeed(s.seed, n), manyStream)).IntN(manyShare) > 0 {
		return o, false
	}
	o.Many, o.Refs = s.rows, 2
	return o, true
}

// What is done to every case, or to a share of them, beside what the generator draws, by the names that leave it out.
// docs/explanation/pace.md says what each gives.
const (
	partCandidates = "candidates" // a case is the best of several
	partConflicts  = "conflicts"  // transactions are made to overlap and conflict
	partPlan       = "plan"       // it is replayed under a plan setting
	partSetting    = "setting"    // it is run under one
	partStore      = "store"      // it lies in another store than the usual one

	partSecond    = "second-order" // some are replayed in a second order
	partSearches  = "searches"     // writes of the third execution are told what they find by a query before them
	partIntegrity = "integrity"    // the database is asked whether its tables are whole
	partBefore    = "before-reads" // the rows that a write overwrites are read before it
)

// Parts are the names of what can be left out beside the generator's productions.
func Parts() []string {
	return []string{partCandidates, partConflicts, partPlan, partSetting, partStore, partSecond, partSearches,
		partIntegrity, partBefore}
}

// Spare takes what is left out of every case from how cases are checked.
func (s *Cases) Spare(o *weave.Options) {
	if s.leaves(partSecond) {
		o.Orders = 1
	}
	if s.leaves(partIntegrity) {
		o.Integrity = 0
	}
	o.NoSearches, o.NoBefore = s.leaves(partSearches), s.leaves(partBefore)
}

// leaves says whether a part is left out.
func (s *Cases) leaves(part string) bool { return slices.Contains(s.without, part) }

// Seed is the campaign's.
func (s *Cases) Seed() uint64 { return s.seed }

// Without names the productions that are switched off.
func (s *Cases) Without() []string { return s.without }

// NewCases returns the cases of a seed, made without the productions that are named: see gen's tables.
func NewCases(seed uint64, p *dbms.Profile, without ...string) (*Cases, error) {
	d, err := registry.Lookup(p.DBMS)
	if err != nil {
		return nil, err
	}
	without = slices.Clone(without)
	for i, name := range without {
		without[i] = former.Parts.Now(name)
	}
	s := &Cases{seed: seed, dialect: d.Dialect, options: gen.Options{Tool: version.Tool, Isolation: p.Isolation,
		Weights: map[string]int{}}, without: without, profile: p}
	for _, name := range without {
		if !slices.Contains(Parts(), name) {
			s.options.Weights[name] = 0
		}
	}
	if _, err := s.Make(0); err != nil {
		return nil, err
	}
	return s, nil
}

// NewCasesFor is NewCases for a server of one version: what that version has not, or has wrong, is left out, too.
func NewCasesFor(serverVersion string, seed uint64, p *dbms.Profile, without ...string) (*Cases, error) {
	d, err := registry.Lookup(p.DBMS)
	if err != nil {
		return nil, err
	}
	return NewCases(seed, p, slices.Concat(without, gen.Missing(d.Dialect, serverVersion))...)
}

// Make generates a case by its number in the campaign.
func (s *Cases) Make(n int) (*testcase.Case, error) {
	c, _, err := s.Told(n)
	return c, err
}

// Again is the case of a seed over whose tables and rows other transactions run; 0: its own.
func (s *Cases) Again(seed, statements uint64) (*testcase.Case, error) {
	o := s.options
	o.Statements = statements
	return gen.Generate(seed, s.dialect, o)
}

// Seeds returns what makes cases of those of some cases that are of this campaign's kind: their Next is a CaseSource's
// Made.
func (s *Cases) Seeds(cases []*testcase.Case) *guide.Seeds {
	return guide.NewSeeds(s, s.profile, s.dialect.TxnForms.OwnLevels, cases)
}

// Told is Make with the names of the productions that the case is made of.
func (s *Cases) Told(n int) (*testcase.Case, map[string]bool, error) {
	c, uses, err := s.choose(n)
	if err != nil {
		return nil, nil, err
	}
	// Each case is executed a third time, under a setting of its own, drawn from a stream beside the generator's.
	plans, stores := s.profile.Alternatives(), s.profile.BriefStores()
	if rng := rand.New(rand.NewPCG(c.Seed, planStream)); !s.leaves(partPlan) && len(plans) > 0 {
		c.Options = append(c.Options, testcase.Option{Key: testcase.OptionPlan, Value: drawPlan(rng, plans, c)})
	}
	// One in underSetting is run and replayed under a setting.
	if rng := rand.New(rand.NewPCG(c.Seed, settingStream)); !s.leaves(partSetting) && rng.IntN(underSetting) == 0 {
		if settings := s.profile.Settings(); len(settings) > 0 {
			c.Options = append(c.Options, testcase.Option{Key: testcase.OptionSetting, Value: drawSetting(rng, settings)})
		}
	}
	if name := s.drawStore(n, c.Seed, stores, uses); name != "" {
		c.Options = append(c.Options, testcase.Option{Key: testcase.OptionStore, Value: name})
	}
	if name := s.profile.LastingStore(s.seed, n); name != "" {
		c.SetOption(testcase.OptionStore, name)
	}
	if _, many := s.optionsOf(n); many { // what makes transactions meet would take pkeys for others
		return c, uses, nil
	}
	if met, names := s.meet(c); met != nil {
		if c = met; slices.Contains(names, guide.Template) { // its statements are others
			uses = nil
		}
	}
	return c, uses, nil
}

// choose generates a case: mostly that of several candidates in which most statements can meet, as chance leaves the
// transactions of many of them without anything to see of each other (docs/explanation/cases.md).
func (s *Cases) choose(n int) (*testcase.Case, map[string]bool, error) {
	most := -1
	var best *gen.Sketch
	options, many := s.optionsOf(n)
	for i := range candidates {
		sketch, err := gen.Draw(gen.CaseSeed(s.seed+uint64(i)*candidateStream, n), s.dialect, options)
		if err != nil {
			return nil, nil, err
		}
		if i == 0 && (many || s.leaves(partCandidates) ||
			rand.New(rand.NewPCG(sketch.Case.Seed, candidateStream)).IntN(unchosen) == 0) {
			best = sketch
			break
		}
		if meetings := guide.Meetings(sketch.Case); meetings > most {
			best, most = sketch, meetings
		}
	}
	return best.Whole(), best.Uses, nil
}

// meet makes the transactions of a share of cases meet, where chance would not have them: between the right steps, on
// the right rows. It returns nil for a case that stays as it is.
func (s *Cases) meet(c *testcase.Case) (met *testcase.Case, names []string) {
	rng := rand.New(rand.NewPCG(c.Seed, meetStream))
	if rng.IntN(100) >= meeting || s.leaves(partConflicts) {
		return nil, nil
	}
	return guide.Meet(rng, c, s.profile, s.dialect.TxnForms.OwnLevels, func() *testcase.Case {
		o := s.options
		o.Statements = rng.Uint64() | 1
		related, err := gen.Draw(c.Seed, s.dialect, o)
		if err != nil {
			return nil // it is not needed
		}
		return related.Case.Number() // its rows are those of c
	})
}

// drawStore draws the shape of the store in which a case lies, by its name; "" where that is the usual one. One stretch
// of cases in stored lies in another, as a change of it costs the sessions; of those with checkpoints three in four, as
// what a reader has in memory a checkpoint cannot take from it. Of the others in which something is undone every second
// one lies in one that keeps few pages in memory, where there are such: what is taken back has then been written out.
func (s *Cases) drawStore(n int, seed uint64, stores []dbms.StoreShape, uses map[string]bool) string {
	if len(stores) == 0 || s.leaves(partStore) {
		return ""
	}
	if all := rand.New(rand.NewPCG(s.seed^storeStream, uint64(n/stretch))); all.IntN(stored) == 0 {
		//nolint:gosec // not negative
		return stores[all.IntN(len(stores))].Name
	}
	rng := rand.New(rand.NewPCG(seed, storeStream))
	if uses["ddl-checkpoint"] && rng.IntN(4) != 0 {
		return stores[rng.IntN(len(stores))].Name
	}
	spilling := slices.DeleteFunc(slices.Clone(stores), func(s dbms.StoreShape) bool { return !s.Spills })
	if len(spilling) > 0 && (uses["savepoint"] || uses["undoing"]) && rng.IntN(2) == 0 {
		return spilling[rng.IntN(len(spilling))].Name
	}
	return ""
}

// drawSetting draws a setting to run a case under: of those that there are one in three times the one under which keys
// are checked late, as that is a promise of its own and no other plan.
func drawSetting(rng *rand.Rand, settings []dbms.PlanSetting) string {
	at := rng.IntN(len(settings))
	if late := slices.IndexFunc(settings, func(s dbms.PlanSetting) bool { return s.LateKeys }); late >= 0 &&
		rng.IntN(3) == 0 {
		at = late
	}
	return dbms.Settled(settings, at, rng.IntN)
}

// drawPlan draws a setting. Every other time it is one that has queries read copies of the tables, or, one in three of
// these times, one that hides conditions from the planner: no other setting shows what a database answers from
// something else than its rows, a count that it keeps, the ends of an index, or what it makes of a condition, while
// those that change how rows are found overlap.
func drawPlan(rng *rand.Rand, plans []dbms.PlanSetting, c *testcase.Case) string {
	unfired := slices.IndexFunc(plans, func(p dbms.PlanSetting) bool { return p.Unfired })
	if unfired >= 0 && slices.ContainsFunc(c.Schema, func(s testcase.Stmt) bool {
		return strings.HasPrefix(s.SQL, "CREATE TRIGGER ")
	}) && rng.IntN(8) > 0 {
		return plans[unfired].Name // no other shows what a trigger does
	}
	copies := slices.IndexFunc(plans, func(p dbms.PlanSetting) bool { return p.Copies != nil })
	opaque := slices.IndexFunc(plans, func(p dbms.PlanSetting) bool { return p.Opaque })
	at := rng.IntN(2 * len(plans))
	switch {
	case at < len(plans) || copies < 0:
		return dbms.Settled(plans, at%len(plans), rng.IntN)
	case opaque >= 0 && rng.IntN(3) == 0:
		return plans[opaque].Name
	}
	return plans[copies].Name
}

// How often a case is run under a setting, lies in another store, or is made to meet, and the random streams that say
// so.
const (
	planStream      = 0x7478_7765_706c_616e
	stored          = 8
	stretch         = 16 // cases in the same store
	storeStream     = planStream + 1
	underSetting    = 6
	settingStream   = planStream + 2
	meeting         = 50 // of 100 cases: their transactions are made to meet
	meetStream      = planStream + 3
	candidates      = 6 // of which one is taken …
	unchosen        = 4 // … but in one of so many cases
	candidateStream = planStream + 4
	manyStream      = planStream + 5
)

// Text prints a case; of one that cannot be made, a remark that says why.
func (s *Cases) Text(n int) []byte {
	c, err := s.Make(n)
	if err != nil {
		return []byte("# " + err.Error() + "\n")
	}
	return c.Print()
}
