package export

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	goformat "go/format"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"txweave/history"
	"txweave/report/timeline"
	"txweave/sql/sqltext"
)

//go:embed go.tmpl
var goText string

var goTemplate = template.Must(template.New("go").Funcs(template.FuncMap{"quote": goQuote}).Parse(goText))

// goQuote prints a Go string literal, a raw one where that reads better.
func goQuote(s string) string {
	if strconv.CanBackquote(s) {
		return "`" + s + "`"
	}
	return strconv.Quote(s)
}

// goData is what the template prints.
type goData struct {
	Head           []string
	Import, Driver string
	Waits          string // query for how many sessions wait; "" where statements are sent again
	Schema, Drops  []string
	Store          []string // what shapes the database's file before anything else
	Reads          []string
	Lanes          []goLane
	Moments        []goMoment
	Orders         []goOrder  // executions without concurrency, one of which is right; empty without any
	Evidence       []goAnswer // what the run answered, where there is none
	What           string     // the finding in a few words
}

type goLane struct{ Setup []string }

type goOrder struct {
	What    string
	Moments []goMoment
}

type goMoment struct {
	Lane   int
	Kind   string // "ran", "blocked", "resumed"
	Name   string
	SQL    string
	Query  bool
	Writes bool // rows, which are counted
}

func newMoment(lane int, kind string, st *timeline.LaneStep) goMoment {
	return goMoment{lane, kind, st.Name, st.SQL, isQuery(st), sqltext.KindOf(st.SQL).Writes()}
}

type goAnswer struct{ Name, Text string }

// writeGo writes a Go test. It fails while the finding is there: where none of the executions without concurrency gives
// the answers of the interleaving or, for a finding without such executions, where the run answers once more what it
// must not.
func writeGo(s *script) ([]File, error) {
	if s.finding.Searched() != nil {
		return nil,
			errors.New("a write that is compared with a query under another plan is no Go test: want mtr, sql or annotated")
	}
	if slices.ContainsFunc(s.Steps, func(st *timeline.LaneStep) bool { return timeline.Miscounted(&st.Answer) != "" }) {
		return nil, errors.New("database/sql does not tell how many rows a statement affected that returns some: " +
			"want sql or annotated")
	}
	d := goData{Head: strings.Split(strings.TrimSuffix(comment("// ", s.head()...), "\n"), "\n"), Import: s.dbms.GoImport,
		Driver: s.dbms.GoDriver, Schema: s.creation(), Drops: s.drops(),
		What: remark(s.finding.Claim(s.Timeline))}
	if s.store != nil && s.dbms.Waits[0] == "" {
		d.Store = s.store.Set
	}
	if s.dbms.Waits[0] != "" {
		d.Waits = "SELECT " + s.dbms.Waits[0] + " FROM " + s.dbms.Waits[1]
	}
	for _, sql := range s.reads() {
		d.Reads = append(d.Reads, sql+" ORDER BY 1")
	}
	for _, l := range s.Lanes {
		d.Lanes = append(d.Lanes, goLane{s.laneSetup(l)})
	}
	kinds := map[timeline.MarkKind]string{timeline.Ran: "ran", timeline.Blocked: "blocked", timeline.Resumed: "resumed"}
	for _, m := range s.Marks {
		d.Moments = append(d.Moments, newMoment(m.Step.Lane, kinds[m.Kind], m.Step))
	}
	for _, x := range s.serial {
		if s.finding.Plain == nil && len(s.Serial) == 0 {
			break // orders of transactions that nobody has run
		}
		o := goOrder{What: x.what}
		for _, st := range x.steps {
			o.Moments = append(o.Moments, newMoment(0, "ran", st))
		}
		d.Orders = append(d.Orders, o)
	}
	if len(d.Orders) == 0 {
		d.Evidence = s.evidence()
	}
	var b bytes.Buffer
	if err := goTemplate.Execute(&b, d); err != nil {
		return nil, err
	}
	text, err := goformat.Source(b.Bytes())
	if err != nil {
		return nil, fmt.Errorf("the Go test: %w", err)
	}
	return []File{{"case_test.go", string(text)}}, nil
}

// evidence are the answers of the statements that the finding names, and of the reads around them.
func (s *script) evidence() []goAnswer {
	var named []string
	for _, d := range s.finding.Record.Differences {
		named = append(named, d.Stmts()...)
	}
	if s.finding.Plain != nil { // its statements are not numbered as the finding's are: all of them
		named = nil
		for _, st := range s.Steps {
			if st.Role == history.Target {
				named = append(named, st.Name)
			}
		}
	}
	var out []goAnswer
	for _, st := range s.Steps {
		for _, n := range named {
			if st.Answered && (st.Name == n || strings.HasPrefix(st.Name, n+".")) {
				out = keepAnswer(out, goAnswer{st.Name, answerText(st)})
				break
			}
		}
	}
	return out
}

// keepAnswer adds an answer; of the statements of one name those that tell more, as the template's own code does.
func keepAnswer(out []goAnswer, a goAnswer) []goAnswer {
	at := slices.IndexFunc(out, func(o goAnswer) bool { return o.Name == a.Name })
	switch {
	case at < 0:
		return append(out, a)
	case a.Text != doneText:
		out[at] = a
	}
	return out
}

// doneText is the answer of a statement that neither returns nor writes rows.
const doneText = "done"

// answerText prints a statement's answer as the template's own code does.
func answerText(st *timeline.LaneStep) string {
	a := &st.Answer
	switch {
	case a.Err != nil:
		return "error"
	case a.Rows == nil && !sqltext.KindOf(st.SQL).Writes():
		return doneText
	case a.Rows == nil:
		return fmt.Sprintf("%d affected", a.Affected)
	}
	rows := make([]string, a.Rows.Len())
	for i := range rows {
		cells := make([]string, len(a.Rows.Columns))
		for j, v := range a.Rows.Row(i) {
			cells[j] = v.Raw()
			if v.Kind != history.Null {
				cells[j] = strconv.Quote(cells[j])
			}
		}
		rows[i] = "(" + strings.Join(cells, ", ") + ")"
	}
	return sortedLines(rows)
}

func sortedLines(rows []string) string {
	slices.Sort(rows)
	return strings.Join(rows, " ")
}
