package planted

import (
	"context"
	"database/sql/driver"
)

// savepointFaults show at savepoints only.
var savepointFaults = []*Fault{
	{Name: "savepoint-keeps-write", Reference: "ROLLBACK TO a savepoint leaves what the last statement before it wrote",
		Forbidden: always, Inapplicable: anywhere, every: 1, verbs: []string{rollbackTo}, needs: needsSavepoint,
		exec: func(c *faultConn, ctx context.Context, sql string) (driver.Result, error) {
			res, err := c.send(ctx, sql)
			if err == nil && c.txn.sinceSavepoint != "" {
				_, _ = c.send(ctx, c.txn.sinceSavepoint) // it fails where it failed before
			}
			return res, err
		}},
	{Name: "savepoint-undoes-all",
		Reference: "ROLLBACK TO a savepoint undoes what its transaction wrote before the savepoint, too",
		Forbidden: always, Inapplicable: anywhere, every: 1, verbs: []string{rollbackTo}, needs: needsSavepoint,
		exec: func(c *faultConn, ctx context.Context, sql string) (driver.Result, error) {
			if res, err := c.send(ctx, sql); err != nil { // there is no such savepoint
				return res, err
			}
			if _, err := c.send(ctx, "ROLLBACK"); err != nil {
				return nil, err
			}
			_, err := c.send(ctx, "BEGIN")
			return affected(0), err
		}},
	{Name: "release-commits", Reference: "RELEASE of a savepoint commits what its transaction has written",
		Forbidden: always, Inapplicable: anywhere, every: 1, verbs: []string{"RELEASE"}, needs: needsSavepoint,
		exec: func(c *faultConn, ctx context.Context, sql string) (driver.Result, error) {
			res, err := c.send(ctx, sql)
			if err != nil {
				return res, err
			}
			if _, err := c.send(ctx, "COMMIT"); err != nil {
				return nil, err
			}
			_, err = c.send(ctx, "BEGIN")
			return res, err
		}},
}
