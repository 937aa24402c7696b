package timeline

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

	"txweave/dbms"
	"txweave/finding"
	"txweave/history"
	"txweave/oracle/observe"
	"txweave/sdg"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// Dossier is a finding's directory as read: the record with all the evidence. What is missing there is nil or empty
// here.
type Dossier struct {
	Case     *testcase.Case
	Record   finding.Record
	Run      *history.Trace // in transactions
	Replayed *history.Trace // without, or what Beside says
	Beside   string         // what Replayed is; "": the statements without transactions
	Graph    *sdg.GraphDocument
	// Observation is what the statements of Run saw and wrote, as the oracles used it; nil where it was not recorded.
	Observation *observe.Document
	Plain       *PlainForm // the case as a person would write it; nil where there is none
	Log         string     // of a crash
	Reduction   *Reduction // what reduction.json says; nil without one
	Reduced     bool       // the case is smaller than the one that was found
	Watched     bool       // the reads around the statements that it names are shown, whatever it is
	Tested      *Tested    // nil: nobody has run its test
}

// Tested is a finding's regression test that the maintainers' own program has run.
type Tested struct{ Text, Said string }

// Reduction is what reduction.json says of the reduced case, as far as reports tell it.
type Reduction struct {
	Stop string `json:"stop"` // why the reduction ended: "fixpoint" where nothing more could go
	// Conditions are what the finding needs: it goes away without each of them.
	Conditions []finding.Condition `json:"conditions"`
}

// Load reads a finding's directory. Where it holds a reduced case, that is the finding; what the smaller one lacks
// (environment, rate) is the original's.
func Load(dir string) (*Dossier, error) {
	d, err := finding.Open(dir)
	if err != nil {
		return nil, err
	}
	f, err := of(d)
	if err != nil {
		return nil, err
	}
	small, err := d.Reduced()
	if small == nil || err != nil {
		return f, err
	}
	r, err := of(small)
	if err != nil {
		return nil, err
	}
	if r.Run == nil && f.Run != nil || r.Record.Class == "" && r.Run != nil {
		return f, nil // a smaller case without the run that shows it is no evidence
	}
	r.adopt(f)
	return r, nil
}

// adopt makes f the reduced form of a finding: what it lacks (environment, rate, log, …) is the original's.
func (f *Dossier) adopt(original *Dossier) {
	f.Reduced = true
	if f.Record.Class == "" {
		f.Record.Finding = original.Record.Finding
	}
	if f.Record.ID == "" {
		f.Record.ID = original.Record.ID
	}
	if env := &f.Record.Environment; env.Version == "" {
		*env = original.Record.Environment
	} else if env.Command == "" {
		env.Seed, env.Case, env.Command = original.Record.Environment.Seed, original.Record.Environment.Case,
			original.Record.Environment.Command
	}
	if f.Log == "" {
		f.Log = original.Log
	}
	if f.Reduction == nil {
		f.Reduction = original.Reduction
	}
}

// Read reads a finding's directory as it is, whether or not it holds a reduced case.
func Read(dir string) (*Dossier, error) {
	d, err := finding.Open(dir)
	if err != nil {
		return nil, err
	}
	return of(d)
}

// of reads what a directory holds.
func of(d *finding.Dir) (*Dossier, error) {
	f := &Dossier{}
	var err error
	if f.Case, err = d.Case(); err != nil {
		return nil, err
	}
	if d.Record != nil {
		f.Record = *d.Record
	}
	f.fill()
	for _, part := range []struct {
		name  string
		parse func(io.Reader) error
	}{
		{finding.TraceFile, func(r io.Reader) (err error) { f.Run, err = history.ReadTrace(r); return err }},
		{finding.ReplayFile, func(r io.Reader) (err error) { f.Replayed, err = history.ReadTrace(r); return err }},
		{finding.ObservationFile, func(r io.Reader) (err error) { f.Observation, err = observe.ReadDocument(r); return err }},
		{finding.GraphFile, func(r io.Reader) (err error) { f.Graph, err = sdg.ReadDocument(r); return err }},
		{finding.LogFile, func(r io.Reader) error { b, err := io.ReadAll(r); f.Log = string(b); return err }},
		{finding.ReductionFile, func(r io.Reader) error {
			f.Reduction = new(Reduction)
			return json.NewDecoder(r).Decode(f.Reduction)
		}},
	} {
		text, err := d.Read(part.name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = part.parse(bytes.NewReader(text))
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Join(d.Path, part.name), err)
		}
	}
	f.Reduced = f.Reduction != nil
	if err := f.check(); err != nil {
		return nil, err
	}
	return f, f.readPlain(d)
}

// fill takes from the case what the record does not say.
func (f *Dossier) fill() {
	env := &f.Record.Environment
	if env.DBMS == "" {
		env.DBMS = f.Case.Target
	}
	if env.Isolation == "" {
		env.Isolation = f.Case.Isolation
	}
	if env.ToolVersion == "" {
		env.ToolVersion = f.Case.Tool
	}
}

