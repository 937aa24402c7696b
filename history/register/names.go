package register

import "strconv"

// Names gives numbers to values that are no integers, and to integers that have the number of such a value.
type Names struct {
	numbers  map[string]int64
	names    []string
	integers map[int64]bool // that stand for themselves, though a name might be given their number
}

// Names have the numbers from firstNamed to endNamed, which are more than a history has names.
const (
	firstNamed = 1 << 62
	endNamed   = firstNamed + 1<<32
)

// Number returns the number of a name. One that is an integer, written as strconv does, stands for itself.
func (v *Names) Number(name string) int64 {
	if n, ok := integer(name); ok {
		return v.Integer(n)
	}
	return v.number(name)
}

// Integer returns the number of an integer: itself, unless a name was given that before.
func (v *Names) Integer(n int64) int64 {
	switch {
	case n < firstNamed || n >= endNamed || v.integers[n]:
		return n
	case v.has(n):
		return v.number(strconv.FormatInt(n, 10))
	case v.integers == nil:
		v.integers = map[int64]bool{}
	}
	v.integers[n] = true
	return n
}

// number returns the number of a name, the next one that is free where it has none.
func (v *Names) number(name string) int64 {
	n, ok := v.numbers[name]
	for ; !ok; ok = !v.integers[n] {
		n = firstNamed + int64(len(v.names))
		if v.names = append(v.names, name); v.integers[n] {
			v.names[n-firstNamed] = strconv.FormatInt(n, 10)
		}
	}
	if v.numbers == nil {
		v.numbers = map[string]int64{}
	}
	v.numbers[name] = n
	return n
}

// integer reads one that is written as strconv does.
func integer(s string) (n int64, ok bool) {
	if len(s) == 0 || s[len(s)-1]-'0' > 9 {
		return 0, false
	}
	n, err := strconv.ParseInt(s, 10, 64)
	plain := s[0] >= '1' && s[0] <= '9' || s == "0" // others may begin with a sign or zeros
	return n, err == nil && (plain || strconv.FormatInt(n, 10) == s)
}

// Name returns what a number was given to, or the number itself.
func (v *Names) Name(n int64) string {
	if v.has(n) {
		return v.names[n-firstNamed]
	}
	return strconv.FormatInt(n, 10)
}

func (v *Names) has(n int64) bool { return n >= firstNamed && n < firstNamed+int64(len(v.names)) }
