package mysql

import (
	"errors"
	"fmt"

	"txweave/sqltext"
)

// returns notes what a write returns: columns of its target.
func (a *analysis) returns(v *collector, sql string) error {
	_, list, ok := sqltext.CutReturning(sql)
	if !ok {
		return nil
	}
	if len(a.Also) > 0 {
		return errors.New("RETURNING from several tables is not supported")
	}
	node, err := a.parser.tidb.ParseOneStmt("SELECT"+list+" FROM "+a.Target, "", "")
	if err != nil {
		return fmt.Errorf("cannot parse what it returns: %w", err)
	}
	own := &collector{schema: v.schema, ctes: v.ctes, alias: map[string][]string{}, refs: map[string]bool{}, inner: map[string]bool{}}
	node.Accept(own)
	if own.err != nil || own.blocks > 1 {
		return errors.Join(own.err, errors.New("it returns more than values of the rows that it writes"))
	}
	a.Returns = true
	v.exprs, v.wildcard = append(v.exprs, own.exprs...), v.wildcard || own.wildcard
	return nil
}
