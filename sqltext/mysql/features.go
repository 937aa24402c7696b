package mysql

import (
	"maps"
	"slices"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/model"
	"github.com/pingcap/tidb/pkg/parser/opcode"
	"github.com/pingcap/tidb/pkg/parser/test_driver"

	"txweave/sqltext"
)

// features is a set of features.
type features struct {
	seen  map[string]bool
	plain bool // operators and WHERE clauses count too
	// lowered says that the statement was written in this grammar's words (Words): some of its nodes stand for others.
	lowered bool
}

func (f *features) add(name string) { f.seen[name] = true }

func (f *features) sorted() []string { return slices.Sorted(maps.Keys(f.seen)) }

// literalPrefix begins what the parser calls DATE '…', TIME '…' and TIMESTAMP '…'.
const literalPrefix = "'tidb`.("

// Features implements sqltext.Describer.
func (p *Parser) Features(sql string, ordinary bool) ([]string, bool) {
	node, err := p.parse(sql)
	if err != nil {
		return nil, false
	}
	f := &features{seen: map[string]bool{}, plain: ordinary, lowered: p.words != nil}
	node.Accept(f)
	return f.sorted(), true
}

// SchemaFeatures implements sqltext.Describer: the indexes that a CREATE statement makes, generated columns, and how its rows are kept.
func (p *Parser) SchemaFeatures(sql string) []string {
	f := &features{seen: map[string]bool{}}
	node, err := p.parse(sql)
	if err != nil {
		return p.pieces(sql)
	}
	switch n := node.(type) {
	case *ast.CreateIndexStmt:
		f.index(n.KeyType == ast.IndexKeyTypeUnique)
	case *ast.CreateTableStmt:
		f.table(n)
	}
	return f.sorted()
}

// pieces tells the features of a table that the grammar does not read as a whole, as it knows no versioned ones, and not each type:
// those of what it reads piece by piece, and what a word says of the others.
func (p *Parser) pieces(sql string) []string {
	d, ok := sqltext.SplitTable(sql)
	if !ok {
		return nil
	}
	f := &features{seen: map[string]bool{}}
	for _, item := range d.Items {
		if node, err := p.parse(d.Head + string(item) + ")"); err == nil {
			f.table(node.(*ast.CreateTableStmt))
			continue
		}
		if item.IsUnique() {
			f.index(true)
		}
		f.words(string(item), map[string]string{"virtual": "virtual-column", "stored": "stored-column", "persistent": "stored-column",
			"references": "foreign-key", "deferred": "deferred-key"})
	}
	f.words(d.Tail, map[string]string{"versioning": "versioned", "partition": "partition"})
	return f.sorted()
}

// words adds what words of a text stand for.
func (f *features) words(text string, meant map[string]string) {
	for _, t := range sqltext.Significant(text, -1) {
		for word, name := range meant {
			if t.Is(word) {
				f.add(name)
			}
		}
	}
}

func (f *features) table(n *ast.CreateTableStmt) {
	for _, c := range n.Constraints {
		switch c.Tp {
		case ast.ConstraintPrimaryKey:
			if c.Option != nil && c.Option.PrimaryKeyTp == model.PrimaryKeyTypeNonClustered {
				f.add("key-apart")
			}
		case ast.ConstraintKey, ast.ConstraintIndex:
			f.index(false)
		case ast.ConstraintUniq, ast.ConstraintUniqKey, ast.ConstraintUniqIndex:
			f.index(true)
		case ast.ConstraintForeignKey:
			f.add("foreign-key")
		default:
			f.add("constraint")
		}
	}
	for _, col := range n.Cols {
		for _, o := range col.Options {
			switch o.Tp {
			case ast.ColumnOptionPrimaryKey:
				if o.PrimaryKeyTp == model.PrimaryKeyTypeNonClustered {
					f.add("key-apart")
				}
			case ast.ColumnOptionUniqKey:
				f.index(true)
			case ast.ColumnOptionGenerated:
				if o.Stored {
					f.add("stored-column")
				} else { // it is worked out whenever it is read
					f.add("virtual-column")
				}
			}
		}
	}
	if n.Partition != nil {
		f.add("partition")
	}
}

func (f *features) index(unique bool) {
	f.add("index")
	if unique {
		f.add("unique")
	}
}

