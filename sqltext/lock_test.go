package sqltext

import (
	"fmt"
	"strings"
	"testing"
)

// TestTableLocks checks which statements lock tables, and what they lock.
func TestTableLocks(t *testing.T) {
	for sql, want := range map[string]string{
		"LOCK TABLES t WRITE":                             "[{t t 8}]",
		"lock table T as A read, `u` write":               "[{t a 5} {u u 8}]",
		"LOCK TABLES t WRITE, t AS r0 READ, t AS r1 READ": "[{t t 8} {t r0 5} {t r1 5}]",
		"LOCK TABLES t READ LOCAL":                        "",
		"LOCK TABLES t LOW_PRIORITY WRITE":                "",
		"LOCK TABLES t WRITE,":                            "",
		"LOCK TABLES t WRITE, u AS t READ":                "",
		"LOCK TABLES d.t WRITE":                           "",
		"LOCK TABLES":                                     "",
		"UNLOCK TABLES":                                   "unlocks",
		"FLUSH TABLES WITH READ LOCK":                     "",
		"SELECT 1":                                        "",
		"LOCK TABLE t IN SHARE MODE":                      "[{t  5}]",
		"lock T, u in row exclusive mode nowait":          "[{t  3} {u  3}]",
		"LOCK TABLE t":                                    "[{t  8}]",
		"LOCK TABLE t NOWAIT":                             "[{t  8}]",
		"LOCK TABLE t, t IN ACCESS SHARE MODE":            "[{t  1}]",
		"LOCK TABLE ONLY t IN SHARE MODE":                 "",
		"LOCK TABLE t * IN SHARE MODE":                    "",
		"LOCK TABLE s.t IN SHARE MODE":                    "",
		"LOCK TABLE t, IN SHARE MODE":                     "",
		"LOCK TABLE t IN SHARED MODE":                     "",
		"LOCK TABLE t IN SHARE":                           "",
		"LOCK TABLE IN SHARE MODE":                        "",
	} {
		s := Read(sql)
		got := ""
		if locks, ok := s.TableLocks(); ok {
			got = fmt.Sprint(locks)
		} else if locks, ok := s.ModeLocks(); ok {
			got = fmt.Sprint(locks)
		} else if s.Unlocks() {
			got = "unlocks"
		}
		if got != want {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
	}
}

// TestReferences checks by which names statements open tables.
func TestReferences(t *testing.T) {
	for sql, want := range map[string]string{
		"SELECT a FROM t AS r0 JOIN u r1 ON r0.a = r1.a WHERE r0.a IN (SELECT b FROM v)":       "r0 r1 v",
		"SELECT a FROM t, u AS r1 FORCE INDEX (x) LEFT JOIN v FORCE INDEX (y) ON 1 GROUP BY a": "t r1 v",
		"UPDATE t SET a = (SELECT MAX(r0.a) FROM u AS r0) WHERE a = 1":                         "t r0",
		"INSERT INTO t (a) SELECT r0.a FROM t AS r0 ON DUPLICATE KEY UPDATE a = 1":             "t r0",
		"INSERT INTO t SET a = 1":                                          "t",
		"DELETE FROM t WHERE a = 1 ORDER BY a LIMIT 1":                     "t",
		"SELECT a FROM t LOCK IN SHARE MODE":                               "t",
		"SELECT a FROM t FOR UPDATE":                                       "t",
		"SELECT a FROM t UNION SELECT a FROM t":                            "t t",
		"WITH c AS (SELECT a FROM t) SELECT a FROM c AS x, c":              "t",
		"SELECT a FROM (SELECT b AS a FROM t AS r0) AS r1 STRAIGHT_JOIN u": "r0 u",
	} {
		s := Read(sql)
		if got := strings.Join(s.References(), " "); got != want {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
	}
}
