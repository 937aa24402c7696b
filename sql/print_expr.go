package sql

import "strings"

func (n *Name) print(p *printer) {
	if n.Quote == 0 {
		p.text(n.Value)
		return
	}
	open, closing := string(rune(n.Quote)), string(rune(n.Quote))
	if n.Quote == '[' {
		p.text("[" + n.Value + "]")
		return
	}
	p.text(open + strings.ReplaceAll(n.Value, closing, closing+closing) + closing)
}

// qualified writes a name behind those of what it is in.
func (p *printer) qualified(names ...*Name) {
	dot := false
	for _, n := range names {
		if n == nil {
			continue
		}
		if dot {
			p.right(".")
		}
		p.node(n)
		dot = true
	}
}

func (n *Literal) print(p *printer) { p.words(n.Charset, n.Text) }

func (n *TypedLiteral) print(p *printer) { p.words(n.Type, n.Text) }

func (n *Variable) print(p *printer) { p.text(n.Text) }

func (n *DefaultValue) print(p *printer) { p.text("DEFAULT") }

func (n *Interval) print(p *printer) {
	p.text("INTERVAL")
	p.node(n.X)
	p.text(n.Unit)
}

func (n *Quantified) print(p *printer) {
	p.operand(n, 0, n.X)
	p.when(n.Not, "NOT")
	p.operator(n.Op)
	p.text(n.How)
	if n.Array != nil {
		p.paren(n.Array)
		return
	}
	p.paren(n.Query)
}

func (n *Niladic) print(p *printer) { p.text(n.Word) }

func (n *Param) print(p *printer) { p.text(n.Text) }

func (n *Column) print(p *printer) { p.qualified(n.Schema, n.Table, n.Name) }

func (n *Star) print(p *printer) {
	if n.Table != nil {
		p.qualified(n.Schema, n.Table)
		p.right(".")
	}
	p.text("*")
}

func (n *Paren) print(p *printer) { p.paren(n.X) }

func (n *Unary) print(p *printer) {
	o := p.d.signOf(n.Op)
	if o == nil {
		p.fail(string(n.Op) + " before an operand")
		return
	}
	p.text(o.Spelled)
	if !wordByte(o.Spelled[0]) {
		p.joint = near
	}
	p.operand(n, 0, n.X)
}

// operator writes an operator of two operands.
func (p *printer) operator(op Op) {
	if o := p.d.spells(op); o != nil {
		p.text(o.Spelled)
		return
	}
	p.fail("the operator " + string(op))
}

func (n *Binary) print(p *printer) {
	p.operand(n, 0, n.Left)
	p.operator(n.Op)
	if o := p.d.spelled[n.Op]; o != nil && o.Form == MemberForm {
		p.paren(n.Right)
		return
	}
	p.operand(n, 1, n.Right)
}

func (n *Is) print(p *printer) {
	p.operand(n, 0, n.X)
	p.text("IS")
	p.when(n.Not, "NOT")
	p.text(n.What)
}

func (n *In) print(p *printer) {
	p.operand(n, 0, n.X)
	p.when(n.Not, "NOT")
	p.text("IN")
	switch {
	case n.Query != nil:
		p.paren(n.Query)
	case n.Table != nil:
		p.node(n.Table)
	default:
		printList(p, n.List)
	}
}

func (n *Between) print(p *printer) {
	p.operand(n, 0, n.X)
	p.when(n.Not, "NOT")
	p.text("BETWEEN")
	p.when(n.Symmetric, "SYMMETRIC")
	p.operand(n, 1, n.Low)
	p.text("AND")
	p.operand(n, 2, n.High)
}

func (n *Like) print(p *printer) {
	p.operand(n, 0, n.X)
	p.when(n.Not, "NOT")
	p.operator(n.Op)
	p.operand(n, 1, n.Pattern)
	if n.Escape != nil {
		p.text("ESCAPE")
		p.operand(n, 2, n.Escape)
	}
}

func (n *Case) print(p *printer) {
	p.text("CASE")
	printOne(p, n.Operand)
	for _, w := range n.Whens {
		p.node(w)
	}
	printOne(p, n.Else, "ELSE")
	p.text("END")
}

func (n *When) print(p *printer) {
	p.text("WHEN")
	p.node(n.Cond)
	p.text("THEN")
	p.node(n.Result)
}

