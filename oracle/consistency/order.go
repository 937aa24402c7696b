package consistency

import (
	"slices"
	"strconv"
	"strings"

	"txweave/dbms"
	"txweave/history"
	"txweave/observe"
	"txweave/sqltext"
)

// unsorted holds the rows of a SELECT against its own ORDER BY, as far as that is of columns which it prints: two rows that follow each
// other come in that order. Only whole numbers are told apart here, as how texts are ordered is up to their collation, and where NULL comes
// is up to the database where the query does not say (NULLS FIRST, NULLS LAST): what is printed alike is equal, of all else nothing is said. A locking read is passed over, which PostgreSQL
// sorts before it locks, and so are levels at which rows may change while they are looked at.
func (j *judge) unsorted(s *observe.ObservedStmt) {
	if s.Run == nil || s.Run.Target == nil || s.Run.Target.Rows == nil || s.Err != nil || s.Waited || s.Mixed || s.Run.Block.Info.Locking || s.View != dbms.Snapshot ||
		!slices.Contains(j.promise(s).Judged(), dbms.G1a) {
		return
	}
	answer := s.Run.Target.Rows
	keys := orderOf(s.Run.Block.SQL, sqltext.SyntaxOf(j.promise(s).DBMS).Quoting, len(answer.Columns))
	for i := 1; i < answer.Len() && len(keys) > 0; i++ {
		if k := broken(answer.Row(i-1), answer.Row(i), keys); k != nil {
			j.odd(s, "order-versus-rows", "by its ORDER BY row %d of the answer, with %s in column %d, does not come behind the one before it, with %s",
				i+1, answer.Row(i)[k.column], k.column+1, answer.Row(i - 1)[k.column])
			return
		}
	}
}

// orderKey is a column of an answer by which it is ordered.
type orderKey struct {
	column int
	desc   bool
	nulls  string // "FIRST" or "LAST"; "" where the query does not say
}

// broken is the column by which the second of two rows should come first; nil if there is none, or nobody knows.
func broken(a, b []history.Value, keys []orderKey) *orderKey {
	for _, k := range keys {
		x, y := a[k.column], b[k.column]
		switch {
		case x.Kind == y.Kind && x.String() == y.String():
			continue
		case k.nulls == "FIRST" && y.Kind == history.Null, k.nulls == "LAST" && x.Kind == history.Null:
			return &k
		case x.Kind == history.Int && y.Kind == history.Int && (x.N > y.N) != k.desc:
			return &k
		}
		return nil
	}
	return nil
}

// orderOf returns the columns of an answer of n that the ORDER BY of a whole query names, by their numbers or as the query spells them: as
// many of the first ones as can be told.
func orderOf(sql string, q sqltext.Quoting, n int) (out []orderKey) {
	if first := sqltext.FirstWord(sql); first != "SELECT" && first != "WITH" { // what CREATE TABLE … AS SELECT enters is read without it
		return nil
	}
	items, order := clauses(sql, q)
	for _, item := range order {
		words := strings.Fields(item)
		var k orderKey
		if n := len(words); n > 2 && strings.EqualFold(words[n-2], "NULLS") {
			k.nulls, words = strings.ToUpper(words[n-1]), words[:n-2]
		}
		switch {
		case len(words) == 2 && strings.EqualFold(words[1], "DESC"):
			k.desc = true
		case len(words) == 2 && strings.EqualFold(words[1], "ASC"), len(words) == 1:
		default:
			return out
		}
		number, err := strconv.Atoi(words[0])
		for i, spelled := range items {
			named := strings.HasSuffix(spelled, " AS "+words[0])
			if strings.Contains(words[0], ".") { // else it is the name of an output where there is one
				named = strings.HasPrefix(spelled, words[0]+" AS ")
			}
			if err != nil && number == 0 && named {
				number = i + 1
			}
		}
		if number < 1 || number > n {
			return out
		}
		k.column = number - 1
		out = append(out, k)
	}
	return out
}

// clauses returns what a query selects, none where it is not one SELECT, and the items of its ORDER BY.
func clauses(sql string, q sqltext.Quoting) (items, order []string) {
	depth := 0
	part := "" // the clause that is being read
	var item strings.Builder
	flush := func() {
		if text := strings.TrimSpace(item.String()); text != "" && part == "select" {
			items = append(items, text)
		} else if text != "" && part == "order" {
			order = append(order, text)
		}
		item.Reset()
	}
	several := false
	for t := range q.Tokens(sql) {
		depth += t.Nesting()
		if depth == 0 && t.Kind == sqltext.Word {
			switch {
			case t.Is("select"):
				flush()
				part = "select"
				continue
			case t.Is("distinct") && part == "select", t.Is("by") && part == "order":
				continue
			case t.Is("order"):
				flush()
				part = "order"
				continue
			case t.Is("union", "intersect", "except"):
				several = true
				fallthrough
			case t.Is("from", "where", "group", "having", "window", "limit", "offset", "fetch", "for", "lock", "with"):
				flush()
				part = ""
			}
		}
		switch {
		case t.Kind == sqltext.Comment:
		case depth == 0 && t.Text == ",":
			flush()
		default:
			item.WriteString(t.Text)
		}
	}
	flush()
	if several {
		items = nil
	}
	return items, order
}
