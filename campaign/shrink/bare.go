package shrink

import (
	"cmp"
	"context"
	"slices"

	"txweave/campaign"
	"txweave/fault"
	"txweave/finding"
	"txweave/sql"
	"txweave/sqltext"
	"txweave/testcase"
)

// ofStatement is plainer for a cause that a statement has by itself. It is looked for without foreign keys and checks, and of UPDATEs that do not ignore errors: with
// them another oracle saw it, as they keep the first one from judging; and with the rows that other transactions insert there from the start. A write that passes
// over rows may have been refused for a key, and one that is not refused may write nothing, whatever the key.
func (k *shrinker) ofStatement(ctx context.Context, c *testcase.Case) (*testcase.Case, error) {
	if k.cause.Kind == fault.PassesOver {
		if other, err := k.colliding(ctx, c); err != nil || other != c {
			return other, err
		}
	}
	if k.cause == finding.CauseKey {
		other, err := k.unkeyed(ctx, c)
		if err == nil && other == c {
			other, err = k.alone(ctx, c)
		}
		if err != nil || other != c {
			return other, err
		}
	}
	var others []*testcase.Case
	if bare := cmp.Or(unchecked(heeding(c)), heeding(c), unchecked(c)); bare != nil {
		others = append(eachFromTheStart(bare), bare)
	}
	others, cause := append(others, eachFromTheStart(c)...), k.cause
	return k.firstShowing(ctx, c, func(f *campaign.Found) bool { return f.Cause == cause }, others...)
}

// unchecked is a case without its foreign keys and checks; nil where it is nil or has none.
func unchecked(c *testcase.Case) *testcase.Case {
	return lacking(c, func(x sql.Constraint) bool {
		switch x.(type) {
		case *sql.ForeignKey, *sql.Check:
			return true
		}
		return false
	})
}

// lacking is a case of whose tables some constraints are left out; nil where there are none such.
func lacking(c *testcase.Case, what func(sql.Constraint) bool) *testcase.Case {
	if c == nil {
		return nil
	}
	other, gone, tree := c.Clone(), false, sqltext.SyntaxOf(c.Target).Tree
	for i, s := range c.Schema {
		stmt, _ := tree.Parse(s.SQL)
		n, ok := stmt.(*sql.CreateTable)
		if !ok || !slices.ContainsFunc(n.Constraints, what) {
			continue
		}
		text, err := tree.Print(sql.Edit(n, func(n *sql.CreateTable) { n.Constraints = slices.DeleteFunc(slices.Clone(n.Constraints), what) }))
		if err == nil {
			other.Schema[i].SQL, gone = text, true
		}
	}
	if !gone {
		return nil
	}
	return other
}

// heeding is a case whose UPDATEs do not ignore errors, for which rows may stay as they were, so that no oracle asks which they pass over; nil where none does.
func heeding(c *testcase.Case) (other *testcase.Case) {
	tree := sqltext.SyntaxOf(c.Target).Tree
	for i := range c.Txns {
		for j, s := range c.Txns[i].Stmts {
			stmt, _ := tree.Parse(s.SQL)
			n, ok := stmt.(*sql.Update)
			if !ok || !n.Ignore && n.Or != "IGNORE" {
				continue
			}
			text, err := tree.Print(sql.Edit(n, func(n *sql.Update) { n.Ignore, n.Or = false, "" }))
			if err != nil {
				continue
			}
			if other == nil {
				other = c.Clone()
			}
			other.Txns[i].Stmts[j].SQL = text
		}
	}
	return other
}

// unkeyed is plainer for an UPDATE that is refused for a key without its transaction, and not in it: where it passes over rows that need have no key, also of
// those which it changes, it did not come as far as to be refused.
func (k *shrinker) unkeyed(ctx context.Context, c *testcase.Case) (*testcase.Case, error) {
	bare := lacking(c, func(x sql.Constraint) bool {
		switch x.(type) {
		case *sql.Index, *sql.Unique, *sql.Exclude:
			return true
		}
		return false
	})
	if bare == nil {
		return c, nil
	}
	return k.firstShowing(ctx, c, func(f *campaign.Found) bool { return f.Cause.Kind == fault.PassesOver },
		append(eachChanging(bare), bare)...)
}
