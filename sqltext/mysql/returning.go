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
	text, err := a.parser.lower("SELECT" + list + " FROM " + a.Target)
	if err != nil {
		return err
	}
	node, err := a.parser.ask(text)
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

// apart notes what the condition of an upsert reads that stands apart: of the rows in its way it changes those of which it is true, so that not each
// row which it spells is written.
func (a *analysis) apart(v *collector, sql string) error {
	if a.parser.words == nil {
		return nil
	}
	where := a.parser.words.Apart(sql)
	if where == "" {
		return nil
	}
	condition, err := a.parser.condition(where)
	if err != nil {
		return fmt.Errorf("the condition of the upsert: %w", err)
	}
	condition.Accept(v)
	a.ValueDepends = a.ValueDepends || v.blocks > 0
	a.MetWhere, a.Passes = where, a.Upserts
	a.Upserts, a.Spells = 0, 0
	return v.err
}
