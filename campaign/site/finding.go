package site

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"txweave/finding"
	"txweave/report"
	"txweave/report/export"
	"txweave/report/timeline"
)

// findingData is what a finding's page shows.
type findingData struct {
	Name     string
	Told     []difference
	Record   *finding.Record
	Bug      string
	Files    []string // of its directory
	Reduced  bool
	Page     string // of the page to look at: that of the reduced case if there is one
	Original string // of the case as it was found
	Case     string // the reduced one if there is one
	Log      string
	Texts    []text // reports and exports, to copy
	Why      string // there are none
	Cells    []string
	Cell     string // that found it
	Again    *attempt
	Command  string // that repeats it here
	Dir      string
}

// text is something to copy.
type text struct{ Name, Body string }

// difference is what is wrong, and where it is of two executions, what they are and what each gave.
type difference struct{ What, Detail, Run, Gave, Other, Instead string }

// attempt is what came of running a case again.
type attempt struct {
	Cell, Text string
	At         time.Time
	Running    bool
}

// repeated are the last attempts, by finding.
type repeated struct {
	mu   sync.Mutex
	last map[string]*attempt
}

func (a *repeated) of(name string) *attempt {
	a.mu.Lock()
	defer a.mu.Unlock()
	if x := a.last[name]; x != nil {
		c := *x
		return &c
	}
	return nil
}

func (a *repeated) set(name string, x attempt) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.last == nil {
		a.last = map[string]*attempt{}
	}
	a.last[name] = &x
}

// shown are the files of a finding that can be fetched: what campaigns write.
var shown = []string{finding.RecordFile, finding.CaseFile, finding.TraceFile, finding.ReplayFile,
	finding.ObservationFile, finding.GraphFile, finding.DrawingFile,
	finding.LogFile, finding.StacksFile, finding.ReductionFile, finding.PlainFile, finding.PageFile, finding.StormFile}

// open opens a finding's directory; its error is errNone where there is none.
func (s *Site) open(name string) (*finding.Dir, error) {
	if _, is := finding.CutKind(name); !is || !finding.ValidName(name) {
		return nil, errNone
	}
	d, err := s.DB.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: its files are not kept", errNone)
	}
	return d, err
}

func (s *Site) finding(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	dir, err := s.open(name)
	if err != nil {
		fail(w, err)
		return
	}
	of, _ := finding.ParseName(name)
	d := findingData{Name: name, Cell: of.Cell, Record: dir.Record, Again: s.again.of(name), Dir: dir.Path}
	if d.Record == nil {
		d.Record = &finding.Record{ID: name}
	}
	d.Files = present(dir.Path)
	small, err := dir.Reduced()
	if err != nil {
		fail(w, err)
		return
	}
	best := dir
	if small != nil {
		best, d.Reduced = small, true
		d.Original = content(dir, finding.CaseFile)
		if r := small.Record; r != nil && r.Class != "" {
			d.Record = &finding.Record{ID: d.Record.ID, Finding: r.Finding, Environment: d.Record.Environment}
		}
	}
	for i := range d.Record.Differences {
		x := &d.Record.Differences[i]
		told := difference{What: x.Heading(), Detail: x.Detail(), Gave: x.Transaction.String(), Instead: x.Replay.String()}
		told.Run, told.Other = x.Sides(d.Record.Class)
		d.Told = append(d.Told, told)
	}
	d.Case, d.Log = content(best, finding.CaseFile), content(dir, finding.LogFile)
	if slices.Contains(present(best.Path), finding.PageFile) {
		d.Page = finding.PageFile
		if d.Reduced {
			d.Page = finding.ReducedDir + "/" + finding.PageFile
		}
	}
	if d.Case != "" {
		d.Command = "txweave replay " + filepath.Join(best.Path, finding.CaseFile) + " --repeat 10"
		d.texts(best)
	} else {
		d.Command = d.Record.Environment.Command
	}
	if st, err := s.DB.Status(r.Context()); err == nil && s.Repeat != nil && d.Case != "" {
		d.Cells = cellsOf(st, d.Record.Environment.DBMS)
	}
	if d.Bug, err = s.DB.BugOf(r.Context(), name); err != nil {
		fail(w, err)
		return
	}
	s.render(w, "finding.tmpl", view{Title: name, Live: d.Again != nil && d.Again.Running, Data: &d})
}

