// Package weave takes one case through its life: run, judge, refine, replay, compare, confirm. All oracles judge its
// runs; statements that one of them blames leave, like those that wait or close a cycle, and the rest goes on to
// its replay.
package weave

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"txweave/dbms"
	"txweave/exec"
	"txweave/fault"
	"txweave/finding"
	"txweave/history"
	"txweave/instrument"
	"txweave/oracle/observe"
	"txweave/sdg"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// Runner is what weaving needs of a database.
type Runner interface {
	// Load creates the plan's tables anew and returns their initial contents.
	Load(*instrument.Plan) (map[string]*history.Rows, error)
	// Run executes steps in transactions on reset tables. With an error it returns what had happened until then, or nil.
	Run(*instrument.Plan, []instrument.Step) (*observe.Run, error)
	// Replay executes blocks' targets in autocommit on reset tables.
	Replay([]*instrument.Block) (*observe.Replayed, error)
	// Watch is Replay with every table read before and after each statement.
	Watch([]*instrument.Block) (*observe.Replayed, error)
	// ReplayUnder is Replay under a plan setting, with searches before writes; see exec.Runner.
	ReplayUnder([]*instrument.Block, *dbms.PlanSetting) (*observe.Replayed, error)
	// Reopen replaces every connection by a new one.
	Reopen() error
	// Matching returns which of the versions a WHERE clause matches; see exec.Runner.
	Matching(exec.MatchQuery) (map[history.Version]bool, error)
	// Complaints asks the database whether its tables are whole; see exec.Runner.
	Complaints() ([]string, error)
	// ComplainsCheaply says whether that costs next to nothing.
	ComplainsCheaply() bool
	// SeesDeadlocks says whether the database detects each deadlock of row locks, and ends it.
	SeesDeadlocks() bool
	// Alive is nil while the database answers; see exec.Target.
	Alive() error
	// Over is why nothing more may be run; nil while something may.
	Over() error
	// Log is the tail of the server's log; "" where there is none.
	Log() string
}

// Options of a check.
type Options struct {
	// Orders are the topological orders to replay; 0: two, which a finding is looked for with.
	Orders    int
	Precision sdg.Precision // the finest equivalence that may be used to break cycles
	Repeats   int           // repetitions of what was found; 0: 5
	// Known says of a signature that enough findings with it have been confirmed: more are repeated once at most. nil: of
	// none.
	Known func(signature string) bool
	// Integrity asks the database whether the tables are whole in each case whose Number is a multiple of it; 0: only
	// where something is found.
	Integrity int
	Number    int
	// Blind says that the case was made without knowing which row a REPLACE replaces, where the table's pkey is no key of
	// it: see instrument's CheckKeys.
	Blind bool
	// NoSearches and NoBefore leave out the searches of third executions, and the reads of what a write is going to
	// overwrite: to see what these give.
	NoSearches, NoBefore bool
	// Explore asks for the report's Explored.
	Explore bool
}

// Limits on how often a case is run again; both loops end anyway, because blocks only leave.
const (
	maxReschedules = 4  // runs with a changed order before blocks that still wait are dropped
	maxRounds      = 40 // runs in all
)

// Fate is what became of a generated statement.
type Fate uint8

// The fates of a statement.
const (
	Survived       Fate = iota
	DroppedBlocked      // it waited in every order tried, concurrency undid it, or it may have read two views at once
	DroppedCyclic       // dropped to break a cycle of the graph
	DroppedAborted      // its transaction did not commit
	DroppedBlamed       // an oracle blames it
)

// Reason is why a case was not judged to its end.
type Reason uint8

// The reasons.
const (
	NoReason      Reason = iota
	StillChanging        // too many runs, and statements still waited or closed cycles
	GivenUp              // the database gave up a statement that the case's own order names
	AllFailed            // all statements that the case's own order names fail, in transactions as without
)

// String returns the reason as summaries print it.
func (r Reason) String() string {
	switch r {
	case StillChanging:
		return "still changing after many runs"
	case GivenUp:
		return "the database gave up a statement that the order names (deadlock, write conflict or lock-wait time-out)"
	case AllFailed:
		return "every statement that the order names failed, in transactions as without: nothing was compared"
	}
	return ""
}

// Report is what became of one case.
type Report struct {
	Plan    *instrument.Plan
	Outcome finding.CaseOutcome
	Why     Reason          // of Unchecked
	Fates   map[string]Fate // by block name
	// Malformed are, by name, the statements that the database did not understand in the first run, and what it said.
	Malformed []string
	Errored   int // statements that failed deterministically in the first run
	// Effective statements returned or changed at least one row in the first run, Rows all that they returned and changed.
	Effective, Rows int
	// Searches are the statements of which it is known which rows of a table they touch, Partial those of them that touch
	// at least one and not all, in the first run.
	Searches, Partial int
	Runs, Replays     int
	Checked           bool // a replay was compared to its end; at a level without one: the run was judged
	// NotJudged says of oracles that did not judge the case why not.
	NotJudged map[string]string
	// Overlapping: at least two surviving transactions were open at once in the run that was replayed.
	Overlapping bool
	// OverlapEdge: two transactions that overlapped have an edge between them.
	OverlapEdge bool
	CrossEdges  map[sdg.Label]int
	Graph       *sdg.Graph           // of the run that was replayed; nil if none was
	First       *observe.Observation // of the case as generated; nil where the case gives an order of its own
	Explored    *Explored            // nil unless it was asked for
	Findings    []*Evidence
	Unconfirmed []*Evidence // what did not come back each time and does not stand on its trace
	// Spoilt says that the database is not to be used any more: it answered with corruption, or a statement hangs.
	Spoilt bool
}

