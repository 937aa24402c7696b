package tidb

import (
	"maps"
	"slices"
	"strings"

	"txweave/dbms/innodb"
	"txweave/gen"
	"txweave/sql/functions"
	"txweave/sql/sqltext"
)

// Syntax is MySQL's, and comments for TiDB alone are run.
var Syntax = &sqltext.Syntax{
	Quoting: innodb.Quoting, Admission: admission, TablesByCase: true, Tree: tree,
	Functions: functions.By("t"), Hints: hints,
	Traits: traits, Doubt: innodb.Doubt(tree), Remarks: []string{"/*M!"}, DropTemporary: innodb.DropTemporary,
	Settings: settings, Idle: innodb.Idle,
}

// admission is that of MySQL's family; every table is part of transactions, whatever engine it names
// (docs.pingcap.com/tidb, MySQL Compatibility).
var admission = func() sqltext.Admission {
	a := innodb.Admission
	a.Engines, a.LooseEngines = slices.Concat(a.Engines, a.LooseEngines), nil
	return a
}()

// traits are those of MySQL's family; a table without a clustered key has a number for each row
// (docs.pingcap.com/tidb, _tidb_rowid).
var traits = func() sqltext.Traits {
	t := innodb.Traits
	t.Unlisted = []string{"_tidb_rowid"}
	return t
}()

// settings are the variables of a session that a case may change (docs.pingcap.com/tidb, System Variables): those of
// the planner and the executors.
var settings = strings.Fields(
	`tidb_opt_* tidb_enable_vectorized_expression tidb_enable_index_merge tidb_enable_parallel_apply tidb_enable_cascades_planner
	tidb_enable_outer_join_reorder tidb_enable_chunk_rpc tidb_enable_null_aware_anti_join tidb_partition_prune_mode tidb_index_lookup_size
	tidb_index_lookup_join_concurrency tidb_index_join_batch_size tidb_hash_join_concurrency tidb_hashagg_partial_concurrency tidb_hashagg_final_concurrency
	tidb_window_concurrency tidb_projection_concurrency tidb_merge_join_concurrency tidb_streamagg_concurrency tidb_executor_concurrency
	tidb_distsql_scan_concurrency tidb_max_chunk_size tidb_init_chunk_size tidb_hash_join_version`)

// hints are what /*+ … */ may say (docs.pingcap.com/tidb, Optimizer Hints): no setting, no group of resources, no more
// memory.
var hints = strings.Fields(
	`AGG_TO_COP BKA NO_BKA BNL NO_BNL BROADCAST_JOIN FORCE_INDEX HASH_AGG HASH_JOIN HASH_JOIN_BUILD HASH_JOIN_PROBE IGNORE_INDEX
	IGNORE_PLAN_CACHE INDEX_HASH_JOIN INDEX_JOIN INDEX_MERGE INDEX_MERGE_JOIN INL_HASH_JOIN INL_JOIN INL_MERGE_JOIN JOIN_FIXED_ORDER JOIN_ORDER
	JOIN_PREFIX JOIN_SUFFIX LEADING LIMIT_TO_COP MAX_EXECUTION_TIME MERGE MERGE_JOIN MRR NO_MRR MPP_1PHASE_AGG MPP_2PHASE_AGG NO_DECORRELATE
	NO_HASH_JOIN NO_ICP NO_INDEX_HASH_JOIN NO_INDEX_JOIN NO_INDEX_MERGE NO_INDEX_MERGE_JOIN NO_MERGE NO_MERGE_JOIN NO_ORDER_INDEX
	NO_RANGE_OPTIMIZATION NO_SEMIJOIN NO_SKIP_SCAN NO_SWAP_JOIN_INPUTS NTH_PLAN ORDER_INDEX QB_NAME READ_FROM_STORAGE SEMIJOIN SEMI_JOIN_REWRITE
	SHUFFLE_JOIN SKIP_SCAN STRAIGHT_JOIN STREAM_AGG SUBQUERY SWAP_JOIN_INPUTS USE_INDEX USE_INDEX_MERGE USE_TOJA SET_VAR`)

