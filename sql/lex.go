package sql

import (
	"fmt"
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
	// but for ']'.
	Names string
	// BlobPrefixes are the letters before a quote that make a text of hexadecimal digits a blob.
	BlobPrefixes string
	// ParamSigns are the bytes that begin a parameter with a name behind them, and Question is whether ? is one.
	ParamSigns string
	Question   bool
	// Underscores says that digits may be divided by underscores.
	Underscores bool
	// Signs are the operators and separators of several bytes, each before those that it begins with; Single are those
	// of one.
	Signs  []string
	Single string
}

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
	Sign
)

// Token is a piece of a statement's text that is neither white space nor comment.
type Token struct {
	Kind TokenKind
	Text string
	At   int
	Key  string // of a keyword that the dialect's table has, in upper case; of a sign, its text
	Use  Use    // of a word: where it may be a name
}

// lexer divides a text into tokens.
type lexer struct {
	d    *Dialect
	text string
	out  []Token

	depth int   // tokens behind the last comma, those of enclosing parentheses too
	run   int   // those in the innermost parenthesis
	runs  []int // in front of each parenthesis that is open
}

// tokens divides a text, with an End behind all.
func (d *Dialect) tokens(text string) ([]Token, error) {
	if len(text) > MaxLength {
		return nil, &SyntaxError{Message: fmt.Sprintf("it has %d bytes: a statement may have %d", len(text), MaxLength)}
	}
	l := &lexer{d: d, text: text, out: make([]Token, 0, len(text)/4+2)}
	for i := 0; i < len(text); {
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
	return append(l.out, Token{At: len(text)}), nil
}

// take keeps a token, and says which bound it breaks.
func (l *lexer) take(t Token) string {
	l.out = append(l.out, t)
	switch {
	case t.Key == "(":
		l.runs = append(l.runs, l.run)
		l.run = 0
		l.depth++
	case t.Key == ")" && len(l.runs) > 0:
		l.depth -= l.run
		l.run, l.runs = l.runs[len(l.runs)-1]+1, l.runs[:len(l.runs)-1]
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

// blank returns where the white space, or the comment, ends that begins at i; i where none does.
func (l *lexer) blank(i int) int {
	rest := l.text[i:]
	switch {
	case strings.IndexByte(l.d.Lexis.Space, rest[0]) >= 0:
		return i + 1
	case strings.HasPrefix(rest, "--"):
		if n := strings.IndexByte(rest, '\n'); n >= 0 {
			return i + n
		}
		return len(l.text)
	case strings.HasPrefix(rest, "/*"):
		if n := strings.Index(rest[2:], "*/"); n >= 0 {
			return i + n + 4
		}
	}
	return i
}

// next returns the token that begins at i, or why there is none.
func (l *lexer) next(i int) (Token, string) {
	s, c := l.text, l.text[i]
	lexis := &l.d.Lexis
	switch {
	case c == '\'':
		return l.quoted(i, i, TextToken, "a text")
	case strings.IndexByte(lexis.BlobPrefixes, c) >= 0 && i+1 < len(s) && s[i+1] == '\'':
		return l.blob(i)
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
	case strings.HasPrefix(s[i:], "/*"):
		return Token{}, "a comment is not closed"
	}
	for _, sign := range l.d.symbols[c] {
		if strings.HasPrefix(s[i:], sign) {
			return Token{Kind: Sign, Text: sign, At: i, Key: sign}, ""
		}
	}
	if strings.IndexByte(lexis.Single, c) >= 0 {
		return Token{Kind: Sign, Text: s[i : i+1], At: i, Key: s[i : i+1]}, ""
	}
	return Token{}, fmt.Sprintf("%q begins no word and is no sign", s[i:i+1])
}

// quoted returns the token that begins at i and whose opening quote stands at open.
func (l *lexer) quoted(i, open int, kind TokenKind, what string) (Token, string) {
	s, closing := l.text, l.text[open]
	if closing == '[' {
		closing = ']'
	}
	for j := open + 1; ; j++ {
		n := strings.IndexByte(s[j:], closing)
		if n < 0 {
			return Token{}, what + " is not closed"
		}
		j += n
		if closing == ']' || j+1 == len(s) || s[j+1] != closing {
			return Token{Kind: kind, Text: s[i : j+1], At: i, Use: Anywhere}, ""
		}
		j++
	}
}

func (l *lexer) blob(i int) (Token, string) {
	t, err := l.quoted(i, i+1, BlobToken, "a blob")
	if err != "" {
		return t, err
	}
	digits := t.Text[2 : len(t.Text)-1]
	if len(digits)%2 != 0 || runEnd(digits, 0, hexDigit) != len(digits) {
		return t, "a blob has hexadecimal digits, two for each byte"
	}
	return t, ""
}

func (l *lexer) number(i int) (Token, string) {
	s := l.text
	end := i
	if s[i] == '0' && i+2 < len(s) && s[i+1]|0x20 == 'x' && hexDigit(s[i+2]) {
		end = l.digits(i+2, hexDigit)
	} else {
		end = l.digits(i, digit)
		if end < len(s) && s[end] == '.' {
			end = l.digits(end+1, digit)
		}
		if end < len(s) && s[end]|0x20 == 'e' {
			at := end + 1
			if at < len(s) && (s[at] == '+' || s[at] == '-') {
				at++
			}
			if at < len(s) && digit(s[at]) {
				end = l.digits(at, digit)
			}
		}
	}
	if end < len(s) && wordByte(s[end]) {
		return Token{}, "a number and a word stand without a space between them"
	}
	return Token{Kind: NumberToken, Text: s[i:end], At: i}, ""
}

// digits returns where the digits end that begin at i, with an underscore between two where there may be one.
func (l *lexer) digits(i int, class func(byte) bool) int {
	for {
		i = runEnd(l.text, i, class)
		divided := l.d.Lexis.Underscores && i > 0 && i+1 < len(l.text) && l.text[i] == '_'
		if !divided || !class(l.text[i-1]) || !class(l.text[i+1]) {
			return i
		}
		i++
	}
}

// word returns the word that begins at i, with what the table of keywords says of it.
func (l *lexer) word(i int) Token {
	t := Token{Kind: Word, Text: l.text[i:runEnd(l.text, i, wordByte)], At: i, Use: Anywhere}
	var upper [20]byte
	if len(t.Text) > len(upper) {
		return t
	}
	for j := range len(t.Text) {
		c := t.Text[j]
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		upper[j] = c
	}
	if use, ok := l.d.Keywords[string(upper[:len(t.Text)])]; ok {
		t.Use, t.Key = use, strings.ToUpper(t.Text)
	}
	return t
}

func runEnd(s string, i int, class func(byte) bool) int {
	for i < len(s) && class(s[i]) {
		i++
	}
	return i
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

func hexDigit(c byte) bool { return digit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

// wordByte says whether a byte may stand in a word.
func wordByte(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || digit(c) || c == '_' || c == '$' || c >= 0x80
}