// Explored is what the first run says of other interleavings of the case.
type Explored struct {
	Order []instrument.Step // in which the steps were completed
	// Finds says, by the names of a SELECT whose rows are judged one by one and of a statement of another transaction,
	// whether that wrote a row which the SELECT finds, as it was before or as it became.
	Finds map[[2]string]bool
}

// Evidence is a finding with the executions that show it.
type Evidence struct {
	finding.Finding
	Run         *observe.Run
	Observation *observe.Observation // nil where the case gives an order of its own
	Replayed    *observe.Replayed    // nil if the run alone shows it
	Graph       *sdg.Graph
	Order       []string // block names in the order of the replay
	// readMends says that the replay answers as the run does with reads of the tables between its statements
	readMends bool
}

// checker checks one case.
type checker struct {
	Runner
	opt     Options
	rng     *rand.Rand
	plan    *instrument.Plan
	setting *dbms.PlanSetting // of the third execution; nil: there is none
	initial map[string]*history.Rows
	rep     *Report
	dropped map[instrument.Step]bool
	judged  bool // by the oracles that judge one run of a case
	// reschedules are how often it was run anew because statements waited.
	reschedules int
	// last are the steps of the last run, and the run itself, even if it did not come to its end.
	last struct {
		steps []instrument.Step
		run   *observe.Run
	}
	// matchErr is an error that the match oracle met: inference asks it through a function without one.
	matchErr error
	damage   damage
	unsound  bool // the database has complained of its tables, and that is a finding
}

// stream separates this package's random stream from others that start from the same seed.
const stream = 0x7478_7765_6176_6532

// Check runs one case, judges and refines it until its statements can be sorted, replays it and compares. A case that
// gives an order of its own is run as it is and compared with that order. Errors are the environment's or ours; what
// the database did wrong is in the report.
func Check(r Runner, c *testcase.Case, p *dbms.Profile, o Options) (*Report, error) {
	if o.Orders == 0 {
		o.Orders = 2
	}
	if o.Repeats == 0 {
		o.Repeats = 5
	}
	k, err := newChecker(r, c, p, o)
	if err == nil {
		check := k.check
		if len(c.Order) > 0 {
			check = k.checkOwnOrder
		}
		if err = check(); err == nil && !k.rep.Spoilt && (k.due() || len(k.rep.Findings)+len(k.rep.Unconfirmed) > 0) {
			err = k.integrity()
		}
	}
	if err != nil && k != nil {
		err = k.broken(err)
	}
	if err != nil {
		return nil, err
	}
	k.conclude()
	return k.rep, nil
}

// conclude says what became of the case, and to what its findings come down of which some tell of damage.
func (k *checker) conclude() {
	for _, damage := range k.rep.Findings { // what is unconfirmed is no fact by which others are explained
		for _, ev := range slices.Concat(k.rep.Findings, k.rep.Unconfirmed) {
			if finding.Explains(damage.Cause, ev.Class, ev.Cause) {
				ev.Cause = damage.Cause
			}
		}
	}
	switch {
	case len(k.rep.Findings)+len(k.rep.Unconfirmed) > 0:
		k.rep.Outcome, k.rep.Why = finding.Found, NoReason
	case k.rep.Why != NoReason:
		k.rep.Outcome = finding.Unchecked
	}
}

// Prepare plans the check of a case: its probes, unless it gives an order. An error is of type *UnjudgeableError.
func Prepare(c *testcase.Case, p *dbms.Profile) (*instrument.Plan, error) {
	prepare := instrument.Instrument
	if len(c.Order) > 0 {
		if p.Guarantees.NoReplay != "" {
			return nil, &UnjudgeableError{Reason: fmt.Errorf("an order to compare with at %s: %s", p.Isolation,
				p.Guarantees.NoReplay)}
		}
		prepare = instrument.Plain
	}
	plan, err := prepare(c, p.Under(p.PlanSetting(c.Option(testcase.OptionSetting))))
	if err != nil {
		return nil, &UnjudgeableError{Reason: err}
	}
	return plan, nil
}

