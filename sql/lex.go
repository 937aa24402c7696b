package sql

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Bounds of a statement: how much time, memory and stack it takes to read one goes by its length and by how deep it
// nests. The largest that are generated have some hundred tokens; databases give up far below such depths.
const (
	MaxLength = 1 << 20 // bytes
	MaxTokens = 100_000
	// MaxDepth is of tokens behind the last comma or semicolon, those of enclosing parentheses too: no tree is deeper,
	// but for commas that join tables.
	MaxDepth = 10_000
)

// Lexis is how a dialect divides a text into tokens.
type Lexis struct {
	Space string // white space
	// Names are the bytes that open a quoted name. That is closed by the same byte, '[' by ']', and holds it doubled,
	// but for ']'. Texts are those that open a text.
	Names, Texts string
	// Backslash says that a backslash in a text is the beginning of an escape sequence.
	Backslash bool
	// HexPrefixes and BitPrefixes are the letters before a quote that make a text of hexadecimal or binary digits a
	// blob, TextPrefixes those that leave it a text, EscapePrefixes those that make one with escape sequences. Halves
	// says that hexadecimal digits need not be two for each byte, Unicode that U& is such a prefix, too.
	HexPrefixes, BitPrefixes, TextPrefixes, EscapePrefixes string
	Halves, Unicode                                        bool
	// Dollars says that $$ and $word$ are the quotes of a text, and $1 a parameter.
	Dollars bool
	// Continued says that a text goes on behind a line's end.
	Continued bool
	// Nests says that comments do, Returns that a carriage return ends a comment of one line.
	Nests, Returns bool
	// Hash says that # begins a comment, Dashes that -- does only where white space is behind it.
	Hash, Dashes bool
	// Executed says whether what stands in /*! … */ is part of the statement, by the digits of a version behind the
	// opening; in /*M! … */ and the like by the letter in it. nil where these are comments.
	Executed func(letter string, version int) bool
	// Hinted are the keywords behind which /*+ … */ are hints.
	Hinted []string
	// Variables says that @ begins the name of a variable.
	Variables bool
	// Radixes are the letters behind a 0 that make a number hexadecimal, octal or binary: x, o and b, and in upper
	// case.
	Radixes string
	// ParamSigns are the bytes that begin a parameter with a name behind them, and Question is whether ? is one.
	ParamSigns string
	Question   bool
	// Underscores says that digits may be divided by underscores.
	Underscores bool
	// Signs are the operators and separators of several bytes, each before those that it begins with; Single are those
	// of one.
	Signs  []string
	Single string
	// Operators are the bytes of which operators consist that are of any length.
	Operators string
}

func (l *Lexis) operatorByte(c byte) bool { return strings.IndexByte(l.Operators, c) >= 0 }

// TokenKind says what a token is.
type TokenKind uint8

// The kinds of tokens. End is behind the last one.
const (
	End TokenKind = iota
	Word
	QuotedName
	TextToken
	BlobToken
	NumberToken
	ParamToken
	VariableToken
	HintToken
	Sign
)

// Token is a piece of a statement's text that is neither white space nor comment.
type Token struct {
	Kind TokenKind
	Text string
	At   int
	Key  string // of a keyword that the dialect's table has, in upper case; of a sign, its text
	Use  Use    // of a word: where it may be a name
	// Closed is, of an opening parenthesis, which token closes it; 0 where none does.
	Closed int32
}

// lexer divides a text into tokens.
type lexer struct {
	d        *Dialect
	text     string
	out      []Token
	executed bool // within a comment that is executed

	depth int   // tokens behind the last comma, those of enclosing parentheses too
	run   int   // those in the innermost parenthesis
	runs  []int // in front of each parenthesis that is open
	open  []int // the places of these
}

// tokens divides a text, with an End behind all.
func (d *Dialect) tokens(text string) ([]Token, error) {
	if len(text) > MaxLength {
		return nil, &SyntaxError{Message: fmt.Sprintf("it has %d bytes: a statement may have %d", len(text), MaxLength)}
	}
	return d.tokensFrom(text, 0)
}

