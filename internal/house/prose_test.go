package house

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// What the documents are held to.
const (
	mostWords    = 45_000 // of all pages but those of docs/findings
	longSentence = 35     // words
)

// replaced are words that docs/glossary.md has replaced, and what to write instead. They are sought outside of code.
var replaced = map[string]string{
	"suspect":   "unconfirmed finding",
	"suspects":  "unconfirmed findings",
	"guilty":    "blamed",
	"stranded":  "lock without a holder",
	"owing":     "unmatched",
	"kin":       "related case",
	"telling":   "decisive",
	"strain":    "pressure",
	"strains":   "pressures",
	"strained":  "under pressure",
	"upheaval":  "nemesis",
	"upheavals": "nemeses",
	"woven":     "a run, an interleaving",
	"mend":      "fix",
	"mended":    "fixed",
	"whoever":   "anybody who",
}

// findingPages has the pages of found bugs, which do not count among the words.
const findingPages = "docs/findings/"

// page is a document of the repository: its path from the root, and its text.
type page struct{ path, text string }

// pages are all documents but test data.
func pages(t *testing.T) []page {
	t.Helper()
	root := filepath.Join("..", "..")
	var all []page
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && (name == "testdata" || path != root && strings.HasPrefix(name, ".")) {
			return filepath.SkipDir
		}
		if d.IsDir() || filepath.Ext(name) != ".md" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		all = append(all, page{filepath.ToSlash(rel), string(text)})
		return err
	})
	if err != nil || len(all) < 10 {
		t.Fatalf("%d documents, %v", len(all), err)
	}
	return all
}

var (
	codeSpan = regexp.MustCompile("``[^`]+``|`[^`]+`")
	linked   = regexp.MustCompile(`!?\[([^\]]*)\]\(([^)\s]+)\)`)
	heading  = regexp.MustCompile(`^#{1,6} +(.*)$`)
	bullet   = regexp.MustCompile(`^\s*(?:[-*+]|\d+\.) +`)
	sentence = regexp.MustCompile(`[.!?]["')\]]*(?:\s+|$)`)
	comment  = regexp.MustCompile(`(?s)<!--.*?-->`)
)

// unfenced calls f for each line that is in no code block. Lines count from 1.
func unfenced(text string, f func(n int, line string)) {
	fence := ""
	for n, line := range strings.Split(text, "\n") {
		mark := strings.TrimSpace(line)
		switch {
		case fence != "" && strings.HasPrefix(mark, fence):
			fence = ""
		case fence == "" && strings.HasPrefix(mark, "```"):
			fence = "```"
		case fence == "":
			f(n+1, line)
		}
	}
}

// passages are what is read in one go: paragraphs, headings, items of lists, cells of tables; by the line where each
// begins.
func passages(text string, f func(n int, passage string)) {
	text = comment.ReplaceAllStringFunc(text, func(c string) string {
		return strings.Repeat("\n", strings.Count(c, "\n"))
	})
	var open []string
	begun := 0
	end := func() {
		if len(open) > 0 {
			f(begun, strings.Join(open, " "))
		}
		open = nil
	}
	last := 0
	unfenced(text, func(n int, line string) {
		if n != last+1 {
			end() // a code block lies between
		}
		last = n
		switch trimmed := strings.TrimSpace(line); {
		case trimmed == "":
			end()
		case strings.HasPrefix(trimmed, "|"):
			end()
			for _, cell := range cells(trimmed) {
				f(n, cell)
			}
		case heading.MatchString(line):
			end()
			f(n, heading.FindStringSubmatch(line)[1])
		default:
			if bullet.MatchString(line) {
				end()
			}
			if len(open) == 0 {
				begun = n
			}
			open = append(open, bullet.ReplaceAllString(trimmed, ""))
		}
	})
	end()
}

// cells takes a row of a table apart, but not where a bar is escaped or code.
func cells(row string) []string {
	row = codeSpan.ReplaceAllStringFunc(strings.ReplaceAll(row, `\|`, ""), func(c string) string {
		return strings.ReplaceAll(c, "|", "")
	})
	return strings.Split(strings.Trim(row, "| "), "|")
}