// newChecker prepares the check of a case: its probes, unless it gives an order, and its tables.
func newChecker(r Runner, c *testcase.Case, p *dbms.Profile, o Options) (*checker, error) {
	given := len(c.Order) > 0
	plan, err := Prepare(c, p)
	if err != nil {
		return nil, err
	}
	plan.Leave(o.NoSearches, o.NoBefore)
	setting, err := settingOf(c, p)
	if err != nil {
		return nil, &UnjudgeableError{Reason: err}
	}
	k := &checker{Runner: r, opt: o, rng: rand.New(rand.NewPCG(c.Seed, stream)), plan: plan, setting: setting,
		dropped: map[instrument.Step]bool{},
		rep: &Report{Plan: plan, Fates: map[string]Fate{}, CrossEdges: map[sdg.Label]int{},
			NotJudged: map[string]string{}}}
	k.initial, err = r.Load(plan)
	if _, ok := errors.AsType[*exec.SettingError](err); ok {
		return nil, &UnjudgeableError{Reason: err}
	}
	if err != nil || given {
		return k, err
	}
	if err := errors.Join(k.checkInitial(), plan.CheckKeys(k.initialKeys, o.Blind)); err != nil {
		return nil, &UnjudgeableError{Reason: err, Loaded: true}
	}
	return k, nil
}

// UnjudgeableError says why a case is not one that the oracle can judge.
type UnjudgeableError struct {
	Reason error
	Loaded bool // it is about the rows that the tables hold once they are filled
}

func (e *UnjudgeableError) Error() string { return "the case cannot be judged: " + e.Reason.Error() }

func (e *UnjudgeableError) Unwrap() error { return e.Reason }

// checkInitial says which of the initial rows bears no name that the oracles can read: of a column that is no integer,
// or a larger one.
func (k *checker) checkInitial() error {
	for _, table := range slices.Sorted(maps.Keys(k.initial)) {
		rows := k.initial[table]
		for _, name := range []string{sqltext.PKey, sqltext.VKey} {
			at := slices.Index(rows.Columns, name)
			if at < 0 || name == sqltext.VKey && k.plan.Contents[table] {
				continue
			}
			for i := range rows.Len() {
				if _, ok := rows.Row(i)[at].Int64(); !ok {
					bad := &observe.BadAnswer{What: fault.BadKey, Why: finding.Say("table %v: %v is %v", table, name, rows.Row(i)[at])}
					return fmt.Errorf("%w: want an integer of 64 bits", bad)
				}
			}
		}
	}
	return nil
}

// initialKeys returns the primary keys of a table's initial rows.
func (k *checker) initialKeys(table string) []int64 {
	rows := k.initial[table]
	at := slices.Index(rows.Columns, sqltext.PKey)
	var keys []int64
	for i := range rows.Len() {
		if n, ok := rows.Row(i)[at].Int64(); ok {
			keys = append(keys, n)
		}
	}
	return keys
}

// run runs steps.
func (k *checker) run(steps []instrument.Step) (*observe.Run, error) {
	run, err := k.Run(k.plan, steps)
	k.last.steps, k.last.run = steps, run
	if err == nil {
		k.rep.Runs++
	}
	return run, err
}

// watch runs steps and observes what happened.
func (k *checker) watch(steps []instrument.Step) (*observe.Run, *observe.Observation, error) {
	run, err := k.run(steps)
	if err != nil {
		return run, nil, err
	}
	obs, err := observe.New(k.plan, k.initial, run)
	if err != nil {
		return run, nil, err
	}
	obs.Matches = k.matcher(obs, obs.Stmts, false)
	return run, obs, nil
}

// firstRun counts what the generated statements did.
func (k *checker) firstRun(run *observe.Run) {
	for _, e := range run.Trace.Events {
		if e.Role == history.Target && e.Err != nil && k.plan.Profile.Errors.Malformed.Has(e.Err.Code, e.Err.Message) {
			k.rep.Malformed = append(k.rep.Malformed, fmt.Sprintf("%s: %v", k.plan.Txns[e.Txn].Blocks[e.Stmt].Name(), e.Err))
		}
	}
	for _, b := range run.Blocks {
		switch {
		case b.Target == nil || b.Lost || b.Block.Control():
		case b.Target.Err != nil:
			k.rep.Errored++
		case b.Target.Rows.Len() > 0 || b.Target.Affected > 0:
			k.rep.Effective++
			k.rep.Rows += b.Target.Rows.Len() + int(max(b.Target.Affected, 0))
		}
	}
}

// touched counts which statements of the first run touched some rows of a table.
func (k *checker) touched(obs *observe.Observation) {
	for _, s := range obs.Stmts {
		some, known := s.Touches()
		if known {
			k.rep.Searches++
		}
		if some {
			k.rep.Partial++
		}
	}
}

// infer derives the graph of a run.
func (k *checker) infer(obs *observe.Observation, nodes []*observe.ObservedStmt) (*sdg.Graph, error) {
	in := obs.Input(nodes, nil)
	if k.opt.Precision >= sdg.Match {
		in.Matches = k.matcher(obs, nodes, true)
	}
	g, _, err := sdg.InferUpTo(in, k.opt.Precision)
	return g, errors.Join(err, k.matchErr)
}
