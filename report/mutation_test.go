package report

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"txweave/finding"
	"txweave/internal/testkit/effort"
	"txweave/report/export"
	"txweave/report/timeline"
)

// mutations are how often each finding of testdata is damaged.
const mutations = 250

var (
	jsonNumber = regexp.MustCompile(`-?\b\d+\b`)
	jsonPair   = regexp.MustCompile(`"[a-z_]+":("[^"]*"|-?\d+|true|false|null|\[\]|\{\}),`)
	jsonList   = regexp.MustCompile(`\[[^\[\]{}]*\]`)
)

// mutate damages one file of a finding's directory as a wrong hand, or a disk, might.
func mutate(rng *rand.Rand, text []byte) []byte {
	at := func(all [][]int) []int { return all[rng.IntN(len(all))] }
	replace := func(re *regexp.Regexp, with string) []byte {
		all := re.FindAllIndex(text, -1)
		if len(all) == 0 {
			return nil
		}
		m := at(all)
		return slices.Concat(text[:m[0]], []byte(with), text[m[1]:])
	}
	switch rng.IntN(6) {
	case 0:
		return replace(jsonNumber, []string{"-1", "0", "1", "7", "99", "-9223372036854775808", "9223372036854775807", "1e3",
			"null"}[rng.IntN(9)])
	case 1:
		return replace(jsonPair, "")
	case 2:
		return replace(jsonList, []string{"[]", "null", "[null]", "[1]", `["x"]`, "[[]]",
			"[0,1,2,3,4,5,6,7,8,9]"}[rng.IntN(7)])
	case 3:
		return text[:rng.IntN(len(text)+1)]
	case 4: // a line is lost, or comes twice
		lines := regexp.MustCompile(`(?m)^.*\n`).FindAllIndex(text, -1)
		if len(lines) == 0 {
			return nil
		}
		a, b := at(lines), at(lines)
		if rng.IntN(2) == 0 {
			return slices.Concat(text[:a[0]], text[a[1]:])
		}
		return slices.Concat(text[:a[0]], text[b[0]:b[1]], text[a[0]:])
	}
	out := slices.Clone(text)
	if len(out) > 0 {
		out[rng.IntN(len(out))] ^= 1 << rng.IntN(8)
	}
	return out
}

// TestMutations damages findings: what reads them refuses with one line or makes something of them; it does not panic.
func TestMutations(t *testing.T) {
	dirs, err := filepath.Glob("testdata/findings/*")
	if err != nil || len(dirs) == 0 {
		t.Fatal(dirs, err)
	}
	tried, read := 0, 0
	for _, from := range dirs {
		var files []string
		for _, name := range []string{finding.RecordFile, finding.CaseFile, finding.TraceFile, finding.ReplayFile,
			finding.GraphFile, finding.ReductionFile, finding.PlainFile} {
			if _, err := os.Stat(filepath.Join(from, name)); err == nil {
				files = append(files, name)
			}
		}
		rng := rand.New(rand.NewPCG(1, 1))
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
		for n := range effort.Cases(mutations) {
			name := files[rng.IntN(len(files))]
			path := filepath.Join(dir, name)
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			bad := mutate(rng, text)
			if bad == nil {
				continue
			}
			if err := os.WriteFile(path, bad, 0o644); err != nil {
				t.Fatal(err)
			}
			tried++
			if use(t, fmt.Sprintf("%s, mutation %d of %s", filepath.Base(from), n, name), dir) {
				read++
			} else if t.Failed() {
				t.Fatalf("the file was\n%.3000s", bad)
			}
			if err := os.WriteFile(path, text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if t.Logf("%d mutations, %d of them readable", tried, read); read == 0 || read == tried {
		t.Errorf("%d of %d mutations can be read: they are all the same", read, tried)
	}
}

// use makes everything of a finding's directory that is made of one, and says whether it could be read.
func use(t *testing.T, what, dir string) (read bool) {
	defer func() {
		if why := recover(); why != nil {
			t.Errorf("%s: %v", what, why)
			read = false
		}
	}()
	f, err := timeline.Load(dir)
	if err != nil {
		return false
	}
	for _, tracker := range append(Trackers(), HTML) {
		_, _ = Write(tracker, f) // an error is an answer
	}
	for _, format := range export.Formats() {
		_, _ = export.Write(format, f)
	}
	return true
}
