package register

import "strconv"

// Names gives numbers to values that are no integers, away from those that are likely to be in use.
type Names struct {
	numbers map[string]int64
	names   []string
}

const firstNamed = 1 << 62

// Number returns the number of a name. One that is an integer, written as strconv does, stands for itself.
func (v *Names) Number(name string) int64 {
	if n, ok := integer(name); ok {
		return n
	}
	n, ok := v.numbers[name]
	if !ok {
		if v.numbers == nil {
			v.numbers = map[string]int64{}
		}
		n = firstNamed + int64(len(v.names))
		v.numbers[name] = n
		v.names = append(v.names, name)
	}
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