func (n *Cast) print(p *printer) {
	if n.Colons {
		p.operand(n, 0, n.X)
		p.right("::")
		p.node(n.Type)
		return
	}
	how, as := "CAST", "AS"
	if n.Convert {
		how, as = "CONVERT", ","
	}
	p.text(how)
	p.right("(")
	p.node(n.X)
	p.text(as)
	p.node(n.Type)
	p.text(")")
}

func (n *Recode) print(p *printer) {
	p.text("CONVERT")
	p.right("(")
	p.node(n.X)
	p.text("USING")
	p.node(n.Charset)
	p.text(")")
}

func (n *Type) print(p *printer) {
	p.text(n.Words)
	if len(n.Args) > 0 {
		p.joint = tight
		printList(p, n.Args)
	}
	if strings.HasPrefix(n.After, "[") {
		p.joint = tight
	}
	p.text(n.After)
	printOne(p, n.Charset, "CHARACTER SET")
}

func (n *Collate) print(p *printer) {
	p.operand(n, 0, n.X)
	p.text("COLLATE")
	p.node(n.Collation)
}

func (n *Exists) print(p *printer) {
	p.text("EXISTS")
	p.paren(n.Query)
}

func (n *Subquery) print(p *printer) { p.paren(n.Query) }

func (n *Row) print(p *printer) {
	p.when(n.Word, "ROW")
	printList(p, n.Items)
}

func (n *Array) print(p *printer) {
	if n.Query != nil {
		p.text("ARRAY")
		p.paren(n.Query)
		return
	}
	if !n.Inner {
		p.text("ARRAY")
		p.joint = tight
	}
	p.text("[")
	p.joint = tight
	printEach(p, n.Items)
	p.right("]")
	p.joint = spaced
}

func (n *Subscript) print(p *printer) {
	p.operand(n, 0, n.X)
	p.right("[")
	printOne(p, n.Low)
	if n.Slice {
		p.right(":")
		printOne(p, n.High)
	}
	p.right("]")
	p.joint = spaced
}

func (n *Field) print(p *printer) {
	p.operand(n, 0, n.X)
	p.right(".")
	if n.Name == nil {
		p.text("*")
		return
	}
	p.node(n.Name)
}

func (n *Grouping) print(p *printer) {
	p.text("GROUPING SETS")
	printList(p, n.Sets)
}

func (n *Worded) print(p *printer) {
	p.text(n.Word)
	printOne(p, n.X)
}

func (n *Matching) print(p *printer) {
	p.text("MATCH")
	printList(p, n.Columns)
	p.words("AGAINST", "(")
	p.node(n.X)
	p.text(n.Mode)
	p.text(")")
}

func (n *Prefix) print(p *printer) {
	p.node(n.X)
	p.right("(")
	p.node(n.Length)
	p.text(")")
}

func (n *Call) print(p *printer) {
	p.qualified(n.Schema, n.Name)
	p.right("(")
	p.when(n.Distinct, "DISTINCT")
	for i, x := range n.Args {
		if _, worded := x.(*Worded); i > 0 && !worded {
			p.text(",")
		}
		p.node(x)
	}
	printClause(p, n.Order, "ORDER BY")
	printOne(p, n.Separator, "SEPARATOR")
	printOne(p, n.Limit)
	p.text(")")
	if len(n.Within) > 0 {
		p.words("WITHIN GROUP", "(")
		printClause(p, n.Within, "ORDER BY")
		p.text(")")
	}
	if n.Filter != nil {
		p.words("FILTER", "(", "WHERE")
		p.node(n.Filter)
		p.text(")")
	}
	printOne(p, n.Over, "OVER")
}

func (n *Raise) print(p *printer) {
	p.text("RAISE")
	p.right("(")
	p.text(n.Action)
	printOne(p, n.Message, ",")
	p.text(")")
}

func (n *Window) print(p *printer) {
	if n.Ref != nil {
		p.node(n.Ref)
		return
	}
	p.text("(")
	printOne(p, n.Base)
	printClause(p, n.Partition, "PARTITION BY")
	printClause(p, n.Order, "ORDER BY")
	printOne(p, n.Frame)
	p.text(")")
}

func (n *Frame) print(p *printer) {
	p.text(n.Unit)
	p.when(n.End != nil, "BETWEEN")
	p.node(n.Start)
	printOne(p, n.End, "AND")
	p.when(n.Exclude != "", "EXCLUDE", n.Exclude)
}

func (n *Bound) print(p *printer) {
	printOne(p, n.X)
	p.text(n.Side)
}
