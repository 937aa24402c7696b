package main

import (
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
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
	if _, err := readCase("../../docs/write_skew.txw"); err != nil {
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
		for _, word := range f[2:] {
			if name, ok := strings.CutPrefix(word, "--"); ok && sub.Flags().Lookup(name) == nil {
				t.Errorf("%s has no flag %s: %s", f[1], word, line)
			}
		}
	}
	if shown < 8 {
		t.Errorf("only %d commands found in README.md", shown)
	}
}
