package worker

import (
	"txweave/dbms"
	"txweave/dbms/registry"
	"txweave/gen"
	"txweave/internal/version"
	"txweave/testcase"
)

// Cases makes the cases of a campaign.
type Cases struct {
	seed    uint64
	dialect *gen.Dialect
	options gen.Options
	without []string // productions that are switched off
}

// Seed is the campaign's.
func (s *Cases) Seed() uint64 { return s.seed }

// Without names the productions that are switched off.
func (s *Cases) Without() []string { return s.without }

// NewCases returns the cases of a seed, made without the productions that are named: see gen's tables.
func NewCases(seed uint64, p *dbms.Profile, without ...string) (*Cases, error) {
	d, err := registry.Lookup(p.DBMS)
	if err != nil {
		return nil, err
	}
	s := &Cases{seed: seed, dialect: d.Dialect, options: gen.Options{Tool: version.Tool, Isolation: p.Isolation, Weights: map[string]int{}}, without: without}
	for _, name := range without {
		s.options.Weights[name] = 0
	}
	if _, err := s.Make(0); err != nil {
		return nil, err
	}
	return s, nil
}

// Make generates a case by its number in the campaign.
func (s *Cases) Make(n int) (*testcase.Case, error) {
	return gen.Generate(gen.CaseSeed(s.seed, n), s.dialect, s.options)
}

// Text prints a case; of one that cannot be made, a remark that says why.
func (s *Cases) Text(n int) []byte {
	c, err := s.Make(n)
	if err != nil {
		return []byte("# " + err.Error() + "\n")
	}
	return c.Print()
}
