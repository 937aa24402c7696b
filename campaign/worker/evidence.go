package worker

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"txweave/campaign"
	"txweave/dbms"
	"txweave/dbms/registry"
	"txweave/finding"
	"txweave/oracle/observe"
	"txweave/report/timeline"
	"txweave/testcase"
	"txweave/weave"
	"txweave/weave/plain"
)

// fill copies the oracle's report into the result.
func fill(res *campaign.CaseResult, rep *weave.Report, bare bool) {
	res.Runs, res.Replays, res.Checked, res.Skipped = rep.Runs, rep.Replays, rep.Checked, rep.Why.String()
	st := &res.Statements
	st.Errored, st.Effective, st.Rows, st.Searches, st.Partial = rep.Errored, rep.Effective, rep.Rows,
		rep.Searches, rep.Partial
	res.Overlapping, res.OverlapEdge = rep.Overlapping, rep.OverlapEdge
	for i := range rep.Plan.Txns {
		for _, b := range rep.Plan.Txns[i].Blocks {
			if !b.Control() {
				st.Generated++
				count(st, rep.Fates, b.Name())
			}
		}
	}
	res.CrossEdges = map[string]int{}
	for l, n := range rep.CrossEdges {
		res.CrossEdges[l.String()] = n
	}
	for _, ev := range rep.Findings {
		res.Findings = append(res.Findings, pack(rep.Plan.Case, ev, bare))
	}
	for _, ev := range rep.Unconfirmed {
		res.Unconfirmed = append(res.Unconfirmed, pack(rep.Plan.Case, ev, bare))
	}
}

// count counts what became of a statement.
func count(st *campaign.Statements, fates map[string]weave.Fate, name string) {
	fate, told := fates[name]
	if !told {
		return
	}
	switch fate {
	case weave.Survived:
		st.Survived++
	case weave.DroppedBlocked:
		st.DroppedBlocked++
	case weave.DroppedCyclic:
		st.DroppedCyclic++
	case weave.DroppedAborted:
		st.DroppedAborted++
	case weave.DroppedBlamed:
		st.DroppedBlamed++
	}
}

// plain adds to a finding the plain form of its case. The finding stands without it: what goes wrong here costs it that
// form, and the connections, which may be in the midst of something.
func (w *Worker) plain(res *campaign.CaseResult, rep *weave.Report, c *testcase.Case, p *dbms.Profile,
	signature string) {
	f := campaign.FindBySignature(res, signature)
	for _, ev := range slices.Concat(rep.Findings, rep.Unconfirmed) {
		if f == nil || f.Files == nil || ev.Signature != signature {
			continue
		}
		form, err := plain.Make(w.runner, c, p, &ev.Finding, ev.Order)
		if err != nil {
			w.Release()
			return
		}
		if form == nil {
			return
		}
		if ev.Class == finding.ClassPlan {
			elsewhere(w.runnerIn, form, c.Target)
		}
		if text, err := form.Print(); err == nil {
			f.Files[finding.PlainFile] = text
			f.Title = plainTitle(c, ev, form, f.Title)
		}
		return
	}
}

// elsewhere asks the database that needs nothing installed which of two plans' answers it gives; what keeps it from
// answering costs the finding no more than that.
func elsewhere(ctx context.Context, form *finding.Plain, target string) {
	d, err := registry.Lookup(registry.Default)
	if err != nil || d.Embedded == nil || d.Name == target {
		return
	}
	other, err := d.Embedded.Open(ctx)
	if err != nil {
		return
	}
	defer other.Close()
	_ = plain.Elsewhere(ctx, form, other, d.Levels[0])
}

// plainTitle is title of a finding that has a plain form; title where that cannot be read.
func plainTitle(c *testcase.Case, ev *weave.Evidence, form *finding.Plain, title string) string {
	small, err := testcase.Parse(finding.PlainFile, []byte(form.Case))
	d := dossier(c, ev)
	if err != nil || d.SetPlain(form, small) != nil {
		return title
	}
	t, err := d.Timeline()
	if err != nil {
		return title
	}
	return d.Claim(t)
}

// title names a finding in one sentence.
func title(c *testcase.Case, ev *weave.Evidence) string {
	d := dossier(c, ev)
	if d.Run == nil {
		return d.Claim(nil)
	}
	t, err := d.Timeline()
	if err != nil {
		return d.Claim(nil)
	}
	return d.Claim(t)
}

// dossier is what evidence says of a case.
func dossier(c *testcase.Case, ev *weave.Evidence) *timeline.Dossier {
	d := &timeline.Dossier{Case: c, Record: finding.Record{Finding: ev.Finding,
		Environment: finding.Environment{DBMS: c.Target, Isolation: c.Isolation}}}
	if ev.Run != nil {
		d.Run = ev.Run.Trace
	}
	if ev.Run != nil && ev.Replayed != nil {
		d.Replayed = ev.Replayed.Trace()
	}
	return d
}

// pack turns evidence into files, unless nobody wants them.
func pack(c *testcase.Case, ev *weave.Evidence, bare bool) campaign.Found {
	if bare {
		return campaign.Found{Finding: ev.Finding}
	}
	f := campaign.Found{Finding: ev.Finding, Files: map[string][]byte{finding.CaseFile: c.Print()}}
	f.Title = title(c, ev)
	if ev.Log != "" {
		f.Files[finding.LogFile] = []byte(ev.Log)
	}
	put := func(name string, write func(*bytes.Buffer) error) {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			fmt.Fprintf(&b, "\n%v\n", err)
		}
		f.Files[name] = b.Bytes()
	}
	if ev.Observation != nil {
		put(observe.FileName, func(b *bytes.Buffer) error { return ev.Observation.Write(b) })
	}
	put(finding.TraceFile, func(b *bytes.Buffer) error { return ev.Run.Trace.Write(b) })
	if ev.Replayed != nil {
		put(finding.ReplayFile, func(b *bytes.Buffer) error { return ev.Replayed.Trace().Write(b) })
	}
	if ev.Graph != nil {
		put(finding.DrawingFile, func(b *bytes.Buffer) error { return ev.Graph.DOT(b) })
		put(finding.GraphFile, func(b *bytes.Buffer) error { return ev.Graph.Document(ev.Order).Write(b) })
	}
	return f
}
