package house

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// findingRows are the rows of the table at the top of each page of docs/findings, in their order. "not affected" may be
// left out.
var findingRows = []string{"server versions", "not affected", "isolation level", "concurrency", "kind", "reported as",
	"upstream"}

// TestFindingPages holds the pages of docs/findings to their form, and the index beside them to the pages.
func TestFindingPages(t *testing.T) {
	folder := filepath.Join("..", "..", "docs", "findings")
	paths, err := filepath.Glob(filepath.Join(folder, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, path := range paths {
		name := filepath.Base(path)
		if name == "README.md" {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		page, err := readFinding(string(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		lines = append(lines, fmt.Sprintf("| %s | [%s](%s) | %s | %s | %s |\n",
			page.server, page.title, name, page.rows["kind"], page.rows["concurrency"], page.upstream()))
	}
	slices.Sort(lines)
	const head = "| database | bug | kind | concurrency | upstream |\n| --- | --- | --- | --- | --- |\n"
	replaceTable(t, filepath.Join(folder, "README.md"), head, head+strings.Join(lines, ""), "FindingPages")
}

// findingPage is a page of docs/findings.
type findingPage struct {
	server, title string            // of its heading: "MariaDB, MySQL" and what is wrong
	rows          map[string]string // the table below the heading
}

// readFinding reads a page, or says in which way it does not have the form of one.
func readFinding(text string) (*findingPage, error) {
	heading, rest, _ := strings.Cut(text, "\n")
	server, title, ok := strings.Cut(strings.TrimPrefix(heading, "# "), ": ")
	if !ok || !strings.HasPrefix(heading, "# ") {
		return nil, fmt.Errorf("the heading %q is not of the form # SERVER: WHAT IS WRONG", heading)
	}
	p := &findingPage{server: server, title: title, rows: map[string]string{}}
	const head = "\n| | |\n| --- | --- |\n"
	if rest, ok = strings.CutPrefix(rest, head); !ok {
		return nil, fmt.Errorf("no table below the heading")
	}
	for _, name := range findingRows {
		if row, ok := strings.CutPrefix(rest, "| "+name+" | "); ok {
			p.rows[name], rest, _ = strings.Cut(row, " |\n")
		} else if name != "not affected" {
			return nil, fmt.Errorf("the table has no row %q behind the one before it", name)
		}
	}
	for _, section := range []string{"\n## Script\n", "\n## Expected\n", "\n## Got\n", "\n## How it was found\n"} {
		if _, rest, ok = strings.Cut(rest, section); !ok {
			return nil, fmt.Errorf("no section %q behind the ones before it", strings.Trim(section, "\n# "))
		}
	}
	if p.upstream() == "" {
		return nil, fmt.Errorf("the row upstream begins with none of known, similar, no report, not searched")
	}
	return p, nil
}

// upstream returns in a word whether the bug's maintainers know of it.
func (p *findingPage) upstream() string {
	for begin, word := range map[string]string{"known:": "known", "similar:": "similar", "no report": "no",
		"not searched": "not searched"} {
		if strings.HasPrefix(p.rows["upstream"], begin) {
			return word
		}
	}
	return ""
}

// replaceTable holds the table of a page that begins with head to what it should be, or writes it with -rewrite.
func replaceTable(t *testing.T, path, head, table, test string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), head)
	if !ok {
		t.Fatalf("%s has no such table", path)
	}
	for strings.HasPrefix(rest, "|") {
		_, rest, _ = strings.Cut(rest, "\n")
	}
	now := before + table + rest
	if now == string(text) {
		return
	}
	if !*rewrite {
		t.Fatalf("the table of %s is not up to date (go test ./internal/house -run %s -rewrite)", path, test)
	}
	if err := os.WriteFile(path, []byte(now), 0o644); err != nil {
		t.Fatal(err)
	}
}
