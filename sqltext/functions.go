package sqltext

import (
	"slices"
	"strings"
)

// names makes a set of words.
func names(list string) map[string]bool {
	out := map[string]bool{}
	for _, n := range strings.Fields(list) {
		out[n] = true
	}
	return out
}

// sessionFunctions give another value in another session, at another time or after other statements: what they
// return is no function of the database's contents, so no order of the statements explains it.
var sessionFunctions = names(`rand uuid uuid_short uuid_v4 uuid_v7 sys_guid random_bytes
	now current_timestamp localtime localtimestamp sysdate curdate current_date curtime current_time utc_date utc_time
	utc_timestamp unix_timestamp connection_id user current_user session_user system_user current_role database schema
	last_insert_id row_count found_rows sleep benchmark get_lock release_lock release_all_locks is_free_lock is_used_lock
	nextval lastval currval setval random randomblob changes total_changes last_insert_rowid encrypt gen_salt gen_random_bytes
	clock_timestamp statement_timestamp transaction_timestamp timeofday gen_random_uuid uuidv4 uuidv7 uuid_generate_v1 uuid_generate_v1mc
	uuid_generate_v4 random_normal array_shuffle array_sample txid_current txid_current_if_assigned txid_current_snapshot
	pg_current_xact_id pg_current_xact_id_if_assigned pg_current_snapshot pg_backend_pid pg_blocking_pids inet_client_port
	pg_postmaster_start_time tidb_current_tso ps_current_thread_id current_setting txid_status pg_xact_status pg_visible_in_snapshot
	pg_safe_snapshot_blocking_pids pg_isolation_test_session_is_blocked pg_table_size pg_relation_size pg_indexes_size
	current_query setseed mxid_age currtid2 col_description obj_description shobj_description format_type pg_get_expr pg_get_indexdef
	pg_get_constraintdef pg_get_viewdef to_regclass to_regcollation to_regnamespace to_regoper to_regoperator to_regproc to_regprocedure
	to_regrole to_regtype brin_summarize_new_values brin_summarize_range brin_desummarize_range gin_clean_pending_list binlog_gtid_pos
	wsrep_last_written_gtid wsrep_last_seen_gtid ps_thread_id tidb_is_ddl_owner tidb_bounded_staleness tidb_mvcc_info
	pg_advisory_lock pg_advisory_lock_shared pg_advisory_unlock pg_advisory_unlock_shared pg_advisory_unlock_all pg_advisory_xact_lock
	pg_advisory_xact_lock_shared pg_try_advisory_lock pg_try_advisory_lock_shared pg_try_advisory_xact_lock pg_try_advisory_xact_lock_shared`)

// timeFunctions give the time where they are given no other one: SQLite's, of which 'now' is an argument and the default
// (sqlite.org/lang_datefunc.html), and PostgreSQL's age of one argument.
var timeFunctions = names(`date time datetime julianday strftime unixepoch timediff`)

// IsSessionCall says whether a call of a function of that name, in lower case, gives another value in another session, at another time
// or after other statements; literals are those among its arguments, without their quotes.
func IsSessionCall(name string, arguments int, literals []string) bool {
	switch {
	case name == "unix_timestamp":
		return arguments == 0
	case name == "age":
		return arguments == 1
	case timeFunctions[name]:
		return arguments == 0 || name == "strftime" && arguments == 1 ||
			slices.ContainsFunc(literals, func(l string) bool { return strings.EqualFold(l, "now") })
	}
	return sessionFunctions[name]
}

// call reads the arguments of the call at a token, whose parenthesis is the next one: how many there are, and the literals among them.
func (s Statement) call(at int) (arguments int, literals []string) {
	depth := 0
	for _, t := range s.Tokens[at+1:] {
		depth += t.Nesting()
		switch {
		case depth == 0:
			return arguments, literals
		case arguments == 0 && t.Text != "(", depth == 1 && t.Text == ",":
			arguments++
		}
		if t.Kind == Literal {
			literals = append(literals, t.Unquote())
		}
	}
	return arguments, literals
}

