package mariadb

import (
	"maps"
	"strings"

	"txweave/dbms/innodb"
	"txweave/gen"
	"txweave/sql/functions"
	"txweave/sql/sqltext"
)

// Syntax is MySQL's, and comments for MariaDB alone are run.
var Syntax = &sqltext.Syntax{
	Quoting: innodb.Quoting, Admission: innodb.Admission, TablesByCase: true, Tree: tree,
	Functions: functions.By("m"), Hints: hints,
	Traits: traits, Doubt: innodb.Doubt(tree), Remarks: []string{"/*T!"}, DropTemporary: innodb.DropTemporary,
	Settings: innodb.Settings, SettingWords: innodb.SettingWords, Idle: innodb.Idle,
	// before 11.1 (mariadb.com/kb, transaction_isolation)
	Called: map[string]string{"transaction_isolation": "tx_isolation", "transaction_read_only": "tx_read_only"},
}

// traits are those of MySQL's family; a table with versions of its rows has the times of each
// (mariadb.com/kb, System-Versioned Tables).
var traits = func() sqltext.Traits {
	t := innodb.Traits
	t.Unlisted = []string{"row_start", "row_end"}
	t.Places = t.Unlisted
	return t
}()

// hints are what /*+ … */ may say since MariaDB 12 (mariadb.com/docs, Optimizer Hints): no setting.
var hints = strings.Fields(
	`JOIN_FIXED_ORDER JOIN_ORDER JOIN_PREFIX JOIN_SUFFIX BKA NO_BKA BNL NO_BNL DERIVED_CONDITION_PUSHDOWN
	NO_DERIVED_CONDITION_PUSHDOWN MERGE NO_MERGE SPLIT_MATERIALIZED NO_SPLIT_MATERIALIZED GROUP_INDEX NO_GROUP_INDEX INDEX NO_INDEX INDEX_MERGE
	NO_INDEX_MERGE JOIN_INDEX NO_JOIN_INDEX MRR NO_MRR NO_ICP NO_RANGE_OPTIMIZATION ORDER_INDEX NO_ORDER_INDEX ROWID_FILTER NO_ROWID_FILTER
	SEMIJOIN NO_SEMIJOIN SUBQUERY MAX_EXECUTION_TIME QB_NAME SET_VAR`)

// Dialect is the dialect of MariaDB 10.6 and later: MySQL's, and subqueries of UPDATE and DELETE may read the
// target.
//
// Left out besides mysql's: WITH in front of UPDATE and DELETE (not before
// 12.3), sequences.
var Dialect = func() *gen.Dialect {
	d := *innodb.Dialect
	d.Name, d.Tree = "mariadb", tree
	d.WriteForms.SelfSubquery = true
	d.Capabilities.Has = maps.Clone(d.Capabilities.Has)
	d.Capabilities.Has[gen.CanVersion] = ""
	d.Capabilities.Has[gen.CanReturn] = "10.5"
	d.Capabilities.Has[gen.CanWindow] = "11.8" // docs/findings/mariadb-window-in-subquery-of-write.md
	d.Capabilities.Has[gen.CanSkipLocked] = "10.6"
	// A table that is emptied is another one: what took its rows away is no write that innodb_snapshot_isolation knows of.
	d.Capabilities.Levels = map[gen.Capability][]string{gen.CanTruncate: d.TxnForms.OwnLevels}
	d.TxnForms.OwnLevels = append(d.TxnForms.OwnLevels[:len(d.TxnForms.OwnLevels):len(d.TxnForms.OwnLevels)], "snapshot")
	d.ExprForms.GroupExtrema = gen.AllFamilies
	d.QueryForms.DerivedSetOps = d.QueryForms.SetOps
	return &d
}()
