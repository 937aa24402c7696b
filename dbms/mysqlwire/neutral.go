package mysqlwire

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"txweave/exec"
)

// neutral are settings of a session without which a case means something else, by what they must be: as they are where
// nobody has set the server's, or has it send something (init_connect) to each session. How it executes statements is
// left as it is.
var neutral = map[string]string{
	"autocommit": "ON", "completion_type": "NO_CHAIN", "tx_read_only": "OFF", "transaction_read_only": "OFF",
	"sql_select_limit": "18446744073709551615", "sql_safe_updates": "OFF", "sql_auto_is_null": "OFF",
	"sql_big_selects": "ON",
	"unique_checks":   "ON", "foreign_key_checks": "ON", "check_constraint_checks": "ON", "innodb_table_locks": "ON",
	"max_statement_time": "0", "max_execution_time": "0",
	"wait_timeout": "28800", "idle_transaction_timeout": "0", "idle_write_transaction_timeout": "0",
	"idle_readonly_transaction_timeout": "0",
	"auto_increment_increment":          "1", "auto_increment_offset": "1",
	"sql_generate_invisible_primary_key": "OFF", "sql_require_primary_key": "OFF", "sql_if_exists": "OFF",
	"system_versioning_asof": "DEFAULT",
	"query_cache_type":       "OFF", // an answer out of it comes without the warnings that it had
	// fewer warnings are kept, down to none: one of them tells of locks that IGNORE did not get
	"max_error_count": "1024",
	// where a code says too little an answer is told by its text: that of CHECK TABLE has no code at all
	"lc_messages": "'en_US'",
}

// refuse says which setting of a server of the user's no session can be given another value of, and no case is meant
// under; nil: none.
func refuse(settings map[string]string) error {
	const onTimeout = "innodb_rollback_on_timeout"
	if strings.EqualFold(settings[onTimeout], "ON") {
		return fmt.Errorf(
			"%w: %s is ON on this server: a lock wait that ends in time undoes a whole transaction there, not its statement",
			exec.ErrUnavailable, onTimeout)
	}
	return nil
}

// neutralize gives a session on a server of the user's the settings that cases are meant under; own are those that its
// DBMS alone has.
func neutralize(ctx context.Context, s *exec.Session, own map[string]string) error {
	if err := s.Must(ctx, "ROLLBACK AND NO CHAIN NO RELEASE"); err != nil {
		// init_connect may have begun a transaction; completion_type may say what follows
		return err
	}
	// These cut the answer below short, or refuse it (max_join_size).
	const limit, big = "sql_select_limit", "sql_big_selects"
	if err := s.Must(ctx, "SET SESSION "+limit+" = "+neutral[limit]+", SESSION "+big+" = "+neutral[big]); err != nil {
		return err
	}
	all := maps.Clone(neutral)
	maps.Copy(all, own)
	names := slices.Sorted(maps.Keys(all))
	rows, err := s.Read(ctx, "SHOW SESSION VARIABLES WHERE Variable_name IN ('"+strings.Join(names, "','")+"')")
	if err != nil {
		return err
	}
	// what differs: a variable that must be as it is may be one that no session sets (lc_messages of TiDB before 6.2)
	var set, its []string
	for i := range rows.Len() {
		name, is := strings.ToLower(rows.Cell(i, 0).S), rows.Cell(i, 1).Raw()
		if number, fraction, ok := strings.Cut(is, "."); ok && strings.Trim(fraction, "0") == "" {
			is = number
		}
		if want, known := all[name]; known && !strings.EqualFold(is, strings.Trim(want, "'")) {
			if text := "SESSION " + name + " = " + want; own[name] != "" {
				its = append(its, text)
			} else {
				set = append(set, text)
			}
		}
	}
	if len(set)+len(its) == 0 {
		return nil
	}
	slices.Sort(set)
	slices.Sort(its) // they may be refused before the others are set, as tidb_enable_noop_functions is beside tx_read_only
	return s.Must(ctx, "SET "+strings.Join(slices.Concat(set, its), ", "))
}