// present lists the files of a finding that are there.
func present(dir string) (out []string) {
	for _, name := range shown {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			out = append(out, name)
		}
	}
	return out
}

// maxShown is how much of a file a page shows, in bytes.
const maxShown = 256 << 10

// content is a file of a finding as a page shows it; "" if there is none.
func content(d *finding.Dir, name string) string {
	body, err := d.Read(name)
	if err != nil {
		return ""
	}
	if len(body) > maxShown {
		return string(body[:maxShown]) + fmt.Sprintf("\n… (%d bytes more)", len(body)-maxShown)
	}
	return string(body)
}

// texts writes the reports and exports of a finding. A planted bug's say nothing of the database, and are not for
// others.
func (d *findingData) texts(dir *finding.Dir) {
	if len(d.Record.Environment.Planted) > 0 {
		d.Why = "It was made with planted bugs, which say nothing of the database: txweave report --planted writes the " +
			"reports all the same."
		return
	}
	find, err := timeline.Load(dir.Path)
	if err != nil {
		d.Why = err.Error()
		return
	}
	if body, err := report.Write(d.Record.Environment.DBMS, find); err == nil {
		d.Texts = append(d.Texts, text{"report", body})
	} else {
		d.Why = err.Error()
	}
	for _, to := range export.Formats() {
		if files, err := export.Write(to, find); err == nil && len(files) > 0 {
			d.Texts = append(d.Texts, text{"export to " + to, files[0].Text})
		}
	}
}

// file answers with a file of a finding. A finding's page is one by itself, with its style in it; all else is text to
// read.
func (s *Site) file(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("file")
	dir, err := s.open(r.PathValue("name"))
	if err == nil && strings.Contains(r.URL.Path, "/"+finding.ReducedDir+"/") {
		if dir, err = dir.Reduced(); err == nil && dir == nil {
			err = errNone
		}
	}
	if err == nil && !slices.Contains(shown, name) {
		err = errNone
	}
	var body []byte
	if err == nil {
		if body, err = dir.Read(name); errors.Is(err, fs.ErrNotExist) {
			err = errNone
		}
	}
	if err != nil {
		fail(w, err)
		return
	}
	kind := "text/plain; charset=utf-8"
	if name == finding.PageFile {
		kind = "text/html; charset=utf-8"
		w.Header().Set("Content-Security-Policy", "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:")
	}
	w.Header().Set("Content-Type", kind)
	_, _ = w.Write(body) // whoever asked may be gone
}

// repeatTime is how long running a case again may take.
const repeatTime = 5 * time.Minute

// repeat runs a finding's case again, on the target of a cell that the form names; one at a time.
func (s *Site) repeat(w http.ResponseWriter, r *http.Request) {
	if !s.checked(w, r) {
		return
	}
	name, cell := r.PathValue("name"), r.PostFormValue("cell")
	if _, err := s.open(name); err != nil {
		fail(w, err)
		return
	}
	st, err := s.DB.Status(r.Context())
	if err != nil {
		fail(w, err)
		return
	}
	known := false
	for i := range st.Cells {
		known = known || st.Cells[i].Name == cell
	}
	if s.Repeat == nil || !known {
		http.Error(w, "there is no such cell to run it on", http.StatusBadRequest)
		return
	}
	select {
	case s.busy <- struct{}{}:
	default:
		http.Error(w, "another case is being run again: wait for it", http.StatusConflict)
		return
	}
	s.again.set(name, attempt{Cell: cell, At: time.Now(), Running: true})
	go func() {
		defer func() { <-s.busy }()
		ctx, cancel := context.WithTimeout(s.ends, repeatTime)
		defer cancel()
		body, err := s.Repeat(ctx, name, cell)
		if err != nil {
			body = strings.TrimSpace(body + "\n" + err.Error())
		}
		s.again.set(name, attempt{Cell: cell, At: time.Now(), Text: body})
	}()
	http.Redirect(w, r, "/findings/"+url.PathEscape(name), http.StatusSeeOther)
}
