package opinion_test

import (
	"strings"
	"testing"

	"txweave/dbms/mysql"
	"txweave/dbms/mysql/dialect/opinion"
)

// TestDoubt: the two readers agree about what both of them read, and a statement of which they do not is told.
func TestDoubt(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT a.x, COUNT(*) FROM t AS a JOIN u USING (y) WHERE a.z IN (SELECT w FROM v) FOR UPDATE OF a": "",
		"INSERT INTO t (a, b) VALUES (1, 2) ON DUPLICATE KEY UPDATE a = VALUES(b)":                         "",
		"WITH q AS (SELECT 1 AS n) UPDATE t JOIN q ON t.a = q.n SET t.b = TIMESTAMPADD(MINUTE, 1, t.c)":    "",
		"DELETE a FROM t AS a, u WHERE a.x = u.x":                                                          "",
		"SELECT 1 FROM DUAL": "",
		"SELECT a FROM t, LATERAL (SELECT b FROM u WHERE u.c = t.c) AS l": "",
		"BEGIN": "",
		"SELECT a FROM t /*T! JOIN u ON u.b = t.b */": "the tables t, and by another parser about t, u",
		"SELECT a FROM t /*T! WHERE c = 1 */":         "a column c",
	} {
		err := opinion.Doubt(mysql.Syntax.Tree, text)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
