package sql

import "slices"

func (r *Reader) QueryNext() bool { return r.queryNext(0) || r.nestedQuery(0) }

func (r *Reader) queryNext(n int) bool { return r.queryAt(min(r.pos+n, len(r.tokens)-1)) }

func (r *Reader) queryAt(at int) bool {
	if r.tokens[at].Key != "(" {
		return false
	}
	inner := at + 1
	for r.d.Grammar.Nested && r.tokens[inner].Key == "(" {
		inner++
	}
	if !r.begins(inner) {
		return false
	}
	behind := ""
	for last := inner - 1; last > at; last-- { // from the parenthesis around SELECT
		if r.tokens[last].Closed == 0 {
			return false
		}
		if behind = r.tokens[r.tokens[last].Closed+1].Key; behind != ")" && !slices.Contains(behindOperand, behind) {
			return false
		}
	}
	return behind != ")"
}

var behindOperand = []string{"UNION", "INTERSECT", "EXCEPT", "ORDER", "LIMIT", "FOR", "LOCK"}

func (r *Reader) begins(at int) bool {
	t := &r.tokens[at]
	if t.is("VALUES") && r.d.Grammar.RowWords && at+3 < len(r.tokens) { // VALUES(name) is a function
		return r.tokens[at+3].Key != ")" || r.tokens[at+2].Kind != Word && r.tokens[at+2].Kind != QuotedName
	}
	return t.is("SELECT") || t.is("VALUES") || t.is("WITH") || t.is("TABLE") && r.d.Grammar.Nested
}

func (r *Reader) nestedQuery(n int) bool {
	first := min(r.pos+n, len(r.tokens)-1)
	at := first
	for r.d.Grammar.Nested && r.tokens[at].Key == "(" && r.tokens[at+1].Key == "(" && r.tokens[r.tokens[at+1].Closed+1].Key == ")" {
		at++
	}
	return at > first && r.queryAt(at)
}

func (r *Reader) parenQuery() *Query {
	r.Expect("(")
	q := r.Query()
	r.Expect(")")
	return q
}

func (r *Reader) RowNext() bool {
	open := r.tok()
	for at := r.pos + 1; at < int(open.Closed); at++ {
		switch t := &r.tokens[at]; {
		case t.Key == ",":
			return true
		case t.Key == "(":
			at = int(t.Closed)
		}
	}
	return false
}

func (r *Reader) Named() Expr {
	r.pos--
	return r.call()
}

func (r *Reader) Type() *Type {
	if r.d.Type != nil {
		return r.d.Type(r)
	}
	from := r.pos
	t := &Type{}
	for r.tok().Kind != TextToken && r.names(r.tok(), AsAlias) && !r.Is("GENERATED", "ALWAYS") {
		if t.Words != "" {
			t.Words += " "
		}
		t.Words += r.tok().Text
		r.pos++
	}
	if t.Words == "" {
		return nil
	}
	if r.Is("(") {
		t.Args = ParenList(r, r.Number)
	}
	return Read(r, from, t)
}

func (r *Reader) Value() Expr {
	if o := r.d.prefixes[r.tok().Key]; o != nil && o.Op == OpNot {
		r.unexpected("a value")
		return nil
	}
	x, _ := r.operand(0)
	return x
}

func (r *Reader) Operand(level int) Expr { return r.exprFrom(level) }

func (r *Reader) WordNext() bool { return r.tok().Kind == Word || r.tok().Kind == QuotedName }

func (r *Reader) AcceptVariable() {
	if r.tok().Kind == VariableToken {
		r.pos++
	}
}

func (r *Reader) TextFrom(place int) string {
	if r.pos <= place {
		return ""
	}
	last := &r.tokens[r.pos-1]
	return r.text[r.tokens[place].At : last.At+len(last.Text)]
}

func (r *Reader) Alone() bool {
	t := r.peek(1)
	return t.Kind == End || t.is(",") || t.is(";")
}

func (r *Reader) NameBefore(words ...string) bool {
	k := r.peek(1).Kind
	return r.Any(words...) && (k == Word || k == TextToken || k == QuotedName)
}

func (r *Reader) Settable() Expr {
	if r.tok().Kind == VariableToken {
		return r.simple()
	}
	from := r.pos
	return Read(r, from, r.qualified(&Column{Name: r.Name()}))
}

func (r *Reader) WordName() *Name {
	if k := r.tok().Kind; k != Word && k != QuotedName && k != TextToken {
		r.unexpected("a word")
		return nil
	}
	return r.name()
}

func (r *Reader) Word() Expr {
	from := r.pos
	name := r.WordName()
	if name == nil {
		return nil
	}
	return Read(r, from, &Column{Name: name})
}

func (r *Reader) Number() Expr {
	if o := r.d.prefixes[r.tok().Key]; o != nil && o.Op != OpNot && r.peek(1).Kind == NumberToken {
		return r.prefixed(o)
	}
	if r.tok().Kind != NumberToken {
		r.unexpected("a number")
		return nil
	}
	return r.literal(Number)
}
