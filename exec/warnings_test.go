package exec

import (
	"strings"
	"testing"
)

// TestWarnings: warnings are asked for where the server says that there are some, and nowhere else, however a statement
// is sent.
func TestWarnings(t *testing.T) {
	p := lookup(t, "mariadb/repeatable-read")
	s, err := mariadb(t).Open(t.Context(), FirstNode, p)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Must(t.Context(), "CREATE TEMPORARY TABLE warned (a INT)", "INSERT INTO warned VALUES (1)"); err != nil {
		t.Fatal(err)
	}
	for _, setting := range []string{"", "prepared", "prepared-as-text", "parameters"} {
		l := lane{session: s, profile: p, ctx: t.Context(), setting: p.PlanSetting(setting)}
		for sql, want := range map[string]int{"SELECT CAST('a' AS SIGNED) AS a FROM warned WHERE a = 1": 1,
			"SELECT 1 AS a FROM warned":                     0,
			"INSERT IGNORE INTO warned VALUES ('a'), ('b')": 2, "DELETE FROM warned WHERE a = 2": 0,
			"INSERT IGNORE INTO warned VALUES ('a') RETURNING a": 1} {
			r := l.run(request{sql: sql, query: strings.HasPrefix(sql, "SELECT"), returning: strings.Contains(sql, "RETURNING"),
				warnings: true})
			if r.err != nil || r.answer.Err != nil || len(r.answer.Warnings) != want {
				t.Errorf("%s, %q: %v, %v, %v", sql, setting, r.err, r.answer.Err, r.answer.Warnings)
			}
			if r.warned != (want > 0) {
				t.Errorf("%s, %q: asked for warnings: %v", sql, setting, r.warned)
			}
		}
	}
}
