package sqltext

import (
	"iter"
	"strings"
)

// Space holds the bytes that count as white space between and at the ends of statements.
const Space = " \t\r\n\f\v"

// Quoting is how a database divides a text into quotes, comments and words: its folder below dbms says so. Without any
// of the rules it is that of the SQL standard: only a doubled quote stands for itself, "--" begins a comment wherever
// it stands, and no comment is ever run.
type Quoting struct {
	// Backslash says that a backslash escapes in '…' and "…".
	Backslash bool
	// Hash says that '#' begins a comment, SpacedDashes that "--" does before white space alone.
	Hash, SpacedDashes bool
	// Executable says that /*! … */ is no comment but SQL.
	Executable bool
	// Backquotes says that `…` is a name, Brackets that […] is one.
	Backquotes, Brackets bool
	// EscapeTexts says that a backslash escapes in E'…', which goes on in a quote on another line.
	EscapeTexts bool
	// Dollars says that $tag$…$tag$ is a literal and $1 a parameter, and that no number has a dollar in it.
	Dollars bool
	// Nested says that block comments nest, ReturnEnds that a carriage return ends one that ends with its line.
	Nested, ReturnEnds bool
}

// FileQuoting is the rule of the first version of case files, by which a text is divided whatever its target, and of
// texts of which nobody says what database they are for.
var FileQuoting = Quoting{Backslash: true, Hash: true, SpacedDashes: true, Executable: true, Backquotes: true}

// TokenKind says what a Token is.
type TokenKind uint8

// The kinds of tokens.
const (
	Blank      TokenKind = iota // white space
	Comment                     // "-- …", "# …" or /* … */
	Executable                  // /*! … */, /*M! … */ or /*T! … */: SQL for some servers, a comment for others
	Word                        // a run of letters, digits, '_', '$' and bytes beyond ASCII: keyword, name or number
	Name                        // "…", `…` or […] with its quotes: a quoted name, or for some databases a literal
	Literal                     // '…' with its quotes, $tag$…$tag$ too where that is one
	Symbol                      // one other byte
)

// Token is a piece of a statement's text.
type Token struct {
	Kind TokenKind
	Text string
	Open bool // a literal, name or block comment that the text ends in
}

// Tokens splits SQL text by FileQuoting. The texts, joined, are sql again.
func Tokens(sql string) iter.Seq[Token] { return FileQuoting.Tokens(sql) }

// Tokens splits SQL text. The texts, joined, are sql again.
func (q Quoting) Tokens(sql string) iter.Seq[Token] {
	return func(yield func(Token) bool) {
		for i := 0; i < len(sql); {
			t := q.Next(sql, i)
			if !yield(t) {
				return
			}
			i += len(t.Text)
		}
	}
}

// Next returns the token that starts at s[i].
func (q Quoting) Next(s string, i int) Token {
	switch c := s[i]; {
	case c == '\'' || c == '"' || c == '`' && q.Backquotes || c == '[' && q.Brackets:
		return q.quoted(s, i, q.Backslash && c != '`')
	case q.EscapeTexts && (c == 'e' || c == 'E') && strings.HasPrefix(s[i+1:], "'"):
		t := q.quoted(s, i+1, true)
		t.Text = s[i : i+1+len(t.Text)]
		return t
	case q.Nested && strings.HasPrefix(s[i:], "/*"):
		return nested(s, i)
	case q.Dollars && c == '$':
		return dollar(s, i)
	case q.Dollars && c >= '0' && c <= '9':
		return number(s, i)
	case c == '#' && q.Hash || q.DashComment(s[i:]), strings.HasPrefix(s[i:], "/*"):
		return q.comment(s, i)
	case isSpace(c):
		return Token{Kind: Blank, Text: s[i:runEnd(s, i+1, isSpace)]}
	case isWordByte(c):
		return Token{Kind: Word, Text: s[i:runEnd(s, i+1, isWordByte)]}
	}
	return Token{Kind: Symbol, Text: s[i : i+1]}
}

// comment returns the comment that starts at s[i]: to the end of the line, or to */, without which it is open.
func (q Quoting) comment(s string, i int) Token {
	inner, block := strings.CutPrefix(s[i:], "/*")
	if !block {
		ends := "\n"
		if q.ReturnEnds {
			ends = "\n\r"
		}
		if n := strings.IndexAny(s[i:], ends); n >= 0 {
			return Token{Kind: Comment, Text: s[i : i+n]}
		}
		return Token{Kind: Comment, Text: s[i:]}
	}
	kind := Comment
	if q.Executable && isExecutable(inner) {
		kind = Executable
	}
	if n := strings.Index(inner, "*/"); n >= 0 {
		return Token{Kind: kind, Text: s[i : i+2+n+2]}
	}
	return Token{Kind: kind, Text: s[i:], Open: true}
}

// quoted returns the literal or name whose quote is at s[i], with all its doubled quotes; escaped says that a backslash
// escapes in it.
func (q Quoting) quoted(s string, i int, escaped bool) Token {
	kind, closing := Name, s[i]
	switch s[i] {
	case '\'':
		kind = Literal
	case '[':
		closing = ']'
	}
	for j := i + 1; j < len(s); j++ {
		switch {
		case s[j] == '\\' && escaped:
			j++
		case s[j] != closing:
		case j+1 < len(s) && s[j+1] == closing && closing != ']':
			j++
		case escaped && q.EscapeTexts && continued(s, j+1) > 0:
			j = continued(s, j+1)
		default:
			return Token{Kind: kind, Text: s[i : j+1]}
		}
	}
	return Token{Kind: kind, Text: s[i:], Open: true}
}

