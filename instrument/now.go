package instrument

import (
	"fmt"
	"slices"
	"strings"

	"txweave/sql/sqltext"
	"txweave/testcase"
)

// checkNow refuses, where a text 'now' is the time to the functions of dates, a case that holds such a text and gives
// one of them what is no literal: a row may hold it. A text that is put together from others is not seen.
func checkNow(c *testcase.Case, syntax *sqltext.Syntax) error {
	if !syntax.TextTellsTime {
		return nil
	}
	now, called, at := false, "", ""
	read := func(sql, place string) {
		s := syntax.Quoting.Read(sql)
		asked, _ := s.Calls() // a default that is the time does not hold the text
		now = now || len(asked) == 0 && slices.ContainsFunc(s.Tokens, func(t sqltext.Token) bool {
			return t.Kind == sqltext.Literal && strings.EqualFold(strings.TrimSpace(t.Unquote()), "now")
		})
		if called == "" {
			called, at = s.DatesContents(), place
		}
	}
	for i, s := range c.Schema {
		read(s.SQL, fmt.Sprintf("schema, statement %d", i))
	}
	for n := range c.Txns {
		for i, s := range c.Txns[n].Stmts {
			read(s.SQL, c.At(testcase.Ref{Txn: n, Stmt: i}))
		}
	}
	for _, s := range c.Rows {
		read(s.SQL, "")
	}
	if now && called != "" {
		return fmt.Errorf("%s: function %s: of a row that holds 'now' its value is the time: take another text", at,
			strings.ToUpper(called))
	}
	return nil
}