// Dialect is the dialect of TiDB 6.1 and later: MySQL's, and subqueries of UPDATE and DELETE may read the target.
//
// Left out besides mysql's: LOCK IN SHARE MODE (does nothing); CREATE INDEX in the schema (40 ms each, 0 in CREATE
// TABLE). ORDER BY … DESC and ungrouped MAX are a production of their own, which a known bug leaves out: unistore, the
// store that private servers run on, reads the latest rows instead of the snapshot where it scans backwards
// (https://github.com/pingcap/tidb/issues/30361).
var Dialect = func() *gen.Dialect {
	d := *innodb.Dialect
	d.Name, d.Tree = "tidb", tree
	d.TableForms.InlineShare = 100
	d.QueryForms.Ascending = true
	d.QueryForms.LockClauses = []string{"UPDATE"}
	d.TableForms.KeyApart = "NONCLUSTERED"
	d.WriteForms.SelfSubquery = true
	d.ExprForms.GroupExtrema = gen.AllFamilies
	d.QueryForms.DerivedSetOps = d.QueryForms.SetOps
	d.Capabilities.Has = maps.Clone(d.Capabilities.Has)
	for _, c := range []gen.Capability{gen.CanCheck, gen.CanTrigger, gen.CanRowFormat, gen.CanWiden, gen.CanDisconnect,
		gen.CanFulltext, gen.CanMixLevels,
		gen.CanSkipLocked, gen.CanFlush, gen.CanMaintain, gen.CanScratch, gen.CanCount, gen.CanFrame, gen.CanLockTables,
		gen.CanAccessMode, gen.CanRefuseWrite, gen.CanChain} {
		delete(d.Capabilities.Has, c)
	}
	// Before 6.6 a foreign key is read and not kept, and up to 8.4 an experiment (docs.pingcap.com, FOREIGN KEY
	// Constraints).
	d.Capabilities.Has[gen.CanReference], d.Capabilities.Has[gen.CanCascade], d.Capabilities.Has[gen.CanSelfRefer] = "8.5",
		"8.5", "8.5"
	d.Capabilities.Version = func(server string) string {
		_, version, _ := strings.Cut(server, "-TiDB-v")
		return version
	}
	d.Capabilities.Has[gen.CanCommentHint] = ""
	d.QueryForms.Hints = []string{"INL_JOIN({one})", "INL_HASH_JOIN({one})", "HASH_JOIN({all})", "MERGE_JOIN({all})",
		"HASH_AGG()",
		"STREAM_AGG()", "AGG_TO_COP()",
		"LIMIT_TO_COP()", "LEADING({all})", "STRAIGHT_JOIN()", "NO_INDEX_MERGE()", "USE_INDEX_MERGE({one})",
		"HASH_JOIN_BUILD({one})", "USE_TOJA(FALSE)"}
	d.QueryForms.InnerHints = []string{"SEMI_JOIN_REWRITE()", "NO_DECORRELATE()", "HASH_AGG()", "STREAM_AGG()"}
	d.Capabilities.Has[gen.CanDescend], d.Capabilities.Has[gen.CanCluster], d.Capabilities.Has[gen.CanConvert],
		d.Capabilities.Has[gen.CanLockOuter] = "", "", "", ""
	optimistic := []string{"optimistic"} // elsewhere no read shows what they replace, or take along
	d.Capabilities.Levels = map[gen.Capability][]string{gen.CanReplace: optimistic, gen.CanUpsert: optimistic,
		gen.CanCompare: optimistic, gen.CanSeveral: optimistic, gen.CanCascade: optimistic}
	d.TableForms.Specials = slices.DeleteFunc(slices.Clone(d.TableForms.Specials), func(s gen.Special) bool {
		return s.Name == "latin1"
	})
	// Before 6.5 a transaction is told that a table has changed under it (8028): there are no metadata locks
	// (docs.pingcap.com, Metadata Lock).
	d.Capabilities.Has[gen.CanRedefine], d.Capabilities.Has[gen.CanRename],
		d.Capabilities.Has[gen.CanTruncate] = "6.5", "6.5", "6.5"
	d.TxnForms.GivesUp = optimistic
	// elsewhere what does not lock reads another view than what does
	d.Capabilities.Levels[gen.CanLockOuter] = []string{"read-committed"}
	// a table that is emptied is another one, in which older snapshots see nothing
	d.Capabilities.Levels[gen.CanTruncate] = []string{"read-committed"}
	d.DDL.AddIndex = []string{"CREATE INDEX {name} ON {table} ({columns})",
		"ALTER TABLE {table} ADD INDEX {name} ({columns})"}
	d.DDL.AddColumn = d.DDL.AddColumn[:2:2]
	d.DDL.DropColumn = d.DDL.DropColumn[:1:1]
	d.DDL.Rebuild = nil // nothing is built anew
	d.DDL.AddTable = []string{"CREATE TABLE {name} LIKE {table}", "CREATE TABLE {name} (a INT)"}
	d.TxnForms.Begin = func(_ func(int) int, isolation string, _ bool) string {
		if isolation == "optimistic" {
			return "BEGIN OPTIMISTIC"
		}
		return "BEGIN PESSIMISTIC"
	}
	return &d
}()
