package exec

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"txweave/dbms"
)

// recorder is a connection that notes what it is sent, and answers nothing.
type recorder struct{ sent []string }

func (c *recorder) note(how, text string, values []driver.NamedValue) {
	for _, v := range values {
		text += fmt.Sprintf(" [%d %T %v]", v.Ordinal, v.Value, v.Value)
	}
	c.sent = append(c.sent, how+": "+text)
}

func (c *recorder) Prepare(string) (driver.Stmt, error) { return nil, driver.ErrSkip }
func (c *recorder) Close() error                        { return nil }
func (c *recorder) Begin() (driver.Tx, error)           { return nil, driver.ErrSkip }

func (c *recorder) PrepareContext(_ context.Context, text string) (driver.Stmt, error) {
	return &TextStmt{Conn: c, Text: text}, nil
}

func (c *recorder) ExecContext(_ context.Context, text string, values []driver.NamedValue) (driver.Result, error) {
	c.note("exec", text, values)
	return driver.RowsAffected(0), nil
}

func (c *recorder) QueryContext(_ context.Context, text string, values []driver.NamedValue) (driver.Rows, error) {
	c.note("query", text, values)
	return noRows{}, nil
}

type noRows struct{}

func (noRows) Columns() []string         { return nil }
func (noRows) Close() error              { return nil }
func (noRows) Next([]driver.Value) error { return io.EOF }

// TestParameters: values stand beside what is sent, over the protocol or in statements of their own, a query is
// executed twice, and what has no such values goes as it is.
func TestParameters(t *testing.T) {
	for _, c := range []struct{ level, sent string }{
		{"mariadb/repeatable-read", `query: SELECT a FROM t WHERE b = ? AND c = ? [1 int64 5] [2 string x'y]
query: SELECT a FROM t WHERE b = ? AND c = ? [1 int64 5] [2 string x'y]
exec: DELETE FROM t WHERE b < ? [1 int64 3000000000]
query: SELECT a FROM t
query: SELECT a FROM t`},
		{"sqlite/serializable", `query: SELECT a FROM t WHERE b = ?1 AND c = ?2 [1 int64 5] [2 string x'y]
query: SELECT a FROM t WHERE b = ?1 AND c = ?2 [1 int64 5] [2 string x'y]
exec: DELETE FROM t WHERE b < ?1 [1 int64 3000000000]
query: SELECT a FROM t
query: SELECT a FROM t`},
		{"postgresql/read-committed", `exec: PREPARE txweave (int4, unknown) AS SELECT a FROM t WHERE b = $1 AND c = $2
query: EXECUTE txweave (5, 'x''y')
query: EXECUTE txweave (5, 'x''y')
exec: DEALLOCATE txweave
exec: PREPARE txweave (int8) AS DELETE FROM t WHERE b < $1
exec: EXECUTE txweave (3000000000)
query: SELECT a FROM t`},
	} {
		p := lookup(t, c.level)
		to := &recorder{}
		conn := preparingConn(&Session{conn: to, protocol: &Protocol{DBError: nil}}, p.PlanSetting("parameters"), nil, false)
		query, exec := conn.(driver.QueryerContext), conn.(driver.ExecerContext)
		_, first := query.QueryContext(t.Context(), "SELECT a FROM t WHERE b = 5 AND c = 'x''y'", nil)
		_, second := exec.ExecContext(t.Context(), "DELETE FROM t WHERE b < 3000000000", nil)
		_, third := query.QueryContext(t.Context(), "SELECT a FROM t", nil)
		if err := errors.Join(first, second, third); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(to.sent, "\n"); got != c.sent {
			t.Errorf("%s:\n%s\nwant\n%s", c.level, got, c.sent)
		}
	}
}

// TestParametersLast: only what needs no statements of its own can be in force while transactions run.
func TestParametersLast(t *testing.T) {
	for level, want := range map[string]bool{"sqlite/serializable": true, "mariadb/repeatable-read": true,
		"postgresql/read-committed": false} {
		lasting := slices.ContainsFunc(lookup(t, level).Settings(), func(s dbms.PlanSetting) bool {
			return s.Parameters != nil
		})
		if lasting != want {
			t.Errorf("%s: in force in transactions: %v", level, lasting)
		}
	}
}

// oneFloat is a row with a FLOAT, as MySQL's binary protocol has it.
type oneFloat struct{ noRows }

func (oneFloat) Next(values []driver.Value) error {
	values[0] = float32(2147483648)
	return nil
}

// TestFloatAsText: a FLOAT over the binary protocol is what the one of texts has of it, six digits.
func TestFloatAsText(t *testing.T) {
	values := make([]driver.Value, 1)
	if err := WithStmt(oneFloat{}, &TextStmt{}).Next(values); err != nil || values[0] != float32(2147480000) {
		t.Errorf("%v, %v", values[0], err)
	}
}
