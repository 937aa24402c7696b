package workload

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Tuning is what can be told of a workload's transactions. The zero value leaves all as the workload has it.
type Tuning struct {
	// Operations is how many operations a transaction has; of random-sql and append at most so many. 0: as the workload
	// has them.
	Operations int `toml:"operations,omitzero"`
	// Reads is the share of reads, from 0 to 1: of transactions where these only read or only write, else of operations.
	// nil: as the workload has it.
	Reads *float64 `toml:"reads,omitempty"`
	// Theta is how steep the distribution zipf is: key i is used with weight 1/(i+1)^Theta. 0: 1.
	Theta float64 `toml:"theta,omitzero"`
	// ValueSize is how many bytes each row has beside its numbers: a text that each write sets anew. 0: none.
	ValueSize int `toml:"value_size,omitzero"`
}

// The largest values that a Tuning may have.
const (
	maxLength    = 1000
	maxTheta     = 10
	maxValueSize = 16_000
)

// Told says whether anything is told of the workload.
func (t *Tuning) Told() bool { return *t != Tuning{} }

// Clone copies the tuning.
func (t *Tuning) Clone() Tuning {
	c := *t
	if t.Reads != nil {
		share := *t.Reads
		c.Reads = &share
	}
	return c
}

// trait is what can be told of a workload's transactions beside their values' size.
type trait uint8

const (
	hasLength trait = 1 << iota
	hasReads
)

// check says what cannot be told of the workload, in the words of the flags that tell it.
func (t *Tuning) check(d *definition) error {
	switch {
	case t.Operations < 0 || t.Operations > maxLength:
		return fmt.Errorf("--length must be from 1 to %d", maxLength)
	case t.Reads != nil && !(*t.Reads >= 0 && *t.Reads <= 1):
		return fmt.Errorf("--reads must be from 0 to 1")
	case t.ValueSize < 0 || t.ValueSize > maxValueSize:
		return fmt.Errorf("--value-size must be from 0 to %d", maxValueSize)
	case t.Operations > 0 && d.tunes&hasLength == 0:
		return fmt.Errorf("--length: the transactions of %s have a length of their own; it is for %s", d.name,
			having(hasLength))
	case t.Reads != nil && d.tunes&hasReads == 0:
		return fmt.Errorf("--reads: what the transactions of %s read belongs to what they do; it is for %s", d.name,
			having(hasReads))
	case t.ValueSize > 0 && slices.Contains([]string{"generated", "append"}, d.name):
		return fmt.Errorf("--value-size: %s makes its rows itself", d.name)
	}
	return nil
}

// having lists the workloads of which something can be told.
func having(x trait) string {
	var names []string
	for _, d := range definitions {
		if d.tunes&x != 0 {
			names = append(names, d.name)
		}
	}
	return strings.Join(names, ", ")
}

// length is how many operations a transaction has that usually has n.
func (t *Tuning) length(n int) int {
	if t.Operations > 0 {
		return t.Operations
	}
	return n
}

// reads draws whether something reads, which usually one in n does.
func (t *Tuning) reads(rng *rand.Rand, n int) bool {
	if t.Reads == nil {
		return rng.IntN(n) == 0
	}
	return rng.Float64() < *t.Reads
}
