package page

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"txweave/finding"
	"txweave/history"
	"txweave/report/timeline"
)

const findings = "../testdata/findings"

func load(t testing.TB, name string) (*timeline.Dossier, []byte) {
	t.Helper()
	f, err := timeline.Load(filepath.Join(findings, name))
	if err != nil {
		t.Fatal(err)
	}
	text, err := Write(f)
	if err != nil {
		t.Fatal(err)
	}
	return f, text
}

// element is an element of a page with its attributes and all the text in it.
type element struct {
	name string
	attr map[string]string
	text strings.Builder
}

func (e *element) is(class string) bool {
	return slices.Contains(strings.Fields(e.attr["class"]), class)
}

// parse reads a page: every element is closed, in order, but for those that HTML never closes.
func parse(t *testing.T, text []byte) []*element {
	t.Helper()
	text = bytes.TrimPrefix(text, []byte("<!DOCTYPE html>"))
	d := xml.NewDecoder(bytes.NewReader(text))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	var all, open []*element
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch x := token.(type) {
		case xml.StartElement:
			e := &element{name: x.Name.Local, attr: map[string]string{}}
			for _, a := range x.Attr {
				e.attr[a.Name.Local] = a.Value
			}
			all, open = append(all, e), append(open, e)
		case xml.EndElement:
			if len(open) == 0 || open[len(open)-1].name != x.Name.Local {
				t.Fatalf("</%s> closes nothing", x.Name.Local)
			}
			open = open[:len(open)-1]
		case xml.CharData:
			for _, e := range open {
				e.text.Write(x)
			}
		}
	}
	if len(open) > 0 {
		t.Fatalf("<%s> is not closed", open[0].name)
	}
	return all
}

func count(all []*element, class string) (n int) {
	for _, e := range all {
		if e.is(class) {
			n++
		}
	}
	return n
}

var cssURL = regexp.MustCompile(`url\([^#]|@import|https?:|//[a-z]`)

// TestEveryFinding: each page is complete, the same each time, and needs nothing outside itself.
func TestEveryFinding(t *testing.T) {
	dirs, err := filepath.Glob(findings + "/*")
	if err != nil || len(dirs) < 5 {
		t.Fatalf("findings: %v, %v", dirs, err)
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			f, text := load(t, filepath.Base(dir))
			if _, again := load(t, filepath.Base(dir)); !bytes.Equal(text, again) {
				t.Error("the page is another one the second time")
			}
			if at := cssURL.FindIndex(text); at != nil {
				t.Errorf("it reaches outside: %s", text[at[0]:min(at[1]+40, len(text))])
			}
			all := parse(t, text)
			ids := map[string]bool{}
			for _, e := range all {
				if id := e.attr["id"]; id != "" && ids[id] {
					t.Errorf("two elements are %s", id)
				} else if id != "" {
					ids[id] = true
				}
			}
			var sql, edges []string
			for _, e := range all {
				if href, ok := e.attr["href"]; ok && (!strings.HasPrefix(href, "#") || !ids[href[1:]]) {
					t.Errorf("a link leads to %q", href)
				}
				if e.name == "script" || e.name == "link" || e.name == "img" || e.attr["src"] != "" {
					t.Errorf("there is a <%s>", e.name)
				}
				switch {
				case e.is("step"):
					sql = append(sql, e.text.String())
				case e.is("edge"):
					edges = append(edges, e.text.String())
				}
			}
			for i := range f.Case.Txns {
				for _, s := range f.Case.Txns[i].Stmts {
					if !slices.ContainsFunc(sql, func(text string) bool { return strings.Contains(text, s.SQL) }) {
						t.Errorf("no step has %s", s.SQL)
					}
				}
			}
			if f.Graph != nil {
				for i, e := range f.Graph.Edges {
					if len(edges) != len(f.Graph.Edges) || !slices.ContainsFunc(edges, func(text string) bool {
						return strings.Contains(text, e.Why)
					}) {
						t.Errorf("%d edges are drawn of %d, the %dth is %q", len(edges), len(f.Graph.Edges), i, e.Why)
					}
				}
			}
			if damaged := f.Complains(); damaged && (!bytes.Contains(text, []byte("Index g is marked as corrupted")) ||
				!bytes.Contains(text, []byte("Flagged corruption of"))) {
				t.Error("the server's own words are not there")
			}
			if private := bytes.Contains(text, []byte("PRIVATE")); private != (f.Record.Class == "crash") {
				t.Errorf("private is %v", private)
			}
		})
	}
}

