package register

import "strconv"

// interner numbers keys. A key that is an integer, written as strconv does, is kept as one: no string is made.
type interner struct {
	names []keyName
	ints  numbering
	texts map[string]int32
}

// numbering gives integers, most of them small ones, a number each.
type numbering struct {
	small  []int32 // by integer: its number plus one, or 0
	others map[int64]int32
}

func (m *numbering) get(n int64) (number int32, ok bool) {
	if uint64(n) < uint64(len(m.small)) {
		return m.small[n] - 1, m.small[n] != 0
	}
	number, ok = m.others[n]
	return number, ok
}

func (m *numbering) set(n int64, number int32) {
	const most = 1 << 14
	switch {
	case n >= 0 && n < most:
		m.small = append(m.small, make([]int32, max(0, int(n)+1-len(m.small)))...)
		m.small[n] = number + 1
		return
	case m.others == nil:
		m.others = map[int64]int32{}
	}
	m.others[n] = number
}

// keyName is the integer n where s is empty.
type keyName struct {
	s string
	n int64
}

func (in *interner) name(key int32) string {
	k := in.names[key]
	if k.s == "" {
		return strconv.FormatInt(k.n, 10)
	}
	return k.s
}

func (in *interner) int(n int64) int32 {
	id, ok := in.ints.get(n)
	if !ok {
		id = int32(len(in.names))
		in.names = append(in.names, keyName{n: n})
		in.ints.set(n, id)
	}
	return id
}

func (in *interner) text(s string) int32 {
	if n, ok := integer(s); ok {
		return in.int(n)
	}
	if s == "" {
		s = `""` // an empty name would print as nothing
	}
	if id, ok := in.texts[s]; ok {
		return id
	}
	if in.texts == nil {
		in.texts = make(map[string]int32)
	}
	id := int32(len(in.names))
	in.names = append(in.names, keyName{s: s})
	in.texts[s] = id
	return id
}
