package shrink

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"txweave/sqltext"
	"txweave/testcase"
)

// untelling are signatures of what a transaction shows that was committed before its end, and of much else: a savepoint that is gone, a
// write lock that others are given.
var untelling = []string{"inconsistent-read-write/ROLLBACK TO:lost-savepoint", "inconsistent-read-write/RELEASE:lost-savepoint", "mechanism-violation/mutual-exclusion:write-lock"}

// telling returns a case that tells the cause of what is looked for, made of one that does not: as a triager would, it lets the transactions
// roll back, and gives tables without rows one, and looks whether what they wrote stays. Where that tells nothing, it returns the case given.
func (k *shrinker) telling(ctx context.Context, c *testcase.Case) (*testcase.Case, error) {
	if k.cause != "" || !slices.Contains(untelling, k.signature) {
		return c, nil
	}
	undone := c.Clone()
	for i := range undone.Txns {
		if end := &undone.Txns[i].End; sqltext.FirstWord(end.SQL) == "COMMIT" {
			end.SQL = "ROLLBACK"
		}
	}
	filled := undone.Clone()
	if len(filled.Rows) == 0 {
		for _, s := range filled.Schema {
			if st := sqltext.Read(s.SQL); st.Creates() == "table" {
				row := fmt.Sprintf("INSERT INTO %s (%s, %s, %s) VALUES (1, 999999, 0)", st.Written, sqltext.PKey, sqltext.VKey, sqltext.PVKey)
				filled.Rows = append(filled.Rows, testcase.Stmt{SQL: row})
			}
		}
	}
	for _, other := range []*testcase.Case{undone, filled} {
		signatures, _, err := k.look(ctx, other)
		if errors.Is(err, ErrRefused) {
			continue
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
	}
	return c, nil
}