// TestWhatDiffers: the cells that differ are marked, those that do not are not.
func TestWhatDiffers(t *testing.T) {
	for name, want := range map[string]struct {
		culprits, waits int
		marked          []string // cells: in the evidence, in the lane, and in the equivalent order or the tables at the end
	}{
		"aggregate":          {1, 0, []string{"2", "1", "2", "1", "2", "1"}},
		"lost_commit_sqlite": {0, 0, []string{"1", "0", "50", "101", "1", "10", "1", "0", "50", "101", "1", "10"}},
		"lost_delete":        {1, 0, nil},
		"write_skew":         {4, 1, nil},
		"crash":              {1, 0, nil},
	} {
		_, text := load(t, name)
		all := parse(t, text)
		var marked []string
		steps := 0
		for _, e := range all {
			if e.name == "td" && e.is("wrong") {
				marked = append(marked, e.text.String())
			}
			if e.name == "div" && e.is("culprit") {
				steps++
			}
		}
		if !slices.Equal(marked, want.marked) {
			t.Errorf("%s: marked are %q, want %q", name, marked, want.marked)
		}
		if waits := count(all, "wait"); steps != want.culprits || waits != want.waits {
			t.Errorf("%s: %d steps are marked, %d wait; want %d, %d", name, steps, waits, want.culprits, want.waits)
		}
	}
}

// TestCycle: a violation is explained edge by edge and drawn, though it has no graph of its own.
func TestCycle(t *testing.T) {
	_, text := load(t, "write_skew")
	all := parse(t, text)
	if n := count(all, "edge"); n != 2 {
		t.Errorf("%d edges, want 2", n)
	}
	for _, want := range []string{"so T1 comes before T0", "so T0 comes before T1", "They cannot hold together"} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("no %q", want)
		}
	}
}

// TestShorten: one more reason is no longer than saying so.
func TestShorten(t *testing.T) {
	for why, want := range map[string]string{"a": "a", "a; b; c; d": "a; b; c; d",
		"a; b; c; d; e": "a; b; c; and 2 more"} {
		if got := shorten(why); got != want {
			t.Errorf("%s: %s, want %s", why, got, want)
		}
	}
}

// TestForDirectory: what is missing or damaged makes a smaller page or one that says why, never none.
func TestForDirectory(t *testing.T) {
	for _, c := range []struct{ finding, file, text, want string }{
		{"aggregate", "case.txw", "nonsense", "This finding cannot be drawn: case.txw"},
		{"aggregate", "trace.jsonl", "{\n{}\n", "This finding cannot be drawn: trace.jsonl"},
		{"aggregate", "trace.jsonl", "", "What was answered is not known"},
		{"aggregate", "observation.json", "", "Which versions the statements saw and wrote is not recorded"},
		{"aggregate", "observation.json", `{"format": 9}`, "observation: its format is 9"},
		{"aggregate", "replay.jsonl", "", "What happened"},
		{"aggregate", "sdg.json", "", "The equivalent order"},
		{"crash", "log.txt", "", "log is not there"},
	} {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(filepath.Join(findings, c.finding))); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, c.file)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if c.text != "" {
			if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		text := ForDirectory(dir)
		parse(t, text)
		if !bytes.Contains(text, []byte(c.want)) {
			t.Errorf("%s with %s %q: no %q in\n%.300s", c.finding, c.file, c.text, c.want, text)
		}
	}
}

// TestHostile: what a database answers is text, whatever is in it.
func TestHostile(t *testing.T) {
	f, _ := load(t, "aggregate")
	const bad = `</td><script>alert(1)</script>&lt;"'` + "\x00\xff"
	for _, e := range f.Run.Events {
		e.Err = &history.DBError{Code: 1, Message: bad}
		e.Text = bad
	}
	f.Record.Differences[0].Steps = finding.Sentences{finding.Say("%v", bad)}
	f.Record.Summary = bad
	text, err := Write(f)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(text, []byte("<script")) {
		t.Error("a script")
	}
	parse(t, bytes.ToValidUTF8(text, nil))
}

