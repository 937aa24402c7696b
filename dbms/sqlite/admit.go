package sqlite

import (
	"fmt"
	"strings"

	"txweave/sql/sqltext"
)

// admission is what a case of SQLite may hold.
var admission = sqltext.Admission{Token: token, WholeVacuum: true, // sqlite.org/wal.html
	Mode: sqltext.Mode{Sets: "pragmajournal_mode", Is: "pragmajournal_mode=wal",
		Means: "the database runs with PRAGMA journal_mode = WAL: readers and a writer do not wait for each other"},
	Pragmas: strings.Fields(
		`foreign_keys defer_foreign_keys read_uncommitted recursive_triggers case_sensitive_like integrity_check quick_check
		reverse_unordered_selects automatic_index table_info table_xinfo table_list index_list index_info foreign_key_check foreign_key_list
		cache_size busy_timeout user_version application_id synchronous wal_checkpoint wal_autocheckpoint optimize analysis_limit`)}

// token refuses parameters: in parentheses behind their names may stand quotes (sqlite.org/lang_expr.html, Parameters).
func token(tokens []sqltext.Token, at int, script bool) error {
	t := tokens[at]
	dollar := t.Kind == sqltext.Word && t.Text[0] == '$'
	if !script && (dollar || t.Kind == sqltext.Symbol && strings.Contains("$@#?:", t.Text)) {
		return fmt.Errorf("%q: a parameter has no value here", t.Text)
	}
	return nil
}
