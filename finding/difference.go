package finding

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"txweave/fault"
	"txweave/history"
	"txweave/internal/former"
	"txweave/testcase"
)

// The kinds of statements that are none of a transaction, in a Difference.
const (
	AddedRead  = "added-read"  // one that txweave has added
	InitialRow = "initial row" // one that fills a table with a row of the case
	commit     = "COMMIT"
)

// Difference is one piece of a finding's evidence: what is wrong, with whom, and what was given in place of what. It is
// data: sentences are made of it for people, and read by nobody.
type Difference struct {
	Stmt  string     `json:"stmt,omitempty"` // the blamed statement, "T1.S3"; "" where it is none or more than one
	Txn   *int       `json:"txn,omitempty"`  // the blamed transaction, where its end is what is wrong
	Kind  string     `json:"kind,omitempty"` // of the statement: "SELECT"
	What  fault.Kind `json:"what"`
	Code  int        `json:"code,omitempty"`  // of an error that is wrong by itself
	Shape string     `json:"shape,omitempty"` // what the database complains of, without names and numbers
	Table string     `json:"table,omitempty"` // whose final contents differ
	// Transaction and Replay are what two executions gave, or a write and the reads beside it, shortened to what differs.
	Transaction Side `json:"transaction,omitzero"`
	Replay      Side `json:"replay,omitzero"`
	// Autocommit says that a replay shows it by itself: it is wrong without any transaction.
	Autocommit bool   `json:"autocommit,omitempty"`
	Reader     string `json:"reader,omitempty"` // the statement that saw, or overwrote, what it should not have
	Asked      string `json:"asked,omitempty"`  // the query that was sent right before the write
	// AtStart says that two reads contradict each other of what was there before the transactions: either may be wrong.
	AtStart bool `json:"at_start,omitempty"`
	// Returned says that it is the rows which a write returns that are wrong, not those of a read beside it.
	Returned bool      `json:"returned,omitempty"`
	Steps    Sentences `json:"steps,omitempty"` // why it is wrong
	// Failed are statements of its transactions that had failed before: a database that has rolled back there, and said
	// that the statement failed, tells no client that what follows is of no transaction.
	Failed []Failure `json:"failed,omitempty"`
	// Warned are, of a difference of warnings, those that one of the two gave more often: of each level and code one
	// for each column and each shape of what they say.
	Warned []Warned `json:"warned,omitempty"`
}

// Failure is a statement that failed.
type Failure struct {
	Stmt string           `json:"stmt"`
	Err  *history.DBError `json:"error"`
}

// String prints the failure for people.
func (f *Failure) String() string {
	return fmt.Sprintf("%s had failed before: %s", f.Stmt, Line(f.Err.String()))
}

// Warned is a warning that one of two executions gave more often than the other.
type Warned struct {
	history.Warning     // one of them; which row it is about depends on the plan
	More            int `json:"more"` // how many more the one in transactions gave, negative: the other one
}

// String prints the warning as the server says it.
func (w *Warned) String() string { return fmt.Sprintf("%s %d: %s", w.Level, w.Code, w.Message) }

