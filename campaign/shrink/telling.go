package shrink

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"txweave/campaign"
	"txweave/finding"
	"txweave/sqltext"
	"txweave/testcase"
)

// untelling are signatures of what a transaction shows that was committed before its end, and of much else: a savepoint that is gone, a
// write lock that others are given.
var untelling = []string{"inconsistent-read-write/ROLLBACK TO:lost-savepoint", "inconsistent-read-write/RELEASE:lost-savepoint", "mechanism-violation/mutual-exclusion:write-lock"}

// telling returns a case that tells the cause of what is looked for, made of one that does not: as a triager would, it lets the transactions
// roll back, and gives tables without rows one, and looks whether what they wrote stays; of an INSERT that seems to have written nothing, and was
// rolled back, whether it is there once that transaction commits. Where that tells nothing, it returns the case given.
func (k *shrinker) telling(ctx context.Context, c *testcase.Case) (*testcase.Case, error) {
	if k.cause == finding.CauseNone {
		return k.firstTelling(ctx, c, func(cause string) bool { return cause == finding.CauseOwn }, ending(c, "ROLLBACK", "COMMIT"))
	}
	if k.cause != "" || !slices.Contains(untelling, k.signature) {
		return c, nil
	}
	undone := ending(c, "COMMIT", "ROLLBACK")
	filled := undone.Clone()
	if len(filled.Rows) == 0 {
		for _, s := range filled.Schema {
			if st := sqltext.Read(s.SQL); st.Creates() == "table" {
				row := fmt.Sprintf("INSERT INTO %s (%s, %s, %s) VALUES (1, 999999, 0)", st.Written, sqltext.PKey, sqltext.VKey, sqltext.PVKey)
				filled.Rows = append(filled.Rows, testcase.Stmt{SQL: row})
			}
		}
	}
	return k.firstTelling(ctx, c, func(string) bool { return true }, undone, filled)
}

// ending is a case whose transactions that end by one word end by another.
func ending(c *testcase.Case, by, instead string) *testcase.Case {
	c = c.Clone()
	for i := range c.Txns {
		if end := &c.Txns[i].End; sqltext.FirstWord(end.SQL) == by {
			end.SQL = instead
		}
	}
	return c
}

// firstTelling returns the first of some cases that shows what is looked for by a cause that is wanted, which is looked for from then on; c where
// none does.
func (k *shrinker) firstTelling(ctx context.Context, c *testcase.Case, wanted func(cause string) bool, list ...*testcase.Case) (*testcase.Case, error) {
	for _, other := range list {
		signatures, _, err := k.look(ctx, other)
		if errors.Is(err, ErrRefused) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, s := range signatures {
			if cause, has := strings.CutPrefix(s, k.signature+causeMark); has && wanted(cause) {
				k.cause = cause
				return other, nil
			}
		}
	}
	return c, nil
}

// unprinted is the signature of a query whose rows differ: by them alone it does not say what it has read.
const unprinted = "replay-difference/SELECT:rows"

// printing is telling for a query whose rows differ without a cause: it lets queries stand in its place that print what it reads, one after the
// other, of one table each. Where such a query is wrong by itself, as a read of its snapshot or as a search, that is what the case shows, whatever
// the query made of it. Where none is, it returns the case given.
func (k *shrinker) printing(ctx context.Context, c *testcase.Case) (*testcase.Case, error) {
	if k.cause != "" || k.signature != unprinted {
		return c, nil
	}
	list, err := k.findings(ctx, c)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(list, func(f campaign.Found) bool { return f.Signature == k.signature && len(f.Differences) > 0 })
	if at < 0 || list[at].Cause != "" {
		return c, nil
	}
	name := list[at].Differences[0].Stmt
	txn, stmt, ok := place(c, name)
	if !ok {
		return c, nil
	}
	parser := sqltext.SyntaxOf(c.Target).Grammar()
	for _, sql := range parser.Telling(c.Txns[txn].Stmts[stmt].SQL, sqltext.ReadSchema(testcase.Texts(c.Schema))) {
		other := c.Clone()
		other.Txns[txn].Stmts[stmt].SQL = sql
		list, err := k.findings(ctx, other)
		if errors.Is(err, ErrRefused) {
			continue
		}
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(list, func(f campaign.Found) bool {
			return finding.OfReads(f.Cause) && !f.Derived && f.Differences[0].Stmt == name
		})
		if at >= 0 {
			k.signature, k.cause, k.told = list[at].Signature, list[at].Cause, list[at].Signature != unprinted
			return other, nil
		}
	}
	return c, nil
}

// place finds a statement by its name in findings.
func place(c *testcase.Case, name string) (txn, stmt int, ok bool) {
	n, err := fmt.Sscanf(name, "T%d.S%d", &txn, &stmt)
	return txn, stmt, err == nil && n == 2 && txn < len(c.Txns) && stmt < len(c.Txns[txn].Stmts)
}
