package shrink

import (
	"context"
	"errors"
	"slices"

	"txweave/campaign"
	"txweave/fault"
	"txweave/finding"
	"txweave/sql/edits"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// trial is what a triager tries by hand on a case that does not say plainly what is wrong: what is put in the place of
// what, and the cause that shows then, if it is what the triager thinks.
type trial struct {
	name  string
	early bool               // also of a case that is not made smaller yet
	of    func(*sought) bool // for what is sought
	try   func(*tried) []*testcase.Case
	shows func(*tried, *campaign.Found) bool
}

// tried is a case with which something is tried.
type tried struct {
	*testcase.Case
	sought
	found     *finding.Finding // the finding that is sought, as the case shows it; nil where it does not
	txn, stmt int              // its blamed statement …
	named     bool             // … if it names one
}

// at says whether a finding is of the blamed statement.
func (x *tried) at(f *campaign.Found) bool {
	return f.Differences[0].Stmt == testcase.Ref{Txn: x.txn, Stmt: x.stmt}.String()
}

// missesRows says whether a read beside the blamed statement missed rows, or may have: what it says that it affected is
// not what the reads around it show.
func (x *tried) missesRows() bool {
	c := x.found.Cause
	return c == finding.CauseOwn || c == finding.CauseMissing || c == finding.CauseMiscount &&
		x.found.Differences[0].What == fault.Affected
}

// Signatures of findings that do not say by themselves what is wrong.
var (
	// untelling are of what a transaction shows that was committed before its end, and of much else: a savepoint that
	// is gone, a write lock that others are given.
	untelling = []string{
		finding.Signed(finding.ClassInconsistent, "ROLLBACK TO", fault.LostSavepoint),
		finding.Signed(finding.ClassInconsistent, "RELEASE", fault.LostSavepoint),
		finding.Signed(finding.ClassMechanism, "", fault.WriteLock),
	}
	// which rows it has read it does not say
	unprinted  = finding.Signed(finding.ClassReplay, "SELECT", fault.Rows)
	miscounted = finding.Signed(finding.ClassInconsistent, "SELECT", fault.Counted) // nor here
	// what it counts may be wrong, and not what it goes by
	misordered = finding.Signed(finding.ClassInconsistent, "SELECT", fault.Ordered)
	misspelled = finding.Signed(finding.ClassInconsistent, "INSERT", fault.Spelled) // rows may have stayed as they were
	// a read by itself: nothing tells more
	missing = finding.Signed(finding.ClassSnapshot, "", fault.MissingRow)
)

// trials are tried in their order. The first case that shows what it is tried for takes the place of the one that is
// reduced.
var trials = []trial{
	{ // An INSERT that seems to have written nothing, and was rolled back: is its row there once its transaction commits?
		name:  "committed",
		early: true, of: caused(finding.CauseNone),
		try: func(x *tried) []*testcase.Case { return []*testcase.Case{ending(x.Case, "ROLLBACK", "COMMIT")} },
		shows: func(x *tried, f *campaign.Found) bool {
			return f.Signature == x.signature && f.Cause == finding.CauseOwn
		},
	},
	{
		// A savepoint that is gone, a write lock given twice: had the transaction been committed before its end? Then what it
		// wrote stays.
		name:  "undone",
		early: true, of: func(s *sought) bool {
			return slices.Contains(untelling, s.signature) && (s.cause.IsZero() || tellsLittle(s.cause))
		},
		try: undoing,
		shows: func(x *tried, f *campaign.Found) bool {
			return f.Signature == x.signature && !f.Cause.IsZero() && !tellsLittle(f.Cause)
		},
	},
	{ // A query that goes wrong before a write of its table: does it read what is to come?
		name: "to-come",
		of:   caused(finding.Cause{}, finding.CauseMissing, finding.CauseOwn, finding.CauseStale), try: eachToCome,
		shows: showing(finding.CauseLater),
	},
	{ // A query whose rows differ: does a query that prints what it reads go wrong by itself?
		name: "printed",
		of:   signed(unprinted, miscounted), try: eachPrinting,
		shows: func(x *tried, f *campaign.Found) bool { return finding.OfReads(f.Cause) && x.at(f) },
	},
	{ // … or one that searches there?
		name: "searched",
		of:   signed(unprinted, miscounted), try: eachSearch,
		shows: func(x *tried, f *campaign.Found) bool {
			return f.Cause == finding.CauseSearch && f.Signature == unprinted && x.at(f)
		},
	},
	{ // A query that counts: is it COUNT that is wrong?
		name: "counted",
		of:   signed(unprinted, miscounted, misordered), try: eachCount,
		shows: func(x *tried, f *campaign.Found) bool { return f.Cause == finding.CauseCount && x.at(f) },
	},
	{
		// Rows are missing, as a read beside whatever was found shows: does a query of nothing but them miss them, whoever
		// made them?
		name: "missed",
		of:   func(s *sought) bool { return s.signature != missing },
		try: func(x *tried) []*testcase.Case {
			if !x.named || x.found.Derived || !x.missesRows() {
				return nil
			}
			return append(eachPrinted(x), eachLone(x)...)
		},
		shows: missesRow,
	},
	{ // Writes that others see too soon, or too late: were they committed before their end?
		name:  "rolled-back",
		of:    caused(finding.CauseDirty, finding.CauseNewer, finding.CauseOldWriter),
		try:   func(x *tried) []*testcase.Case { return append(eachRolledBack(x.Case), writing(x.Case)...) },
		shows: showing(finding.CauseKept, finding.CauseLost),
	},
	{ // … or are reads of another one's state, in which there was nothing to see before?
		name: "beside",
		of:   caused(finding.CauseNewer), try: eachBeside,
		shows: func(_ *tried, f *campaign.Found) bool {
			return f.Class == finding.ClassSnapshot && f.Cause == finding.CauseDirty
		},
	},
	{ // A read that misses what was written: is it gone?
		name: "last",
		of:   caused(finding.CauseStale, finding.CauseOwn), try: eachLast, shows: showing(finding.CauseLost),
	},
	{ // An INSERT that may have found its key: does it go wrong where it says nothing of that?
		name: "without-conflicts",
		of:   caused(finding.Cause{}, finding.CauseMiscount),
		try:  eachPlain,
		shows: func(_ *tried, f *campaign.Found) bool {
			return f.Class == finding.ClassInconsistent && f.Differences[0].Kind == "INSERT" && finding.OfStatements(f.Cause)
		},
	},
	{ // A write that passes over rows: was it refused for a key, and nobody told?
		name: "colliding",
		of: func(s *sought) bool {
			return s.cause.Kind == fault.PassesOver || s.cause.IsZero() && s.signature == misspelled
		},
		try:   eachColliding,
		shows: func(x *tried, f *campaign.Found) bool { return f.Cause == finding.CauseKey && x.at(f) },
	},
	{ // What a statement does by itself: does it do so with others' rows there from the start?
		name:  "from-the-start",
		of:    func(s *sought) bool { return finding.OfStatements(s.cause) },
		try:   func(x *tried) []*testcase.Case { return eachFromTheStart(x.Case) },
		shows: func(x *tried, f *campaign.Found) bool { return f.Cause == x.cause },
	},
}

// caused is for findings with one of some causes.
func caused(causes ...finding.Cause) func(*sought) bool {
	return func(s *sought) bool { return slices.Contains(causes, s.cause) }
}

// signed is for findings without a cause and with one of some signatures.
func signed(signatures ...string) func(*sought) bool {
	return func(s *sought) bool { return s.cause.IsZero() && slices.Contains(signatures, s.signature) }
}

// showing is a finding with one of some causes.
func showing(causes ...finding.Cause) func(*tried, *campaign.Found) bool {
	return func(_ *tried, f *campaign.Found) bool { return slices.Contains(causes, f.Cause) }
}

// missesRow is a read that misses a row which nobody had touched.
func missesRow(_ *tried, f *campaign.Found) bool {
	return f.Signature == missing && f.Cause == finding.CauseMissing
}

// tellsLittle says whether a cause is one of transactions that were committed, or undone, before their end, or went on
// in another snapshot, where nothing else told why.
func tellsLittle(cause finding.Cause) bool {
	return cause == finding.CauseEnded || cause == finding.CauseGone || cause == finding.CauseOldWriter
}

// try tries what a triager would with a case, and returns the first variant of it that says more plainly what is wrong,
// which is what is looked for from then on; the case given where none does. Of a case that is not made smaller yet only
// little is tried, and so if the signature has to stay.
func (k *shrinker) try(ctx context.Context, c *testcase.Case, early bool) (*testcase.Case, error) {
	x, err := k.tried(ctx, c, early)
	if err != nil {
		return nil, err
	}
	for i := range trials {
		t := &trials[i]
		if early && !t.early || !t.of(&x.sought) {
			continue
		}
		if other, err := k.first(ctx, x, t); err != nil || other != nil {
			return other, err
		}
	}
	return c, nil
}

// tried looks for the blamed statement of a case, if there is anything to try for which that is asked.
func (k *shrinker) tried(ctx context.Context, c *testcase.Case, early bool) (*tried, error) {
	x := &tried{Case: c, sought: k.sought}
	if early || k.worker == nil {
		return x, nil
	}
	list, err := k.findings(ctx, c)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(list, func(f campaign.Found) bool {
		return f.Signature == k.signature && len(f.Differences) > 0
	})
	if at >= 0 {
		x.found = &list[at].Finding
		x.txn, x.stmt, x.named = place(c, x.found.Differences[0].Stmt)
	}
	return x, nil
}

// first returns the first case of a trial that shows what it is tried for; nil where none does.
func (k *shrinker) first(ctx context.Context, x *tried, t *trial) (*testcase.Case, error) {
	for _, other := range t.try(x) {
		if _, err := testcase.Parse(finding.CaseFile, other.Print()); err != nil {
			continue // what it was made of does not stand there
		}
		found, err := k.findings(ctx, other)
		if errors.Is(err, ErrRefused) {
			continue
		}
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(found, func(f campaign.Found) bool {
			return !f.Cause.IsZero() && !f.Derived && !finding.OfWarnings(f.Cause) && len(f.Differences) > 0 && t.shows(x, &f)
		})
		if at >= 0 {
			k.told = k.told || found[at].Signature != k.signature
			k.signature, k.cause = found[at].Signature, found[at].Cause
			return other, nil
		}
	}
	return nil, nil
}

// eachPrinting are the cases in which queries stand in the blamed one's place that print what it reads, one after the
// other, of one table each.
func eachPrinting(x *tried) (out []*testcase.Case) {
	if !x.named || !x.found.Cause.IsZero() {
		return nil
	}
	rewriter := &edits.Rewriter{Dialect: sqltext.SyntaxOf(x.Target).Tree}
	for _, sql := range rewriter.Printing(x.Txns[x.txn].Stmts[x.stmt].SQL, x.ReadSchema()) {
		out = append(out, with(x.Case, x.txn, x.stmt, sql))
	}
	return out
}