// tokensFrom divides what stands in a text from a place on.
func (d *Dialect) tokensFrom(text string, from int) ([]Token, error) {
	l := &lexer{d: d, text: text, out: make([]Token, 0, (len(text)-from)/4+2)}
	for i := from; i < len(text); {
		if end := l.blank(i); end > i {
			i = end
			continue
		}
		t, err := l.next(i)
		if err == "" {
			err = l.take(t)
		}
		if err != "" {
			return nil, syntaxError(text, i, err)
		}
		i += len(t.Text)
	}
	if l.executed {
		return nil, syntaxError(text, len(text), "a comment is not closed")
	}
	return append(l.out, Token{At: len(text)}), nil
}

// take keeps a token, and says which bound it breaks.
func (l *lexer) take(t Token) string {
	l.out = append(l.out, t)
	switch {
	case t.Key == "(" || t.Key == "[":
		l.runs, l.open = append(l.runs, l.run), append(l.open, len(l.out)-1)
		l.run = 0
		l.depth++
	case l.closes(t):
		last := len(l.runs) - 1
		l.depth -= l.run
		l.out[l.open[last]].Closed = int32(len(l.out) - 1)
		l.run, l.runs, l.open = l.runs[last]+1, l.runs[:last], l.open[:last]
	case t.Key == "," || t.Key == ";":
		l.depth -= l.run
		l.run = 0
	default:
		l.run++
		l.depth++
	}
	switch {
	case len(l.out) > MaxTokens:
		return fmt.Sprintf("it has more than %d words and signs: no statement may", MaxTokens)
	case l.depth > MaxDepth:
		return fmt.Sprintf("it nests too deeply, or has more than %d words and signs without a comma", MaxDepth)
	}
	return ""
}

// closes says whether a token closes the innermost parenthesis, or bracket.
func (l *lexer) closes(t Token) bool {
	if len(l.open) == 0 || t.Key != ")" && t.Key != "]" {
		return false
	}
	return (l.out[l.open[len(l.open)-1]].Key == "(") == (t.Key == ")")
}

// blank returns where the white space, or the comment, ends that begins at i; i where none does.
func (l *lexer) blank(i int) int {
	rest := l.text[i:]
	switch {
	case strings.IndexByte(l.d.Lexis.Space, rest[0]) >= 0:
		return i + 1
	case l.lineComment(rest):
		ends := "\n"
		if l.d.Lexis.Returns {
			ends = "\n\r"
		}
		if n := strings.IndexAny(rest, ends); n >= 0 {
			return i + n
		}
		return len(l.text)
	case strings.HasPrefix(rest, "*/") && l.executed:
		l.executed = false
		return i + 2
	case strings.HasPrefix(rest, "/*") && !l.hint(rest):
		if n := l.executable(rest); n > 0 {
			l.executed = true
			return i + n
		}
		return i + l.commentEnd(rest)
	}
	return i
}

// commentEnd returns how long the comment is with which a text begins; 0 where it is not closed.
func (l *lexer) commentEnd(text string) int {
	for at, open := 2, 1; at+1 < len(text); at++ {
		switch two := text[at : at+2]; {
		case two == "*/":
			if at++; open == 1 {
				return at + 1
			}
			open--
		case two == "/*" && l.d.Lexis.Nests:
			at++
			open++
		}
	}
	return 0
}

// lineComment says whether a comment begins that ends with the line.
func (l *lexer) lineComment(rest string) bool {
	if strings.HasPrefix(rest, "--") {
		return !l.d.Lexis.Dashes || len(rest) == 2 || rest[2] <= ' '
	}
	return l.d.Lexis.Hash && rest[0] == '#'
}

// hint says whether a comment is hints.
func (l *lexer) hint(rest string) bool {
	return len(l.d.Lexis.Hinted) > 0 && strings.HasPrefix(rest, "/*+") && len(l.out) > 0 &&
		slices.Contains(l.d.Lexis.Hinted, l.out[len(l.out)-1].Key)
}

