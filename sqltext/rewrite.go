package sqltext

import "strings"

// Rewrite gathers what is to stand in the place of words of a text, from left to right.
type Rewrite struct {
	Phrase
	b    strings.Builder
	last int
}

// Rewrite begins with a text as it is.
func (q Quoting) Rewrite(sql string) *Rewrite { return &Rewrite{Phrase: q.Phrase(sql)} }

// Put writes a text in the place of n words from word i on.
func (r *Rewrite) Put(i, n int, text string) {
	r.b.WriteString(r.Text[r.last:r.Words[i].From] + text)
	r.last = r.Words[i+n-1].To
}

// Drop leaves n words from word i on out, with the blanks before them.
func (r *Rewrite) Drop(i, n int) {
	r.b.WriteString(strings.TrimRight(r.Text[r.last:r.Words[i].From], Space))
	r.last = r.Words[i+n-1].To
}

// Passed says whether word i lies before the end of what was replaced.
func (r *Rewrite) Passed(i int) bool { return r.At(i).From < r.last }

// Done is the text as it has become.
func (r *Rewrite) Done() string {
	if r.last == 0 {
		return r.Text
	}
	return r.b.String() + r.Text[r.last:]
}
