package casesource

import (
	"bytes"
	"slices"
	"testing"

	"txweave/dbms"
	"txweave/gen"
	"txweave/gen/guide"
	"txweave/testcase"
)

// TestPartsLeftOut: what is done to every case can be left out, and the rest of it stays as it is.
func TestPartsLeftOut(t *testing.T) {
	p, err := dbms.Lookup("sqlite", "serializable")
	if err != nil {
		t.Fatal(err)
	}
	whole, err := NewCases(5, p)
	if err != nil {
		t.Fatal(err)
	}
	bare, err := NewCases(5, p, Parts()...)
	if err != nil {
		t.Fatal(err)
	}
	marked := map[string]int{}
	for n := range 60 {
		c, err := whole.Make(n)
		if err != nil {
			t.Fatal(err)
		}
		b, err := bare.Make(n)
		if err != nil {
			t.Fatal(err)
		}
		if b.Seed != gen.CaseSeed(5, n) {
			t.Errorf("case %d is not the first candidate", n)
		}
		for _, key := range []string{testcase.OptionPlan, testcase.OptionSetting, testcase.OptionStore, "conflicts"} {
			if b.Option(key) != "" {
				t.Errorf("case %d has %s: %s", n, key, b.Option(key))
			}
			if c.Option(key) != "" {
				marked[key]++
			}
		}
	}
	if len(marked) != 4 {
		t.Errorf("cases are marked by %v alone: nothing was left out", marked)
	}
}

// TestCasesOfVersion: what one version of a server answers wrong is made for the next only
// (docs/findings/mariadb-window-in-subquery-of-write.md).
func TestCasesOfVersion(t *testing.T) {
	p, err := dbms.Lookup("mariadb", "serializable")
	if err != nil {
		t.Fatal(err)
	}
	for version, left := range map[string]bool{"10.11.19-MariaDB-0+deb12u1": true, "11.8.6-MariaDB": false} {
		src, err := NewCasesFor(version, 25, p, "chain")
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.Contains(src.Without(), "window-in-write"); got != left || !slices.Contains(src.Without(), "chain") {
			t.Errorf("%s: left out are %v", version, src.Without())
		}
	}
}

// TestCandidates: most cases have more statements that can meet than the first candidate has, some are the first one
// whatever it is, and each is made again from its header's seed.
func TestCandidates(t *testing.T) {
	for _, target := range [][2]string{{"sqlite", "serializable"}, {"tidb", "read-committed"}} {
		p, err := dbms.Lookup(target[0], target[1])
		if err != nil {
			t.Fatal(err)
		}
		src, err := NewCases(4, p)
		if err != nil {
			t.Fatal(err)
		}
		again := func(seed uint64) *testcase.Case {
			c, err := src.Again(seed, 0)
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		const cases = 120
		first, taken, same := 0, 0, 0
		for n := range cases {
			c, _, err := src.choose(n)
			if err != nil {
				t.Fatal(err)
			}
			seed := gen.CaseSeed(4, n)
			first, taken = first+guide.Meetings(again(seed)), taken+guide.Meetings(c)
			if c.Seed == seed {
				same++
			}
			if !bytes.Equal(c.Print(), again(c.Seed).Print()) {
				t.Fatalf("%s, case %d: its seed makes another one", target[0], n)
			}
		}
		if 4*taken < 5*first || same < cases/4 || same > cases*2/3 {
			t.Errorf("%s: %d meetings of statements, %d in the first candidates, of which %d of %d are taken", target[0], taken,
				first, same, cases)
		}
	}
}

// TestStretches: some stretches of cases have a server of their own shape, all of a stretch the same one, mutants among
// them, whatever their parents had.
func TestStretches(t *testing.T) {
	p, err := dbms.Lookup("mariadb", "repeatable-read")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for seed := range uint64(400) {
		name := p.LastingStore(seed, 500)
		if seen[name]++; p.LastingStore(seed, 999) != name || p.LastingStore(seed, 499) != "" {
			t.Fatalf("seed %d: a stretch has two stores, or the first another than the usual one", seed)
		}
	}
	if len(seen) != 1+len(p.Variants.Stores) || seen[""] < 235 || seen[""] > 300 {
		t.Errorf("%v, want two in three to be the usual one and the others to have each", seen)
	}
	const first = 700
	for _, seed := range []uint64{1, 2, 3, 4} {
		src, err := NewCases(seed, p)
		if err != nil {
			t.Fatal(err)
		}
		c, err := src.Make(first)
		if err != nil {
			t.Fatal(err)
		}
		want := p.LastingStore(seed, first)
		if c.Option(testcase.OptionStore) != want {
			t.Errorf("seed %d: the store is %q, want %q", seed, c.Option(testcase.OptionStore), want)
		}
		var parents []*testcase.Case
		for _, store := range []string{"", "pages-64k"} {
			parent := c.Clone()
			parent.SetOption(testcase.OptionStore, store)
			parents = append(parents, parent)
		}
		mutants, seeds := 0, src.Seeds(parents)
		for n := range 40 {
			text := seeds.Next(first + n)
			if text == nil {
				continue
			}
			m, err := testcase.Parse("mutant", text)
			if err != nil {
				t.Fatal(err)
			}
			if mutants++; m.Option(testcase.OptionStore) != want {
				t.Errorf("seed %d: the store of a mutant is %q, want %q", seed, m.Option(testcase.OptionStore), want)
			}
		}
		if mutants == 0 {
			t.Errorf("seed %d: no mutants", seed)
		}
	}
	if p, err = dbms.Lookup("sqlite", "serializable"); err != nil || p.LastingStore(1, 0) != "" || len(p.BriefStores()) !=
		len(p.Variants.Stores) {
		t.Errorf("SQLite needs no server for a store: %v", err)
	}
}

// TestManyRows: with many rows one case in some has a table of so many, and all others are what they are without.
func TestManyRows(t *testing.T) {
	p, err := dbms.Lookup("sqlite", "serializable")
	if err != nil {
		t.Fatal(err)
	}
	few, err := NewCases(3, p)
	if err != nil {
		t.Fatal(err)
	}
	many, err := NewCases(3, p)
	if err == nil {
		err = many.WithRows(600)
	}
	if err != nil {
		t.Fatal(err)
	}
	const cases = 160
	large := 0
	for n := range cases {
		a, b := few.Text(n), many.Text(n)
		if bytes.Equal(a, b) {
			continue
		}
		large++
		if rows := bytes.Count(b, []byte("), (")); rows < 500 {
			t.Errorf("case %d is another one and has %d rows", n, rows)
		}
		if again := many.Text(n); !bytes.Equal(b, again) {
			t.Errorf("case %d is not the same the second time", n)
		}
	}
	if large < cases/manyShare/3 || large > cases/manyShare*3 {
		t.Errorf("%d of %d cases have many rows", large, cases)
	}
	if err := many.WithRows(-1); err == nil {
		t.Error("-1 rows are accepted")
	}
}
