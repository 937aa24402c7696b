package sqltext

import "strings"

// number returns the number that starts at s[i], or the word that it begins.
func number(s string, i int) Token {
	end := runEnd(s, i+1, func(b byte) bool { return b != '$' && isWordByte(b) })
	if end < len(s) && s[end] == '\'' && (s[end-1] == 'e' || s[end-1] == 'E') {
		end-- // some servers read 1E'…' as a number and an E'…'
	}
	return Token{Kind: Word, Text: s[i:end]}
}

// nested returns the block comment that starts at s[i], with those in it.
func nested(s string, i int) Token {
	depth := 1
	for j := i + 2; j+1 < len(s); j++ {
		switch s[j : j+2] {
		case "/*":
			depth++
			j++
		case "*/":
			depth--
			j++
		}
		if depth == 0 {
			return Token{Kind: Comment, Text: s[i : j+1]}
		}
	}
	return Token{Kind: Comment, Text: s[i:], Open: true}
}

// dollar returns the dollar-quoted literal that starts at s[i], or the parameter.
func dollar(s string, i int) Token {
	name := func(b byte) bool { return b != '$' && isWordByte(b) }
	end := runEnd(s, i+1, name)
	if digit := end > i+1 && s[i+1] >= '0' && s[i+1] <= '9'; end == len(s) || s[end] != '$' || digit {
		if digit {
			end = runEnd(s, i+1, func(b byte) bool { return b >= '0' && b <= '9' })
			return Token{Kind: Word, Text: s[i:end]}
		}
		return Token{Kind: Symbol, Text: s[i : i+1]}
	}
	tag := s[i : end+1]
	n := strings.Index(s[end+1:], tag)
	if n < 0 {
		return Token{Kind: Literal, Text: s[i:], Open: true}
	}
	return Token{Kind: Literal, Text: s[i : end+1+n+len(tag)]}
}

// continued returns where the next piece of a literal begins of which one ends before s[i]: its quote, behind white
// space and comments with a line's end among them; 0 if none does.
func continued(s string, i int) int {
	line := false
	for i < len(s) {
		switch {
		case s[i] == '\'' && line:
			return i
		case isSpace(s[i]):
			line = line || s[i] == '\n' || s[i] == '\r'
			i++
		case strings.HasPrefix(s[i:], "--") && strings.ContainsAny(s[i:], "\n\r"):
			i += strings.IndexAny(s[i:], "\n\r")
		default:
			return 0
		}
	}
	return 0
}
