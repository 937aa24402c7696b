package export_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"txweave/dbms"
	"txweave/dbms/mariadb"
	"txweave/exec"
	"txweave/finding"
	"txweave/history"
	"txweave/instrument"
	"txweave/internal/testkit/effort"
	"txweave/internal/testkit/need"
	"txweave/internal/testkit/servers"
	"txweave/report/export"
	"txweave/report/timeline"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// mysqltest runs a finding's mtr test under the real mysqltest, and returns what it prints.
func mysqltest(t testing.TB, f *timeline.Dossier) string {
	t.Helper()
	out, err := runMysqltest(t, f)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func runMysqltest(t testing.TB, f *timeline.Dossier) (string, error) {
	t.Helper()
	tool := mariadb.Spelling.Tool
	if !tool.Installed() {
		need.Missing(t, "needs mysqltest with its include files (Debian: apt-get install mariadb-test)")
	}
	test, err := os.ReadFile(filepath.Join(save(t, "mtr", f), "case.test"))
	if err != nil {
		t.Fatal(err)
	}
	// A test that failed leaves its tables.
	if err := shared.Target(t).Control().Must(t.Context(), "DROP DATABASE IF EXISTS test"); err != nil {
		t.Fatal(err)
	}
	return tool.Run(t.Context(), shared.Target(t).Control(), string(test))
}

// answers cuts what mysqltest printed into sections and their statements: what stands between two of the lines that
// name one.
func answers(out string) []map[string][]string {
	var sections []map[string][]string
	name := ""
	lines := strings.Split(out, "\n")
	for i, line := range lines {
		switch {
		case line == "#" && i+2 < len(lines) && lines[i+2] == "#":
			sections, name = append(sections, map[string][]string{}), ""
		case strings.HasPrefix(line, "# ") && len(sections) > 0:
			word := strings.Fields(line)[1]
			if strings.HasSuffix(line, "(waits)") {
				name = "" // its answer comes later
			} else {
				name = word
			}
		case name != "":
			sections[len(sections)-1][name] = append(sections[len(sections)-1][name], line)
		}
	}
	return sections
}

// inTest names the database as mysqltest does, where an answer names it: in messages, and by OPTIMIZE and its like.
var inTest = strings.NewReplacer("`txweave`.", "`test`.", "txweave.", "test.")

// expectAnswer holds the lines that mysqltest printed of a statement against an answer.
func expectAnswer(t *testing.T, where string, got []string, want *history.Answer) {
	t.Helper()
	text := strings.Join(got, "\n")
	switch {
	case want.Err != nil:
		if !strings.Contains(text, inTest.Replace(want.Err.Message)) {
			t.Errorf("%s: want %s, mysqltest printed\n%s", where, want.Err, text)
		}
	case want.Rows == nil:
		// of what affects no rows mysqltest prints 0
		if !slices.Contains(got, fmt.Sprintf("affected rows: %d", max(want.Affected, 0))) {
			t.Errorf("%s: want %d affected rows, mysqltest printed\n%s", where, want.Affected, text)
		}
	default:
		at, expected := slices.Index(got, strings.Join(want.Rows.Columns, "\t")), sortedLines(want.Rows)
		if at < 0 || at+1+len(expected) > len(got) {
			t.Errorf("%s: want %d rows, mysqltest printed\n%s", where, want.Rows.Len(), text)
			return
		}
		rows := slices.Clone(got[at+1 : at+1+len(expected)])
		slices.Sort(rows)
		if !slices.Equal(rows, expected) {
			t.Errorf("%s: want\n%s\nmysqltest printed\n%s", where, strings.Join(expected, "\n"), text)
		}
		if count := fmt.Sprintf("affected rows: %d", want.Rows.Len()); !slices.Contains(got, count) {
			t.Errorf("%s: want %q, mysqltest printed\n%s", where, count, text)
		}
	}
}

// sortedLines prints rows as mysqltest does where it sorts them: it takes a NUL byte for the end of a line, too.
func sortedLines(r *history.Rows) []string {
	var lines []string
	for _, row := range rawRows(r) {
		lines = append(lines, strings.Split(inTest.Replace(row), "\x00")...)
	}
	slices.Sort(lines)
	return lines
}

// rawRows prints rows as clients do, sorted.
func rawRows(r *history.Rows) []string {
	out := make([]string, r.Len())
	for i := range out {
		var cells []string
		for _, v := range r.Row(i) {
			cells = append(cells, v.Raw())
		}
		out[i] = strings.Join(cells, "\t")
	}
	slices.Sort(out)
	return out
}

var (
	runCases = flag.Int("export.cases", 12, "interleavings at each level that are run under mysqltest")
	runSeed  = flag.Uint64("export.seed", 5, "seed of the generator that they come from")
)

// play runs a case, with its probes, and returns the run as if it were a finding.
func play(t testing.TB, target exec.Target, p *dbms.Profile, c *testcase.Case) *timeline.Dossier {
	t.Helper()
	plan, err := instrument.Instrument(c, p)
	if err != nil {
		t.Fatal(err)
	}
	run := servers.Once(t, target, p, plan)
	return &timeline.Dossier{Case: c, Run: run.Trace, Record: finding.Record{Environment: finding.Environment{DBMS: p.DBMS,
		Isolation: p.Isolation}}}
}

// racy says whether the server chose what came next, by a race: when a statement went on, or became the victim of a
// deadlock, another one waited. The end of a transaction lets all of them go on that wait for its locks, at the same
// moment; each then takes the locks that it needs next, and the one that comes second waits again, for the first. A
// victim is chosen by the locks that transactions hold, and so by those of the probes too. Purge has a table open now
// and then, for which a table change is refused: so it is a race too whether one fails.
func racy(tl *timeline.Timeline) bool {
	waiting := 0
	for _, m := range tl.Marks {
		switch m.Kind {
		case timeline.Ran:
			if refused(m.Step, printed(&m.Step.Answer)) {
				return true
			}
		case timeline.Blocked:
			waiting++
		case timeline.Resumed:
			waiting--
			if err := m.Step.Answer.Err; waiting > 0 || err != nil && err.Code == 1213 {
				return true
			}
		}
	}
	return false
}

// refused says whether a table change is answered that the table is in use.
func refused(st *timeline.LaneStep, answer string) bool {
	return !sqltext.KindOf(st.SQL).IsTarget() && strings.Contains(answer, "Lock wait timeout exceeded")
}

// printed is what an answer says.
func printed(a *history.Answer) string {
	switch {
	case a.Err != nil:
		return a.Err.Message
	case a.Rows != nil:
		return strings.Join(rawRows(a.Rows), "\n")
	}
	return ""
}

// TestMTRGenerated runs generated interleavings under mysqltest: waits, deadlocks and errors come as in the run that
// they were written after, though mysqltest sends no probes.
//
// More of them: go test ./report/export -run TestMTRGenerated -v -export.cases 100
func TestMTRGenerated(t *testing.T) {
	effort.Full(t)
	target := shared.Target(t)
	blocked, failed, ran, raced := 0, 0, 0, 0
	for _, name := range []string{"mariadb/repeatable-read", "mariadb/read-committed", "mariadb/serializable"} {
		p := servers.Level(t, name, "")
	cases:
		for n := range *runCases {
			f := play(t, target, p, generate(t, p, *runSeed, n))
			tl, err := f.Timeline()
			if err != nil {
				t.Fatal(err)
			}
			if racy(tl) {
				raced++
				continue
			}
			ran++
			out, err := runMysqltest(t, f)
			got := answers(out)
			if err != nil && p.Isolation == "serializable" && strings.Contains(err.Error(), "(1213)") {
				raced, ran = raced+1, ran-1 // the probes' locks, which every read takes there, had kept the two from meeting so
				continue
			}
			if err != nil || len(got) == 0 {
				t.Errorf("%s case %d: %v", name, n, err)
				continue
			}
			for _, st := range tl.Steps {
				if st.Role != history.Target {
					continue
				}
				if st.Blocked {
					blocked++
				}
				if st.Answer.Err != nil {
					failed++
				}
				if refused(st, strings.Join(got[0][st.Name], "\n")) {
					raced, ran = raced+1, ran-1
					continue cases
				}
				expectAnswer(t, fmt.Sprintf("%s case %d %s", name, n, st.Name), got[0][st.Name], &st.Answer)
			}
			for _, tab := range tl.Tables {
				expectAnswer(t, fmt.Sprintf("%s case %d %s", name, n, tab.Name), got[0][tab.Name],
					&history.Answer{Rows: tab.Actual})
			}
		}
	}
	t.Logf("%d interleavings, and %d that are races; %d statements waited, %d failed", ran, raced, blocked, failed)
	if ran < 12 || blocked < 5 || failed < 1 {
		t.Errorf("only %d interleavings, in which %d statements waited and %d failed: too few to say anything", ran,
			blocked, failed)
	}
}

// TestMTRWaitsAgain runs a case in which a statement that goes on takes a lock and then waits for somebody else: what
// is sent next has to wait for that lock, and so the test must not send it before.
func TestMTRWaitsAgain(t *testing.T) {
	target := shared.Target(t)
	c, err := testcase.Parse("case.txw", []byte(waitsAgain))
	if err != nil {
		t.Fatal(err)
	}
	f := play(t, target, servers.Level(t, "mariadb/repeatable-read", ""), c)
	tl, err := f.Timeline()
	if err != nil {
		t.Fatal(err)
	}
	got := answers(mysqltest(t, f))
	waited := 0
	for _, st := range tl.Steps {
		if st.Role == history.Target {
			expectAnswer(t, st.Name, got[0][st.Name], &st.Answer)
			if st.Blocked {
				waited++
			}
		}
	}
	text, err := os.ReadFile(filepath.Join(save(t, "mtr", f), "case.test"))
	if err != nil {
		t.Fatal(err)
	}
	// After T2 was sent, after T0's end, after T3 was sent, after T1's end.
	if n := strings.Count(string(text), "wait_condition.inc"); waited != 2 || n != 4 {
		t.Errorf("%d statements waited, and the test looks %d times whether they do; want 2 and 4", waited, n)
	}
}

const waitsAgain = `txweave case 1
target: mariadb
isolation: repeatable-read

-- schema --
CREATE TABLE t0 (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL);

-- rows --
INSERT INTO t0 (pkey, vkey, pvkey) VALUES (1, 1, 0), (2, 2, 0), (3, 3, 0);

-- T0 --
BEGIN;
UPDATE t0 SET pvkey = vkey, vkey = 101 WHERE pkey = 1;
COMMIT;

-- T1 --
BEGIN;
UPDATE t0 SET pvkey = vkey, vkey = 102 WHERE pkey = 3;
COMMIT;

-- T2 --
BEGIN;
UPDATE t0 SET pvkey = vkey, vkey = 103 WHERE pkey BETWEEN 1 AND 3;
COMMIT;

-- T3 --
BEGIN;
UPDATE t0 SET pvkey = vkey, vkey = 104 WHERE pkey = 2;
COMMIT;

-- schedule --
T0 T1 T2 T3 T0 T1 T2 T0 T3 T1 T2 T3
`

// TestMTRFindings runs the tests of findings: they show there what the finding says, and in their second part what
// the replay gave.
func TestMTRFindings(t *testing.T) {
	target := shared.Target(t)
	t.Run("isolation", func(t *testing.T) {
		f := writeSkew(t, target)
		tl, err := f.Timeline()
		if err != nil {
			t.Fatal(err)
		}
		got := answers(mysqltest(t, f))
		if len(got) != 3 {
			t.Fatalf("%d parts, want the interleaving and both orders", len(got))
		}
		reads := map[string]string{}
		for _, st := range tl.Steps {
			if st.Role == history.Target {
				expectAnswer(t, st.Name, got[0][st.Name], &st.Answer)
			}
			if st.Answer.Rows != nil {
				reads[st.Name] = strings.Join(got[0][st.Name], "\n")
			}
		}
		for i, part := range got[1:] {
			same := true
			for name, text := range reads {
				same = same && strings.Join(part[name], "\n") == text
			}
			if same {
				t.Errorf("serial order %d reads what the interleaving reads: it is no write skew", i+1)
			}
		}
	})
	for _, fault := range []string{"wrong-own-aggregate", "vanished-error"} {
		t.Run(fault, func(t *testing.T) {
			f := plantedFinding(t, target, servers.Level(t, "mariadb/repeatable-read", ""), fault)
			tl, err := f.Timeline()
			if err != nil {
				t.Fatal(err)
			}
			got := answers(mysqltest(t, f))
			if len(got) != 2 {
				t.Fatalf("%d parts, want the interleaving and the serial order", len(got))
			}
			for _, st := range tl.Serial { // the engine itself is correct: it answers both times what the replay gave
				expected := *st.Expected
				if len(export.ErrorCodes(st)) > 1 && expected.Err != nil { // mysqltest does not say which
					expected.Err = &history.DBError{Message: "Got one of the listed errors"}
				}
				expectAnswer(t, "interleaved "+st.Name, got[0][st.Name], &expected)
				expectAnswer(t, "serial "+st.Name, got[1][st.Name], st.Expected)
			}
			for _, tab := range tl.Tables {
				expectAnswer(t, "interleaved "+tab.Name, got[0][tab.Name], &history.Answer{Rows: tab.Expected})
				expectAnswer(t, "serial "+tab.Name, got[1][tab.Name], &history.Answer{Rows: tab.Expected})
			}
			differ := 0
			for _, st := range tl.Steps {
				differ += len(st.Differences)
			}
			for _, tab := range tl.Tables {
				differ += len(tab.Differences)
			}
			if differ == 0 {
				t.Error("the finding differs nowhere")
			}
		})
	}
}

// writeSkew is the finding of the case in the documentation.
func writeSkew(t testing.TB, target exec.Target) *timeline.Dossier {
	t.Helper()
	c, err := testcase.ReadFile("../../docs/write_skew.txw")
	if err != nil {
		t.Fatal(err)
	}
	f := check(t, target, servers.Level(t, "mariadb/repeatable-read", "serializable"), c, "serializable")
	if f == nil {
		t.Fatal("docs/write_skew.txw shows no finding at --claim serializable")
	}
	return f
}
