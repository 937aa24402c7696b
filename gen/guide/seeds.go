package guide

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"txweave/dbms"
	"txweave/sql/analysis"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// Maker makes cases over the same tables and rows as others.
type Maker interface {
	Seed() uint64
	// Again is the case of a seed with other transactions; 0: with its own.
	Again(seed, statements uint64) (*testcase.Case, error)
}

// Seeds makes cases of others, which are known bugs mostly, by changing them. Which numbers of a campaign are such
// cases, of which seed case each is made and how, follows from the campaign's seed, the number and the list of seed
// cases alone. Its methods may be called from several goroutines.
type Seeds struct {
	source  Maker
	profile *dbms.Profile
	levels  []string
	all     []seedCase
}

// seedCase is a case that is changed.
type seedCase struct {
	c *testcase.Case
	// related says that the generator makes others over its tables and rows.
	related bool
}

// One of so many cases is made of a seed case, and how far changes go.
const (
	changedFirst = 2 // until each seed case had seedTries turns …
	// … and afterwards: a case that is changed repeats statements, and what one did not show it seldom shows the next time
	changedThen  = 5
	seedTries    = 40
	oftenChanged = 3  // operators that are applied, at most
	whole        = 70 // templates, in percent, that nothing is done to afterwards
	// to change a seed case, before the generator's case is taken: small ones have little that can be done to them
	seedAttempts = 60
)

// The random streams that are drawn from, apart from others that start from the same seed.
const (
	changeStream = 0x7478_7765_6775_6964
	turnStream   = changeStream + 1
)

// optionMutated is the key of the header field that says how a case was made from another one.
const optionMutated = "mutated"

// NewSeeds returns what changes those of some cases that are for a DBMS at a level, whose transactions may have levels
// of their own.
func NewSeeds(src Maker, p *dbms.Profile, levels []string, cases []*testcase.Case) *Seeds {
	s := &Seeds{source: src, profile: p, levels: levels}
	for _, c := range cases {
		if c.Target == p.DBMS && c.Isolation == p.Isolation && len(c.Order) == 0 {
			s.all = append(s.all, seedCase{c, isKin(src, c)})
		}
	}
	return s
}

// Len is how many seed cases there are.
func (s *Seeds) Len() int { return len(s.all) }

// isKin says whether the generator makes the tables and rows of a case from the seed that it names; indexes may have
// come since.
func isKin(src Maker, c *testcase.Case) bool {
	if c.Seed == 0 {
		return false
	}
	d, err := src.Again(c.Seed, 0)
	if err != nil || !sameRows(c, d) {
		return false
	}
	schema := testcase.Texts(c.Schema)
	return !slices.ContainsFunc(testcase.Texts(d.Schema), func(sql string) bool { return !slices.Contains(schema, sql) })
}

func sameRows(a, b *testcase.Case) bool {
	return slices.Equal(testcase.Texts(a.Rows), testcase.Texts(b.Rows))
}

// Next returns the case that is tried under a number: nil for the generator's of that number.
func (s *Seeds) Next(n int) []byte {
	at, ok := s.turn(n)
	if !ok {
		return nil
	}
	rng := rand.New(rand.NewPCG(s.source.Seed()^changeStream, uint64(n)))
	for range seedAttempts {
		if c := s.change(rng, &s.all[at]); c != nil {
			// It lies on the server of the cases around it, whichever its seed case lay on.
			lasting, shape := s.profile.LastingStore(s.source.Seed(), n), s.profile.Store(c.Option(testcase.OptionStore))
			if lasting != "" || shape != nil && shape.Lasting() {
				c.SetOption(testcase.OptionStore, lasting)
			}
			return c.Print()
		}
	}
	return nil
}

// turn says which seed case's turn it is under a number; ok is false for a number of the generator's. Of each few
// numbers that follow each other one is a seed case's, in turn, and which one of these it is, is drawn: what else goes
// by numbers meets all seed cases.
func (s *Seeds) turn(n int) (at int, ok bool) {
	if len(s.all) == 0 {
		return 0, false
	}
	few, first := changedFirst, changedFirst*seedTries*len(s.all)
	begin := 0
	if n >= first {
		few, begin = changedThen, first
	}
	group := (n - begin) / few
	rng := rand.New(rand.NewPCG(s.source.Seed()^turnStream, uint64(begin+group*few)))
	return group % len(s.all), (n-begin)%few == rng.IntN(few)
}

// change changes a seed case; nil where what comes out cannot be judged, or is what went in.
func (s *Seeds) change(rng *rand.Rand, of *seedCase) *testcase.Case {
	m := &mutator{rng: rng, profile: s.profile, levels: s.levels,
		parser: analysis.TextsOf(sqltext.SyntaxOf(s.profile.DBMS)), c: of.c.Clone(),
		schema: of.c.ReadSchema(), related: func() *testcase.Case { return s.related(rng, of) }}
	operators := m.change(func(o *operator) int { return o.weight })
	if operators == nil {
		return nil
	}
	m.c.SetOption(optionMutated, strings.Join(operators, " "))
	return m.c
}

// related returns another case over the tables and rows of one: a new one of the generator's, or another seed case.
func (s *Seeds) related(rng *rand.Rand, of *seedCase) *testcase.Case {
	if of.related && rng.IntN(100) < 60 {
		if c, err := s.source.Again(of.c.Seed, rng.Uint64()|1); err == nil {
			return c
		}
	}
	var fit []*testcase.Case
	for i := range s.all {
		if o := s.all[i].c; o != of.c && o.Seed == of.c.Seed && sameRows(o, of.c) {
			fit = append(fit, o)
		}
	}
	if len(fit) == 0 {
		return nil
	}
	return fit[rng.IntN(len(fit))]
}

// ReadCases reads the cases below a directory, in the order of their paths. Files that hold none are passed over:
// somebody's directory may have half of one.
func ReadCases(ctx context.Context, dir string) ([]*testcase.Case, error) {
	var out []*testcase.Case
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".txw" {
			return err
		}
		if st, err := os.Stat(path); err != nil || !st.Mode().IsRegular() { // a pipe would be waited for
			return nil
		}
		if c, err := testcase.ReadNamed(ctx, path); err == nil {
			out = append(out, c)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("cannot read the cases of %s: %w", dir, err)
	}
	return out, nil
}
