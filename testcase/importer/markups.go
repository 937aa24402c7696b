package importer

import (
	"slices"
	"strings"
)

var (
	// literals is code in a line of reStructuredText's.
	literals = lazily("``([^`\n]+)``")
	// simpleRule is above and below the heading of a simple table of reStructuredText's, and at its end.
	simpleRule = lazily(`^\s*=+(?:\s+=+)+\s*$`)
	wikiStart  = lazily(`^\s*\{\|`)
	wikiEnd    = lazily(`^\s*\|\}`)
	wikiRow    = lazily(`^\s*\|-+\s*$`)
	asciiDoc   = lazily(`^\s*\|={3,}\s*$`)
)

// markups writes tables of reStructuredText, of wikis and of AsciiDoc as Markdown's.
func markups(lines []string) {
	for i := 0; i < len(lines); i++ {
		lines[i] = literals.ReplaceAllStringFunc(lines[i], func(m string) string {
			if isStatement(strings.TrimSpace(m[2 : len(m)-2])) {
				return "`" + m[2:len(m)-2] + "`"
			}
			return m
		})
		switch {
		case simpleRule.MatchString(lines[i]):
			lines[i] = ""
		case wikiStart.MatchString(lines[i]):
			i = wikiTable(lines, i)
		case asciiDoc.MatchString(lines[i]):
			i = asciiTable(lines, i)
		}
	}
}

// row writes cells as a row of Markdown's.
func row(cells []string) string {
	for i := range cells {
		cells[i] = strings.ReplaceAll(strings.TrimSpace(cells[i]), "|", `\|`)
	}
	return "| " + strings.Join(cells, " | ") + " |"
}

// ruled writes the empty lines inside a table as its rules.
func ruled(lines []string) {
	last := len(lines) - 1
	for last >= 0 && lines[last] == "" {
		last--
	}
	for i := slices.IndexFunc(lines, func(line string) bool { return line != "" }); i >= 0 && i < last; i++ {
		if lines[i] == "" {
			lines[i] = "|"
		}
	}
}

// wikiTable writes the table of a wiki that begins on a line, and returns the line where it ends.
func wikiTable(lines []string, from int) int {
	end := slices.IndexFunc(lines[from:], wikiEnd.MatchString)
	if end < 0 {
		return from
	}
	end += from
	var cells []string
	at := -1 // where the row begins
	flush := func() {
		if len(cells) > 0 {
			lines[at] = row(cells)
		}
		cells, at = nil, -1
	}
	defer func() { ruled(lines[from:end]) }()
	for i := from; i <= end; i++ {
		line := strings.TrimSpace(lines[i])
		if lines[i] = ""; i == from {
			continue
		}
		switch {
		case i == end, wikiRow.MatchString(line):
			flush()
		case strings.HasPrefix(line, "|+"): // its title
		case strings.HasPrefix(line, "|"), strings.HasPrefix(line, "!"):
			if at < 0 {
				at = i
			}
			mark := strings.Repeat(line[:1], 2)
			cells = append(cells, strings.Split(line[1:], mark)...)
		case len(cells) > 0 && line != "":
			cells[len(cells)-1] += "<br>" + line
		}
	}
	return end
}

// asciiTable writes the table of AsciiDoc that begins on a line, and returns the line where it ends: as many cells make a row as its first
// line has.
func asciiTable(lines []string, from int) int {
	end := slices.IndexFunc(lines[from+1:], asciiDoc.MatchString)
	if end < 0 {
		return from
	}
	end += from + 1
	width, at := 0, -1
	var cells []string
	lines[from], lines[end] = "", ""
	defer func() { ruled(lines[from:end]) }()
	for i := from + 1; i < end; i++ {
		line := strings.TrimSpace(lines[i])
		if lines[i] = ""; line == "" {
			continue
		}
		if !strings.HasPrefix(line, "|") {
			if len(cells) > 0 {
				cells[len(cells)-1] += "<br>" + line
			}
			continue
		}
		found := strings.Split(line[1:], "|")
		if width == 0 {
			width = len(found)
		}
		for _, c := range found {
			if len(cells) == width {
				lines[at], cells = row(cells), nil
			}
			if len(cells) == 0 {
				at = i
			}
			cells = append(cells, c)
		}
	}
	if len(cells) > 0 {
		lines[at] = row(cells)
	}
	return end
}
