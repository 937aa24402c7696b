package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

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
	if !strings.Contains(doc(t, "docs/reference/case-format.md"), "```\n"+doc(t, "docs/write_skew.txw")+"```\n") {
		t.Error("docs/reference/case-format.md does not show docs/write_skew.txw")
	}
	if _, err := replay.ReadCase(t.Context(), "../../docs/write_skew.txw"); err != nil {
		t.Error(err)
	}
}

// TestDocumentedKeys checks that every key of the summary is documented.
func TestDocumentedKeys(t *testing.T) {
	text := doc(t, "docs/reference/report-format.md")
	for _, key := range append(summaryKeys, statementKeys...) {
		if !strings.Contains(text, "`"+key+"`") {
			t.Errorf("docs/reference/report-format.md does not explain %s", key)
		}
	}
}

// TestGlossaryOfSummaries: docs/reference/report-format.md has the classes of findings, what becomes of statements, the edges and the states of bugs
// among its words. What findings say is held to it in report/timeline.
func TestGlossaryOfSummaries(t *testing.T) {
	text := doc(t, "docs/reference/report-format.md")
	for _, class := range []string{finding.ClassReplay, finding.ClassPlan, finding.ClassInconsistent, finding.ClassUnexplained, finding.ClassIsolation, finding.ClassSnapshot,
		finding.ClassMechanism, finding.ClassCertificate, finding.ClassUnexpected, finding.ClassCorruption, finding.ClassHang, finding.ClassCrash} {
		if !strings.Contains(text, "`"+class+"`") {
			t.Errorf("docs/reference/report-format.md does not have the class %s", class)
		}
	}
	const everyLabel = sdg.Label(1<<7 - 1)
	for _, edge := range everyLabel.Names() {
		if !strings.Contains(text, "`"+edge+"`") {
			t.Errorf("docs/reference/report-format.md does not have the edge %s", edge)
		}
	}
	words := ""
	for line := range strings.Lines(text) {
		if first, _, ok := strings.Cut(strings.TrimPrefix(line, "| "), " |"); ok && strings.HasPrefix(line, "| ") {
			words += " " + strings.NewReplacer(",", "", "`", "").Replace(first)
		}
	}
	list := strings.Fields(words)
	for _, word := range []string{string(finding.StatusOpen), string(finding.StatusSuspect), string(finding.StatusDuplicate), string(finding.StatusInvalid), string(finding.StatusFixed),
		"survived", "blocked", "cyclic", "aborted", "guilty", "errored", "effective", "runs", "replays", "skipped", "new", "known", "planted", "flaky", "paused", "reduced"} {
		if !slices.Contains(list, word) {
			t.Errorf("docs/reference/report-format.md does not explain %q", word)
		}
	}
}

// plantedBugsPage is docs/reference/planted-bugs.md.
func plantedBugsPage(t *testing.T) string {
	t.Helper()
	levels := []string{"read-committed", "repeatable-read", "snapshot", "serializable"}
	var b strings.Builder
	b.WriteString(`# Planted bugs

What ` + "`--faults`" + ` of fuzz, replay, explore, reduce, verify and storm plants between txweave and a correct database, and what ` + "`detect`" + ` plants one at a time. This page is
made from the program: ` + "`go test ./cmd/txweave -run TestPlantedBugsPage -rewrite`" + `. How soon each is found is in [power](../explanation/power.md).

A planted bug acts on what crosses the connections of sessions inside transactions. Whether it strikes depends on the seed, the statement's number in the case, and what the sessions did. So
a case that it spoils is spoilt each time, also while it is reduced.

## In fuzz and storms

Each with what it mirrors, and the levels of MariaDB that allow it. There the engine shows it by itself, and nothing is planted.

`)
	for _, f := range planted.Faults() {
		var allowed []string
		for _, level := range levels {
			p, err := dbms.Lookup("mariadb", level)
			if err != nil {
				t.Fatal(err)
			}
			if !f.Forbidden(p) {
				allowed = append(allowed, level)
			}
		}
		fmt.Fprintf(&b, "- `%s`: %s.", f.Name, f.Reference)
		if len(allowed) > 0 {
			fmt.Fprintf(&b, " Allowed at %s.", strings.Join(allowed, ", "))
		}
		b.WriteString("\n")
		p, err := dbms.Lookup("sqlite", "serializable")
		if err != nil {
			t.Fatal(err)
		}
		if f.Inapplicable(p) == "" && !f.Forbidden(p) {
			t.Errorf("%s: SQLite's serializable is not as the page says of MariaDB's", f.Name)
		}
	}
	b.WriteString("\n## In storms with a nemesis\n\n")
	for _, f := range planted.Upheavals() {
		fmt.Fprintf(&b, "- `%s`, with `--nemesis %s`: %s.\n", f.Name, f.Nemesis(), f.Reference)
	}
	b.WriteString("\n## Races\n\nThey strike only if two statements come close to each other in time, in storms.\n\n")
	for _, f := range planted.Races() {
		fmt.Fprintf(&b, "- `%s`: %s.\n", f.Name, f.Reference)
	}
	b.WriteString("\n## Conditions\n\n`detect --rarity N` makes a bug strike one in N of the statements that it would strike. `detect --when CONDITION` lets it strike only where\n\n")
	for _, c := range planted.Conditions() {
		fmt.Fprintf(&b, "- `%s`: %s.\n", c[0], c[1])
	}
	return b.String()
}

