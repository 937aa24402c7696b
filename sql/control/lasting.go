package control

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"txweave/sql"
	"txweave/sql/functions"
)

// Lasts says whether a statement says itself that it takes a while (SLEEP, pg_sleep, BENCHMARK), and how long: 0 where
// it does not say that, or does so for each row that it comes to.
func (s Statement) Lasts() (d time.Duration, says bool) {
	if s.Tree == nil {
		return 0, false
	}
	rows, known := false, true
	sql.Walk(s.Tree, func(n sql.Node) bool {
		switch n := n.(type) {
		case *sql.Table, *sql.TableCall:
			rows = true
		case *sql.Call:
			if effectOf(n) != functions.Waits {
				return true
			}
			says = true
			own, ok := seconds(n)
			d, known = d+own, known && ok
		}
		return true
	})
	if rows || !known {
		d = 0
	}
	return d, says
}

func effectOf(n *sql.Call) functions.Effect {
	f, _ := functions.Of(n.Name.Folded())
	return f.Effect
}

// seconds are those that SLEEP(n) and pg_sleep(n) are told (dev.mysql.com/doc/refman, Miscellaneous Functions;
// postgresql.org/docs, Delaying Execution).
func seconds(n *sql.Call) (d time.Duration, ok bool) {
	if len(n.Args) != 1 {
		return 0, false
	}
	l, ok := sql.Bare(n.Args[0]).(*sql.Literal)
	if !ok {
		return 0, false
	}
	x, err := strconv.ParseFloat(strings.Trim(l.Text, "'"), 64)
	const most = 1e9 // seconds: more than a duration need hold
	return time.Duration(min(max(x, 0), most) * float64(time.Second)), err == nil
}

// OnlyWaits says whether a statement does nothing but to take a while.
func (s Statement) OnlyWaits() bool { return s.only(functions.Waits) }

// OnlyLocks says whether a statement does nothing but to take a while, and to take or give back locks that are called
// by numbers or names.
func (s Statement) OnlyLocks() bool {
	return s.only(functions.Waits, functions.Locks, functions.ServerLocks)
}

// only says whether a statement is calls of functions that have one of some effects.
func (s Statement) only(effects ...functions.Effect) bool {
	var list []sql.Expr
	switch n := s.Tree.(type) {
	case *sql.Do:
		list = n.Exprs
	case *sql.Query:
		b, ok := n.Body.(*sql.Select)
		if !ok || b.From != nil || b.Where != nil {
			return false
		}
		for _, i := range b.Items {
			list = append(list, i.X)
		}
	}
	for _, x := range list {
		call, ok := sql.Bare(x).(*sql.Call)
		if !ok || !slices.Contains(effects, effectOf(call)) ||
			sql.Has(call, func(n sql.Node) bool { _, query := n.(*sql.Subquery); return query }) {
			return false
		}
	}
	return len(list) > 0
}
