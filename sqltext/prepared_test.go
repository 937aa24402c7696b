package sqltext

import (
	"strings"
	"testing"
)

// TestCheckPrepared: what is prepared is prepared last, and ends from outside under its name.
func TestCheckPrepared(t *testing.T) {
	for sqls, ok := range map[string]bool{
		"BEGIN; SELECT 1; COMMIT": true,
		"BEGIN; SELECT 1; PREPARE TRANSACTION 'a'; COMMIT PREPARED 'a'":                  true,
		"BEGIN; SELECT 1; prepare transaction 'a'; rollback prepared 'a'":                true,
		"BEGIN; SELECT 1; PREPARE TRANSACTION 'a'; COMMIT":                               false,
		"BEGIN; SELECT 1; PREPARE TRANSACTION 'a'; COMMIT PREPARED 'b'":                  false,
		"BEGIN; SELECT 1; COMMIT PREPARED 'a'":                                           false,
		"BEGIN; PREPARE TRANSACTION 'a'; SELECT 1; COMMIT PREPARED 'a'":                  false,
		"BEGIN; PREPARE TRANSACTION 'a'; PREPARE TRANSACTION 'a'; COMMIT PREPARED 'a'":   false,
		"BEGIN; PREPARE TRANSACTION 'b'; PREPARE TRANSACTION 'a'; ROLLBACK PREPARED 'a'": false,
		"XA START 'a'; SELECT 1; XA END 'a'; XA PREPARE 'a'; XA COMMIT 'a'":              true,
		"BEGIN; PREPARE TRANSACTION 'a'; ROLLBACK TO PREPARED":                           false,
	} {
		if err := CheckPrepared(strings.Split(sqls, "; ")); (err == nil) != ok {
			t.Errorf("%s: %v", sqls, err)
		}
	}
}