// printWarnings prints warnings sorted and without their messages, whose row numbers depend on the plan.
func printWarnings(ws []history.Warning) string {
	parts := make([]string, len(ws))
	for i, w := range ws {
		parts[i] = fmt.Sprintf("%s %d", w.Level, w.Code)
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

// OfCommit makes a difference one between the COMMIT of a transaction and the reads right before it.
func OfCommit(txn int, what fault.Kind, why Sentence) Difference {
	return Difference{Txn: &txn, Kind: commit, What: what, Steps: Sentences{why}}
}

// OfCommit says whether a difference is such a one, of rows that refer to none.
func (d *Difference) OfCommit(txn int) bool {
	return d.Txn != nil && *d.Txn == txn && d.Kind == commit &&
		(d.What == fault.RefusedUnmatched || d.What == fault.CommittedUnmatched)
}

// BySearch says whether what differs is between a write and a query right before it for the rows that it writes, or
// that keep it from writing.
func (d *Difference) BySearch() bool {
	return d.What == fault.MatchedAffected || d.What == fault.RefusedHeld || d.What == fault.ChangedMatched
}

// Sides name what the two answers that a difference of a class tells are of: two executions, or a write and the query
// right before it. They are "" where the difference has no such answers, or its steps tell them, as they tell what a
// database says of its tables.
func (d *Difference) Sides(class string) (transaction, replay string) {
	switch {
	case d.Transaction.IsZero() && d.Replay.IsZero() || d.Transaction.Said != "" || class == ClassInconsistent:
		return "", ""
	case d.BySearch():
		return "the write", "the query"
	case class == ClassPlan:
		return "as planned", "otherwise"
	}
	return "in transactions", "without"
}

// Where names the blamed statement, or transaction, and its kind; "" where it is none.
func (d *Difference) Where() string {
	name := d.Stmt
	if name == "" && d.Txn != nil {
		name = history.SessionName(*d.Txn)
	}
	return strings.TrimSpace(name + " " + d.Kind)
}

// Told is what is wrong, in a word: the kind of fault, or the number of an error that is wrong by itself.
func (d *Difference) Told() string {
	switch {
	case d.What == fault.UnexpectedError:
		return history.ErrorName(d.Code)
	case d.Shape != "":
		return fmt.Sprintf("%s (%s)", d.What, d.Shape)
	}
	return string(d.What)
}

// Heading names the statement of the difference, and what is wrong in the catalogue's words, where it has any.
func (d *Difference) Heading() string {
	where, name := d.Where(), ""
	if e := fault.Of(d.What); e != nil {
		if name = e.Called; d.What == fault.Integrity {
			name = e.Title
		}
	}
	switch {
	case where == "" && name == "":
		return d.Told()
	case where == "":
		return name
	case name != "":
		return where + ": " + name
	case d.Code != 0:
		return where + ": error " + d.Told()
	}
	return where
}

// Detail prints the table and the steps of the difference for people.
func (d *Difference) Detail() string {
	var parts []string
	if d.Table != "" {
		parts = append(parts, "table "+d.Table)
	}
	if d.Asked != "" {
		parts = append(parts, "asked for right before it: "+d.Asked)
	}
	if len(d.Steps) > 0 {
		parts = append(parts, d.Steps.String())
	}
	for i := range d.Failed {
		parts = append(parts, d.Failed[i].String())
	}
	text := strings.Join(parts, "; ")
	if d.Autocommit {
		text = "in autocommit " + text
	}
	return text
}

// Stmts are the statements that the difference names, each once: the blamed one, then those of its steps.
func (d *Difference) Stmts() []string {
	var out []string
	if d.Stmt != "" {
		out = append(out, d.Stmt)
	}
	for i := range d.Steps {
		for _, name := range d.Steps[i].Stmts() {
			if !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	for i := range d.Failed {
		if !slices.Contains(out, d.Failed[i].Stmt) {
			out = append(out, d.Failed[i].Stmt)
		}
	}
	return out
}

// Txns are the transactions that the difference names, by a statement or by themselves, sorted.
func (d *Difference) Txns() []int {
	var out []int
	if d.Txn != nil {
		out = append(out, *d.Txn)
	}
	for _, name := range d.Stmts() {
		if ref, ok := testcase.ParseRef(name); ok {
			out = append(out, ref.Txn)
		}
	}
	for i := range d.Steps {
		for _, a := range d.Steps[i].Args {
			if a.Txn != nil {
				out = append(out, *a.Txn)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Args are what stands in the places of the difference's steps.
func (d *Difference) Args() []Arg {
	var out []Arg
	for i := range d.Steps {
		out = append(out, d.Steps[i].Args...)
	}
	return out
}

// Rows are the rows that the difference names, each once.
func (d *Difference) Rows() []history.Item {
	var out []history.Item
	add := func(row history.Item) {
		if !slices.Contains(out, row) {
			out = append(out, row)
		}
	}
	for _, a := range d.Args() {
		switch {
		case a.Row != nil:
			add(*a.Row)
		case a.Version != nil:
			add(a.Version.Item)
		}
		for _, w := range a.Writes {
			add(w.Item)
		}
	}
	return out
}

// Errors are the errors of the database that the difference tells of.
func (d *Difference) Errors() []*history.DBError {
	var out []*history.DBError
	for _, err := range []*history.DBError{d.Transaction.Err, d.Replay.Err} {
		if err != nil {
			out = append(out, err)
		}
	}
	for _, a := range d.Args() {
		if a.Err != nil {
			out = append(out, a.Err)
		}
	}
	return out
}

// Quoted are the texts of the database and of the case that the difference quotes: each error, behind the statement
// that it answers where that is told, statements, complaints, warnings, and both answers, each and together with a
// line's end between them.
func (d *Difference) Quoted() []string {
	var out []string
	for i := range d.Steps {
		var said []string
		for _, a := range d.Steps[i].Args {
			if a.SQL != "" || a.Err != nil {
				said = append(said, a.String())
			}
		}
		if len(said) > 0 {
			out = append(out, strings.Join(said, ": "))
		} else if len(d.Steps[i].Args) == 0 { // of files of before
			out = append(out, d.Steps[i].Say)
		}
	}
	for i := range d.Warned {
		out = append(out, d.Warned[i].String())
	}
	if a, b := d.Transaction.String(), d.Replay.String(); a != "" || b != "" {
		out = append(out, a, b, a+"\n"+b)
	}
	return out
}

// UnmarshalJSON reads a difference, also one of a file of before: with other names of faults, and texts in place of
// data.
func (d *Difference) UnmarshalJSON(data []byte) error {
	type plain Difference
	before := struct {
		*plain
		Detail string `json:"detail"`
	}{plain: (*plain)(d)}
	if err := json.Unmarshal(data, &before); err != nil {
		return err
	}
	d.What, d.Kind = fault.Named(string(d.What)), former.Executions.Now(d.Kind)
	d.detailed(before.Detail)
	for i := range d.Failed {
		if d.Failed[i].Err == nil {
			return fmt.Errorf("%s failed, but its error is missing", d.Failed[i].Stmt)
		}
	}
	if code, err := strconv.Atoi(string(d.What)); err == nil {
		d.What, d.Code = fault.UnexpectedError, code
	}
	return nil
}

// detailed takes over the detail of a file of before: a text of sentences, of which the first may name the table. They
// have no places.
func (d *Difference) detailed(text string) {
	for part := range strings.SplitSeq(text, "; ") {
		switch table, named := strings.CutPrefix(part, "table "); {
		case named && d.Table == "" && d.What == fault.Final:
			d.Table = table
		case part != "":
			d.Steps = append(d.Steps, Sentence{Say: part})
		}
	}
}
