package sql

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// SyntaxError says what of a text is not read, and where.
type SyntaxError struct {
	At           int // in bytes
	Line, Column int // from 1 on; a column is a character
	Message      string
}

func (e *SyntaxError) Error() string {
	if e.Line == 0 {
		return e.Message
	}
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message)
}

func syntaxError(text string, at int, message string) *SyntaxError {
	before := text[:at]
	line := before[strings.LastIndexByte(before, '\n')+1:]
	e := &SyntaxError{At: at, Message: message, Line: strings.Count(before, "\n") + 1}
	e.Column = utf8.RuneCountInString(line) + 1
	return e
}

// Reader reads the tokens of a statement. Once one is unexpected, no other is accepted any more and Parse returns an
// error: what reads a clause need not ask.
type Reader struct {
	d      *Dialect
	text   string
	source *source // of the text
	tokens []Token
	pos    int
	err    error
	narrow bool // no operator that is Wide is read
}

// tok is the token that is next.
func (r *Reader) tok() *Token { return &r.tokens[r.pos] }

// peek is the token n places behind the next one.
func (r *Reader) peek(n int) *Token { return &r.tokens[min(r.pos+n, len(r.tokens)-1)] }

// Fail says why the statement is not read, at the next token.
func (r *Reader) Fail(format string, args ...any) {
	if r.err == nil {
		r.err = syntaxError(r.text, r.tok().At, fmt.Sprintf(format, args...))
	}
	r.pos = len(r.tokens) - 1
}

// unexpected says what is expected in the place of the next token.
func (r *Reader) unexpected(what string) {
	found := "the statement's end"
	if t := r.tok(); t.Kind != End {
		found = t.Text
		if len(found) > 40 {
			found = strings.ToValidUTF8(found[:40], "") + "…"
		}
	}
	r.Fail("%s is expected, not %s", what, found)
}

// is says whether a token is a keyword, in upper case, or a sign.
func (t *Token) is(word string) bool {
	if t.Key != "" || t.Kind != Word {
		return t.Key == word
	}
	return len(t.Text) == len(word) && strings.EqualFold(t.Text, word)
}

// Is says whether the next tokens are these keywords, in upper case, or signs.
func (r *Reader) Is(words ...string) bool {
	for i, word := range words {
		if !r.peek(i).is(word) {
			return false
		}
	}
	return true
}

// Any says whether the next token is one of the keywords or signs.
func (r *Reader) Any(words ...string) bool { return slices.ContainsFunc(words, r.tok().is) }

// Accept passes these keywords or signs if they are next.
func (r *Reader) Accept(words ...string) bool {
	if !r.Is(words...) {
		return false
	}
	r.pos += len(words)
	return true
}

// OneOf passes one of the keywords if one is next, and returns it; else "".
func (r *Reader) OneOf(words ...string) string {
	for _, word := range words {
		if r.Accept(word) {
			return word
		}
	}
	return ""
}

// AtEnd says whether the statement ends here.
func (r *Reader) AtEnd() bool { return r.tok().Kind == End || r.Is(";") }

// Expect passes these keywords or signs.
func (r *Reader) Expect(words ...string) {
	for _, word := range words {
		if !r.Accept(word) {
			r.unexpected(word)
			return
		}
	}
}

// Here is the place of the next token, for Read.
func (r *Reader) Here() int { return r.pos }

// Read says that a node was read from a place up to the next token.
func Read[N Node](r *Reader, from int, n N) N {
	if r.err != nil || r.pos == 0 {
		return n
	}
	last := &r.tokens[r.pos-1]
	*n.head() = origin{node: n, source: r.source, from: int32(r.tokens[from].At), to: int32(last.At + len(last.Text))}
	return n
}

// List reads what commas divide.
func List[N any](r *Reader, one func() N) (out []N) {
	for {
		out = append(out, one())
		if !r.Accept(",") {
			return out
		}
	}
}

// ParenList reads a list in parentheses.
func ParenList[N any](r *Reader, one func() N) []N {
	r.Expect("(")
	out := List(r, one)
	r.Expect(")")
	return out
}

