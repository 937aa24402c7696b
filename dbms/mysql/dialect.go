package mysql

import (
	"maps"
	"strings"

	"txweave/dbms/innodb"
	"txweave/gen"
	"txweave/sql/functions"
	"txweave/sql/sqltext"
)

// Syntax is MySQL's.
var Syntax = &sqltext.Syntax{
	Quoting: innodb.Quoting, Admission: innodb.Admission, TablesByCase: true, Tree: tree,
	Functions: functions.By("y"), Hints: hints,
	Traits: traits, Doubt: innodb.Doubt(tree), Remarks: []string{"/*M!", "/*T!"},
	DropTemporary: innodb.DropTemporary,
	Settings:      innodb.Settings, SettingWords: innodb.SettingWords, Idle: innodb.Idle,
	// since 8.0.3 (dev.mysql.com/doc/refman/8.0, What Is New)
	Called: map[string]string{"tx_isolation": "transaction_isolation", "tx_read_only": "transaction_read_only"},
}

// traits are those of its family; what SHOW tells of tables it reads of the data dictionary's tables, which are
// InnoDB's (dev.mysql.com/doc/refman, Data Dictionary). Which of them use up a level that is for one transaction was
// asked of a server of 9.7.
var traits = func() sqltext.Traits {
	t := innodb.Traits
	t.Dictionary = append(strings.Fields("tables databases schemas columns fields index indexes keys triggers collation "+
		"charset events"), "table status", "character set", "procedure status", "function status")
	return t
}()

// hints are what /*+ … */ may say (dev.mysql.com/doc, Optimizer Hints): no setting, no group of resources.
var hints = strings.Fields(
	`JOIN_FIXED_ORDER JOIN_ORDER JOIN_PREFIX JOIN_SUFFIX BKA NO_BKA BNL NO_BNL DERIVED_CONDITION_PUSHDOWN
	NO_DERIVED_CONDITION_PUSHDOWN HASH_JOIN NO_HASH_JOIN MERGE NO_MERGE GROUP_INDEX NO_GROUP_INDEX INDEX NO_INDEX INDEX_MERGE NO_INDEX_MERGE
	JOIN_INDEX NO_JOIN_INDEX MRR NO_MRR NO_ICP NO_RANGE_OPTIMIZATION ORDER_INDEX NO_ORDER_INDEX SKIP_SCAN NO_SKIP_SCAN SEMIJOIN NO_SEMIJOIN
	SUBQUERY MAX_EXECUTION_TIME QB_NAME SET_VAR`)

// Dialect is MySQL's: what the others of its family begin with.
var Dialect = func() *gen.Dialect {
	d := *innodb.Dialect
	d.Name, d.Tree = "mysql", tree
	d.QueryForms.LockWaits = []string{"UPDATE", "SHARE"}
	d.Capabilities.Has = maps.Clone(d.Capabilities.Has)
	for _, c := range []gen.Capability{gen.CanNotWait, gen.CanSkipLocked, gen.CanLockOf} {
		d.Capabilities.Has[c] = "8.0"
	}
	d.Capabilities.Has[gen.CanFunctional] = "8.0.13"
	d.Capabilities.Has[gen.CanCommentHint] = "8.0"
	d.QueryForms.Hints = []string{"JOIN_FIXED_ORDER()", "JOIN_ORDER({all})", "JOIN_PREFIX({one})", "JOIN_SUFFIX({one})",
		"BKA({all})",
		"NO_BKA({all})", "BNL({all})", "NO_BNL({all})",
		"INDEX_MERGE({one})", "NO_INDEX_MERGE({one})", "MRR({one})", "NO_MRR({one})", "NO_ICP({one})",
		"NO_RANGE_OPTIMIZATION({one})", "SKIP_SCAN({one})",
		"MERGE({one})", "NO_MERGE({one})", "DERIVED_CONDITION_PUSHDOWN({one})", "NO_DERIVED_CONDITION_PUSHDOWN({one})"}
	d.QueryForms.InnerHints = []string{"SUBQUERY(MATERIALIZATION)", "SUBQUERY(INTOEXISTS)", "SEMIJOIN(FIRSTMATCH)",
		"SEMIJOIN(MATERIALIZATION)", "SEMIJOIN(DUPSWEEDOUT)",
		"SEMIJOIN(LOOSESCAN)", "NO_SEMIJOIN()"}
	return &d
}()
