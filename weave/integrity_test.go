package weave_test

import (
	"slices"
	"strings"
	"testing"

	"txweave/exec"
	"txweave/finding"
	"txweave/history"
	"txweave/testcase"
	"txweave/weave"
)

// complainer is a database that complains of its tables, or may not be asked.
type complainer struct {
	weave.Runner
	asked, from, to int // it complains from one question to before another
	err             error
	cheap           bool
	dangling        bool // all that it says is that a row refers to none
}

func (c *complainer) ComplainsCheaply() bool { return c.cheap }

func (c *complainer) Complaints() ([]string, error) {
	c.asked++
	if c.err != nil {
		return nil, c.err
	}
	if c.asked > c.from && c.asked <= c.to {
		if c.dangling {
			return []string{exec.Dangling("t", "t")}, nil
		}
		return []string{"row 3 missing from index t1_i0", "wrong # of entries in index t1_i0"}, nil
	}
	return nil, nil
}

func (c *complainer) Log() string { return "[ERROR] index" }

// TestIntegrity: the database is asked in each so-many-th case and where something is found; what it complains of is a
// finding with trace, rate and log, one for each case; the oracles speak all the same. The next case gets a new
// database, but where a row refers to none.
func TestIntegrity(t *testing.T) {
	const complaint = "corruption/integrity (row N missing from index N)"
	found := &editor{replay: inReplay(0, 0, func(e *history.Event) { dropRow(e.Rows) }), when: always}
	refused := &exec.AnswerError{Text: "CHECK TABLE t", Err: &history.DBError{Code: 1142, Message: "denied"}}
	for _, c := range []struct {
		name          string
		number, every int
		editor        *editor
		complainer    complainer
		want          []string
		asked         int
		confirmed     int
		refers        bool
	}{
		{"sound", 20, 10, nil, complainer{}, nil, 2, 0, false},
		{"not due", 21, 10, nil, complainer{to: 9}, nil, 0, 0, false},
		{"never due", 20, 0, nil, complainer{to: 9}, nil, 0, 0, false},
		{"damaged by the run, each time", 20, 10, nil, complainer{to: 9}, []string{complaint}, 2, 1, false},
		{"damaged by the run, once", 20, 10, nil, complainer{to: 1}, []string{complaint}, 2, 0, false},
		{"damaged by the replay", 20, 10, nil, complainer{from: 1, to: 9}, []string{complaint}, 3, 1, false},
		{"damaged where something is found", 21, 10, found, complainer{to: 9}, []string{"replay-difference/SELECT:rows",
			complaint}, 2, 1, false},
		{"damaged, and something is found", 20, 10, found, complainer{to: 9},
			[]string{complaint, "replay-difference/SELECT:rows"}, 2, 1, false},
		{"damaged where something is found, and whole afterwards", 21, 10, found, complainer{to: 1},
			[]string{"replay-difference/SELECT:rows", complaint}, 2, 0, false},
		{"damaged when it comes again", 21, 10, found, complainer{from: 1, to: 2}, []string{"replay-difference/SELECT:rows",
			complaint}, 3, 0, false},
		{"it may not be asked", 20, 10, nil, complainer{err: refused}, nil, 2, 0, false},
		{"not due, and a row may refer to none", 21, 10, nil, complainer{to: 9}, []string{complaint}, 2, 1, true},
		{"not due, and it costs nothing", 21, 10, nil, complainer{to: 9, cheap: true}, []string{complaint}, 2, 1, false},
		{"a row refers to none", 20, 10, nil, complainer{to: 9, dangling: true},
			[]string{"corruption/integrity (a foreign key of t names a row that t does not have)"}, 2, 1, true},
		{"never due, and it costs nothing", 21, 0, nil, complainer{to: 9, cheap: true}, nil, 0, 0, false},
		{"never due, and a row may refer to none", 21, 0, nil, complainer{to: 9}, nil, 0, 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := lookup(t, "sqlite/serializable")
			c.complainer.Runner = newRunner(t, p)
			if c.editor != nil {
				e := *c.editor
				e.Runner, c.complainer.Runner = c.complainer.Runner, &e
			}
			text := plantedCase
			if c.refers {
				text = strings.Replace(text, ", a INT UNIQUE);", ", a INT UNIQUE, b BIGINT REFERENCES t (pkey));", 1)
			}
			given, err := testcase.Parse("planted", []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			rep, err := weave.Check(&c.complainer, given, p, weave.Options{Repeats: 2, Number: c.number, Integrity: c.every})
			if err != nil {
				t.Fatal(err)
			}
			if got := signatures(rep.Findings); !slices.Equal(got, c.want) || c.complainer.asked != c.asked {
				t.Fatalf("findings %q, want %q; asked %d times, want %d", got, c.want, c.complainer.asked, c.asked)
			}
			if _, noted := rep.NotJudged["integrity"]; noted != (c.complainer.err != nil) {
				t.Errorf("not judged: %v", rep.NotJudged)
			}
			for _, f := range rep.Findings {
				if f.Class == finding.ClassCorruption && (rep.Spoilt == c.complainer.dangling || f.Confirmed != c.confirmed ||
					f.Repeated != 1 || f.Log == "" || len(f.Run.Trace.Events) == 0) {
					t.Errorf("spoilt %v, confirmed %d of %d, log %q", rep.Spoilt, f.Confirmed, f.Repeated, f.Log)
				}
				if f.Class == finding.ClassReplay && c.number == 20 && f.With != complaint {
					t.Errorf("it goes with %q", f.With)
				}
			}
		})
	}
}

// TestComplaintShape: a complaint of many lines is told by one of them, without the name of the database above them.
func TestComplaintShape(t *testing.T) {
	for said, want := range map[string]string{
		"*** in database main ***\nPage 5: never used\nPage 7: never used": "Page N: never used",
		"row 3 missing from index i0":                                      "row N missing from index N",
		"*** in database main ***\n \n":                                    "",
	} {
		if got := weave.ComplaintShape([]string{said}); got != want {
			t.Errorf("%q: %q, want %q", said, got, want)
		}
	}
}
