package finding_test

import (
	"fmt"
	"testing"

	"txweave/finding"
)

// TestSettingsToRepeat: of the settings those are told that somebody has made and that may change an answer.
func TestSettingsToRepeat(t *testing.T) {
	for _, c := range []struct {
		settings map[string]string
		changed  []string
		session  []string
		class    string
		want     string
	}{
		{map[string]string{"innodb_buffer_pool_size": "64", "innodb_rollback_on_timeout": "OFF",
			"tx_isolation": "READ-COMMITTED"}, []string{"innodb_buffer_pool_size"},
			[]string{"SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED", "SET SESSION innodb_lock_wait_timeout = 10"},
			finding.ClassReplay, "[]"},
		{map[string]string{"innodb_rollback_on_timeout": "ON"}, []string{"innodb_rollback_on_timeout"}, nil,
			finding.ClassReplay, "[[innodb_rollback_on_timeout ON]]"},
		{map[string]string{"innodb_buffer_pool_size": "64"}, []string{"innodb_buffer_pool_size"}, nil, finding.ClassCrash,
			"[[innodb_buffer_pool_size 64]]"},
		{map[string]string{"sql_mode": "STRICT_TRANS_TABLES,NO_AUTO_CREATE_USER"}, []string{},
			[]string{"SET SESSION sql_mode = 'ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES'"}, "", "[]"},
		{map[string]string{"sql_mode": "STRICT_TRANS_TABLES"}, []string{}, []string{"SET SESSION sql_mode = 'NO_ZERO_DATE'"},
			"", "[[sql_mode NO_ZERO_DATE]]"},
		{map[string]string{"sql_mode": "ANSI"}, []string{"sql_mode"}, []string{"SET SESSION sql_mode = 'ANSI'"}, "",
			"[[sql_mode ANSI]]"},
		// who set what is not known
		{map[string]string{"innodb_autoinc_lock_mode": "1"}, nil, nil, "", "[[innodb_autoinc_lock_mode 1]]"},
	} {
		e := &finding.Environment{Settings: c.settings, Changed: c.changed}
		for _, s := range c.session {
			e.Session(s)
		}
		if got := fmt.Sprint(e.SettingsToRepeat(c.class)); got != c.want {
			t.Errorf("%v, set %v: %s, want %s", c.settings, c.changed, got, c.want)
		}
	}
}