// DashComment reports whether s starts with a dash comment.
func (q Quoting) DashComment(s string) bool {
	return strings.HasPrefix(s, "--") && (!q.SpacedDashes || len(s) == 2 || isSpace(s[2]))
}

// isExecutable says whether a comment with that text after its "/*" is SQL for some server.
func isExecutable(comment string) bool {
	return strings.HasPrefix(comment, "!") || strings.HasPrefix(comment, "M!") || strings.HasPrefix(comment, "T!")
}

// Inner returns the SQL in an executable comment, without the number of the version or the list of the features that
// it asks for. It returns the text of another token as it is.
func (t Token) Inner() string {
	if t.Kind != Executable {
		return t.Text
	}
	_, s, _ := strings.Cut(strings.TrimSuffix(t.Text, "*/"), "!")
	if strings.HasPrefix(s, "[") { // features
		if _, rest, ok := strings.Cut(s, "]"); ok {
			return rest
		}
	}
	digits := runEnd(s, 0, func(b byte) bool { return b >= '0' && b <= '9' })
	if digits == 5 || digits == 6 {
		s = s[digits:]
	}
	return s
}

// Unquote returns the text of a word as it is and of a name or literal without its quotes, doubled quotes
// made single. It leaves backslashes alone.
func (t Token) Unquote() string {
	if t.Kind != Name && t.Kind != Literal {
		return t.Text
	}
	text := strings.TrimLeft(t.Text, "eE") // of E'…'
	quote := text[:1]
	switch quote {
	case "[":
		return strings.TrimSuffix(text[1:], "]")
	case "$":
		tag := text[:strings.IndexByte(text[1:], '$')+2]
		return strings.TrimSuffix(text[len(tag):], tag)
	}
	s := strings.TrimSuffix(text[1:], quote)
	return strings.ReplaceAll(s, quote+quote, quote)
}

// Join prints tokens with a blank between them.
func Join(tokens []Token) string {
	words := make([]string, len(tokens))
	for i := range tokens {
		words[i] = tokens[i].Text
	}
	return strings.Join(words, " ")
}

// Is reports whether a token is one of the keywords, given in lower case.
func (t Token) Is(words ...string) bool {
	if t.Kind != Word {
		return false
	}
	for _, w := range words {
		if len(t.Text) == len(w) && strings.EqualFold(t.Text, w) {
			return true
		}
	}
	return false
}

// Rename gives identifiers the names that to has for them, by their names without quotes.
func Rename(sql string, to map[string]string) string {
	var b strings.Builder
	for t := range Tokens(sql) {
		name, ok := t.Ident()
		if with, renamed := to[name]; ok && renamed {
			b.WriteString(with)
			continue
		}
		b.WriteString(t.Text)
	}
	return b.String()
}

// Ident returns the name, in lower case, that a token may be; keywords and numbers count as names.
func (t Token) Ident() (name string, ok bool) {
	if t.Kind != Word && t.Kind != Name {
		return "", false
	}
	return strings.ToLower(t.Unquote()), true
}

// Significant is that of FileQuoting.
func Significant(sql string, n int) []Token { return FileQuoting.Significant(sql, n) }

// Significant returns up to n leading tokens that are neither white space nor comments; all of them if n is negative.
func (q Quoting) Significant(sql string, n int) []Token {
	var out []Token
	if n < 0 {
		out = make([]Token, 0, len(sql)/4+4)
	}
	for i := 0; i < len(sql) && len(out) != n; {
		t := q.Next(sql, i)
		if i += len(t.Text); t.Kind != Blank && t.Kind != Comment {
			out = append(out, t)
		}
	}
	return out
}

// Trim removes white space and comments at the ends of a text.
func (q Quoting) Trim(sql string) string {
	from, to, at := len(sql), 0, 0
	for t := range q.Tokens(sql) {
		start := at
		at += len(t.Text)
		if t.Kind != Blank && t.Kind != Comment {
			from, to = min(from, start), at
		}
	}
	if to == 0 {
		return ""
	}
	return sql[from:to]
}

// runEnd returns the end of the bytes of one class that continue at s[i].
func runEnd(s string, i int, class func(byte) bool) int {
	for i < len(s) && class(s[i]) {
		i++
	}
	return i
}

// classes of bytes.
var spaceBytes, wordBytes = func() (space, word [256]bool) {
	for i := range 256 {
		b := byte(i)
		space[b] = strings.IndexByte(Space, b) >= 0
		word[b] = b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_' || b == '$' || b >= 0x80
	}
	return space, word
}()

func isSpace(b byte) bool { return spaceBytes[b] }

func isWordByte(b byte) bool { return wordBytes[b] }

// Plain says whether a text has no comment, and nothing in it that does not end: whoever reads it otherwise than these
// rules do finds no more in it.
func (q Quoting) Plain(sql string) bool {
	for t := range q.Tokens(sql) {
		if t.Kind == Comment || t.Kind == Executable || t.Open {
			return false
		}
	}
	return true
}

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
