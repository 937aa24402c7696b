// Package page writes a finding as one HTML page that needs nothing else: what is wrong, the sessions side by side with
// time downwards, the dependencies as a drawing, what was answered beside what should have been. It has no script and
// names nothing outside itself, so that it can be attached to a bug report, printed, and kept.
package page

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"txweave/finding"
	"txweave/history"
	"txweave/report/script"
	"txweave/report/timeline"
	"txweave/sql/sqltext"
)

// File is the name of a finding's page in its directory.
const File = finding.PageFile

//go:embed page.html.tmpl
var pageText string

//go:embed page.css
var style string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"style": func() template.CSS { return template.CSS(style) },
}).Parse(pageText))

// page is what the template prints.
type page struct {
	f     *timeline.Dossier
	t     *timeline.Timeline
	named map[history.Version]bool // versions that the finding names; nil until they are asked for

	heading
	course
	answers
	background
}

// heading says what was found.
type heading struct {
	Title, Claim, Level, ID, Class string
	Rate, Version, Summary         string
	Why, Script, Table             string // for people who know nothing of the rest
	Intro                          string // of Table
	Plain, Probes                  bool   // Script is the plain form; there are added reads
	Private                        bool
	Planted                        string
	Evidence                       []evidence
	Verdict                        string
}

// course is what the sessions did, with time downwards, and what depends on what.
type course struct {
	Lanes      []lane
	Bands      []band
	Cells      []cell
	Rows       int
	Dropped    string
	Opening    []string // settings with which every session begins
	Answered   bool     // false where no trace tells what was answered
	Unrecorded bool     // what the statements saw and wrote is not known
	Graph      *graph
	GraphTitle string
}

// answers are what the run gave beside what the replay did.
type answers struct {
	Actual, Beside string // what the run is, and the replay: without transactions, or a serial order
	ByPlan         bool   // the two differ by plan
	Colours        string // the class of the page's body: which of the two is known to be wrong
	Concurrent     bool   // it takes several transactions
	Otherwise      string // what has the statements planned otherwise
	InOrder        bool   // it is a serial order of the transactions
	Serial         []comparison
	Tables         []comparison
}

// background is what else there is to know.
type background struct {
	Schema          []string
	Log             string
	Conditions      []string
	Facts, Settings [][2]string
}

// evidence is one difference of the finding.
type evidence struct {
	What    string
	Lines   []piece // of the explanation
	Compare *comparison
	Steps   []cell // the statements that it names
}

func (e *evidence) shows(ref string) bool {
	return slices.ContainsFunc(e.Steps, func(c cell) bool { return c.Ref == ref })
}

// piece is a line of an explanation.
type piece struct {
	Text []word
	So   string // "T1 comes before T0"
}

// word is a part of a text; Ref is the anchor of the statement that it names, "" for plain text.
type word struct{ Text, Ref string }

// comparison is what two executions gave.
type comparison struct {
	Label, Beside    string // what Actual and Expected are of
	Query, QueryIs   string // the text that Expected answers, where that is not SQL, and what it is
	Name, Ref, SQL   string
	Actual, Expected *answer
	Wrong            bool
}

// lane is a column of the timeline.
type lane struct {
	Name     string
	Column   int
	Observer bool
}

// band is a transaction's stretch of its lane.
type band struct {
	Column, From, To int
	Txn              int
	RolledBack       bool
}

// cell is a statement in its lane. From and To are grid lines.
type cell struct {
	Ref, Name, SQL, Note string
	Column, From, To     int
	Control, Wrong       bool // BEGIN and its like; named by a difference
	Probe, Waited        bool
	Silent               bool // it has no answer
	Folded               bool // its answer shows only when it is asked for
	Answer, Expected     *answer
	Saw, Wrote, Deleted  []timeline.SeenVersion
	More, Others, Gone   int // versions that it saw, wrote and deleted which are not listed
}

