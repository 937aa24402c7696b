package postgresql

import (
	"fmt"
	"slices"
	"strings"

	"txweave/sqltext"
)

// moments are literals that are the time where they are taken for one (postgresql.org/docs, Special Date/Time Inputs).
var moments = []string{"now", "today", "tomorrow", "yesterday"}

// places are the columns that every table has which tell where a version of a row lies, and which transactions made it
// (postgresql.org/docs, System Columns).
var places = []string{"ctid", "xmin", "xmax", "cmin", "cmax"}

// gate refuses what the two grammars read differently, so that nothing of PostgreSQL's is taken for something else.
func gate(sql string) error {
	_, _, returns := sqltext.CutReturning(sql)
	var last, before sqltext.Token // tokens right before this one, and before white space too
	for t := range sqltext.PostgreSQL.Tokens(sql) {
		text := t.Text
		switch {
		case t.Kind == sqltext.Name:
			return fmt.Errorf("%s: quoted names are not read", text)
		case t.Kind == sqltext.Literal && last.Is("e", "b", "x", "n", "u"), t.Kind == sqltext.Literal && last.Text == "&":
			return fmt.Errorf("%s%s: only plain literals are read", last.Text, text)
		case t.Kind == sqltext.Literal && slices.Contains(moments, strings.ToLower(strings.TrimSpace(t.Unquote()))):
			return fmt.Errorf("%s: as a time its value does not come from the database's contents", text)
		case strings.HasPrefix(text, "$"):
			return fmt.Errorf("%s: neither parameters nor dollar quotes are read", text)
		case t.Is(places...):
			return fmt.Errorf("%s: its value does not come from the rows' contents", text)
		case t.Is("dual") && before.Is("from"):
			return fmt.Errorf("DUAL is no table of PostgreSQL's: leave FROM out")
		case t.Is("full") && !before.Is("as"), t.Is("only") && !before.Is("read"), t.Is("tablesample", "lateral", "ilike", "similar"), t.Is("returning") && !returns:
			return fmt.Errorf("%s is not read", strings.ToUpper(text))
		case t.Kind == sqltext.Symbol && strings.Contains("^#~@?`\\{}[]:", text):
			return fmt.Errorf("operator %s is not read", text)
		case t.Kind == sqltext.Symbol && last.Kind == sqltext.Symbol && text == "&" && last.Text == text, t.Is("ilike", "nulls_first", "nulls_last", "sql_big_result", "sql_small_result"):
			return fmt.Errorf("operator %s%s is not read", text, text)
		case last.Text == "!" && text != "=":
			return fmt.Errorf("operator ! is not read")
		}
		last = t
		if t.Kind != sqltext.Blank && t.Kind != sqltext.Comment {
			before = t
		}
	}
	return nil
}
