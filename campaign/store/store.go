// Package store says what a campaign needs of whatever keeps its findings, and the bugs that they are grouped to:
// package database, or memory.
//
// Its claim, of all that implements it: whatever kills a campaign, a finding that Save returned is there, whole, and
// what Place counted is counted once.
package store

import (
	"txweave/finding"
)

// BugStore is what whoever looks at bugs needs of a store, and whoever settles them.
type BugStore interface {
	// Open opens a finding.
	Open(name string) (*finding.Dir, error)
	// Bugs reads the bugs.
	Bugs() (*finding.Bugs, error)
	// Update lets change alter the bugs, as one step that nobody comes between; nothing changes if it fails.
	Update(change func(*finding.Bugs) error) error
	// Note notes at bugs, by their names, that their cases were run again. Bugs that are no more are passed over.
	Note(list map[string]finding.Verification) error
	// SmallestCase returns the case of a bug to look at first, and where it lies: the reduced one of the first finding
	// that has one, else the first; nil if none is kept.
	SmallestCase(g *finding.Bug) (where string, text []byte)
	// Where says where a finding lies, for people.
	Where(name string) string
	// Close ends the use of the store.
	Close() error
}

// Store is what a campaign needs of one; its Close ends the campaign's use of the store.
type Store interface {
	BugStore
	// Enter makes this campaign one that uses the store, until Close, and lists findings that belong to no bug: a campaign
	// that was killed has left them. There are none while another campaign uses the store: they may be that one's.
	Enter() (left []string, err error)
	// Tell names who is told, on a line each, of what a store had to put aside to go on.
	Tell(note func(line string))
	// Save keeps a finding's files, by name, before it is counted to a bug, and returns its name in the store.
	Save(r *finding.Record, files map[string][]byte) (name string, err error)
	// SaveReduced puts the smaller case of a finding, a finding of its own, beside it, in the place of an earlier one.
	SaveReduced(name string, r *finding.Record, files map[string][]byte) error
	// Place counts findings to their bugs, in one step, and keeps the files of those whose bugs have fewer than keep.
	Place(list []Placement, keep int) ([]Placed, error)
	// CountKnown counts a finding that is a known bug, and forgets its files: name, unless it is "".
	CountKnown(bug, name string) error
	// Unchecked notes cases that could not be checked.
	Unchecked(list ...Unchecked) error
	// Fault keeps the description of a fault of txweave's own under a name, and returns where it lies; "" where it is not
	// kept, as there are enough.
	Fault(name string, text []byte) (where string, err error)
	// Quarantine puts a finding that cannot be read out of the way, and returns where it lies now.
	Quarantine(name string) (where string, err error)
}

// Ledger is a store that also keeps which cases have been checked: each case counts once, whenever the campaign is
// killed.
type Ledger interface {
	Store
	// Done counts a case and what it left, in one step: its number, its outcome, and its findings, which wait from then on
	// to be placed by the names that they have in their records. It returns false, and counts nothing, where the case was
	// counted before.
	Done(c *CaseDone) (fresh bool, err error)
}

// CaseDone is a case that has been checked.
type CaseDone struct {
	Case      int // its number in the campaign
	Outcome   finding.CaseOutcome
	Work      Work
	Unchecked *Unchecked  // why, if it could not be checked
	Waiting   []Placement // its findings, saved where they have a name
	Known     []string    // names of known bugs, one for each finding that is one
	Held      []string    // signatures of findings that were held back as a fault of the set-up
	Uses      []string    // productions of the generator that the case is made of; none where that is not known
}

// Work is what checking a case took, and what became of its statements; see campaign.Statements.
type Work struct {
	Runs, Replays, Sent                   int64
	Generated, Survived, Aborted, Errored int64
	Overlapping, OverlapEdge              bool
}

// Placement is a finding to be counted to its bug.
type Placement struct {
	Record    *finding.Record
	Signature finding.Signature
	Name      string // in the store, if Save was called; else it is only counted
	// Unconfirmed is how many findings like it, if it does not come back each time, are a bug; 0: three.
	Unconfirmed int
}

// Placed is what became of a finding.
type Placed struct {
	Bug   finding.Bug // as it is now
	Fresh bool        // the finding is its first
	Name  string      // of the finding's files, if they are kept
	Gone  string      // name of another finding whose files had to go for it; ""
}

// Unchecked is a case that could not be checked.
type Unchecked struct {
	Seed   uint64 `json:"seed"`
	Case   int    `json:"case"`
	Reason string `json:"reason"`
	Detail string `json:"detail,omitempty"` // what was said, on one line
	// Text is the case itself, of one that was made from others, which its number does not make again. Directories keep
	// it, databases do not.
	Text string `json:"text,omitempty"`
}