// Write writes a finding's page. The same finding gives the same page.
func Write(f *timeline.Dossier) ([]byte, error) {
	p := &page{f: f}
	if f.Run != nil {
		t, err := f.Timeline()
		if err != nil {
			return nil, err
		}
		p.t, p.Answered = t, true
	} else {
		p.t = timeline.Planned(f.Case)
	}
	p.head()
	p.lanes()
	p.evidence()
	if !p.ByPlan { // where the statements are in one order, without transactions
		p.Graph = dependencies(f, p.t, p.wrong)
	}
	p.GraphTitle = "What depends on what"
	p.compare()
	p.facts()
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, p); err != nil {
		return nil, fmt.Errorf("timeline: %w", err)
	}
	return b.Bytes(), nil
}

// ForDirectory writes the page of the finding in a directory, as it is there. Evidence that cannot be laid out makes a
// page that says why: it is no reason to lose the evidence.
func ForDirectory(dir string) (text []byte) {
	failed := func(why any) []byte {
		return fmt.Appendf(nil,
			"<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>txweave</title></head><body><p>This "+
				"finding cannot be drawn: %s</p></body></html>\n",
			template.HTMLEscapeString(fmt.Sprint(why)))
	}
	defer func() {
		if why := recover(); why != nil { // a campaign of days must not end because a page cannot be drawn
			text = failed(why)
		}
	}()
	f, err := timeline.Read(dir)
	if err == nil {
		text, err = Write(f)
	}
	if err != nil {
		return failed(strings.ReplaceAll(err.Error(), dir+"/", ""))
	}
	return text
}

func (p *page) head() {
	r := &p.f.Record
	p.Title, p.Claim, p.Level = p.f.Title(p.t), p.f.Headline(p.t), p.f.Level()
	p.Actual, p.Beside, p.InOrder = "in transactions", cmp.Or(p.f.Beside, "without transactions"), p.f.Beside != ""
	p.Concurrent = p.f.Concurrent()
	if p.ByPlan = r.Class == finding.ClassPlan; p.ByPlan {
		p.Actual, p.Beside = "as planned", p.f.Otherwise()
		if s := p.f.Setting(); s != nil {
			p.Otherwise = strings.Join(timeline.PuttingInForce(s), "\n")
		}
	}
	switch p.f.Wrong() {
	case timeline.EitherSide:
		p.Colours = "undecided"
	case timeline.TheOther:
		p.Colours = "reversed"
		p.Beside += " (wrong)"
	case timeline.TheRun:
		if p.ByPlan {
			p.Actual += " (wrong)"
		}
	}
	p.ID, p.Class, p.Summary = r.ID, r.Class, r.Summary
	p.Version = strings.TrimSpace(r.Environment.DBMS + " " + r.Environment.Version)
	p.Rate = r.Again()
	p.Planted = r.Environment.PlantedNote()
	p.Why = p.f.Why()
	if p.Plain = p.f.Plain != nil; p.Plain {
		s := script.Of(p.f, p.t)
		p.Script = s.Text()
		p.Intro, p.Table, _ = s.Table()
	}
	if p.Private = r.Class == finding.ClassCrash; p.Private || p.f.Complains() {
		if p.Log = strings.TrimRight(p.f.Log, "\n"); p.Log == "" {
			p.Log = strings.TrimRight(r.Log, "\n")
		}
	}
	p.Dropped = strings.Join(p.t.Dropped, ", ")
	for _, s := range slices.Concat(p.f.Case.Schema, p.f.Case.Rows) {
		p.Schema = append(p.Schema, s.SQL)
	}
}

// wrong says whether a difference of the finding names a statement.
func (p *page) wrong(name string) bool {
	return slices.ContainsFunc(p.f.Record.Differences, func(d finding.Difference) bool {
		return d.Stmt == name || d.Stmt == "" && slices.Contains(d.Stmts(), name)
	})
}

