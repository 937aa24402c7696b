package gen

import (
	"regexp"
	"strings"
	"testing"
)

// TestCarry: in cases with foreign keys that have an action rows go, or get another key, that others refer to; of the rows that are drawn without a look at who refers
// to them next to none did.
func TestCarry(t *testing.T) {
	key := regexp.MustCompile(`REFERENCES (t\d) \((\w+)\) ON (?:DELETE|UPDATE) (?:CASCADE|SET NULL)`)
	acting, went, moved := 0, 0, 0
	for i := range 1000 {
		c := must(t, testDialect(t, "sqlite"), CaseSeed(5, i), Options{Weights: map[string]int{"foreign-key": 60}})
		for _, create := range c.Schema {
			m := key.FindStringSubmatch(create.SQL)
			if m == nil {
				continue
			}
			acting++
			for _, txn := range c.Txns {
				for _, s := range txn.Stmts {
					switch {
					case strings.HasPrefix(s.SQL, "DELETE FROM "+m[1]+" WHERE "+m[1]+"."+m[2]+" = "):
						went++
					case strings.HasPrefix(s.SQL, "UPDATE "+m[1]+" SET ") && strings.Contains(s.SQL, ", "+m[2]+" = ") && m[2] != "pkey":
						moved++
					}
				}
			}
		}
	}
	if acting < 100 || went < acting/2 || moved < acting/20 {
		t.Errorf("%d foreign keys with an action; %d rows went from the tables that they refer to, and %d got another key", acting, went, moved)
	}
}

// TestSavepointsApart: transactions that only read have savepoints, too, and a statement stands between two savepoints where there is room for one.
func TestSavepointsApart(t *testing.T) {
	read, apart, together := 0, 0, 0
	for i := range 1000 {
		c := must(t, testDialect(t, "sqlite"), CaseSeed(6, i), Options{})
		for _, txn := range c.Txns {
			reads, back, last := true, false, ""
			for n, s := range txn.Stmts {
				control := strings.HasPrefix(s.SQL, "SAVEPOINT") || strings.HasPrefix(s.SQL, "ROLLBACK TO") || strings.HasPrefix(s.SQL, "RELEASE")
				back = back || strings.HasPrefix(s.SQL, "ROLLBACK TO") && n+1 < len(txn.Stmts)
				reads = reads && (control || strings.HasPrefix(s.SQL, "SELECT"))
				if strings.HasPrefix(s.SQL, "SAVEPOINT") && last != "" {
					if strings.HasPrefix(txn.Stmts[n-1].SQL, "SAVEPOINT") {
						together++
					} else {
						apart++
					}
				}
				if control {
					last = s.SQL
				}
			}
			if reads && back {
				read++
			}
		}
	}
	if read < 50 || apart < together/3 {
		t.Errorf("%d transactions that only read go back to a savepoint; %d savepoints stand behind a statement, %d behind another one", read, apart, together)
	}
}
