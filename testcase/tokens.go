package testcase

import (
	"iter"
	"strings"
)

// TokenKind says what a Token is.
type TokenKind int

// The kinds of tokens.
const (
	Space   TokenKind = iota // white space
	Comment                  // "-- …", "# …" or /* … */
	Word                     // a run of letters, digits, '_', '$' and bytes beyond ASCII: keyword, name or number
	Name                     // "…" or `…` with its quotes: a quoted name, or in MySQL a literal
	Literal                  // '…' with its quotes
	Symbol                   // one other byte
)

// Token is a piece of a statement's text.
type Token struct {
	Kind TokenKind
	Text string
}

// Tokens splits SQL text by the rules that Parse splits statements by. The texts, joined, are sql again.
func Tokens(sql string) iter.Seq[Token] {
	return func(yield func(Token) bool) {
		for i := 0; i < len(sql); {
			end, kind := token(sql, i)
			for kind == literal && end < len(sql) && sql[end] == sql[i] { // a doubled quote: the literal goes on
				end, kind = token(sql, end)
			}
			t := Token{Kind: Symbol}
			switch {
			case kind == lineComment || kind == blockComment || kind == openComment:
				t.Kind = Comment
			case kind != plain && sql[i] == '\'':
				t.Kind = Literal
			case kind != plain:
				t.Kind = Name
			case isSpace(sql[i]):
				t.Kind = Space
				end = runEnd(sql, end, isSpace)
			case isWordByte(sql[i]):
				t.Kind = Word
				end = runEnd(sql, end, isWordByte)
			}
			t.Text = sql[i:end]
			if !yield(t) {
				return
			}
			i = end
		}
	}
}

// Unquote returns the text of a word as it is and of a name or literal without its quotes, doubled quotes
// made single. It leaves backslashes alone.
func (t Token) Unquote() string {
	if t.Kind != Name && t.Kind != Literal {
		return t.Text
	}
	quote := t.Text[:1]
	s := strings.TrimSuffix(t.Text[1:], quote)
	return strings.ReplaceAll(s, quote+quote, quote)
}

// runEnd returns the end of the bytes of one class that continue at s[i].
func runEnd(s string, i int, class func(byte) bool) int {
	for i < len(s) && class(s[i]) {
		i++
	}
	return i
}

func isSpace(b byte) bool { return strings.IndexByte(space, b) >= 0 }

func isWordByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_' || b == '$' || b >= 0x80
}

// words returns up to n leading words of a statement, in capitals, white space and comments skipped.
func words(sql string, n int) []string {
	var out []string
	for t := range Tokens(sql) {
		if t.Kind == Space || t.Kind == Comment {
			continue
		}
		if t.Kind != Word || len(out) == n {
			break
		}
		out = append(out, strings.ToUpper(t.Text))
	}
	return out
}
