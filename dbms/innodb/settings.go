package innodb

import "strings"

// Settings are the variables of a session that a case may change on MySQL and on MariaDB: they decide how statements
// are planned and carried out, and which values are refused, and neither what a text means nor what a query prints
// (dev.mysql.com/doc, Server System Variables; mariadb.com/docs, Server System Variables).
var Settings = strings.Fields(
	`optimizer_switch optimizer_prune_level optimizer_search_depth optimizer_selectivity_sampling_limit
	optimizer_use_condition_selectivity optimizer_max_sel_arg_weight optimizer_max_sel_args optimizer_extra_pruning_depth
	eq_range_index_dive_limit range_optimizer_max_mem_size max_seeks_for_key join_buffer_size join_buffer_space_limit join_cache_level mrr_buffer_size
	sort_buffer_size read_buffer_size read_rnd_buffer_size rowid_merge_buff_size tmp_table_size max_heap_table_size tmp_memory_table_size big_tables
	internal_tmp_mem_storage_engine in_predicate_conversion_threshold use_stat_tables histogram_size preload_buffer_size bulk_insert_buffer_size
	set_operations_buffer_size expensive_subquery_limit sql_mode`)

// SettingWords are the modes among them that have a text mean what it did, and a query print what it did.
var SettingWords = map[string][]string{
	"sql_mode": strings.Fields(`STRICT_TRANS_TABLES STRICT_ALL_TABLES NO_ZERO_DATE NO_ZERO_IN_DATE
	ERROR_FOR_DIVISION_BY_ZERO NO_ENGINE_SUBSTITUTION ONLY_FULL_GROUP_BY NO_AUTO_VALUE_ON_ZERO ALLOW_INVALID_DATES NO_AUTO_CREATE_USER TRADITIONAL`)}