// lanes places the moments: one row of the grid each, one column for each session that is shown.
func (p *page) lanes() {
	columns := map[int]int{}
	for i, l := range p.t.Lanes {
		if slices.ContainsFunc(p.t.Steps, func(s *timeline.LaneStep) bool { return s.Lane == i }) {
			columns[i] = len(p.Lanes) + 1
			p.Lanes = append(p.Lanes, lane{l.Name, len(p.Lanes) + 1, l.Observer})
		}
	}
	versions := timeline.ReadVersions(p.f.Observation)
	p.Unrecorded = p.Answered && versions == nil
	const first = 2 // below the names of the lanes
	marks, settings := opening(p.t)
	p.Rows, p.Opening = first+len(marks), settings
	index := map[*timeline.LaneStep]int{}
	for i, m := range marks {
		if m.Kind == timeline.Resumed {
			p.Cells[index[m.Step]].To = first + i + 1
			continue
		}
		c := p.cell(m.Step, versions[m.Step.Name])
		c.Column, c.From, c.To = columns[m.Step.Lane], first+i, first+i+1
		if m.Kind == timeline.Blocked {
			c.Waited, c.To = true, p.Rows // until it goes on
		}
		index[m.Step] = len(p.Cells)
		p.Cells = append(p.Cells, c)
	}
	p.bands(index)
}

// bands are the transactions' stretches, from the first statement to the last.
func (p *page) bands(index map[*timeline.LaneStep]int) {
	for _, s := range p.t.Steps {
		i, ok := index[s]
		if !ok || p.t.Lanes[s.Lane].Observer {
			continue
		}
		c := &p.Cells[i]
		at := slices.IndexFunc(p.Bands, func(b band) bool { return b.Txn == s.Txn && b.Column == c.Column })
		if at < 0 {
			at = len(p.Bands)
			p.Bands = append(p.Bands, band{Column: c.Column, From: c.From, Txn: s.Txn})
		}
		b := &p.Bands[at]
		b.To = max(b.To, c.To)
		b.RolledBack = b.RolledBack || s.Role == history.Abort || sqltext.KindOf(s.SQL) == sqltext.Rollback
	}
}

// cell is a step's cell, not yet placed.
func (p *page) cell(s *timeline.LaneStep, v *timeline.Versions) cell {
	c := cell{Ref: ref(s.Name), Name: s.Name, SQL: s.SQL, Wrong: p.wrong(s.Name), Probe: s.Probe(), Waited: s.Blocked,
		Silent: p.Answered && !s.Answered}
	switch s.Role {
	case history.Target:
	case history.VSR, history.BWR, history.AWR, history.Again, history.Orphans:
		c.Note = added[s.Role]
	default:
		c.Control = true
		if s.Role == history.Abort {
			c.Note = "the server has rolled back already"
		} else if own := history.SessionName(s.Txn); own != p.t.Lanes[s.Lane].Name {
			c.Note = own + p.again(s)
		}
	}
	if s.Answered && (!c.Control || s.Answer.Err != nil) {
		if len(s.Differences) > 0 && s.Expected != nil && p.f.Searched() == nil {
			c.Answer, c.Expected = beside(&s.Answer, s.Expected)
		} else {
			c.Answer = show(&s.Answer)
		}
	}
	if v != nil && !c.Probe && !c.Control {
		p.versions(&c, v)
	}
	if p.f.Record.Class == finding.ClassCrash && p.crashed(s) {
		c.Wrong, c.Note = true, "the server ended while this ran"
	}
	p.Probes = p.Probes || c.Probe
	c.Folded = len(p.t.Steps) > manySteps && !c.Wrong && !c.Control && !c.Probe && !c.Waited
	return c
}

// manySteps is how many statements a page shows in full. Of more, those that nothing names are folded.
const manySteps = 30

// again says that a transaction is not the first one of its connection.
func (p *page) again(s *timeline.LaneStep) string {
	if slices.ContainsFunc(p.t.Steps, func(x *timeline.LaneStep) bool { return x.Lane == s.Lane && x.Txn < s.Txn }) {
		return ", over the same connection"
	}
	return ""
}

