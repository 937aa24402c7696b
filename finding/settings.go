package finding

import (
	"maps"
	"path"
	"slices"
	"strings"
)

// session stands before the name of a setting that a session makes for itself.
const session = "session "

// Session notes the variable, or the level, that a statement sets for its session.
func (e *Environment) Session(stmt string) {
	if name, value, ok := sessionSetting(stmt); ok {
		e.Settings[session+name] = value
	}
}

// Default says whether a statement sets a variable of its session to what it is on every server where nobody has set
// it.
func (e *Environment) Default(stmt string) bool {
	name, value, ok := sessionSetting(stmt)
	global, known := e.Settings[name]
	return ok && known && !e.set(name) && same(value, global)
}

// sessionSetting reads a statement that sets one session variable, or the isolation level.
func sessionSetting(stmt string) (name, value string, ok bool) {
	rest, ok := strings.CutPrefix(stmt, "SET SESSION ")
	if !ok {
		return "", "", false
	}
	if level, ok := strings.CutPrefix(rest, "TRANSACTION ISOLATION LEVEL "); ok {
		return "isolation level", level, true
	}
	name, value, ok = strings.Cut(rest, " = ")
	return name, strings.Trim(value, "'"), ok
}

// idle are settings that change no answer: how much memory and disk there is, how durable a commit is, where the server
// listens and what it logs, how long a statement may wait, what it is called.
var idle = strings.Fields(`*_size *_capacity *wait_timeout *read_timeout *write_timeout *connect_timeout *busy_timeout
	*interactive_timeout max_* table_open_* performance_schema skip_n* local_infile mysqlx* *_port port socket *doublewrite*
	*_at_trx_commit sync_binlog synchronous server_id source_id log_error* slow_query* general_log* *_threads report_*
	version_comment *_version isolation?level transaction_isolation tx_isolation *_enable_auto_analyze innodb_stats_auto_recalc
	secure_file* pid_file tmpdir datadir default_transaction_isolation lc_* log_* logging_* listen_addresses unix_socket*
	shared_buffers dynamic_shared* restart_after_crash default_text_search* fsync full_page_writes synchronous_commit wal_level
	track_commit_timestamp deadlock_timeout min_wal_size TimeZone DateStyle`)

func isIdle(setting string) bool {
	return slices.ContainsFunc(idle, func(pattern string) bool {
		is, _ := path.Match(pattern, setting)
		return is
	})
}

// allowing are modes of sql_mode that refuse statements and change no answer.
var allowing = []string{"ONLY_FULL_GROUP_BY", "NO_AUTO_CREATE_USER"}

// SettingsToRepeat lists the settings, name and value, that somebody who repeats the finding has to make: those that
// are not the server's own and may change an answer, a session's above the server's. The level is not among them. Of a
// server that ends or hangs all that somebody has set may matter.
func (e *Environment) SettingsToRepeat(class string) [][2]string {
	var out [][2]string
	for _, name := range slices.Sorted(maps.Keys(e.Settings)) {
		value := e.Settings[name]
		variable, own := strings.CutPrefix(name, session)
		global, known := e.Settings[variable]
		switch _, over := e.Settings[session+variable]; {
		case (class == ClassCrash || class == ClassHang) && slices.Contains(e.Changed, name):
			out = append(out, [2]string{name, value})
		case isIdle(variable):
		case own && known && !e.set(variable) && same(value, global):
		case !own && (over || !e.set(variable)):
		default:
			out = append(out, [2]string{variable, value})
		}
	}
	return out
}

// set says whether somebody has set a variable of the server; true where that is not known.
func (e *Environment) set(name string) bool {
	return e.Changed == nil || slices.Contains(e.Changed, name)
}

// same says whether two values of a setting are one, as far as answers go.
func same(a, b string) bool {
	modes := func(s string) []string {
		words := strings.Split(strings.ToUpper(s), ",")
		words = slices.DeleteFunc(words, func(w string) bool { return w == "" || slices.Contains(allowing, w) })
		slices.Sort(words)
		return words
	}
	return slices.Equal(modes(a), modes(b))
}
