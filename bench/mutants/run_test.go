package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"txweave/finding"
)

func TestBlames(t *testing.T) {
	for _, c := range []struct {
		class string
		first finding.Difference
		want  string
	}{
		{finding.ClassInconsistent, finding.Difference{Autocommit: true}, "replay"},
		{finding.ClassInconsistent, finding.Difference{}, "transaction"},
		{finding.ClassReplay, finding.Difference{}, "neither"},
		{finding.ClassSnapshot, finding.Difference{AtStart: true}, "neither"},
		{finding.ClassIsolation, finding.Difference{}, "transaction"},
		{finding.ClassUnexpected, finding.Difference{Code: 11}, "engine"},
		{finding.ClassCrash, finding.Difference{}, "engine"},
	} {
		if got := blames(&finding.Finding{Class: c.class, Differences: []finding.Difference{c.first}}); got != c.want {
			t.Errorf("%s, %+v: %s, want %s", c.class, c.first, got, c.want)
		}
	}
}

func TestPassed(t *testing.T) {
	for _, c := range []struct {
		name string
		o    outcome
		want string // of the error; empty: none
	}{
		{"found", outcome{Mutant: "m", First: 3, Struck: 9}, ""},
		{"missed", outcome{Mutant: "m", Ran: 300, Struck: 9}, "was not found in 300 cases, though it struck 9 times"},
		{"ended", outcome{Mutant: "m", First: 3, Ended: "error 11"}, "ended the campaign: error 11"},
		{"the wrong side", outcome{Mutant: "m", First: 3, Struck: 9, Blames: "transaction", Wrong: "replay"},
			"blames the transaction"},
		{"neither side", outcome{Mutant: "m", First: 3, Struck: 9, Blames: "neither", Wrong: "replay"}, ""},
		{"clean", outcome{Ran: 300}, ""},
		{"false alarm", outcome{First: 3, Signature: "x"}, "a finding without a mutant, in case 2: x"},
		{"unconfirmed", outcome{Unconfirmed: 1}, "a finding without a mutant"},
	} {
		err := passed([]outcome{c.o})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func TestTable(t *testing.T) {
	results := []outcome{
		{Ran: 400, CPU: 7},
		{Mutant: "found:50", Ran: 25, First: 5, Oracle: "replay", Finding: "replay-difference", Blames: "transaction",
			Wrong:      "transaction",
			Statements: 3, Groups: 1, CPU: 2.4, Exit: 1, Reached: 90, InState: 90, Struck: 2},
		{Mutant: "misleading", Ran: 25, First: 1, Oracle: "replay", Finding: "replay-difference", Blames: "transaction",
			Wrong: "replay",
			Title: "sqlite: SELECT returns 1 row instead of 2 rows", Groups: 1, CPU: 1, Exit: 1, Struck: 5},
		{Mutant: "missed", Ran: 400, Unconfirmed: 6, CPU: 7, Struck: 41, Skipped: "time-out 2"},
		{Mutant: "ended", Ran: 3, Exit: 70, Ended: "txweave: case 2: error 11", Struck: 1},
		{Mutant: "unreached:own-write", Ran: 400, Reached: 7},
	}
	var b strings.Builder
	printTable(&b, results)
	golden := filepath.Join("testdata", "table.md")
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestMatrix(t *testing.T) {
	var b strings.Builder
	printMatrix(&b, []outcome{
		{Mutant: "commit-lost", Ended: "error 1", Struck: 1},
		{Mutant: "commit-lost:50", Unconfirmed: 4, Struck: 9},
		{Mutant: "commit-lost:reader", First: 3, Oracle: "replay", Blames: "transaction", Wrong: "transaction", Struck: 9},
		{Mutant: "index-stale-entry:second", First: 1, Oracle: "replay", Blames: "transaction", Wrong: "replay", Struck: 9},
		{Mutant: "key-overwritten", Ran: 300},
		{Mutant: "snapshot-old", First: 2, Oracle: "snapshot", Unconfirmed: 2, Ended: "error 1", Struck: 9},
	})
	const want = `| mutant | always | 1 in 50 | own-write | reader | index | nth | second |
| --- | --- | --- | --- | --- | --- | --- | --- |
| ` + "`index-stale-entry`" + ` |  |  |  |  |  |  | 1 replay, blames the wrong side |
| ` + "`key-overwritten`" + ` | never struck |  |  |  |  |  |  |
| ` + "`snapshot-old`" + ` | 2 snapshot, **ended** |  |  |  |  |  |  |
| ` + "`commit-lost`" + ` | **ended** | missed, 4 unconfirmed |  | 3 replay |  |  |  |
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestOutcomesAreReadAsWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "o.jsonl")
	want := []outcome{{Ran: 3}, {Mutant: "m:50", First: 2, Struck: 1}}
	for _, o := range want {
		if err := appendOutcome(path, o); err != nil {
			t.Fatal(err)
		}
	}
	got, err := readOutcomes(path)
	if err != nil || len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("read %v, %v", got, err)
	}
}
