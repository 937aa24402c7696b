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

// quoted returns the token that begins at i and whose opening quote stands at open.
func (l *lexer) quoted(i, open int, kind TokenKind, what string) (Token, string) {
	s, closing := l.text, l.text[open]
	if closing == '[' {
		closing = ']'
	}
	lexis := &l.d.Lexis
	stops := string(rune(closing))
	if kind == TextToken && (lexis.Backslash || open > i && strings.IndexByte(lexis.EscapePrefixes, s[i]) >= 0) {
		stops += "\\"
	}
	for j := open + 1; j < len(s); j++ {
		n := strings.IndexAny(s[j:], stops)
		if n < 0 {
			break
		}
		j += n
		if s[j] == closing && (closing == ']' || j+1 == len(s) || s[j+1] != closing) {
			if lexis.Continued && closing == '\'' {
				if next := l.continued(j + 1); next > 0 {
					j = next
					continue
				}
			}
			return Token{Kind: kind, Text: s[i : j+1], At: i, Use: Anywhere}, ""
		}
		j++ // the second of two, or what is behind a backslash
	}
	return Token{}, what + " is not closed"
}

// continued returns where the quote stands that goes on with a text which one in front of i closes; 0 where none does:
// between both is the end of a line, and nothing but white space and comments of lines.
func (l *lexer) continued(i int) int {
	for line := false; i < len(l.text); {
		switch c := l.text[i]; {
		case c == '\'' && line:
			return i
		case c == '\n', c == '\r':
			line = true
			i++
		case strings.IndexByte(l.d.Lexis.Space, c) >= 0:
			i++
		case l.lineComment(l.text[i:]):
			n := strings.IndexByte(l.text[i:], '\n')
			if n < 0 {
				return 0
			}
			i += n
		default:
			return 0
		}
	}
	return 0
}

// dollar returns the token that a dollar begins: a parameter, or a text between two quotes such as $$ or $word$.
func (l *lexer) dollar(i int) (Token, string) {
	s := l.text
	if end := runEnd(s, i+1, digit); end > i+1 {
		if end < len(s) && wordByte(s[end]) {
			return Token{}, "a parameter and a word stand without a space between them"
		}
		return Token{Kind: ParamToken, Text: s[i:end], At: i}, ""
	}
	open := runEnd(s, i+1, func(c byte) bool { return c != '$' && wordByte(c) })
	if open == len(s) || s[open] != '$' {
		return Token{}, `"$" begins neither a word nor a sign`
	}
	quote := s[i : open+1]
	n := strings.Index(s[open+1:], quote)
	if n < 0 {
		return Token{}, "a text is not closed"
	}
	return Token{Kind: TextToken, Text: s[i : open+1+n+len(quote)], At: i}, ""
}

// longest is how many bytes an operator may have.
const longest = 63

// operator returns the longest operator that begins at i: it ends in front of a comment, and in + and - only if it has
// one of the signs that no arithmetic has (postgresql.org/docs, section 4.1.3).
func (l *lexer) operator(i int) string {
	sign := l.text[i:runEnd(l.text[:min(i+longest+1, len(l.text))], i, l.d.Lexis.operatorByte)]
	for _, comment := range []string{"--", "/*"} {
		if n := strings.Index(sign, comment); n > 0 {
			sign = sign[:n]
		}
	}
	if strings.ContainsAny(sign, "~!@#^&|`?%") {
		return sign
	}
	for len(sign) > 1 && strings.HasSuffix(sign, "+") || len(sign) > 1 && strings.HasSuffix(sign, "-") {
		sign = sign[:len(sign)-1]
	}
	return sign
}

// bits returns the token of a text of binary digits.
func (l *lexer) bits(i int) (Token, string) {
	t, err := l.quoted(i, i+1, BlobToken, "a blob")
	if err == "" && runEnd(t.Text, 2, bit) != len(t.Text)-1 {
		return t, "behind b stands a text of binary digits"
	}
	return t, err
}

// variable returns the token of a variable: @name, @'name', @@name, @@session.name.
func (l *lexer) variable(i int) (Token, string) {
	from := i + 1
	if l.text[from] == '@' {
		from++
	}
	if from < len(l.text) && strings.IndexByte("'\"`", l.text[from]) >= 0 {
		return l.quoted(i, from, VariableToken, "a variable")
	}
	end := runEnd(l.text, from, func(c byte) bool { return c == '.' || wordByte(c) })
	if end == from {
		return Token{}, "a variable has no name"
	}
	if l.text[end-1] == '.' && end < len(l.text) && l.text[end] == '`' {
		return l.quoted(i, end, VariableToken, "a variable")
	}
	return Token{Kind: VariableToken, Text: l.text[i:end], At: i}, ""
}

func (l *lexer) blob(i int) (Token, string) {
	t, err := l.quoted(i, i+1, BlobToken, "a blob")
	if err != "" {
		return t, err
	}
	digits := t.Text[2 : len(t.Text)-1]
	if len(digits)%2 != 0 && !l.d.Lexis.Halves || runEnd(digits, 0, hexDigit) != len(digits) {
		return t, "a blob has hexadecimal digits, two for each byte"
	}
	return t, ""
}

func (l *lexer) number(i int) (Token, string) {
	s := l.text
	end := i
	if class := l.radix(s[i:]); class != nil {
		end = l.digits(i+2, class)
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

// radix returns which digits a number has with which a text begins; nil for decimal ones.
func (l *lexer) radix(text string) func(byte) bool {
	if len(text) < 3 || text[0] != '0' || strings.IndexByte(l.d.Lexis.Radixes, text[1]) < 0 {
		return nil
	}
	class := hexDigit
	switch text[1] | 0x20 {
	case 'o':
		class = octalDigit
	case 'b':
		class = bit
	}
	if !class(text[2]) {
		return nil
	}
	return class
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
	if l.d.Grammar.AnyQualifier && l.qualifies(i+len(t.Text)) {
		t.Key = noKeyword
		return t
	}
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

// noKeyword is the key of a word that is a name whatever the table of keywords says: no keyword is written so.
const noKeyword = "name"

// qualifies says whether a dot follows that makes a name of the word before it, whichever that is.
func (l *lexer) qualifies(i int) bool {
	return i+1 < len(l.text) && l.text[i] == '.' && wordByte(l.text[i+1])
}

func runEnd(s string, i int, class func(byte) bool) int {
	for i < len(s) && class(s[i]) {
		i++
	}
	return i
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

func bit(c byte) bool { return c == '0' || c == '1' }

func octalDigit(c byte) bool { return '0' <= c && c <= '7' }

func hexDigit(c byte) bool { return digit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

// wordByte says whether a byte may stand in a word.
func wordByte(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || digit(c) || c == '_' || c == '$' || c >= 0x80
}
