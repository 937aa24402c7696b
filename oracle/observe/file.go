package observe

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"txweave/finding"
	"txweave/history"
)

// FileName is the file of a finding's directory that keeps the observation, beside the trace.
const FileName = finding.ObservationFile

// fileFormat is the format of the file; it grows where a reader of the one before would be wrong.
const fileFormat = 1

// Document is an observation as it is kept: what each statement of the run saw and wrote.
type Document struct {
	Format       int                        `json:"format"`
	Initial      map[string]map[int64]int64 `json:"initial"` // table -> pkey -> vkey
	Transactions []TxnDocument              `json:"transactions"`
	Statements   []StmtDocument             `json:"statements"` // in order of completion
	// Store is what the database says of the versions of its rows, by its own clock; missing where it does not.
	Store []ChainDocument `json:"store,omitempty"`
}

// TxnDocument is one transaction.
type TxnDocument struct {
	Session string `json:"session"`
	Outcome string `json:"outcome"`
	Began   int64  `json:"began"`          // ns since the run began
	Sent    int64  `json:"sent,omitempty"` // its end; missing where it did not end
	Done    int64  `json:"done,omitempty"`
	Start   uint64 `json:"start,omitempty"` // the database's own timestamps
	Commit  uint64 `json:"commit,omitempty"`
}

// StmtDocument is one statement.
type StmtDocument struct {
	Name    string                     `json:"name"` // "T1.S3"
	Txn     int                        `json:"txn"`
	Saw     map[string]map[int64]int64 `json:"saw"`               // table -> pkey -> vkey
	Printed []VersionDocument          `json:"printed,omitempty"` // in its result
	Wrote   []WriteDocument            `json:"wrote,omitempty"`
	Waited  bool                       `json:"waited,omitempty"` // the reads around it need not have seen what it saw
	Mixed   bool                       `json:"mixed,omitempty"`  // it may have read two views
	Unsure  string                     `json:"unsure,omitempty"` // tables in which it may have written more
	Bad     string                     `json:"bad,omitempty"`    // what was wrong with the answer to a probe
	Read    uint64                     `json:"read,omitempty"`   // the database's timestamp at which it read
}

// VersionDocument is one version of a row.
type VersionDocument struct {
	Table string `json:"table"`
	PKey  int64  `json:"pkey"`
	VKey  int64  `json:"vkey"`
}

// WriteDocument is one row that a statement wrote; From and To are version keys, "unborn" or "dead".
type WriteDocument struct {
	Table string `json:"table"`
	PKey  int64  `json:"pkey"`
	From  string `json:"from"`
	To    string `json:"to"`
}

// ChainDocument is what the database says of one row.
type ChainDocument struct {
	Table    string          `json:"table"`
	PKey     int64           `json:"pkey"`
	Versions []StampDocument `json:"versions"` // oldest first
}

// StampDocument is one version of a row with the timestamps of the transaction that wrote it.
type StampDocument struct {
	Start  uint64 `json:"start"`
	Commit uint64 `json:"commit"`
	State  string `json:"state"`
}

// Document returns the observation as it is kept.
func (o *Observation) Document() *Document {
	d := &Document{Format: fileFormat, Initial: o.Initial}
	for _, t := range o.Txns {
		out := TxnDocument{Session: history.SessionName(t.Session), Outcome: t.Outcome.String(), Began: t.Began,
			Start: t.Start, Commit: t.Commit}
		if t.Sent != math.MaxInt64 {
			out.Sent, out.Done = t.Sent, t.Done
		}
		d.Transactions = append(d.Transactions, out)
	}
	for _, s := range o.Stmts {
		d.Statements = append(d.Statements, s.document())
	}
	for _, item := range slices.SortedFunc(maps.Keys(o.Versions), func(a, b history.Item) int {
		return cmp.Or(cmp.Compare(a.Table, b.Table), cmp.Compare(a.PKey, b.PKey))
	}) {
		c := ChainDocument{Table: item.Table, PKey: item.PKey}
		for _, v := range o.Versions[item] {
			c.Versions = append(c.Versions, StampDocument{v.Start, v.Commit, v.State.String()})
		}
		d.Store = append(d.Store, c)
	}
	return d
}

func (s *ObservedStmt) document() StmtDocument {
	d := StmtDocument{Name: s.Name, Txn: s.Txn, Saw: map[string]map[int64]int64{}, Waited: s.Waited, Mixed: s.Mixed,
		Unsure: strings.Join(s.Unsure, ", "), Read: s.Read}
	for _, r := range s.Reads {
		d.Saw[r.Table] = r.Seen
	}
	for _, v := range s.Out {
		d.Printed = append(d.Printed, VersionDocument{v.Table, v.PKey, v.VKey})
	}
	for _, w := range s.Writes {
		d.Wrote = append(d.Wrote, WriteDocument{w.Table, w.PKey, w.From.String(), w.To.String()})
	}
	if s.Bad != nil {
		d.Bad = s.Bad.Error()
	}
	return d
}

// Write writes the observation.
func (o *Observation) Write(w io.Writer) error {
	return json.NewEncoder(w).Encode(o.Document())
}

// ReadDocument reads an observation that was kept. An error says that it is none, or one of a later format.
func ReadDocument(r io.Reader) (*Document, error) {
	d := &Document{}
	if err := json.NewDecoder(r).Decode(d); err != nil {
		return nil, fmt.Errorf("observation: %w", err)
	}
	if d.Format != fileFormat {
		return nil, fmt.Errorf("observation: its format is %d, this program reads %d", d.Format, fileFormat)
	}
	return d, nil
}