// executable returns how long the opening is of a comment whose text is part of the statement; 0 where it is not.
func (l *lexer) executable(rest string) int {
	if l.d.Lexis.Executed == nil || l.executed {
		return 0
	}
	sign := 2
	for sign < len(rest) && 'A' <= rest[sign] && rest[sign] <= 'Z' {
		sign++
	}
	if sign == len(rest) || rest[sign] != '!' || sign > 3 {
		return 0
	}
	end := runEnd(rest, sign+1, digit)
	if end-sign-1 > 6 {
		end = sign + 7
	}
	version, _ := strconv.Atoi(rest[sign+1 : end]) // no digits: always
	if !l.d.Lexis.Executed(rest[2:sign], version) {
		return 0
	}
	if n := strings.IndexByte(rest[end:], ']'); n > 0 && rest[end] == '[' { // names of what must be known
		end += n + 1
	}
	return end
}

// next returns the token that begins at i, or why there is none.
func (l *lexer) next(i int) (Token, string) {
	s, c := l.text, l.text[i]
	lexis := &l.d.Lexis
	switch {
	case strings.IndexByte(lexis.Texts, c) >= 0:
		return l.quoted(i, i, TextToken, "a text")
	case i+1 < len(s) && s[i+1] == '\'' && strings.IndexByte(lexis.TextPrefixes+lexis.EscapePrefixes, c) >= 0:
		return l.quoted(i, i+1, TextToken, "a text")
	case lexis.Unicode && c|0x20 == 'u' && strings.HasPrefix(s[i+1:], "&'"):
		return l.quoted(i, i+2, TextToken, "a text")
	case lexis.Unicode && c|0x20 == 'u' && strings.HasPrefix(s[i+1:], "&\""):
		return Token{}, "a name with escape sequences is not read"
	case i+1 < len(s) && s[i+1] == '\'' && strings.IndexByte(lexis.HexPrefixes, c) >= 0:
		return l.blob(i)
	case i+1 < len(s) && s[i+1] == '\'' && strings.IndexByte(lexis.BitPrefixes, c) >= 0:
		return l.bits(i)
	case strings.IndexByte(lexis.Names, c) >= 0:
		return l.quoted(i, i, QuotedName, "a name")
	case digit(c), c == '.' && i+1 < len(s) && digit(s[i+1]):
		return l.number(i)
	case c != '$' && wordByte(c):
		return l.word(i), ""
	case lexis.Question && c == '?':
		return Token{Kind: ParamToken, Text: s[i:runEnd(s, i+1, digit)], At: i}, ""
	case strings.IndexByte(lexis.ParamSigns, c) >= 0 && i+1 < len(s) && wordByte(s[i+1]):
		return Token{Kind: ParamToken, Text: s[i:runEnd(s, i+1, wordByte)], At: i}, ""
	case lexis.Variables && c == '@' && i+1 < len(s):
		return l.variable(i)
	case strings.HasPrefix(s[i:], "/*"):
		return l.comment(i)
	case lexis.Dollars && c == '$':
		return l.dollar(i)
	case lexis.operatorByte(c):
		sign := l.operator(i)
		if len(sign) > longest {
			return Token{}, "an operator is too long"
		}
		return Token{Kind: Sign, Text: sign, At: i, Key: sign}, ""
	}
	for _, sign := range l.d.symbols[c] {
		if strings.HasPrefix(s[i:], sign) {
			return Token{Kind: Sign, Text: sign, At: i, Key: sign}, ""
		}
	}
	if strings.IndexByte(lexis.Single, c) >= 0 {
		return Token{Kind: Sign, Text: s[i : i+1], At: i, Key: s[i : i+1]}, ""
	}
	return Token{}, fmt.Sprintf("%q begins neither a word nor a sign", s[i:i+1])
}

// comment returns the token of hints, which are the only comment that is one.
func (l *lexer) comment(i int) (Token, string) {
	n := l.commentEnd(l.text[i:])
	if n == 0 || !l.hint(l.text[i:]) {
		return Token{}, "a comment is not closed"
	}
	return Token{Kind: HintToken, Text: l.text[i : i+n], At: i}, ""
}