// words counts words: what holds a letter or a digit. A piece of code is one.
func words(text string) int {
	n := 0
	for _, word := range strings.Fields(codeSpan.ReplaceAllString(text, "code")) {
		if strings.ContainsFunc(word, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			n++
		}
	}
	return n
}

// TestSentences holds sentences to a length at which they are understood when they are read once.
func TestSentences(t *testing.T) {
	for _, p := range pages(t) {
		passages(p.text, func(n int, passage string) {
			passage = codeSpan.ReplaceAllString(linked.ReplaceAllString(passage, "$1"), "code")
			for _, s := range sentence.Split(passage, -1) {
				if w := words(s); w > longSentence {
					t.Errorf("%s:%d: a sentence of %d words: %s", p.path, n, w, s)
				}
			}
		})
	}
}

// TestReplacedWords: words that the glossary has replaced stay away.
func TestReplacedWords(t *testing.T) {
	for _, p := range pages(t) {
		if p.path == "docs/glossary.md" { // it names them
			continue
		}
		passages(p.text, func(n int, passage string) {
			passage = codeSpan.ReplaceAllString(linked.ReplaceAllString(passage, "$1"), "")
			between := func(r rune) bool { return !unicode.IsLetter(r) && r != '-' && r != '\'' }
			for word := range strings.FieldsFuncSeq(strings.ToLower(passage), between) {
				if better := replaced[word]; better != "" {
					t.Errorf("%s:%d: %q: write %q (docs/glossary.md)", p.path, n, word, better)
				}
			}
		})
	}
}

// TestWords holds all pages together to a size that a person can read.
func TestWords(t *testing.T) {
	sum, of := 0, ""
	for _, p := range pages(t) {
		if strings.HasPrefix(p.path, findingPages) {
			continue
		}
		n := len(strings.Fields(p.text)) // as wc counts them
		sum += n
		of += fmt.Sprintf("%6d %s\n", n, p.path)
	}
	if sum > mostWords {
		t.Errorf("%d words in all, want %d at most:\n%s", sum, mostWords, of)
	}
	t.Logf("%d words:\n%s", sum, of)
}

// TestLinks: what a page links to is there, the heading, too.
func TestLinks(t *testing.T) {
	all := pages(t)
	anchors := map[string][]string{}
	for _, p := range all {
		anchors[p.path] = headings(p.text)
	}
	for _, p := range all {
		unfenced(p.text, func(n int, line string) {
			for _, m := range linked.FindAllStringSubmatch(codeSpan.ReplaceAllString(line, "code"), -1) {
				if lacks := broken(p, m[2], anchors); lacks != "" {
					t.Errorf("%s:%d: %s", p.path, n, lacks)
				}
			}
		})
	}
}

// broken says what a link of a page leads to that is not there; "" where it is, or is not of this repository.
func broken(p page, to string, anchors map[string][]string) string {
	if strings.Contains(to, "://") || strings.HasPrefix(to, "mailto:") {
		return ""
	}
	file, anchor, _ := strings.Cut(to, "#")
	path := p.path
	if file != "" {
		path = filepath.ToSlash(filepath.Join(filepath.Dir(p.path), file))
	}
	if _, err := os.Stat(filepath.Join("..", "..", path)); err != nil {
		return "there is no " + path
	}
	if anchor != "" && filepath.Ext(path) == ".md" && !slices.Contains(anchors[path], anchor) {
		return path + " has no heading #" + anchor
	}
	return ""
}

// headings are the anchors of a page, as GitHub makes them: small letters, no marks, hyphens for blanks, a number
// behind what comes again.
func headings(text string) []string {
	var all []string
	seen := map[string]int{}
	unfenced(text, func(_ int, line string) {
		m := heading.FindStringSubmatch(line)
		if m == nil {
			return
		}
		anchor := strings.Map(func(r rune) rune {
			switch {
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
				return unicode.ToLower(r)
			case r == ' ':
				return '-'
			}
			return -1
		}, linked.ReplaceAllString(m[1], "$1"))
		n := seen[anchor]
		seen[anchor]++
		if n > 0 {
			anchor += fmt.Sprintf("-%d", n)
		}
		all = append(all, anchor)
	})
	return all
}
