package dbms

import (
	"strings"
	"testing"

	mysql "txweave/dbms/mysql/dialect"
)

// TestHiddenInPart: of the two ways to hide conditions each is a setting by itself, so that it can be said which of
// them a difference needs.
func TestHiddenInPart(t *testing.T) {
	p := &Profile{
		Variants: Variants{
			Plans: []PlanSetting{OpaqueConditions(mysql.New(mysql.Server{Product: "MariaDB", Version: 110809}))}}}
	const sql = "SELECT 1 FROM t AS r0 WHERE r0.a IN (SELECT r1.b FROM s AS r1)"
	for name, has := range map[string][2]bool{"opaque-conditions": {true, true}, "opaque-conditions/conditions": {true,
		false}, "opaque-conditions/exists": {false, true}} {
		s := p.PlanSetting(name)
		if s == nil {
			t.Fatalf("no %s", name)
		}
		text := s.Query(sql)
		if got := [2]bool{strings.Contains(text, "WHERE CASE"), strings.Contains(text, "EXISTS")}; got != has || s.Lasting() {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// TestNoSetting: without a setting a statement is sent as it stands.
func TestNoSetting(t *testing.T) {
	if got := (*PlanSetting)(nil).Query("SELECT a FROM t0"); got != "SELECT a FROM t0" {
		t.Errorf("it is sent as %s", got)
	}
}
