package main

import (
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

// TestGlossaryOfSummaries: docs/reference/report-format.md has the classes of findings, what becomes of statements, the
// edges and the states of bugs among its words.
func TestGlossaryOfSummaries(t *testing.T) {
	text := doc(t, "docs/reference/report-format.md")
	for _, class := range []string{finding.ClassReplay, finding.ClassPlan, finding.ClassInconsistent,
		finding.ClassUnexplained, finding.ClassIsolation, finding.ClassSnapshot,
		finding.ClassMechanism, finding.ClassCertificate, finding.ClassUnexpected, finding.ClassCorruption, finding.ClassHang,
		finding.ClassCrash} {
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
	for _, word := range []string{string(finding.StatusOpen), string(finding.StatusUnconfirmed),
		string(finding.StatusDuplicate), string(finding.StatusInvalid), string(finding.StatusFixed),
		"survived", "blocked", "cyclic", "aborted", "blamed", "errored", "effective", "runs", "replays", "skipped", "new",
		"known", "planted", "paused", "reduced"} {
		if !slices.Contains(list, word) {
			t.Errorf("docs/reference/report-format.md does not explain %q", word)
		}
	}
}

// TestDocumentedFaults checks that docs/reference/planted-bugs.md has every planted bug in its table, and says of each
// at which levels of MariaDB it is allowed.
func TestDocumentedFaults(t *testing.T) {
	text := doc(t, "docs/reference/planted-bugs.md")
	for _, f := range planted.Faults() {
		row := "| " + f.Name + " |"
		if strings.Count(text, "\n"+row) != 1 {
			t.Errorf("docs/reference/planted-bugs.md has %d rows for %s, want 1", strings.Count(text, "\n"+row), f.Name)
			continue
		}
		_, rest, _ := strings.Cut(text, "\n"+row)
		line, _, _ := strings.Cut(rest, "\n")
		var allowed []string
		for _, level := range [][2]string{{"RC", "read-committed"}, {"RR", "repeatable-read"}, {"SI", "snapshot"},
			{"SER", "serializable"}} {
			p, err := dbms.Lookup("mariadb", level[1])
			if err != nil {
				t.Fatal(err)
			}
			if !f.Forbidden(p) {
				allowed = append(allowed, level[0])
			}
		}
		want := " | " + strings.Join(allowed, ", ") + " |"
		if len(allowed) == 0 {
			want = " | |"
		}
		if !strings.HasSuffix(line, want) {
			t.Errorf("docs/reference/planted-bugs.md: %s: %q, want it to end in %q", f.Name, line, want)
		}
		p, err := dbms.Lookup("sqlite", "serializable")
		if err != nil {
			t.Fatal(err)
		}
		if f.Inapplicable(p) == "" && f.Forbidden(p) == slices.Contains(allowed, "SER") {
			t.Errorf("%s: SQLite's serializable is not as the table says", f.Name)
		}
	}
}

// TestDocumentedCommands checks that the commands and flags which the documents show in code blocks exist.
func TestDocumentedCommands(t *testing.T) {
	for _, pattern := range []string{"README.md", "docs/tutorial.md", "docs/howto/*.md", "docs/reference/*.md",
		"docs/explanation/*.md"} {
		paths, err := filepath.Glob("../../" + pattern)
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		shown := 0
		for _, path := range paths {
			shown += documentedCommands(t, strings.TrimPrefix(filepath.ToSlash(path), "../../"))
		}
		if shown < 6 {
			t.Errorf("%s: only %d commands found", pattern, shown)
		}
	}
}

// documentedCommands checks the commands of a page's code blocks, and counts them.
func documentedCommands(t *testing.T, name string) (shown int) {
	t.Helper()
	for i, block := range strings.Split(doc(t, name), "\n```") {
		for line := range strings.Lines(block) {
			if i%2 == 1 && documentedCommand(t, name, line) { // between a fence that opens and one that closes
				shown++
			}
		}
	}
	return shown
}

// documentedCommand says whether a line is a command of txweave, and checks that it, what is below it, and its flags
// exist.
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
