package gen

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"txweave/internal/testkit/effort"
	"txweave/sql"
	"txweave/sql/analysis"
	"txweave/sql/sqltext"
)

// TestCarry: in cases with foreign keys that have an action rows go, or get another key, that others refer to; of the
// rows that are drawn without a look at who refers to them next to none did.
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
					case strings.HasPrefix(s.SQL, "UPDATE "+m[1]+" SET ") && strings.Contains(s.SQL, ", "+m[2]+" = ") &&
						m[2] != "pkey":
						moved++
					}
				}
			}
		}
	}
	if acting < 100 || went < acting/2 || moved < acting/20 {
		t.Errorf("%d foreign keys with an action; %d rows went from the tables that they refer to, and %d got another key",
			acting, went, moved)
	}
}

// TestRefersToItself: some rows that transactions insert into a table with a foreign key to itself refer to themselves.
func TestRefersToItself(t *testing.T) {
	own := regexp.MustCompile(`FOREIGN KEY \((\w+)\) REFERENCES (t\d) \(pkey\)`)
	tables, rows := 0, 0
	for i := range 400 {
		c := must(t, testDialect(t, "sqlite"), CaseSeed(7, i), Options{})
		for _, create := range c.Schema {
			m := own.FindStringSubmatch(create.SQL)
			if m == nil || !strings.HasPrefix(create.SQL, "CREATE TABLE "+m[2]+" ") {
				continue
			}
			tables++
			for _, txn := range c.Txns {
				for _, s := range txn.Stmts {
					stmt, _ := sqltext.SyntaxOf("sqlite").Tree.Parse(s.SQL)
					v, ok := analysis.SpelledBy(stmt)
					if !ok || !strings.HasPrefix(s.SQL, "INSERT INTO "+m[2]+" ") {
						continue
					}
					for _, row := range v.Rows {
						if key, at := v.Value(row, "pkey"), v.Value(row, m[1]); key != nil && at != nil && sql.Equal(key, at) {
							rows++
						}
					}
				}
			}
		}
	}
	if tables < 20 || rows < tables/4 {
		t.Errorf("%d tables refer to themselves, %d rows that are inserted do", tables, rows)
	}
}

// TestSetUnreferred: no trigger changes what rows of other tables refer to, by which these could not be filled.
func TestSetUnreferred(t *testing.T) {
	set, composite := 0, 0
	for i := range 600 {
		c := must(t, testDialect(t, "mysql"), CaseSeed(8, i), Options{Weights: map[string]int{"trigger": 60,
			"composite-reference": 60, "foreign-key": 60}})
		schema := c.ReadSchema()
		for _, s := range c.Schema {
			_, column, ok := strings.Cut(s.SQL, "SET NEW.")
			if !ok {
				continue
			}
			set++
			column, _, _ = strings.Cut(column, " ")
			_, on, _ := strings.Cut(s.SQL, " ON ")
			on, _, _ = strings.Cut(on, " ")
			for _, table := range schema.Tables {
				for _, r := range table.References {
					if len(r.Keys) > 1 {
						composite++
					}
					if r.Parent == on && slices.Contains(r.Keys, column) {
						t.Errorf("case %d: %s, and %s refers to it", i, s.SQL, table.Name)
					}
				}
			}
		}
	}
	if set < 50 || composite < 50 {
		t.Errorf("%d triggers, beside %d foreign keys of several columns", set, composite)
	}
}

// TestSavepointsApart: transactions that only read have savepoints, too, and a statement stands between two savepoints
// where there is room for one.
func TestSavepointsApart(t *testing.T) {
	read, apart, together := 0, 0, 0
	for i := range effort.Cases(1000) {
		c := must(t, testDialect(t, "sqlite"), CaseSeed(6, i), Options{})
		for _, txn := range c.Txns {
			reads, back, last := true, false, ""
			for n, s := range txn.Stmts {
				control := strings.HasPrefix(s.SQL, "SAVEPOINT") || strings.HasPrefix(s.SQL, "ROLLBACK TO") ||
					strings.HasPrefix(s.SQL, "RELEASE")
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
	if read < effort.Cases(50) || apart < together/3 {
		t.Errorf("%d transactions that only read go back to a savepoint; %d savepoints stand behind a statement, %d behind "+
			"another one", read, apart, together)
	}
}
