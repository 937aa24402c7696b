package consistency

import (
	"slices"
	"strconv"

	"txweave/dbms"
	"txweave/fault"
	"txweave/history"
	"txweave/oracle/observe"
	"txweave/sql"
)

// unsorted holds the rows of a SELECT against its own ORDER BY, as far as that is of columns which it prints: two rows
// that follow each other come in that order. Only whole numbers are told apart here, as how texts are ordered is up to
// their collation, and where NULL comes is up to the database where the query does not say (NULLS FIRST, NULLS LAST):
// what is printed alike is equal, of all else nothing is said. A locking read is passed over, which may be sorted
// before it locks, and so are levels at which rows may change while they are looked at.
func (j *judge) unsorted(s *observe.ObservedStmt) {
	if s.Run == nil || s.Run.Target == nil || s.Run.Target.Rows == nil || s.Err != nil || s.Waited || s.Mixed ||
		s.Run.Block.Info.Locking || s.View != dbms.Snapshot ||
		!slices.Contains(j.promise(s).Judged(), fault.G1a) {
		return
	}
	answer := s.Run.Target.Rows
	keys := orderOf(s.Run.Block.Tree, len(answer.Columns))
	for i := 1; i < answer.Len() && len(keys) > 0; i++ {
		if k := broken(answer.Row(i-1), answer.Row(i), keys); k != nil {
			j.odd(s, fault.Ordered, "by its ORDER BY row %v of the answer, with %v in column %v, "+
				"does not come behind the one before it, with %v", i+1, answer.Row(i)[k.column], k.column+1,
				answer.Row(i - 1)[k.column])
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

// orderOf returns the columns of an answer of n that the ORDER BY of a whole query names, by their numbers or as the
// query spells them: as many of the first ones as can be told. Of other statements it says nothing: what CREATE TABLE …
// AS SELECT enters is read without it.
func orderOf(stmt sql.Stmt, n int) (out []orderKey) {
	q, ok := stmt.(*sql.Query)
	if !ok {
		return nil
	}
	for _, o := range q.Order {
		column := -1
		switch x := o.X.(type) {
		case *sql.Literal:
			if number, err := strconv.Atoi(x.Text); err == nil && x.Kind == sql.Number {
				column = number - 1
			}
		case *sql.Column:
			column = printedAt(q.Body, x)
		}
		if column < 0 || column >= n {
			return out
		}
		out = append(out, orderKey{column, o.Desc, o.Nulls})
	}
	return out
}

// printedAt is which column of a query's answer ORDER BY means by a name; -1 where that cannot be told.
func printedAt(b sql.Body, x *sql.Column) int {
	block, ok := b.(*sql.Select)
	if !ok {
		return -1 // the operands of a set operation may call it otherwise
	}
	at := -1
	for i, item := range block.Items {
		c, plain := item.X.(*sql.Column)
		named := plain && sql.Equal(c, x)
		if x.Table == nil { // the name of an output, where there is one
			named = item.Alias != nil && item.Alias.Folded() == x.Name.Folded() || item.Alias == nil && plain &&
				c.Name.Folded() == x.Name.Folded()
		}
		if _, star := item.X.(*sql.Star); star || named && at >= 0 {
			return -1
		}
		if named {
			at = i
		}
	}
	return at
}