// Read passes the tokens from a place on, and says that a node was read from them up to another place.
func (r *Reader) readTo(from, to int, n Node) {
	now := r.pos
	r.pos = to
	Read(r, from, n)
	r.pos = now
}

// Statement reads a statement.
func (r *Reader) Statement() Stmt {
	from := r.pos
	var with *With
	if r.Is("WITH") {
		with = r.with()
		if !slices.Contains(r.d.Withs, r.tok().Key) {
			r.unexpected("a query or a write behind WITH")
		}
	}
	t := r.tok()
	read := r.d.Statements[t.Key]
	if read == nil {
		if t.Kind != Word {
			r.unexpected("a statement")
		} else {
			r.Fail("%s begins no statement of %s's that is read", strings.ToUpper(t.Text), r.d.Product)
		}
		return nil
	}
	stmt := read(r, with)
	if r.err != nil {
		return nil
	}
	return Read(r, from, stmt)
}

// Name reads a name where nothing else may stand.
func (r *Reader) Name() *Name { return r.nameAs(AsName) }

// Label reads a name where what may be an alias without AS may stand.
func (r *Reader) Label() *Name { return r.nameAs(AsAlias) }

func (r *Reader) nameAs(as Use) *Name {
	if !r.names(r.tok(), as) {
		r.unexpected("a name")
		return nil
	}
	return r.name()
}

// OptionalName reads a name; nil where none is next.
func (r *Reader) OptionalName() *Name {
	if !r.names(r.tok(), AsName) {
		return nil
	}
	return r.name()
}

// names says whether a token may be a name in such a place.
func (r *Reader) names(t *Token, as Use) bool {
	switch t.Kind {
	case Word:
		return t.Use&as != 0
	case TextToken:
		return r.d.TextNames&as != 0
	default:
		return t.Kind == QuotedName
	}
}

// name takes the next token for a name.
func (r *Reader) name() *Name {
	from, t := r.pos, r.tok()
	n := &Name{Value: t.Text}
	if t.Kind != Word {
		n.Quote = t.Text[0]
		closing := t.Text[len(t.Text)-1:]
		n.Value = t.Text[1 : len(t.Text)-1]
		if closing != "]" {
			n.Value = strings.ReplaceAll(n.Value, closing+closing, closing)
		}
		if t.Kind == TextToken && r.d.Lexis.Backslash && strings.IndexByte(n.Value, '\\') >= 0 {
			r.Fail("a name with a backslash in it is not read")
			return n
		}
	}
	r.pos++
	return Read(r, from, n)
}

// alias reads an alias; nil where there is none.
func (r *Reader) alias() *Name {
	if r.Accept("AS") {
		return r.Name()
	}
	if r.names(r.tok(), AsAlias) && !r.windowClause() {
		return r.name()
	}
	return nil
}

// itemAlias reads the alias of what a query prints; nil where there is none.
func (r *Reader) itemAlias() *Name {
	if r.d.Grammar.AnyLabels {
		switch {
		case r.Accept("AS"):
			return r.anyName()
		case r.names(r.tok(), AsLabel):
			return r.name()
		}
		return nil
	}
	if r.d.TextItems {
		if r.Is("AS") && r.peek(1).Kind == TextToken {
			r.pos++
		}
		if r.tok().Kind == TextToken {
			return r.name()
		}
	}
	return r.alias()
}

// Object reads the name of a table or another thing of the schema.
func (r *Reader) Object() *Object {
	from := r.pos
	o := &Object{Name: r.Name()}
	if r.Accept(".") {
		o.Schema, o.Name = o.Name, r.behindDot()
	}
	return Read(r, from, o)
}

// Names reads a list of names in parentheses.
func (r *Reader) Names() []*Name { return ParenList(r, r.Name) }

// OptionalNames reads one if it is there.
func (r *Reader) OptionalNames() []*Name {
	if !r.Is("(") {
		return nil
	}
	return r.Names()
}
