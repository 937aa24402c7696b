package mysql

import (
	"maps"

	"txweave/dbms/innodb"
	"txweave/gen"
	"txweave/sqltext"
)

// Syntax is MySQL's.
var Syntax = &sqltext.Syntax{Quoting: sqltext.MySQL, Tree: tree, Grammar: innodb.Grammar(tree), Doubt: innodb.Doubt(tree), Remarks: []string{"/*M!", "/*T!"}, DropTemporary: innodb.DropTemporary}

// Dialect is MySQL's: what the others of its family begin with.
var Dialect = func() *gen.Dialect {
	d := *innodb.Dialect
	d.Name = "mysql"
	d.LockWaits = []string{"FOR UPDATE", "FOR SHARE"}
	d.Has = maps.Clone(d.Has)
	for _, c := range []gen.Capability{gen.CanNotWait, gen.CanSkipLocked, gen.CanLockOf} {
		d.Has[c] = "8.0"
	}
	d.Has[gen.CanFunctional] = "8.0.13"
	d.Has[gen.CanCommentHint] = "8.0"
	d.Hints = []string{"JOIN_FIXED_ORDER()", "JOIN_ORDER({all})", "JOIN_PREFIX({one})", "JOIN_SUFFIX({one})", "BKA({all})", "NO_BKA({all})", "BNL({all})", "NO_BNL({all})",
		"INDEX_MERGE({one})", "NO_INDEX_MERGE({one})", "MRR({one})", "NO_MRR({one})", "NO_ICP({one})", "NO_RANGE_OPTIMIZATION({one})", "SKIP_SCAN({one})",
		"MERGE({one})", "NO_MERGE({one})", "DERIVED_CONDITION_PUSHDOWN({one})", "NO_DERIVED_CONDITION_PUSHDOWN({one})"}
	d.InnerHints = []string{"SUBQUERY(MATERIALIZATION)", "SUBQUERY(INTOEXISTS)", "SEMIJOIN(FIRSTMATCH)", "SEMIJOIN(MATERIALIZATION)", "SEMIJOIN(DUPSWEEDOUT)",
		"SEMIJOIN(LOOSESCAN)", "NO_SEMIJOIN()"}
	return &d
}()
