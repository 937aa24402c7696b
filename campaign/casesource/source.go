// Package casesource says which case of a campaign comes next: its number, and whether it is the generator's case of
// that number, which follows from the campaign's seed and the number alone, or one that is made of known cases.
// Interleavings of one case are guide/interleave's.
package casesource

import (
	"crypto/rand"
	"encoding/binary"
)

// CaseSource says which cases are tried, one after the other. The zero value is all of the generator's, from number 0
// on. It is not for several goroutines, but Text is.
type CaseSource struct {
	First int // number of the first case
	Count int // how many there are; 0: no end
	// Numbers, unless nil, gives the number of the next case in place of First and those after it; false: there are no
	// more.
	Numbers func() (n int, ok bool)
	// Made, unless nil, makes the case of a number from others, as guide.Seeds do; nil: it is the generator's of that
	// number.
	Made func(n int) []byte

	taken int
}

// Next is the number of the case that comes next; false: there are no more.
func (s *CaseSource) Next() (n int, ok bool) {
	if s.Numbers != nil {
		return s.Numbers()
	}
	if s.Count > 0 && s.taken >= s.Count {
		return 0, false
	}
	s.taken++
	return s.First + s.taken - 1, true
}

// Text is the case of a number that is made from others; nil: it is the generator's of that number.
func (s *CaseSource) Text(n int) []byte {
	if s.Made == nil {
		return nil
	}
	return s.Made(n)
}

// FreshSeed draws a campaign's seed; whoever takes it says so, so that the campaign can be repeated.
func FreshSeed() uint64 {
	var b [8]byte
	if _, err := rand.Read(b[:]); err != nil {
		panic(err) // crypto/rand never fails on the systems that Go supports
	}
	return binary.LittleEndian.Uint64(b[:]) >> 20 // 44 bits are enough and easier to type
}
