// Package campaign runs many cases: it hands case numbers to workers, adds up what they report, and writes
// findings to disk. It knows nothing of SQL.
package campaign

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"txweave/campaign/store"
	"txweave/exec"
	"txweave/finding"
)

// Job is one case to check.
type Job struct {
	Case    int    `json:"case"`              // number in the campaign
	Text    []byte `json:"text,omitempty"`    // the case itself, where it is not the campaign's
	Repeats int    `json:"repeats,omitempty"` // repetitions of a difference before it counts; 0: the usual number
	Bare    bool   `json:"bare,omitempty"`    // findings need no files
	Plain   string `json:"plain,omitempty"`   // signature of the finding whose case is wanted in its plain form, too
	Mutant  bool   `json:"mutant,omitempty"`  // Text is one of the campaign's, made from other cases
	Blind   bool   `json:"blind,omitempty"`   // Text was made without knowing which rows a REPLACE replaces
	// Known are signatures of which enough findings have been confirmed.
	Known []string `json:"known,omitempty"`
}

// CaseResult is what a worker reports of one case. It crosses a pipe where the worker is a process of its own.
type CaseResult struct {
	Case        int            `json:"case"`       // number in the campaign
	Statements  Statements     `json:"statements"` // of this case
	Runs        int            `json:"runs"`
	Replays     int            `json:"replays"`
	Sent        int64          `json:"sent"` // statements sent to the server, probes and replays included
	Checked     bool           `json:"checked"`
	Overlapping bool           `json:"overlapping"`
	OverlapEdge bool           `json:"overlap_edge"`
	CrossEdges  map[string]int `json:"cross_edges,omitempty"`
	Skipped     string         `json:"skipped,omitempty"` // why it was not checked …
	Detail      string         `json:"detail,omitempty"`  // … and what was said, on one line
	// why the oracle or the database does not take a case given as text
	Refused     string   `json:"refused,omitempty"`
	Uses        []string `json:"uses,omitempty"` // productions of the generator that it is made of
	Findings    []Found  `json:"findings,omitempty"`
	Unconfirmed []Found  `json:"unconfirmed,omitempty"`
	// Doing says that this is no result yet: the case is still being checked, and this is what it is at.
	Doing string `json:"doing,omitempty"`
	// Fatal says that the worker cannot go on, and why.
	Fatal       string `json:"fatal,omitempty"`
	Unavailable bool   `json:"unavailable,omitempty"` // … because the target is not to be had
}

// FindBySignature returns a result's finding with a signature, one that is unconfirmed if need be; nil if it has none.
func FindBySignature(res *CaseResult, signature string) *Found {
	for _, list := range [][]Found{res.Findings, res.Unconfirmed} {
		for i := range list {
			if list[i].Signature == signature {
				return &list[i]
			}
		}
	}
	return nil
}

// Outcome says what became of the case; of finding.Unchecked Skipped says why.
func (r *CaseResult) Outcome() finding.CaseOutcome {
	switch {
	case len(r.Findings)+len(r.Unconfirmed) > 0:
		return finding.Found
	case r.Checked:
		return finding.Clean
	}
	return finding.Unchecked
}

// work is what the case adds to a ledger's counters.
func (r *CaseResult) work() store.Work {
	w := store.Work{Runs: int64(r.Runs), Replays: int64(r.Replays), Sent: r.Sent}
	if r.Checked {
		w.Generated, w.Survived, w.Errored = int64(r.Statements.Generated), int64(r.Statements.Survived),
			int64(r.Statements.Errored)
		w.Aborted = int64(r.Statements.DroppedAborted)
		w.Overlapping, w.OverlapEdge = r.Overlapping, r.OverlapEdge
	}
	return w
}

// Found is a finding with the files that go into its directory, by name.
type Found struct {
	finding.Finding
	Files map[string][]byte `json:"files"`
}

// Statements counts generated statements and what became of them:
// Generated = Survived + DroppedBlocked + DroppedCyclic + DroppedAborted + DroppedBlamed, over the cases that were
// checked.
type Statements struct {
	Generated      int `json:"generated"`
	Errored        int `json:"errored"`
	Effective      int `json:"effective"`
	Rows           int `json:"rows"`     // that they returned and changed
	Searches       int `json:"searches"` // of which it is known which rows of a table they touch
	Partial        int `json:"partial"`  // those of them that touch at least one row and not all
	Survived       int `json:"survived"`
	DroppedBlocked int `json:"dropped_blocked"`
	DroppedCyclic  int `json:"dropped_cyclic"`
	DroppedAborted int `json:"dropped_aborted"`
	DroppedBlamed  int `json:"dropped_blamed"`
}

