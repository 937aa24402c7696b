package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"txweave/campaign/replay"
	"txweave/dbms"
	"txweave/dbms/registry/catalogue"
	"txweave/exec/planted"
	"txweave/finding"
	"txweave/sdg"
)

// doc reads a document of the repository.
func doc(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../../" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestDocumentedCase checks that the example in the documentation is the file that it names, and that it parses.
func TestDocumentedCase(t *testing.T) {
	if !strings.Contains(doc(t, "docs/cases.md"), "```\n"+doc(t, "docs/write_skew.txw")+"```\n") {
		t.Error("docs/cases.md does not show docs/write_skew.txw")
	}
	if _, err := replay.ReadCase(t.Context(), "../../docs/write_skew.txw"); err != nil {
		t.Error(err)
	}
}

// TestDocumentedKeys checks that every key of the summary is documented.
func TestDocumentedKeys(t *testing.T) {
	text := doc(t, "docs/design.md")
	for _, key := range append(summaryKeys, statementKeys...) {
		if !strings.Contains(text, "`"+key+"`") {
			t.Errorf("docs/design.md does not explain %s", key)
		}
	}
}

// TestGlossaryOfSummaries: docs/reading.md has the classes of findings, what becomes of statements, the edges and the
// states of bugs among its words. What findings say is held to it in report/timeline.
func TestGlossaryOfSummaries(t *testing.T) {
	text := doc(t, "docs/reading.md")
	for _, class := range []string{finding.ClassReplay, finding.ClassPlan, finding.ClassInconsistent,
		finding.ClassUnexplained, finding.ClassIsolation, finding.ClassSnapshot,
		finding.ClassMechanism, finding.ClassCertificate, finding.ClassUnexpected, finding.ClassCorruption, finding.ClassHang,
		finding.ClassCrash} {
		if !strings.Contains(text, "`"+class+"`") {
			t.Errorf("docs/reading.md does not have the class %s", class)
		}
	}
	const everyLabel = sdg.Label(1<<7 - 1)
	for _, edge := range everyLabel.Names() {
		if !strings.Contains(text, "`"+edge+"`") {
			t.Errorf("docs/reading.md does not have the edge %s", edge)
		}
	}
	words := ""
	for line := range strings.Lines(text) {
		if first, _, ok := strings.Cut(strings.TrimPrefix(line, "| "), " |"); ok && strings.HasPrefix(line, "| ") {
			words += " " + strings.ReplaceAll(strings.ReplaceAll(first, ":", ""), ",", "")
		}
	}
	list := strings.Fields(words)
	for _, word := range []string{string(finding.StatusOpen), string(finding.StatusSuspect),
		string(finding.StatusDuplicate), string(finding.StatusInvalid), string(finding.StatusFixed),
		"survived", "blocked", "cyclic", "aborted", "guilty", "errored", "effective", "runs", "replays", "skipped", "new",
		"known", "planted", "flaky", "paused", "reduced"} {
		if !slices.Contains(list, word) {
			t.Errorf("docs/reading.md does not explain %q", word)
		}
	}
}

// TestDocumentedFaults checks that docs/detect.md has every planted bug in both of its tables, and says of each what
// every level of MariaDB forbids.
func TestDocumentedFaults(t *testing.T) {
	text := doc(t, "docs/detect.md")
	for _, f := range planted.Faults() {
		row := "| " + f.Name + " |"
		if strings.Count(text, "\n"+row) != 2 {
			t.Errorf("docs/detect.md has %d rows for %s, want 2", strings.Count(text, "\n"+row), f.Name)
			continue
		}
		_, rest, _ := strings.Cut(text, "\n"+row)
		line, _, _ := strings.Cut(rest, "\n")
		want := ""
		for _, level := range []string{"read-committed", "repeatable-read", "snapshot", "serializable"} {
			p, err := dbms.Lookup("mariadb", level)
			if err != nil {
				t.Fatal(err)
			}
			if f.Forbidden(p) {
				want += " | yes"
			} else {
				want += " | no"
			}
		}
		if !strings.HasSuffix(line, want+" |") {
			t.Errorf("docs/detect.md: %s: %q, want it to end in %q", f.Name, line, want)
		}
		p, err := dbms.Lookup("sqlite", "serializable")
		if err != nil {
			t.Fatal(err)
		}
		if f.Inapplicable(p) == "" && f.Forbidden(p) != strings.HasSuffix(line, "| yes |") {
			t.Errorf("%s: SQLite's serializable is not as the table says", f.Name)
		}
	}
}

// TestDocumentedCommands checks that the commands and flags which README.md shows exist.
func TestDocumentedCommands(t *testing.T) {
	shown := 0
	for line := range strings.Lines(doc(t, "README.md")) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), " #")
		line = strings.TrimPrefix(line, "go run ./cmd/")
		f := strings.Fields(line)
		if len(f) < 2 || f[0] != "txweave" {
			continue
		}
		var sub *cobra.Command
		for _, c := range rootCommand().Commands() {
			if c.Name() == f[1] {
				sub = c
			}
		}
		if sub == nil {
			if strings.HasPrefix(line, "txweave finds") {
				continue // the first sentence
			}
			t.Errorf("no command %s: %s", f[1], line)
			continue
		}
		shown++
		if len(f) > 2 {
			for _, c := range sub.Commands() { // a command of its own below it, such as "bugs list"
				if c.Name() == f[2] {
					sub = c
				}
			}
		}
		for _, word := range f[2:] {
			if name, ok := strings.CutPrefix(word, "--"); ok && sub.Flags().Lookup(name) == nil &&
				sub.InheritedFlags().Lookup(name) == nil {
				t.Errorf("%s has no flag %s: %s", f[1], word, line)
			}
		}
	}
	if shown < 8 {
		t.Errorf("only %d commands found in README.md", shown)
	}
}

// TestFaultsPage checks that docs/faults.md is what the catalogue says.
func TestFaultsPage(t *testing.T) {
	var b strings.Builder
	if err := catalogue.FaultsPage(&b); err != nil {
		t.Fatal(err)
	}
	if doc(t, "docs/faults.md") != b.String() {
		t.Error("docs/faults.md is not what txweave features --faults --markdown prints")
	}
}

// TestDocumentedFeatures checks that docs/features.md is what the generator says of itself.
func TestDocumentedFeatures(t *testing.T) {
	var b strings.Builder
	if err := catalogue.Page(&b); err != nil {
		t.Fatal(err)
	}
	if doc(t, "docs/features.md") != b.String() {
		t.Error("docs/features.md is not what txweave features --markdown prints")
	}
}
