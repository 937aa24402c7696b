package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// build is what a program that plays txweave says.
type build struct {
	found    bool   // planted bugs are found, and cases that show something show it
	edges    int    // between transactions, of the cases of a seed
	final    int    // findings of what is planted in final contents, beside nine in answers
	findings string // of cases in which nothing is planted
	features string
}

// good is a build as it should be.
var good = build{found: true, final: 9, edges: 300, features: `"select":60,"update":30`}

// program writes a program that answers as a build does.
func (b build) program(t *testing.T) string {
	t.Helper()
	code := 0
	if b.found {
		code = 1
	}
	script := fmt.Sprintf(`#!/bin/sh
for last; do :; done
[ "$last" != --help ] || exit 0
case $1 in
features) echo '[{"name":"select","weight":3},{"name":"update","weight":2}]' ;;
fuzz) echo '{"cases":60,"cases_checked":60,"overlap_edge_cases":40,"cross_edges":{"item-wr":%d},"features":{%s},"server_statements":5000,
	"statements":{"generated":900,"effective":700,"rows":4000,"partial":300,"survived":800},"bugs":[%s],"findings":[%s{}]}' ;;
detect)
	for bug in $(echo $last | tr , ' '); do all="$all{\"name\":\"$bug\",\"applicable\":true,\"forbidden\":true,\"found\":%v,\"cases\":7},"; done
	echo '{"faults":['$all'{}]}' ;;
storm) echo '{}'; exit %d ;;
replay)
	shift 3
	for c; do echo '{"case":"'$c'","exit":%d,"findings":[],"statements":[]}'; done ;;
*) exit 70 ;;
esac
`, b.edges, b.features, b.findings, strings.Repeat(`{"oracle":"replay","class":"replay-difference","signature":"replay-difference/final {UPDATE}"},`, b.final)+
		strings.Repeat(
			`{"oracle":"replay","class":"replay-difference","signature":"replay-difference/SELECT:rows {SELECT}"},`, 9),
		b.found, code, code)
	path := filepath.Join(t.TempDir(), "txweave")
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// compared compares two builds in parts and returns the exit code and the table.
func compared(t *testing.T, parts string, old, now build) (int, string) {
	t.Helper()
	var out bytes.Buffer
	code, err := freeze(t.Context(), []string{"--tree", "../..", "--targets", "sqlite", "--only", parts, old.program(t),
		now.program(t)}, &out, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	return code, out.String()
}

func TestABuildIsAsGoodAsItself(t *testing.T) {
	if code, table := compared(t, "verdicts,features,cases,alarms,oracles,planted,storms", good, good); code != 0 {
		t.Errorf("exit %d:\n%s", code, table)
	}
}

func TestALossIsSeen(t *testing.T) {
	blind, fewer, alarm, poor, other := good, good, good, good, good
	blind.found = false
	fewer.edges = 200
	other.final = 0
	alarm.findings = `{"status":"open","signature":"replay-difference/SELECT:rows","count":1}`
	poor.features = `"select":60`
	for _, c := range []struct {
		parts string
		now   build
		row   string // that says so
	}{
		{"planted", blind, "found, budget"},
		{"oracles", other, "kinds of findings"},
		{"storms", blind, "planted bugs found"},
		{"verdicts", blind, "cases of the tree"},
		{"cases", fewer, "edges a case"},
		{"cases", fewer, "kinds of edges"},
		{"cases", poor, "features"},
		{"alarms", alarm, "unknown findings"},
	} {
		code, table := compared(t, c.parts, good, c.now)
		said := false
		for line := range strings.Lines(table) {
			said = said || strings.Contains(line, c.row) && strings.Contains(line, string(worse))
		}
		if code != exitWorse || !said {
			t.Errorf("%s: exit %d, want %d, and a row %q that is worse:\n%s", c.parts, code, exitWorse, c.row, table)
		}
		if c.now != blind && c.parts != "alarms" || c.parts == "verdicts" {
			continue
		}
		if code, table := compared(t, c.parts, c.now, good); code != 0 {
			t.Errorf("%s, the other way round: exit %d:\n%s", c.parts, code, table)
		}
	}
}

// TestWhatEndsIsNotCompared: a build that breaks down is neither as good nor worse: it was not measured.
func TestWhatEndsIsNotCompared(t *testing.T) {
	path := filepath.Join(t.TempDir(), "txweave")
	if err := os.WriteFile(path, []byte("#!/bin/sh\necho 'fell over' >&2\nexit 70\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	code, err := freeze(t.Context(), []string{"--tree", "../..", "--targets", "sqlite", "--only", "cases,planted",
		good.program(t), path}, &out, io.Discard)
	if err != nil || code != exitUnsure || !strings.Contains(out.String(), "fell over") {
		t.Errorf("exit %d, %v, want %d:\n%s", code, err, exitUnsure, out.String())
	}
}

// TestWhatTheOldBuildHasSaidIsAskedOnce: what it said of something stands as long as that is the same, and for this
// build.
func TestWhatTheOldBuildHasSaidIsAskedOnce(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o755)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	answers := "\nshift 3\nfor c; do echo '{\"case\":\"'$c'\",\"exit\":1,\"findings\":[],\"statements\":[]}'; done\n"
	asked := filepath.Join(dir, "asked")
	old, now := file("old", "#!/bin/sh\necho >>"+asked+answers), file("new", "#!/bin/sh\n"+answers)
	file("tree/docs/hermitage/g0.txw", "target: sqlite\nisolation: serializable\n")
	args := []string{"--tree", filepath.Join(dir, "tree"), "--targets", "sqlite", "--only", "verdicts", "--old",
		filepath.Join(dir, "said"), old, now}
	for i, times := range []int{1, 1, 2} {
		if i == 2 {
			file("tree/docs/hermitage/g0.txw", "target: sqlite\nisolation: serializable\n-- another\n")
		}
		var out bytes.Buffer
		code, err := freeze(t.Context(), args, &out, io.Discard)
		lines, _ := os.ReadFile(asked)
		if code != 0 || err != nil || len(lines) != times || !strings.Contains(out.String(), "1 found") {
			t.Errorf("comparison %d: exit %d, %v, asked %d times, want %d:\n%s", i, code, err, len(lines), times, out.String())
		}
	}
	file("old", "#!/bin/sh\n# another\n"+answers)
	if code, err := freeze(t.Context(), args, io.Discard, io.Discard); code != exitUsage {
		t.Errorf("what another build has said is taken for this one's: exit %d, %v", code, err)
	}
}

// TestAMissingDatabaseIsNoAgreement: what neither side could try is not the same.
func TestAMissingDatabaseIsNoAgreement(t *testing.T) {
	path := filepath.Join(t.TempDir(), "txweave")
	if err := os.WriteFile(path, []byte("#!/bin/sh\nfor last; do :; done\n[ \"$last\" = --help ] || exit 69\n"),
		0o755); err != nil {
		t.Fatal(err)
	}
	code, err := freeze(t.Context(), []string{"--tree", "../..", "--targets", "sqlite", "--only", "verdicts", path, path},
		io.Discard, io.Discard)
	if err != nil || code != exitMissing {
		t.Errorf("exit %d, %v, want %d", code, err, exitMissing)
	}
}

func TestExitCodesOfArguments(t *testing.T) {
	path := good.program(t)
	for _, c := range []struct {
		args string
		want int
	}{
		{"", exitUsage}, {path, exitUsage}, {"--nosuch a b", exitUsage}, {"--only nosuch " + path + " " + path, exitUsage},
		{"--targets oracle " + path + " " + path, exitUsage},
		{"--mutants x " + path + " " + path, exitUsage}, {path + " /nosuch", exitMissing},
		{"--tree /nosuch " + path + " " + path, exitMissing}, {"--help", 0},
	} {
		if code, _ := freeze(t.Context(), strings.Fields(c.args), io.Discard, io.Discard); code != c.want {
			t.Errorf("%q: exit %d, want %d", c.args, code, c.want)
		}
	}
}

// TestTheStatementsAreManyAndDiffer reads the corpora.
func TestTheStatementsAreManyAndDiffer(t *testing.T) {
	for _, dialect := range dialects {
		c, err := readStatements(filepath.Join("testdata", "statements", dialect+".sql"))
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, text := range c.all {
			if seen[text] {
				t.Errorf("%s twice in %s", text, dialect)
			}
			seen[text] = true
		}
		if len(c.all) < 200 {
			t.Errorf("%s has %d statements, want 200", dialect, len(c.all))
		}
	}
}

// TestQuantiles holds the quantiles to tables.
func TestQuantiles(t *testing.T) {
	for _, c := range []struct{ freedom, doubt, want float64 }{{1, 0.05, 12.706}, {2, 0.05, 4.303}, {9, 0.05, 2.262},
		{9, 0.001, 4.781}, {100, 0.01, 2.626}} {
		if got := studentT(c.freedom, c.doubt); math.Abs(got-c.want) > 0.001 {
			t.Errorf("t of %v at %v is %v, want %v", c.freedom, c.doubt, got, c.want)
		}
	}
	// Clopper and Pearson's interval of 1 in 10 is 0.0025 to 0.4450.
	v, _ := ofCounts(0, 9, 1, 0.05)
	if low, high := v.low/(1+v.low), v.high/(1+v.high); math.Abs(low-0.0025) > 1e-4 || math.Abs(high-0.4450) > 1e-4 {
		t.Errorf("1 of 10 lies between %v and %v", low, high)
	}
	if v, ok := ofCounts(5, 0, 0, 0.05); !ok || v != same {
		t.Errorf("the same counts: %v %v", v, ok)
	}
}

// TestIntervalsHold draws from two equal distributions, again and again: few intervals may say that they differ.
func TestIntervalsHold(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const tables, doubt = 1000, 0.05
	missed := map[string]int{}
	for range tables {
		var pairs [][2]float64
		var count [2]int
		for range 10 {
			pairs = append(pairs, [2]float64{math.Exp(rng.NormFloat64() / 4), math.Exp(rng.NormFloat64() / 4)})
		}
		for range 60 {
			count[rng.IntN(2)]++
		}
		means, _ := ofMeans(pairs, doubt)
		ratios, _ := ofPairs(pairs, doubt)
		counts, _ := ofCounts(0, count[0], count[1], doubt)
		for name, v := range map[string]interval{"means": means, "pairs": ratios, "counts": counts} {
			if v.low > 1 || v.high < 1 {
				missed[name]++
			}
		}
	}
	for name, n := range missed {
		if float64(n) > 1.3*doubt*tables {
			t.Errorf("intervals of %s miss %d times in %d, want %v", name, n, tables, doubt*tables)
		}
	}
}

// TestASlowerBuildIsSlower: a third less in each pair shows through a load that varies threefold.
func TestASlowerBuildIsSlower(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var pairs [][2]float64
	for range 10 {
		load := 1 + 2*rng.Float64()
		pairs = append(pairs, [2]float64{100 / load * (1 + rng.Float64()/20), 67 / load * (1 + rng.Float64()/20)})
	}
	m := paced("pace", "cases", pairs)
	if m.judge(0.001); m.says != worse {
		t.Errorf("says %s", m.says)
	}
	if m.less = true; m.judge(0.001) == "" || m.says != better {
		t.Errorf("as what is better the less of it there is: %s", m.says)
	}
}