// crashed says whether a statement is the one that ran when the server ended: it has no answer or, where nothing tells
// of answers, the log quotes it.
func (p *page) crashed(s *timeline.LaneStep) bool {
	if p.Answered {
		return !s.Answered && !s.Blocked
	}
	return s.Role == history.Target && s.Stmt >= 0 && len(s.SQL) > 12 && strings.Contains(p.Log, s.SQL)
}

// maxVersions is how many versions of one writer are listed for a statement, beside those that the finding names.
const maxVersions = 6

// versions lists what a statement saw and wrote: a few versions of each writer, and all that the finding names.
func (p *page) versions(c *cell, v *timeline.Versions) {
	few := func(all []timeline.SeenVersion) (list []timeline.SeenVersion, more int) {
		of := map[string]int{}
		for _, x := range all {
			if of[x.Writer]++; of[x.Writer] > maxVersions && !p.names(x) {
				more++
				continue
			}
			list = append(list, x)
		}
		return list, more
	}
	c.Saw, c.More = few(v.Saw)
	c.More += v.Still
	c.Wrote, c.Others = few(v.Wrote)
	c.Deleted, c.Gone = few(v.Deleted)
}

// names says whether the finding's differences name a version.
func (p *page) names(v timeline.SeenVersion) bool {
	if p.named == nil {
		p.named = map[history.Version]bool{}
		for i := range p.f.Record.Differences {
			for _, a := range p.f.Record.Differences[i].Args() {
				if a.Version != nil {
					p.named[*a.Version] = true
				}
			}
		}
	}
	return p.named[v.Version]
}

// ref is the anchor of a statement.
func ref(name string) string { return "s-" + strings.ReplaceAll(name, ".", "-") }

// linked is a step with links to the statements that it names.
func (p *page) linked(step *finding.Sentence) (out []word) {
	words, args := step.Parts()
	for i, text := range words {
		out = append(out, word{Text: text})
		if i == len(args) {
			break
		}
		w := word{Text: args[i].String()}
		if name := args[i].Stmt; name != "" && p.t.Find(name) != nil {
			w.Ref = ref(name)
		}
		out = append(out, w)
	}
	return out
}

// evidence says what is wrong, difference by difference.
func (p *page) evidence() {
	cycle := len(p.f.Record.Differences) > 0 && p.f.Record.Class == finding.ClassIsolation
	for i := range p.f.Record.Differences {
		d := &p.f.Record.Differences[i]
		e := evidence{What: d.Heading()}
		if e.Compare = p.comparisonOf(d); e.Compare == nil {
			edges := p.explain(d, &e)
			cycle = cycle && edges
		} else if e.Compare.SQL == "" {
			e.What = e.Compare.Name
		}
		p.Evidence = append(p.Evidence, e)
	}
	if cycle {
		p.Verdict = "They cannot hold together: no order of the transactions, one after the other, keeps them all."
	}
}

// comparisonOf is what the two executions gave where a difference names a statement or a table; nil where there is one
// only.
func (p *page) comparisonOf(d *finding.Difference) *comparison {
	if d == p.f.Searched() {
		return p.searched(d)
	}
	if s := p.t.Find(d.Stmt); s != nil && d.Stmt != "" && s.Expected != nil {
		c := p.comparisonAt(s)
		return &c
	}
	for i := range p.t.Tables {
		t := &p.t.Tables[i]
		if d.Table == t.Name && t.Expected != nil {
			return p.tableComparison(t)
		}
	}
	return nil
}

// searched puts a query beside the write that it was right before; nil where the finding lacks an answer of either.
func (p *page) searched(d *finding.Difference) *comparison {
	s, found := p.t.Find(d.Stmt), p.f.AnswerOfQuery(d)
	if s == nil || s.Expected == nil || found == nil {
		return nil
	}
	c := &comparison{Label: "the write", Beside: "the query", Name: s.Name, Ref: ref(s.Name), SQL: s.SQL, Query: d.Asked,
		QueryIs: "right before it", Wrong: true,
		Actual: show(s.Expected), Expected: show(found)}
	c.Actual.Wrong, c.Expected.Wrong = true, true
	return c
}

