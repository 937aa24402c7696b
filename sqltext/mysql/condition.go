package mysql

import (
	"errors"
	"fmt"

	"github.com/pingcap/tidb/pkg/parser/ast"
)

// condition parses a predicate: a condition and nothing more, not the end of one statement and another one.
func (p *Parser) condition(where string) (ast.ExprNode, error) {
	where, err := p.lower(where)
	if err != nil {
		return nil, err
	}
	stmt, err := p.ask("SELECT 1 FROM t WHERE " + where)
	if err != nil {
		return nil, fmt.Errorf("the parser does not read it: %w", err)
	}
	sel, ok := stmt.(*ast.SelectStmt)
	if !ok || sel.GroupBy != nil || sel.OrderBy != nil || sel.Limit != nil || sel.Having != nil || sel.LockInfo != nil || sel.WindowSpecs != nil || sel.SelectIntoOpt != nil {
		return nil, errors.New("it is more than a condition")
	}
	return sel.Where, nil
}
