package timeline

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"txweave/finding"
	"txweave/observe"

	"txweave/history"
	"txweave/sdg"
	"txweave/testcase"
)

// Finding is a finding's directory as read. What is missing there is nil or empty here.
type Finding struct {
	Case     *testcase.Case
	Record   finding.Record
	Run      *history.Trace // in transactions
	Replayed *history.Trace // without
	Graph    *sdg.Document
	// Observation is what the statements of Run saw and wrote, as the oracles used it; nil where it was not recorded.
	Observation *observe.Document
	Log         string     // of a crash
	Reduction   *Reduction // what reduction.json says; nil without one
	Reduced     bool       // the case is smaller than the one that was found
}

// Reduction is what reduction.json says of the reduced case.
type Reduction struct {
	Stop string `json:"stop"` // why the reduction ended: "fixpoint" where nothing more could go
	// Conditions are what the finding needs: it goes away without each of them.
	Conditions []Condition `json:"conditions"`
}

// Condition is one thing that the finding needs.
type Condition struct {
	Kind string `json:"kind"` // "statement", "row", "overlap", "isolation", …
	Text string `json:"text"` // one line: "needs transactions that overlap in this order"
}

// reducedDir is where a finding's directory holds the smaller case, in the same shape.
const reducedDir = "reduced"

// Load reads a finding's directory. Where it holds a reduced case, that is the finding; what the smaller one lacks
// (environment, rate) is the original's.
func Load(dir string) (*Finding, error) {
	f, err := Read(dir)
	if err != nil {
		return nil, err
	}
	small := filepath.Join(dir, reducedDir)
	if _, err := os.Stat(filepath.Join(small, "case.txw")); err != nil {
		return f, nil
	}
	r, err := Read(small)
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
func (f *Finding) adopt(original *Finding) {
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
		env.Seed, env.Case, env.Command = original.Record.Environment.Seed, original.Record.Environment.Case, original.Record.Environment.Command
	}
	if f.Log == "" {
		f.Log = original.Log
	}
	if f.Reduction == nil {
		f.Reduction = original.Reduction
	}
}

// Read reads a finding's directory as it is, whether or not it holds a reduced case.
func Read(dir string) (*Finding, error) {
	if st, err := os.Stat(dir); err != nil {
		return nil, err
	} else if !st.IsDir() {
		return nil, fmt.Errorf("%s is not a finding's directory", dir)
	}
	f := &Finding{}
	var err error
	if f.Case, err = testcase.ReadFile(filepath.Join(dir, "case.txw")); err != nil {
		return nil, err
	}
	rec, err := finding.ReadRecord(dir)
	if err == nil {
		f.Record = *rec
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	f.fill()
	read := func(name string, parse func(io.Reader) error) {
		file, oerr := os.Open(filepath.Join(dir, name))
		if errors.Is(oerr, fs.ErrNotExist) || err != nil && !errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err = oerr; err != nil {
			return
		}
		defer file.Close()
		if perr := parse(file); perr != nil {
			err = fmt.Errorf("%s: %w", file.Name(), perr)
		}
	}
	read("trace.jsonl", func(r io.Reader) (err error) { f.Run, err = history.ReadTrace(r); return err })
	read("replay.jsonl", func(r io.Reader) (err error) { f.Replayed, err = history.ReadTrace(r); return err })
	read(observe.FileName, func(r io.Reader) (err error) { f.Observation, err = observe.ReadDocument(r); return err })
	read("sdg.json", func(r io.Reader) (err error) { f.Graph, err = sdg.ReadDocument(r); return err })
	read("log.txt", func(r io.Reader) error { b, err := io.ReadAll(r); f.Log = string(b); return err })
	read("reduction.json", func(r io.Reader) error {
		f.Reduction = new(Reduction)
		return json.NewDecoder(r).Decode(f.Reduction)
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	f.Reduced = f.Reduction != nil
	return f, f.check()
}

// fill takes from the case what the record does not say.
func (f *Finding) fill() {
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

// check holds the traces against the case, so that a file that was edited or mixed up is an error, not a panic.
func (f *Finding) check() error {
	for _, t := range []*history.Trace{f.Run, f.Replayed} {
		if t == nil {
			continue
		}
		for _, e := range t.Events {
			if e.Txn >= len(f.Case.Txns) || e.Txn >= 0 && e.Stmt >= len(f.Case.Txns[e.Txn].Stmts) {
				return fmt.Errorf("the trace does not belong to the case: it has a statement %d of transaction T%d", e.Stmt, e.Txn)
			}
		}
	}
	return nil
}

// Precedes reads from one step of an explanation, "T1.S0 read (t0, 1, 1), which T0.S1 overwrote", which statement comes
// before which: the first one named read or wrote what the second one then read or overwrote.
func Precedes(step string) (from, to string, ok bool) {
	named := finding.Named(step)
	if len(named) != 2 || !strings.Contains(step, ", which ") && !strings.Contains(step, " as it was before ") {
		return "", "", false
	}
	return named[0], named[1], true
}

// ShowsProbes says whether the reads around the statements are evidence of the finding.
func (f *Finding) ShowsProbes() bool {
	switch f.Record.Class {
	case finding.ClassInconsistent, finding.ClassUnexplained, finding.ClassSnapshot:
		return true
	}
	return false
}

// Timeline lays out the finding's run. Where the reads around a statement are the evidence, they are kept.
func (f *Finding) Timeline() (*Timeline, error) {
	if f.Run == nil {
		return nil, errors.New("the finding has no trace.jsonl: nothing is known of what was answered")
	}
	var probed []string
	if f.ShowsProbes() {
		for _, d := range f.Record.Differences {
			probed = append(probed, d.Stmt)
		}
	}
	return Build(f.Case, f.Run, f.Replayed, f.Record.Differences, probed), nil
}