func (p *page) comparisonAt(s *timeline.LaneStep) comparison {
	c := comparison{Label: p.Actual, Beside: p.Beside, Name: s.Name, Ref: ref(s.Name), SQL: s.SQL,
		Wrong: len(s.Differences) > 0 && p.f.Searched() == nil}
	if !c.Wrong {
		c.Actual, c.Expected = show(&s.Answer), show(s.Expected)
		return c
	}
	c.Actual, c.Expected = beside(&s.Answer, s.Expected)
	if setting := p.f.Setting(); p.ByPlan && setting != nil {
		if w := setting.InWords(s.SQL, p.f.Case.ReadSchema()); w != nil && w.Stmt != s.SQL {
			c.Query, c.QueryIs = strings.Join(append(w.Before, w.Stmt), "; "), "otherwise"
		}
	}
	return c
}

func (p *page) tableComparison(t *timeline.FinalTable) *comparison {
	c := &comparison{Label: p.Actual, Beside: p.Beside, Name: t.Name + " at the end", Wrong: len(t.Differences) > 0}
	actual := &history.Answer{Rows: t.Actual, Affected: -1}
	switch {
	case t.Expected == nil:
		c.Actual = show(actual)
	case c.Wrong:
		c.Actual, c.Expected = beside(actual, &history.Answer{Rows: t.Expected, Affected: -1})
	default:
		c.Actual, c.Expected = show(actual), show(&history.Answer{Rows: t.Expected, Affected: -1})
	}
	return c
}

// explain writes an explanation step by step, with the statements that it names. It says whether every step is a
// dependency between transactions.
func (p *page) explain(d *finding.Difference, e *evidence) (edges bool) {
	edges = len(d.Steps) > 0
	for i := range d.Steps {
		from, to, ok := d.Steps[i].Precedes()
		line := piece{Text: p.linked(&d.Steps[i])}
		if ok && txnOf(from) != txnOf(to) {
			line.So = fmt.Sprintf("T%d comes before T%d", txnOf(from), txnOf(to))
		} else {
			edges = false
		}
		e.Lines = append(e.Lines, line)
	}
	for i := range d.Failed {
		e.Lines = append(e.Lines, piece{Text: []word{{Text: d.Failed[i].String()}}})
	}
	for _, name := range d.Stmts() {
		for _, c := range p.Cells {
			if c.Name == name || p.f.ShowsProbes() && strings.HasPrefix(c.Name, name+".") {
				if !slices.ContainsFunc(p.Evidence, func(b evidence) bool { return b.shows(c.Ref) }) { // once is enough
					e.Steps = append(e.Steps, c)
				}
			}
		}
	}
	return edges
}

// compare puts the equivalent order and the final contents beside the run.
func (p *page) compare() {
	for _, s := range p.t.Serial {
		p.Serial = append(p.Serial, p.comparisonAt(s))
	}
	for i := range p.t.Tables {
		p.Tables = append(p.Tables, *p.tableComparison(&p.t.Tables[i]))
	}
}

// facts are what a report has to name.
func (p *page) facts() {
	r := &p.f.Record
	env := &r.Environment
	add := func(name, value string) {
		if value != "" {
			p.Facts = append(p.Facts, [2]string{name, value})
		}
	}
	add("class", r.Class)
	add("oracle", r.Oracle)
	add("signature", r.Signature)
	add("database", p.Version)
	add("isolation level", p.Level)
	add("how often", r.Again())
	add("found by", env.ToolVersion)
	add("on", env.OS)
	add("command", env.Command)
	if env.Seed != 0 {
		add("seed", fmt.Sprintf("%d, case %d", env.Seed, env.Case))
	}
	if p.f.Reduced {
		add("case", "reduced")
	}
	p.Settings = p.f.SettingsToRepeat()
	if p.f.Reduction != nil {
		for _, c := range p.f.Reduction.Conditions {
			if c.Kind != "transaction" && c.Kind != "statement" && c.Kind != "row" { // a reduced case needs all that it has
				p.Conditions = append(p.Conditions, c.Text)
			}
		}
	}
}