// DatesContents returns the name of a function of dates that the statement calls with what is no literal, in lower case; "": of none.
func (s Statement) DatesContents() string {
	for i := range s.Tokens[:max(len(s.Tokens)-1, 0)] {
		name, ok := s.Tokens[i].Ident()
		if !ok || !timeFunctions[name] || s.Tokens[i+1].Text != "(" {
			continue
		}
		depth := 0
		for _, t := range s.Tokens[i+1:] {
			if depth += t.Nesting(); depth == 0 {
				break
			}
			if _, names := t.Ident(); names {
				return name
			}
		}
	}
	return ""
}

// bareFunctions are those that need no parentheses.
var bareFunctions = wordSet(names(`current_timestamp localtime localtimestamp current_date current_time utc_date utc_time utc_timestamp
	current_user current_role`))

// IsSessionFunction says whether a function of that name, in lower case, gives another value in another session, at
// another time or after other statements.
func IsSessionFunction(name string) bool { return sessionFunctions[name] }

// harmfulFunctions reach out of the database: files, programs, other sessions, other servers. Those of SQLite are in its
// shell or in extensions.
var harmfulFunctions = names(`load_file load_extension sys_exec sys_eval sys_get sys_set xmlimport readfile writefile lsdir edit
	fts3_tokenizer get_lock release_lock release_all_locks master_pos_wait source_pos_wait master_gtid_wait
	wait_for_executed_gtid_set wait_until_sql_thread_after_gtids spider_direct_sql spider_bg_direct_sql spider_copy_tables
	spider_flush_table_mon_cache set_config ts_stat ts_rewrite query_to_xml query_to_xmlschema query_to_xml_and_xmlschema cursor_to_xml
	cursor_to_xmlschema table_to_xml table_to_xmlschema table_to_xml_and_xmlschema schema_to_xml schema_to_xmlschema
	schema_to_xml_and_xmlschema database_to_xml database_to_xmlschema database_to_xml_and_xmlschema lowrite loread
	crosstab connectby xpath_table des_encrypt des_decrypt wsrep_sync_wait_upto_gtid`)

// harmfulPrefixes begin the names of functions of PostgreSQL's and its extensions' that reach for files, large objects,
// settings, other sessions and other servers, but for harmlessFunctions.
var harmfulPrefixes = []string{"pg_", "lo_", "dblink", "binary_upgrade_"}

var harmlessFunctions = names(`pg_typeof pg_column_size pg_sleep pg_backend_pid pg_blocking_pids pg_safe_snapshot_blocking_pids
	pg_isolation_test_session_is_blocked pg_current_snapshot pg_current_xact_id pg_current_xact_id_if_assigned pg_xact_status
	pg_snapshot_xmin pg_snapshot_xmax pg_snapshot_xip pg_visible_in_snapshot pg_table_size pg_relation_size pg_indexes_size
	pg_advisory_lock pg_advisory_lock_shared pg_advisory_unlock pg_advisory_unlock_shared pg_advisory_unlock_all pg_advisory_xact_lock
	pg_advisory_xact_lock_shared pg_try_advisory_lock pg_try_advisory_lock_shared pg_try_advisory_xact_lock
	pg_try_advisory_xact_lock_shared pg_get_expr pg_get_indexdef pg_get_constraintdef pg_get_viewdef`)

// reachesOut says whether a function of that name, in lower case, reaches out of the database.
func reachesOut(name string) bool {
	return harmfulFunctions[name] || !harmlessFunctions[name] && slices.ContainsFunc(harmfulPrefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}

// Calls returns the names of the functions that the statement may call, in lower case, in order, among those
// that IsSessionCall tells or that reach out of the database.
func (s Statement) Calls() (session, harmful []string) {
	for i, t := range s.Tokens {
		called := i+1 < len(s.Tokens) && s.Tokens[i+1].Text == "("
		if !called && (t.Kind != Word || !bareFunctions.has(t.Text)) {
			continue
		}
		name, ok := t.Ident()
		if !ok || i > 0 && s.Tokens[i-1].Text == "." {
			continue
		}
		bare := t.Kind == Word && bareFunctions[name]
		if called && reachesOut(name) {
			harmful = append(harmful, name)
		}
		if called {
			if arguments, literals := s.call(i); IsSessionCall(name, arguments, literals) {
				session = append(session, name)
				continue
			}
		}
		if bare {
			session = append(session, name)
		}
	}
	return session, harmful
}