// missing says of a case that was checked which of its statements nothing is known of; nil where the counts add up.
func (r *CaseResult) missing() error {
	st := &r.Statements
	if told := st.Survived + st.DroppedBlocked + st.DroppedCyclic + st.DroppedAborted + st.DroppedBlamed; r.Checked &&
		told != st.Generated {
		return fmt.Errorf("of %d statements %d have survived or were dropped for a reason: the counts do not add up",
			st.Generated, told)
	}
	return nil
}

// FindingRef names a finding and where it is kept.
type FindingRef struct {
	ID        string `json:"id"`
	Bug       string `json:"bug"` // that it is one of
	Class     string `json:"class"`
	Oracle    string `json:"oracle"`
	Signature string `json:"signature"`
	Dir       string `json:"dir"`
}

// Where says where the finding is kept.
func (r *FindingRef) Where() string { return where(r.Dir, r.ID) }

// Where says where the finding to look at first is kept.
func (b *BugRef) Where() string { return where(b.Dir, b.ID) }

func where(dir, id string) string {
	if dir == "" {
		return id + " (not kept)"
	}
	return dir
}

// CameBack says how often a finding came back.
func CameBack(f *finding.Finding) string { return cmp.Or(f.Again(), "not repeated") }

// BugRef is what a campaign found of one bug.
type BugRef struct {
	ID        string         `json:"id"`
	Status    finding.Status `json:"status"`
	New       bool           `json:"new"`   // no campaign had found it before
	Count     int            `json:"count"` // findings of this campaign
	Signature string         `json:"signature"`
	Title     string         `json:"title"` // one sentence
	Summary   string         `json:"summary"`
	Dir       string         `json:"dir"`    // of the finding to look at first
	Paused    bool           `json:"paused"` // it came so often that it may be a fault of the set-up
	// MayBe are the bugs that it may be, where none of its findings is reduced to the end; see finding.Bugs.Explain.
	MayBe  []string `json:"may_be,omitempty"`
	coarse string   // signature without features
	untold *untold  // nil: it was reported
}

// untold is the first finding of a bug that was not reported, as it may be another one.
type untold struct {
	ref FindingRef
	rec *finding.Record
}

// Summary is the outcome of a campaign: the object that --format json prints.
type Summary struct {
	Seed         uint64  `json:"seed"`
	Target       string  `json:"target"`
	Version      string  `json:"version"`
	Isolation    string  `json:"isolation"`
	ElapsedS     float64 `json:"elapsed_s"`
	Cases        int     `json:"cases"`
	CasesChecked int     `json:"cases_checked"` // clean, or with findings
	CasesClean   int     `json:"cases_clean"`   // judged to their end, and nothing is wrong
	// something is wrong, whether or not it came back each time
	CasesFinding     int            `json:"cases_with_findings"`
	CasesPerMinute   float64        `json:"cases_per_minute"`
	OverlappingCases int            `json:"overlapping_cases"`
	OverlapEdgeCases int            `json:"overlap_edge_cases"` // an edge joins transactions that overlapped
	CrossEdges       map[string]int `json:"cross_edges"`
	Statements       Statements     `json:"statements"`
	Features         map[string]int `json:"features"` // cases that each production of the generator is in
	Runs             int            `json:"runs"`
	Replays          int            `json:"replays"`
	ServerStatements int64          `json:"server_statements"`
	Bugs             []*BugRef      `json:"bugs"`
	Findings         []FindingRef   `json:"findings"` // those whose files are kept
	Repeats          int            `json:"repeats"`  // findings of bugs that have enough kept
	Known            map[string]int `json:"known"`    // findings of known bugs, by the bug's name
	Paused           map[string]int `json:"paused"`   // findings held back as a fault of the set-up, by signature
	Unconfirmed      []string       `json:"unconfirmed"`
	// Waiting is how many findings are to be reduced yet, and LastBug the bug that was new last, with when: for who
	// watches.
	Waiting   int            `json:"-"`
	LastBug   string         `json:"-"`
	LastBugAt time.Time      `json:"-"`
	FromSeeds *FromSeeds     `json:"from_seeds,omitempty"` // nil: there were no seed cases to change
	Skipped   map[string]int `json:"skipped"`              // cases that were not checked, by reason; the rest of Cases
	// cases at which txweave itself failed, also those that it then checked
	Faults int `json:"faults,omitempty"`
}