// Enter implements ast.Visitor.
func (f *features) Enter(n ast.Node) (ast.Node, bool) {
	switch x := n.(type) {
	case *ast.SelectStmt:
		f.selection(x)
	case *ast.SetOprStmt:
		f.add("set-operation")
	case *ast.ByItem:
		if x.Desc {
			f.add("desc")
		}
	case *ast.WithClause:
		f.add("cte")
	case *ast.InsertStmt:
		if x.Select != nil {
			f.add("insert-select")
		}
		f.ignoring("insert-ignore", x.IgnoreErr)
	case *ast.UpdateStmt:
		f.target(x.TableRefs)
		f.ignoring("update-ignore", x.IgnoreErr)
	case *ast.DeleteStmt:
		f.target(x.TableRefs)
		f.ignoring("delete-ignore", x.IgnoreErr)
	case *ast.Join:
		if x.Right != nil {
			f.add("join:" + joinName(x))
		}
	case *ast.TableSource:
		if _, table := x.Source.(*ast.TableName); !table {
			f.add("derived")
		}
	case *ast.AggregateFuncExpr:
		f.add(strings.ToUpper(x.F))
	case *ast.FuncCallExpr:
		f.add(strings.ToUpper(strings.TrimPrefix(x.FnName.L, literalPrefix)))
	case ast.ExprNode:
		f.expression(x)
	}
	return n, false
}

// Leave implements ast.Visitor.
func (f *features) Leave(n ast.Node) (ast.Node, bool) { return n, true }

// selection adds the clauses of a query block.
func (f *features) selection(s *ast.SelectStmt) {
	for name, has := range map[string]bool{
		"distinct": s.Distinct, "group": s.GroupBy != nil, "having": s.Having != nil, "order": s.OrderBy != nil, "limit": s.Limit != nil,
		"locking": s.LockInfo != nil && s.LockInfo.LockType != ast.SelectLockNone, "window": len(s.WindowSpecs) > 0,
	} {
		if has {
			f.add(name)
		}
	}
	if s.Where != nil && f.plain {
		f.add("where")
	}
}

// target tells a write of joined tables from one that has a join in a subquery only.
func (f *features) target(refs *ast.TableRefsClause) {
	if refs != nil && refs.TableRefs != nil && refs.TableRefs.Right != nil {
		f.add("joined-write")
	}
}

// ignoring tells a write that passes over the rows which it may not write.
func (f *features) ignoring(name string, ignores bool) {
	if ignores {
		f.add(name)
	}
}

func joinName(j *ast.Join) string {
	switch {
	case j.Tp == ast.LeftJoin:
		return "left"
	case j.Tp == ast.RightJoin:
		return "right"
	}
	return "inner" // a comma, CROSS and INNER are one thing
}

// expression adds an operator's class, and what is no ordinary operator by its own name.
func (f *features) expression(e ast.ExprNode) {
	switch x := e.(type) {
	case *ast.SubqueryExpr:
		f.add("subquery")
	case *ast.ExistsSubqueryExpr:
		f.add("exists")
	case *ast.CompareSubqueryExpr:
		f.add("quantified")
	case *ast.CaseExpr:
		f.add("case")
	case *ast.FuncCastExpr:
		if !f.lowered || x.FunctionType != ast.CastBinaryOperator { // else it is IS NOT
			f.add("cast")
		}
	case *ast.WindowFuncExpr:
		f.add("window")
	case *ast.PatternLikeOrIlikeExpr, *ast.PatternRegexpExpr:
		f.add("like")
	case *ast.IsNullExpr, *ast.IsTruthExpr:
		f.ordinary("is")
	case *ast.PatternInExpr, *ast.BetweenExpr:
		f.ordinary("compare")
	case *ast.BinaryOperationExpr:
		if f.lowered && x.Op == opcode.Xor {
			f.add("CONCAT")
			return
		}
		f.operator(x.Op)
	case *ast.UnaryOperationExpr:
		if x.Op == opcode.Not || x.Op == opcode.Not2 {
			f.ordinary("not")
		}
	case *test_driver.ValueExpr:
		if x.Kind() == test_driver.KindNull {
			f.ordinary("null")
		}
	}
}

func (f *features) ordinary(name string) {
	if f.plain {
		f.add(name)
	}
}

func (f *features) operator(op opcode.Op) {
	switch op {
	case opcode.GE, opcode.LE, opcode.EQ, opcode.NE, opcode.LT, opcode.GT, opcode.NullEQ, opcode.In:
		f.ordinary("compare")
	case opcode.LogicAnd, opcode.LogicOr, opcode.LogicXor:
		f.ordinary("logic")
	default:
		f.ordinary("arithmetic")
	}
}
