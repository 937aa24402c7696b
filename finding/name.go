package finding

import (
	"strings"

	"txweave/internal/former"
)

// Name is what the name of a finding's directory says: finding-000012-0 of fuzz, finding-CELL-000012-0 of a campaign's
// cell, unconfirmed-… of what does not come back each time.
type Name struct {
	Unconfirmed  bool
	Cell         string // "": fuzz made it
	Case, Number string // digits
}

// ParseName reads a finding's name; ok is false for another text.
func ParseName(name string) (n Name, ok bool) {
	kind, rest, _ := strings.Cut(name, "-")
	kind = former.Kinds.Now(kind)
	if n.Unconfirmed = kind == KindUnconfirmed; !n.Unconfirmed && kind != KindConfirmed {
		return Name{}, false
	}
	rest, n.Number = cutLast(rest, "-")
	of, last := cutLast(rest, "-")
	if n.Case = last; of == "" && last != rest || strings.Trim(of, cellLetters) != "" {
		return Name{}, false
	}
	n.Cell = of
	return n, IsDigits(n.Case) && IsDigits(n.Number)
}

// What the names of findings begin with, before a hyphen.
const (
	KindConfirmed   = "finding"
	KindUnconfirmed = "unconfirmed" // of one that did not come back each time
)

// CutKind takes from the name of a finding what it begins with; is says whether it was one.
func CutKind(name string) (rest string, is bool) {
	kind, rest, _ := strings.Cut(name, "-")
	kind = former.Kinds.Now(kind)
	return rest, rest != "" && (kind == KindConfirmed || kind == KindUnconfirmed)
}

// cellLetters are those of which the names of a campaign's cells are made.
const cellLetters = "abcdefghijklmnopqrstuvwxyz0123456789.-"

// IsDigits says whether a text is one digit or several, and nothing else.
func IsDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// cutLast cuts a text at the last place of a separator; before is empty where it has none.
func cutLast(s, sep string) (before, after string) {
	at := strings.LastIndex(s, sep)
	if at < 0 {
		return "", s
	}
	return s[:at], s[at+len(sep):]
}

// IsBugName says whether a text is a bug's name: B3.
func IsBugName(name string) bool {
	return len(name) > 1 && (name[0] == 'B' || name[0] == 'b') && name[1] != '0' && IsDigits(name[1:])
}