// FromSeeds counts the cases that were made by changing seed cases.
type FromSeeds struct {
	Cases     int `json:"cases"`
	Unchecked int `json:"unchecked"`
}

func (s *FromSeeds) add(r *CaseResult) {
	if s.Cases++; r.Outcome() == finding.Unchecked {
		s.Unchecked++
	}
}

// add counts one case's result.
func (s *Summary) add(r *CaseResult) {
	s.Cases++
	s.Runs += r.Runs
	s.Replays += r.Replays
	s.ServerStatements += r.Sent
	switch r.Outcome() {
	case finding.Clean:
		s.CasesClean++
		s.CasesChecked++
	case finding.Found:
		s.CasesFinding++
		s.CasesChecked++
	default:
		s.Skipped[cmp.Or(r.Skipped, SkippedUnknown)]++
	}
	if !r.Checked {
		return
	}
	if r.Overlapping {
		s.OverlappingCases++
	}
	if r.OverlapEdge {
		s.OverlapEdgeCases++
	}
	for _, k := range slices.Sorted(maps.Keys(r.CrossEdges)) {
		s.CrossEdges[k] += r.CrossEdges[k]
	}
	s.Statements.add(&r.Statements)
	for _, name := range r.Uses {
		s.Features[name]++
	}
}

// Total is how many findings the campaign has placed; those of known bugs and those held back are not among them.
func (s *Summary) Total() int {
	n := 0
	for _, b := range s.Bugs {
		n += b.Count
	}
	return n
}

// UnconfirmedBugs is how many bugs the campaign found whose findings did not come back each time.
func (s *Summary) UnconfirmedBugs() int {
	n := 0
	for _, b := range s.Bugs {
		if b.Status == finding.StatusUnconfirmed && !b.Paused {
			n++
		}
	}
	return n
}

// Reported is how many bugs the campaign found that nobody has settled and that came no oftener than bugs do. What may
// be another one counts, too: that one may be of an earlier campaign.
func (s *Summary) Reported() int {
	n := 0
	for _, b := range s.Bugs {
		if b.Status == finding.StatusOpen && !b.Paused {
			n++
		}
	}
	return n
}

// Told is how many bugs the campaign found, and how many groups beside them that may be one of them, or of those that
// other campaigns found; see finding.Bugs.Told.
func (s *Summary) Told() (bugs, unreduced int) {
	for _, b := range s.Bugs {
		if len(b.MayBe) > 0 {
			unreduced++
		}
	}
	return len(s.Bugs) - unreduced, unreduced
}

func (s *Statements) add(o *Statements) {
	s.Generated += o.Generated
	s.Errored += o.Errored
	s.Effective += o.Effective
	s.Rows += o.Rows
	s.Searches += o.Searches
	s.Partial += o.Partial
	s.Survived += o.Survived
	s.DroppedBlocked += o.DroppedBlocked
	s.DroppedCyclic += o.DroppedCyclic
	s.DroppedAborted += o.DroppedAborted
	s.DroppedBlamed += o.DroppedBlamed
}

// SurvivalRate is the share of statements outside aborted transactions that reached the first replay.
func (s *Statements) SurvivalRate() float64 {
	return share(s.Survived, s.Generated-s.DroppedAborted)
}

// share returns part/whole, 0 for an empty whole.
func share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// Kept counts the findings whose files are on disk.
func (s *Summary) Kept() int {
	n := 0
	for _, f := range s.Findings {
		if f.Dir != "" {
			n++
		}
	}
	return n
}

// SkippedRefused is the reason of a mutant that the oracle or the database does not take.
const SkippedRefused = "mutant refused"

// SkippedUnavailable is the reason of a case in which a database went away and did not come back.
const SkippedUnavailable = "unavailable"

// because notes of a case that was not checked, and whose worker does not say why, the error that came with it.
func (r *CaseResult) because(err error) {
	if r == nil || err == nil || r.Checked || r.Skipped != "" {
		return
	}
	if r.Skipped = SkippedFault; errors.Is(err, exec.ErrUnavailable) {
		r.Skipped = SkippedUnavailable
	}
	r.Detail = cmp.Or(r.Detail, finding.Line(err.Error()))
}

// SkippedUnknown is the reason of a case whose worker gives none.
const SkippedUnknown = "no reason given"

// CaseError says that a case given as text is at fault, which is its author's to mend.
type CaseError struct{ Reason error }

func (e *CaseError) Error() string { return e.Reason.Error() }

func (e *CaseError) Unwrap() error { return e.Reason }
