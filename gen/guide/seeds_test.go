package guide

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"txweave/internal/testkit/effort"
	"txweave/testcase"
)

// seedsOf returns what changes some of the cases that the generator makes for a level, and these.
func seedsOf(t testing.TB, name, isolation string, cases int) (*Seeds, []*testcase.Case) {
	t.Helper()
	l, src := aimAt(t, name, isolation)
	var of []*testcase.Case
	for n := range cases {
		c, err := src.Make(n)
		if err != nil {
			t.Fatal(err)
		}
		of = append(of, c)
	}
	s := NewSeeds(src, l.profile, l.levels, of)
	if s.Len() != cases {
		t.Fatalf("%d of %d cases are seeds", s.Len(), cases)
	}
	return s, of
}

// TestMutantsAreCases: what changes make of seed cases can be judged: keys name one row and one writer, tables and rows
// are those of the case that was changed, whose turn it is. Its header says what was done.
func TestMutantsAreCases(t *testing.T) {
	effort.Full(t)
	for _, target := range profiles {
		const seeds = 10
		s, of := seedsOf(t, target[0], target[1], seeds)
		l, src := aimAt(t, target[0], target[1])
		made := 0
		for n := range 300 {
			text := s.Next(n)
			if text == nil {
				continue
			}
			made++
			c, err := testcase.Parse("mutant.txw", text)
			if err != nil {
				t.Fatalf("case %d: %v\n%s", n, err, text)
			}
			at, _ := s.turn(n)
			if c.Seed != of[at].Seed || c.Option(optionMutated) == "" {
				t.Errorf("%s: case %d is made of seed case %d:\n%s", target[0], n, at, text)
			}
			judgeable(t, l, src, c)
		}
		if made != 150 {
			t.Errorf("%s: %d of 300 cases are made of seed cases", target[0], made)
		}
	}
}

// TestTurns: each seed case has its turns, be it alone or one of many; until they are over half of the cases are
// theirs, afterwards a fifth, and then they go on in turn.
func TestTurns(t *testing.T) {
	for _, seeds := range []int{1, 3, 40} {
		s := &Seeds{source: generated{}, all: make([]seedCase, seeds)}
		first := 2 * seedTries * seeds
		count := func(from, to int) (had []int, places int) {
			had = make([]int, seeds)
			seen := map[int]bool{}
			for n := from; n < to; n++ {
				if at, ok := s.turn(n); ok {
					had[at]++
					seen[n%2] = true
				}
			}
			return had, len(seen)
		}
		had, places := count(0, first)
		if slices.Min(had) != seedTries || slices.Max(had) != seedTries || places != 2 {
			t.Errorf("of %d seed cases these have turns: %v", seeds, had)
		}
		had, places = count(first, first+5*7*seeds)
		if slices.Min(had) != 7 || slices.Max(had) != 7 || places != 2 {
			t.Errorf("of %d seed cases these have turns afterwards: %v", seeds, had)
		}
	}
	if _, ok := (&Seeds{source: generated{}}).turn(3); ok {
		t.Error("no seed case has a turn")
	}
}

// TestSmallSeed: a case of one statement, as reduced ones are, is changed each time that it is its turn.
func TestSmallSeed(t *testing.T) {
	c, err := testcase.Parse("small.txw", []byte(`txweave case 1
target: sqlite
isolation: serializable

-- schema --
CREATE TABLE t0 (pkey INTEGER NOT NULL, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL, PRIMARY KEY (pkey));

-- T0 --
BEGIN;
INSERT INTO t0 (pkey, vkey, pvkey) VALUES (1, 1, 0);
COMMIT;
`))
	if err != nil {
		t.Fatal(err)
	}
	l, src := aimAt(t, "sqlite", "serializable")
	s := NewSeeds(src, l.profile, l.levels, []*testcase.Case{c})
	made := 0
	for n := range 2 * seedTries {
		if s.Next(n) != nil {
			made++
		}
	}
	if made != seedTries {
		t.Errorf("changed %d of %d times", made, seedTries)
	}
}

// TestSeedsAnyOrder: the cases that are made of seed cases are the same ones in whatever order, and by however many
// workers at once, they are asked for.
func TestSeedsAnyOrder(t *testing.T) {
	const cases = 60
	one, _ := seedsOf(t, "mariadb", "repeatable-read", 3)
	want := make([]string, cases)
	for n := range cases {
		want[n] = string(one.Next(n))
	}
	many, _ := seedsOf(t, "mariadb", "repeatable-read", 3)
	got := make([]string, cases)
	numbers := make(chan int)
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			for n := range numbers {
				got[n] = string(many.Next(n))
			}
		})
	}
	for _, n := range rand.New(rand.NewPCG(1, 2)).Perm(cases) {
		numbers <- n
	}
	close(numbers)
	workers.Wait()
	if i := slices.IndexFunc(want, func(text string) bool { return text != "" }); i < 0 {
		t.Error("no case is made of a seed case")
	}
	for n := range cases {
		if got[n] != want[n] {
			t.Errorf("case %d was\n%s\nand is\n%s", n, want[n], got[n])
		}
	}
}

// TestSeedsOfAnother: cases of another database or level, and those with an order of their own, are no seed cases; the
// generator knows the tables of its own, also with an index more, and of no other.
func TestSeedsOfAnother(t *testing.T) {
	l, src := aimAt(t, "sqlite", "serializable")
	mine, err := src.Make(1)
	if err != nil {
		t.Fatal(err)
	}
	variant := func(change func(*testcase.Case)) *testcase.Case {
		c := mine.Clone()
		change(c)
		return c
	}
	s := NewSeeds(src, l.profile, l.levels, []*testcase.Case{
		mine,
		variant(func(c *testcase.Case) { c.Target = "mariadb" }),
		variant(func(c *testcase.Case) { c.Isolation = "snapshot" }),
		variant(func(c *testcase.Case) { c.Order = []testcase.Ref{{}} }),
		variant(func(c *testcase.Case) { c.Schema = append(c.Schema, testcase.Stmt{SQL: "CREATE INDEX i ON t0 (pkey)"}) }),
		variant(func(c *testcase.Case) { c.Rows = c.Rows[1:] }),
		variant(func(c *testcase.Case) { c.Seed = 0 }),
	})
	var related []bool
	for _, x := range s.all {
		related = append(related, x.related)
	}
	if !slices.Equal(related, []bool{true, true, false, false}) {
		t.Errorf("the generator has related of %v", related)
	}
}

// TestReadCases: the cases below a directory are read in the order of their paths; half a file, and what is no case, is
// passed over.
func TestReadCases(t *testing.T) {
	dir := t.TempDir()
	_, src := aimAt(t, "sqlite", "serializable")
	var want []string
	for n, name := range []string{"a/z.txw", "b.txw", "c/a.txw"} {
		c, err := src.Make(n)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), c.Print(), 0o600); err != nil {
			t.Fatal(err)
		}
		want = append(want, string(c.Print()))
	}
	for name, text := range map[string]string{"a/0.txw": "txweave case 1\ntarget: sql", "a/notes.md": want[0]} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cases, err := ReadCases(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range cases {
		got = append(got, string(c.Print()))
	}
	if !slices.Equal(got, want) {
		t.Errorf("read\n%s", strings.Join(got, "\n"))
	}
	if _, err := ReadCases(t.Context(), filepath.Join(dir, "none")); err == nil {
		t.Error("a directory that is not there has cases")
	}
}
