package sql

import "strings"

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