// check holds the traces against the case, so that a file that was edited or mixed up is an error, not a panic, and
// nothing comes into scripts but what a case may hold.
func (f *Dossier) check() error {
	// What is one statement of the case's target can be two of the database that the record names.
	if err := f.Case.Admit(f.syntax()); err != nil {
		return fmt.Errorf("the case is not one of %s: %w", f.Record.Environment.DBMS, err)
	}
	for _, t := range []*history.Trace{f.Run, f.Replayed} {
		if t == nil {
			continue
		}
		if err := f.checkEvents(f.Case, t.Events, t == f.Run); err != nil {
			return err
		}
	}
	return nil
}

// syntax is how the database reads statements.
func (f *Dossier) syntax() *sqltext.Syntax { return sqltext.SyntaxOf(f.Record.Environment.DBMS) }

// checkEvents holds a trace against its case; shown says that its statements come into reports, and not its answers
// alone.
func (f *Dossier) checkEvents(c *testcase.Case, events []*history.Event, shown bool) error {
	sent, err := c.Sent(f.syntax())
	if err != nil {
		return err
	}
	settings := f.settings(c)
	for n, e := range events {
		if e == nil {
			return fmt.Errorf("statement %d of the trace is null", n)
		}
		err := checkEvent(c, e)
		if err == nil && shown && !(e.Role == history.Level && slices.Contains(settings, e.Text)) {
			err = f.checkText(c, sent, e)
		}
		if err != nil {
			return fmt.Errorf("the trace does not belong to the case: its statement %d %w", n, err)
		}
	}
	return nil
}

// checkEvent says what about an event cannot be of the case.
func checkEvent(c *testcase.Case, e *history.Event) error {
	switch e.Role {
	case history.Initial, history.Final:
	case history.Level, history.Begin, history.Orphans, history.End, history.Abort:
		if e.Txn < 0 || e.Stmt != -1 {
			return fmt.Errorf("is of no transaction, or no %s", e.Role)
		}
	case history.Target, history.VSR, history.BWR, history.AWR, history.Again:
		if e.Txn < 0 || e.Stmt < 0 {
			return fmt.Errorf("is a %s of no statement", e.Role)
		}
	default:
		return fmt.Errorf("has the role %q, which there is not", e.Role)
	}
	if e.Txn < -1 || e.Stmt < -1 || e.Txn >= len(c.Txns) || e.Txn >= 0 && e.Stmt >= len(c.Txns[e.Txn].Stmts) {
		return fmt.Errorf("is statement %d of transaction T%d, which the case does not have", e.Stmt, e.Txn)
	}
	return nil
}

// settings are the statements that set sessions to the levels of a case and to what it says, or queries to be planned
// otherwise.
func (f *Dossier) settings(c *testcase.Case) (out []string) {
	for _, s := range c.Sessions {
		out = append(out, testcase.Texts(s.Stmts)...)
	}
	levels := []string{f.Record.Environment.Isolation}
	for i := range c.Txns {
		levels = append(levels, c.Txns[i].Isolation)
	}
	for _, level := range levels {
		p, err := dbms.Lookup(f.Record.Environment.DBMS, level)
		if err != nil {
			continue
		}
		out = append(append(out, p.Sessions.Setup...), p.SettingOf(c.Option(testcase.OptionSetting))...)
		for i := range p.Variants.Plans {
			out = append(out, p.Variants.Plans[i].Set...)
		}
	}
	return out
}

// checkText says what running the case does not send, or nobody who does.
func (f *Dossier) checkText(c *testcase.Case, sent *testcase.Sent, e *history.Event) error {
	if _, ok := testcase.ParseTxn(e.Session); !ok && !observes(e.Session) {
		return fmt.Errorf("is of a session %q, which there is not", e.Session)
	}
	own, what := "", testcase.Within
	switch e.Role {
	case history.Begin:
		own, what = c.Txns[e.Txn].Begin.SQL, testcase.Opening
		if p, err := dbms.Lookup(f.Record.Environment.DBMS, f.Record.Environment.Isolation); err == nil &&
			e.Text == p.Transactions.Chained {
			return nil
		}
	case history.End:
		own, what = c.Txns[e.Txn].End.SQL, testcase.Closing
	case history.Level, history.Abort:
		what = testcase.Clearing
	case history.Target:
		own = c.Txns[e.Txn].Stmts[e.Stmt].SQL
	}
	if own != "" && e.Text == own {
		return nil
	}
	text := e.Text
	if returned(e) {
		text = c.Txns[e.Txn].Stmts[e.Stmt].SQL + " " + text
	}
	if err := sent.Admit(text, what); err != nil {
		return fmt.Errorf("is %q: %w", e.Text, err)
	}
	return nil
}

// ShowsProbes says whether the reads around the statements are evidence of the finding, or are asked for.
func (f *Dossier) ShowsProbes() bool {
	switch f.Record.Class {
	case finding.ClassInconsistent, finding.ClassUnexplained, finding.ClassSnapshot:
		return true
	}
	return f.Watched
}

// Timeline lays out the finding's run. Where the reads around a statement are the evidence, they are kept.
func (f *Dossier) Timeline() (*Timeline, error) {
	if f.Run == nil {
		return nil, errors.New("the finding has no trace.jsonl, which has what the statements answered: name its case.txw " +
			"instead, which is run once for that")
	}
	var probed []string
	if f.ShowsProbes() {
		for _, d := range f.Record.Differences {
			probed = append(probed, d.Stmt)
		}
	}
	return Build(f.Case, f.Run, f.Replayed, f.Record.Differences, probed), nil
}
