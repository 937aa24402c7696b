// Package tabular writes lines and tables as wide as a terminal takes, whatever characters they have.
package tabular

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"

	"txweave/finding"
)

// Wide is how many columns of a terminal a line takes: Chinese characters, say, take two each, what is put on the
// character before it none.
func Wide(line string) (columns int) {
	for _, r := range line {
		columns += runeWidth(r)
	}
	return columns
}

func runeWidth(r rune) int {
	if unicode.In(r, unicode.Mn, unicode.Me) {
		return 0
	}
	if kind := width.LookupRune(r).Kind(); kind == width.EastAsianWide || kind == width.EastAsianFullwidth {
		return 2
	}
	return 1
}

// Cut is as much of a line's beginning as fits into so many columns.
func Cut(line string, columns int) string {
	for i, r := range line {
		if columns -= runeWidth(r); columns < 0 {
			return line[:i]
		}
	}
	return line
}

// Shorten takes from a text's middle what is too much for so many columns: names that begin alike differ at their ends.
func Shorten(text string, columns int) string {
	if Wide(text) <= columns {
		return text
	}
	begin := Cut(text, (columns-1)/2)
	end, left := len(text), columns-1-Wide(begin)
	for end > len(begin) {
		r, size := utf8.DecodeLastRuneInString(text[:end])
		if left -= runeWidth(r); left < 0 {
			break
		}
		end -= size
	}
	return Cut(begin+"…"+text[end:], columns)
}

// Fit joins the parts that fit into a width, the first ones first; a first one that is too long is cut.
func Fit(parts []string, columns int) string {
	line := ""
	for i, p := range parts {
		longer := p
		if i > 0 {
			longer = line + "  " + p
		}
		if Wide(longer) > columns {
			if i == 0 {
				return Cut(p, columns)
			}
			break
		}
		line = longer
	}
	return line
}

// Table prints rows in columns as wide as they need.
func Table(w io.Writer, rows [][]string) error {
	width := make([]int, len(rows[0]))
	for _, r := range rows {
		for i, c := range r {
			c = finding.Line(c) // it may come from a server, or from a stranger's file
			r[i] = c
			width[i] = max(width[i], Wide(c))
		}
	}
	for _, r := range rows {
		var b strings.Builder
		for i, c := range r {
			b.WriteString(c)
			if i < len(r)-1 {
				b.WriteString(strings.Repeat(" ", width[i]-Wide(c)+2))
			}
		}
		if _, err := fmt.Fprintln(w, b.String()); err != nil {
			return err
		}
	}
	return nil
}

// Counts prints counts in the order of their names.
func Counts(m map[string]int) string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, fmt.Sprintf("%s %d", k, m[k]))
	}
	return strings.Join(parts, ", ")
}