// TestPlantedBugsPage holds docs/reference/planted-bugs.md to the planted bugs.
func TestPlantedBugsPage(t *testing.T) {
	heldPage(t, "docs/reference/planted-bugs.md", plantedBugsPage(t))
}

// TestDocumentedCommands checks that the commands and flags which the documents show in code blocks exist.
func TestDocumentedCommands(t *testing.T) {
	for _, pattern := range []string{"README.md", "docs/tutorial.md", "docs/howto/*.md", "docs/reference/*.md"} {
		paths, err := filepath.Glob("../../" + pattern)
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, path := range paths {
			name := strings.TrimPrefix(filepath.ToSlash(path), "../../")
			shown, fenced := 0, false
			for line := range strings.Lines(doc(t, name)) {
				if strings.HasPrefix(line, "```") {
					fenced = !fenced
				}
				if fenced && documentedCommand(t, name, line) {
					shown++
				}
			}
			if pattern == "README.md" && shown < 12 {
				t.Errorf("%s shows %d commands only", name, shown)
			}
		}
	}
}

// documentedCommand says whether a line is a command of txweave, and checks that it, what is below it, and its flags exist.
func documentedCommand(t *testing.T, name, line string) bool {
	t.Helper()
	line, _, _ = strings.Cut(strings.TrimSpace(line), " #")
	line = strings.TrimPrefix(strings.TrimPrefix(line, "$ "), "go run ./cmd/")
	line = strings.TrimPrefix(line, "nohup ")
	f := strings.Fields(line)
	if len(f) < 2 || f[0] != "txweave" || f[1] == "case" { // which is the first line of a case
		return false
	}
	sub := rootCommand()
	for _, word := range f[1:min(3, len(f))] { // a command, and one below it, such as "bugs list"
		for _, c := range sub.Commands() {
			if c.Name() == word {
				sub = c
				break
			}
		}
	}
	if !sub.HasParent() {
		t.Errorf("%s: no command %s: %s", name, f[1], line)
		return false
	}
	for _, word := range f[2:] {
		flag, ok := strings.CutPrefix(word, "--")
		flag, _, _ = strings.Cut(flag, "=")
		if ok && sub.Flags().Lookup(flag) == nil && sub.InheritedFlags().Lookup(flag) == nil {
			t.Errorf("%s: %s has no flag %s: %s", name, f[1], word, line)
		}
	}
	return true
}

// TestFaultsPage holds docs/reference/faults.md to the catalogue.
func TestFaultsPage(t *testing.T) {
	var b strings.Builder
	if err := catalogue.FaultsPage(&b); err != nil {
		t.Fatal(err)
	}
	heldPage(t, "docs/reference/faults.md", b.String())
}

// TestGeneratedPage holds docs/reference/generated.md to what the generator says of itself.
func TestGeneratedPage(t *testing.T) {
	var b strings.Builder
	if err := catalogue.Page(&b); err != nil {
		t.Fatal(err)
	}
	heldPage(t, "docs/reference/generated.md", b.String())
}
