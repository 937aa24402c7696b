package timeline

import (
	"slices"

	"txweave/fault"
	"txweave/finding"
	"txweave/history"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// PlainForm is a finding's case as a person would write it, with what it was answered.
type PlainForm struct {
	Case     *testcase.Case
	Timeline *Timeline // in transactions; of a finding that differs by plan, without
	Orders   []Order   // none of them gives what the transactions give; see finding.Plain
	Later    bool      // but for those in which something comes first that was committed after a query was answered
	Shown    int       // it was seen so many times …
	Runs     int       // … of so many
}

// Order is one execution without concurrency.
type Order struct {
	Txns []int  // the transactions, one after the other; nil for an order of statements
	Plan string // the plan setting in force
	On   string // another database
	// Timeline is that of the run, with the answers of this execution as the expected ones.
	Timeline *Timeline
}

// Wrong is what a difference says of a statement that answers otherwise than in every order.
const Wrong = fault.NoOrder

// readPlain reads the plain form of a finding's directory, where there is one.
func (f *Dossier) readPlain(d *finding.Dir) error {
	p, c, err := d.Plain()
	if p == nil || err != nil {
		return err
	}
	return f.SetPlain(p, c)
}

// SetPlain gives a finding its plain form, whose case is c.
func (f *Dossier) SetPlain(p *finding.Plain, c *testcase.Case) error {
	if err := f.checkEvents(c, p.Run, true); err != nil {
		return err
	}
	run := &history.Trace{Events: p.Run}
	form := &PlainForm{Case: c, Later: p.Later, Shown: p.Shown, Runs: p.Runs}
	for _, o := range p.Orders {
		if err := f.checkEvents(c, o.Events, false); err != nil {
			return err
		}
		form.Orders = append(form.Orders, Order{o.Txns, o.Plan, o.On,
			Build(c, run, &history.Trace{Events: o.Events}, nil, nil)})
	}
	form.Timeline = Build(c, run, nil, nil, nil)
	if (f.Record.Class == finding.ClassReplay || f.Record.Class == finding.ClassPlan) && len(p.Orders) > 0 {
		form.Timeline = form.Orders[0].Timeline
	}
	form.mark(f.Record.Differences)
	if !form.marked() {
		form.point(f.Record.Differences)
	}
	f.Plain = form
	return nil
}

// mark attaches a difference to what no order gives: a statement's answer, what a table holds at the end. Of a
// statement that the finding names it is the finding's, where the statements are those of the finding.
func (p *PlainForm) mark(of []finding.Difference) {
	if len(p.Orders) == 0 {
		return
	}
	orders := p.Orders
	if p.Orders[0].Plan != "" { // another database may give what the usual plan gives
		orders = orders[:1]
	}
	for _, s := range p.Timeline.Steps {
		if s.Role != history.Target || slices.ContainsFunc(orders, func(o Order) bool { return o.gives(s) }) {
			continue
		}
		d := finding.Difference{Stmt: s.Name, Kind: s.Kind(), What: Wrong}
		if i := slices.IndexFunc(of, func(x finding.Difference) bool { return x.Stmt == s.Name && x.Kind == d.Kind }); i >=
			0 && s.Expected != nil {
			d.What = of[i].What
		}
		s.Differences = append(s.Differences, d)
	}
	for i := range p.Timeline.Tables {
		t := &p.Timeline.Tables[i]
		if !slices.ContainsFunc(orders, func(o Order) bool { return SameRows(t.Actual, o.table(t.Name)) }) {
			t.Differences = append(t.Differences, finding.Difference{What: fault.Final, Table: t.Name})
		}
	}
}

// WrongSide is which of two answers is the wrong one.
type WrongSide uint8

// It is not known; that of the run, or of the usual plan; that of what stands beside it.
const (
	EitherSide WrongSide = iota
	TheRun
	TheOther
)

// WrongPlan says which of two plans' answers another database does not give.
func (p *PlainForm) WrongPlan() WrongSide {
	if p == nil || len(p.Orders) < 2 || p.Orders[1].On == "" {
		return EitherSide
	}
	there := &p.Orders[1]
	for _, s := range p.Timeline.Steps {
		if s.Role == history.Target && !there.gives(s) {
			return TheRun
		}
	}
	for i := range p.Timeline.Tables {
		if t := &p.Timeline.Tables[i]; t.Actual != nil && !SameRows(t.Actual, there.table(t.Name)) {
			return TheRun
		}
	}
	return TheOther
}

// rollsBack says whether a transaction that has written is rolled back, by its own wish or as its end fails.
func (p *PlainForm) rollsBack() bool {
	ended := map[int]bool{}
	for _, s := range p.Timeline.Steps {
		if s.Role == history.End && s.Answered && s.Answer.Err == nil && sqltext.KindOf(s.SQL) == sqltext.Commit {
			ended[s.Txn] = true
		}
	}
	for i := range p.Case.Txns {
		if !ended[i] {
			return true
		}
	}
	return false
}

// marked says whether anything is.
func (p *PlainForm) marked() bool {
	return slices.ContainsFunc(p.Timeline.Steps, func(s *LaneStep) bool { return len(s.Differences) > 0 }) ||
		slices.ContainsFunc(p.Timeline.Tables, func(t FinalTable) bool { return len(t.Differences) > 0 })
}

// point attaches the finding's difference to the statement that it names: only together with others its answer is that
// of no order, or the reads around it tell.
func (p *PlainForm) point(of []finding.Difference) {
	for i := range of {
		d := of[i]
		if d.What == fault.RowTwice && d.Kind != "SELECT" { // a read around the statement: here one beside it
			if j := slices.IndexFunc(p.Timeline.Steps, func(s *LaneStep) bool {
				return s.Role == history.Target && s.Kind() == "SELECT" && twice(s.Answer.Rows)
			}); j >= 0 {
				p.Timeline.Steps[j].Differences = append(p.Timeline.Steps[j].Differences, d)
				return
			}
		}
		if j := slices.IndexFunc(p.Timeline.Steps, func(s *LaneStep) bool { return s.Gone }); d.What == fault.Gone && j >= 0 {
			// without probes another one may be the victim
			p.Timeline.Steps[j].Differences = append(p.Timeline.Steps[j].Differences, d)
			return
		}
		for _, s := range p.Timeline.Steps {
			if p.meant(s, &d) {
				s.Differences = append(s.Differences, d)
				return
			}
		}
	}
}

// meant says whether a statement is the one that a difference names.
func (p *PlainForm) meant(s *LaneStep, d *finding.Difference) bool {
	switch {
	case s.Role != history.Target:
		return false
	case d.What == fault.UnexpectedError && s.Answer.Err != nil && s.Answer.Err.Code == d.Code:
		return true
	}
	return s.Kind() == d.Kind && (s.Name == d.Stmt || len(p.Orders) == 0 && d.Kind != "SELECT")
}

// twice says whether a result has a row twice.
func twice(r *history.Rows) bool {
	if r.Len() == 0 {
		return false
	}
	all := rowTexts(r)
	for i, row := range all {
		if slices.Contains(all[:i], row) {
			return true
		}
	}
	return false
}

// gives says whether an order answers a statement as the run did, or does not have it: its transaction was rolled back.
func (o *Order) gives(s *LaneStep) bool {
	x := o.Timeline.Find(s.Name)
	return x == nil || x.Expected == nil || SameAnswer(&s.Answer, x.Expected)
}

// table is what a table holds after an order.
func (o *Order) table(name string) *history.Rows {
	for i := range o.Timeline.Tables {
		if o.Timeline.Tables[i].Name == name {
			return o.Timeline.Tables[i].Expected
		}
	}
	return nil
}

// SameAnswer says whether two answers are the same, but for the order of rows, the text of errors and warnings.
func SameAnswer(a, b *history.Answer) bool {
	if a.Err != nil || b.Err != nil {
		return a.Err != nil && b.Err != nil && a.Err.Code == b.Err.Code
	}
	return a.Affected == b.Affected && SameRows(a.Rows, b.Rows)
}

// SameRows says whether two results hold the same rows.
func SameRows(a, b *history.Rows) bool {
	if (a == nil) != (b == nil) {
		return false
	}
	return a == nil || slices.Equal(rowTexts(a), rowTexts(b))
}

// Brief says on one line what an answer was, with its rows where they are few and short; ok is false where they are
// not.
func Brief(a *history.Answer) (text string, ok bool) {
	const few, short = 4, 70
	switch {
	case a.Err != nil:
		return AnswerLines(a)[0], true
	case a.Rows == nil && a.Affected < 0:
		return "", true
	case a.Rows == nil:
		return count(int(a.Affected), "row") + " affected", true
	}
	text, ok = BriefRows(a.Rows, few, short)
	if n := Miscounted(a); n != "" {
		text = n + ", returned: " + text
	}
	return text, ok
}

// BriefRows prints the rows of a result on one line; ok is false where there are more, or they are longer.
func BriefRows(r *history.Rows, few, short int) (text string, ok bool) {
	if r.Len() == 0 {
		return "no row", true
	}
	all := rowTexts(r)
	for i, row := range all {
		if i > 0 {
			text += ", "
		}
		text += oneLine(row)
	}
	if len(all) > few || len(text) > short {
		return count(len(all), "row"), false
	}
	return text, true
}
