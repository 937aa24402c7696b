package shrink

import (
	"context"
	"errors"
	"slices"
	"strings"

	"txweave/sqltext"
	"txweave/testcase"
)

// lostSavepoint is the first part of the signature of a savepoint that is gone, which tells nothing of why: its transaction may have
// been committed before its end.
const lostSavepoint = "inconsistent-read-write/ROLLBACK TO:lost-savepoint"

// telling returns a case that tells more of the cause of what is looked for than the one given, which is returned where there is none: of a
// savepoint that is gone one whose transactions with savepoints roll back, so that it shows whether they leave what they wrote.
func (k *shrinker) telling(ctx context.Context, c *testcase.Case) (*testcase.Case, error) {
	if k.signature != lostSavepoint || k.cause != "" {
		return c, nil
	}
	other := c.Clone()
	changed := false
	for i := range other.Txns {
		t := &other.Txns[i]
		if sqltext.FirstWord(t.End.SQL) == "COMMIT" && slices.ContainsFunc(t.Stmts, func(s testcase.Stmt) bool { return sqltext.KindOf(s.SQL) == sqltext.RollbackTo }) {
			t.End.SQL, changed = "ROLLBACK", true
		}
	}
	if !changed {
		return c, nil
	}
	signatures, _, err := k.look(ctx, other)
	if errors.Is(err, ErrRefused) {
		return c, nil
	}
	if err != nil {
		return nil, err
	}
	for _, s := range signatures {
		if cause, has := strings.CutPrefix(s, k.signature+causeMark); has {
			k.cause = cause
			return other, nil
		}
	}
	return c, nil
}