// TestAlign: rows face the rows that they belong to; only what differs is marked.
func TestAlign(t *testing.T) {
	rows := func(columns string, cells ...int64) *history.Rows {
		r := &history.Rows{Columns: strings.Fields(columns)}
		for _, n := range cells {
			r.Cells = append(r.Cells, history.IntValue(n))
		}
		return r
	}
	for _, c := range []struct {
		name string
		a, e *history.Rows
		want string
	}{
		{"one cell", rows("pkey c", 1, 5, 2, 6), rows("pkey c", 1, 5, 2, 7), "1 5 = 1 5; 2 *6 = 2 *7"},
		{"by key, not by place", rows("pkey c", 2, 6, 1, 5), rows("pkey c", 1, 5, 2, 7), "2 *6 = 2 *7; 1 5 = 1 5"},
		{"a row too few", rows("pkey c", 1, 5), rows("pkey c", 1, 5, 2, 6), "1 5 = 1 5; - = +2 6"},
		{"a row too many", rows("pkey c", 3, 5, 1, 5), rows("pkey c", 1, 5), "+3 5 = -; 1 5 = 1 5"},
		{"no key: the most similar", rows("a b c", 1, 2, 3, 7, 8, 9), rows("a b c", 7, 8, 0, 1, 2, 4),
			"1 2 *3 = 1 2 *4; 7 8 *9 = 7 8 *0"},
		{"twice instead of once", rows("a", 1, 1), rows("a", 1), "1 = 1; +1 = -"},
		{"another order", rows("a", 1, 3, 2), rows("a", 1, 2, 3), "1 = 1; +3 = +2; +2 = +3"},
	} {
		a, e := align(c.a, c.e)
		var got []string
		for i := range a.Rows {
			got = append(got, printRow(a.Rows[i])+" = "+printRow(e.Rows[i]))
		}
		if s := strings.Join(got, "; "); s != c.want {
			t.Errorf("%s: %s, want %s", c.name, s, c.want)
		}
	}
}

func printRow(r gridRow) string {
	if r.Absent {
		return "-"
	}
	var out []string
	for _, c := range r.Cells {
		mark := ""
		if c.Wrong {
			mark = "*"
		}
		out = append(out, mark+c.Text)
	}
	if r.Only {
		return "+" + strings.Join(out, " ")
	}
	return strings.Join(out, " ")
}

// TestCut: of a long result the rows that differ stay.
func TestCut(t *testing.T) {
	a, e := &history.Rows{Columns: []string{"pkey", "c"}}, &history.Rows{Columns: []string{"pkey", "c"}}
	for i := range int64(100) {
		a.Cells = append(a.Cells, history.IntValue(i), history.IntValue(i))
		e.Cells = append(e.Cells, history.IntValue(i), history.IntValue(i+i/99))
	}
	left, right := align(a, e)
	last := len(left.Rows) - 1
	if last+1 != timeline.MaxRows || len(right.Rows) != last+1 || !left.Rows[last].Cells[1].Wrong ||
		left.More != "80 of 100 rows are not shown" {
		t.Errorf("%d and %d rows, %q, the last is %v", last+1, len(right.Rows), left.More, left.Rows[last])
	}
}

func BenchmarkWrite(b *testing.B) {
	f, text := load(b, "write_skew")
	for b.Loop() {
		if _, err := Write(f); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(text)), "bytes")
}

// printVersions prints versions with their writers.
func printVersions(list []timeline.SeenVersion) string {
	var out []string
	for _, v := range list {
		out = append(out, strings.TrimSpace(fmt.Sprint(v.Version, " ", v.Writer)))
	}
	return strings.Join(out, ", ")
}

// TestVersions: what the statements of a finding saw and wrote, also after a wait and where rows are deleted.
func TestVersions(t *testing.T) {
	for name, want := range map[string]map[string]string{
		"aggregate": {
			"T0.S0": "saw version 1 of row 1 of t0 and 1; wrote version 101 of row 1 of t0 T0.S0; deleted ",
			"T1.S0": "saw version 1 of row 1 of t0 and 1; wrote ; deleted ",
			"T0.S1": "saw version 101 of row 1 of t0 T0.S0 and 1; wrote ; deleted ",
		},
		"write_skew": {
			"T0.S0": "saw version 1 of row 1 of t0, version 2 of row 2 of t1 and 0; wrote version 3 of row 2 of t1 T0.S0; deleted ",
			"T1.S0": "saw version 2 of row 2 of t1 and 0; wrote ; deleted ",
			"T0.S1": "saw version 1 of row 1 of t0 and 0; wrote ; deleted ",
			"T1.S1": "saw version 1 of row 1 of t0 and 0; wrote ; deleted version 1 of row 1 of t0",
		},
	} {
		f, _ := load(t, name)
		got := timeline.ReadVersions(f.Observation)
		for stmt, w := range want {
			v := got[stmt]
			if v == nil {
				t.Errorf("%s: nothing of %s", name, stmt)
				continue
			}
			if s := fmt.Sprintf("saw %s and %d; wrote %s; deleted %s", printVersions(v.Saw), v.Still, printVersions(v.Wrote),
				printVersions(v.Deleted)); s != w {
				t.Errorf("%s %s: %s, want %s", name, stmt, s, w)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s: %d statements, want %d", name, len(got), len(want))
		}
	}
}
