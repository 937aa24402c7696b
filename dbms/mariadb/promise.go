// Package mariadb is MariaDB.
package mariadb

import (
	"txweave/dbms"
	"txweave/dbms/innodb"
	"txweave/dbms/mysql/dialect"
)

// Levels are MariaDB's levels. "snapshot" is REPEATABLE READ with innodb_snapshot_isolation, which
// 11.8 has ON by default and 10.11 OFF: a write conflict with a row changed after the snapshot is error 1020
// and rolls back the transaction; a row that such a change took out of the index range that a statement scans is not
// met, and is no error. The other levels switch it OFF, so that they mean the same on both.
func Levels() []*dbms.Profile {
	all := innodb.Levels("mariadb")
	for _, p := range all {
		conflicts(p, "OFF")
	}
	snapshot := innodb.Level("mariadb", "snapshot", "REPEATABLE READ")
	snapshot.Guarantees.Forbidden, snapshot.ReadModes.LooseSearch = dbms.ForbidSnapshot, true
	conflicts(snapshot, "ON")
	all = append(all, snapshot)
	for _, p := range all {
		p.Product, p.Variants.Plans, p.Tree = "MariaDB", plans, tree
		p.Errors.Texts = append([]dbms.ErrorText{{Part: skipsNothing, Class: dbms.TxnLost}}, p.Errors.Texts...)
		p.Errors.Impossible.Texts = append(p.Errors.Impossible.Texts, skipsNothing)
	}
	return all
}

// conflicts says whether sessions at a level meet write conflicts.
func conflicts(p *dbms.Profile, value string) {
	set := "SET SESSION innodb_snapshot_isolation = " + value
	p.Sessions.Setup, p.Sessions.Level = append(p.Sessions.Setup, set), append(p.Sessions.Level, set)
}

// skipsNothing is of error 1180, by which SKIP LOCKED ends its transaction where no wait is allowed
// (docs/findings/mariadb-skip-locked-timeout.md): that a transaction cannot be committed is else for want of room on
// the disk.
const skipsNothing = `Got error 1 "Operation not permitted" during COMMIT`

// tree is how its statements are read as trees, and printed.
var tree = dialect.New(dialect.Server{Product: "MariaDB", Version: 120100})

// plans are ways to have MariaDB plan a statement otherwise (mariadb.com/kb, optimizer_switch, Block-Based Join
// Algorithms, Ignored Indexes). Of materialization and in_to_exists one has to stay on.
var plans = []dbms.PlanSetting{
	innodb.NoIndexes("IGNORED"),
	innodb.Prepared,
	innodb.PreparedAsText,
	innodb.Parameters(tree),
	innodb.Impatient(0),
	innodb.Purged,
	innodb.Copies(tree, Syntax.Traits.Unlisted...),
	dbms.OpaqueConditions(tree),
	innodb.Switched("no-rewrites", "index_merge=off", "index_condition_pushdown=off", "derived_merge=off",
		"derived_with_keys=off", "semijoin=off",
		"materialization=off", "subquery_cache=off", "outer_join_with_cache=off", "table_elimination=off",
		"extended_keys=off", "exists_to_in=off",
		"split_materialized=off", "orderby_uses_equalities=off", "condition_pushdown_for_derived=off",
		"condition_pushdown_for_subquery=off",
		"condition_pushdown_from_having=off", "rowid_filter=off"),
	innodb.Switched("materialized", "in_to_exists=off", "semijoin=off"),
	innodb.Switched("sorted-ranges", "mrr=on", "mrr_sort_keys=on", "index_merge_sort_intersection=on"),
	{Name: "no-join-buffers", Set: []string{"SET SESSION join_cache_level = 0"},
		Unset: []string{"SET SESSION join_cache_level = DEFAULT"}},
	{Name: "hashed-joins", Set: []string{"SET SESSION join_cache_level = 8", "SET SESSION join_buffer_size = 128"},
		Unset: []string{"SET SESSION join_cache_level = DEFAULT", "SET SESSION join_buffer_size = DEFAULT"}},
}
