// Package mysql is MySQL.
package mysql

import (
	"txweave/dbms"
	"txweave/dbms/innodb"
	"txweave/dbms/mysql/dialect"
)

// Levels are MySQL's levels.
func Levels() []*dbms.Profile {
	all := innodb.Levels("mysql")
	for _, p := range all {
		p.TableChanges.Told, p.Prepared = dbms.ChangesUntold, dbms.WritersKeep
		p.Writes.RewritesSame = true // measured on 9.7.4; MariaDB 10.11 and 11.8 leave such a row alone
		p.Product, p.Variants.Plans, p.Tree = "MySQL", plans, tree
	}
	return all
}

// tree is how its statements are read as trees, and printed.
var tree = dialect.New(dialect.Server{Product: "MySQL", Version: 90704})

// plans are ways to have MySQL plan a statement otherwise (dev.mysql.com/doc/refman, Switchable Optimizations,
// Invisible Indexes).
var plans = []dbms.PlanSetting{
	innodb.NoIndexes("INVISIBLE"),
	innodb.Prepared,
	innodb.PreparedAsText,
	innodb.Parameters(tree),
	innodb.Copies(tree, Syntax.Traits.Unlisted...),
	dbms.OpaqueConditions(tree),
	innodb.Switched("no-rewrites", "index_merge=off", "index_condition_pushdown=off", "derived_merge=off", "semijoin=off",
		"materialization=off",
		"use_index_extensions=off", "condition_fanout_filter=off", "skip_scan=off", "hash_join=off", "block_nested_loop=off",
		"derived_condition_pushdown=off", "prefer_ordering_index=off"),
	innodb.Switched("materialized", "semijoin=off", "subquery_materialization_cost_based=off"),
	innodb.Switched("derived-subqueries", "subquery_to_derived=on"),
	innodb.Switched("batched-keys", "mrr_cost_based=off", "batched_key_access=on"),
	{Name: "small-buffers", Set: []string{"SET SESSION join_buffer_size = 128"},
		Unset: []string{"SET SESSION join_buffer_size = DEFAULT"}},
}
