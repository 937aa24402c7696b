package ci

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"txweave/campaign/database"
	"txweave/finding"
)

func someOutcome() *BuildOutcome {
	const hostile = "<b>|`*\x1b[31m]]>\n&"
	return &BuildOutcome{
		Status: &database.CampaignStatus{Cells: []database.CellStatus{
			{ID: 1, Name: "one", Target: "sqlite", Isolation: "serializable", Mode: "fuzz", State: "done",
				CasesChecked: 5, Found: 2},
			{ID: 2, Name: "two", Target: "mariadb", Isolation: "serializable", Mode: "fuzz", State: "unavailable",
				Detail: hostile}}},
		Bugs: []*finding.Bug{
			{ID: "B1", DBMS: "sqlite", Class: finding.ClassCrash, Title: "new " + hostile, Count: 2,
				Signature: finding.Signature{Coarse: "crash/a"}},
			{ID: "B2", DBMS: "sqlite", Class: finding.ClassReplay, Summary: "old", Count: 1, Signature: finding.Signature{
				Coarse: "replay-difference/b"}}},
		New:   map[string]bool{"B1": true},
		Shows: func(cell int64, _ string) bool { return cell == 1 },
	}
}

func TestJUnit(t *testing.T) {
	var b bytes.Buffer
	if err := someOutcome().JUnit(&b); err != nil {
		t.Fatal(err)
	}
	var got junitSuites
	if err := xml.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatalf("%v: %s", err, b.String())
	}
	one, two := got.Suites[0], got.Suites[1]
	if one.Tests != 3 || one.Failures != 1 || one.Skipped != 1 || one.Errors != 0 || two.Errors != 1 ||
		one.Cases[1].Failure == nil {
		t.Errorf("%s", b.String())
	}
}

func TestSARIF(t *testing.T) {
	var b bytes.Buffer
	if err := someOutcome().SARIF(&b, func(g *finding.Bug) string { return g.ID + "/case.txw" }); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Version string
		Runs    []struct {
			Results []struct {
				RuleID, Level string
				Message       struct{ Text string }
			}
		}
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	list := got.Runs[0].Results
	if got.Version != "2.1.0" || len(list) != 2 || list[0].Level != "error" || list[1].Level != "warning" ||
		strings.ContainsRune(list[0].Message.Text, 0x1b) {
		t.Errorf("%s", b.String())
	}
}

func TestMarkdown(t *testing.T) {
	var b bytes.Buffer
	if err := someOutcome().Markdown(&b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	if !strings.Contains(text, "1 new bugs, 1 known") || strings.Contains(text, "<b>") || strings.ContainsRune(text,
		0x1b) || strings.Count(text, "\n") != 11 {
		t.Errorf("%s", text)
	}
}

func TestFails(t *testing.T) {
	o := someOutcome()
	if !o.Fails("new") || !o.Fails("any") || !o.Fails("crash") {
		t.Error("a new crash fails whatever is asked")
	}
	o.New = map[string]bool{}
	if o.Fails("new") || !o.Fails("any") || o.Fails("crash") {
		t.Error("known bugs fail only where any does")
	}
}

func TestBaseline(t *testing.T) {
	text, err := json.Marshal(someOutcome().Bugs)
	if err != nil {
		t.Fatal(err)
	}
	b, err := ReadBaseline(text)
	if err != nil || !b.Has(someOutcome().Bugs[0]) ||
		b.Has(&finding.Bug{DBMS: "sqlite", Signature: finding.Signature{Coarse: "crash/other"}}) ||
		b.Has(&finding.Bug{DBMS: "mysql", Signature: finding.Signature{Coarse: "crash/a"}}) {
		t.Errorf("%+v: %v", b, err)
	}
	for _, bad := range []string{"", "{}", "[null]"} {
		if _, err := ReadBaseline([]byte(bad)); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}

// TestUnreducedIsTold: a group that may be another bug is told, and fails a build where all that it may be is known:
// nothing else would.
func TestUnreducedIsTold(t *testing.T) {
	minimal := finding.Signature{Coarse: "replay-difference/SELECT:rows", Features: []string{"SELECT"}, Minimal: true}
	large := finding.Signature{Coarse: "replay-difference/final", Features: []string{"SELECT", "where"}}
	found := func() *finding.Bugs {
		b := &finding.Bugs{Bugs: []*finding.Bug{
			{ID: "B1", DBMS: "sqlite", Status: finding.StatusOpen, Signature: minimal, Title: "one"},
			{ID: "B2", DBMS: "sqlite", Status: finding.StatusOpen, Signature: large, Title: "two"}}}
		b.Explain()
		return b
	}
	if got := found().Bugs[1].State(); got != "unreduced, may be B1" {
		t.Fatal(got)
	}
	for _, tc := range []struct {
		known Baseline
		want  string // the new ones
	}{{nil, "B1"}, {found().Bugs[:1], "B2"}, {found().Bugs, ""}} {
		f := Config{known: tc.known}
		news := f.news(found())
		if got := strings.Join(slices.Sorted(maps.Keys(news)), " "); got != tc.want {
			t.Errorf("with %d known: new are %q, not %q", len(tc.known), got, tc.want)
		}
		o := someOutcome()
		o.Bugs, o.New = found().Bugs, news
		var text, tests bytes.Buffer
		if err := errors.Join(o.Markdown(&text), o.JUnit(&tests)); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(text.String(), "two \\(unreduced, may be B1\\)") ||
			!strings.Contains(tests.String(), "two (unreduced, may be B1)") {
			t.Errorf("%s\n%s", text.String(), tests.String())
		}
	}
}
