package sqltext

import "testing"

// TestBody: a semicolon ends a trigger outside its blocks; REPEAT with a bracket behind it is the function.
func TestBody(t *testing.T) {
	for sql, want := range map[string]bool{
		"CREATE TRIGGER r AFTER INSERT ON t FOR EACH ROW INSERT INTO s VALUES (REPEAT('m', 8200), 1)":                     true,
		"CREATE TRIGGER r AFTER INSERT ON t FOR EACH ROW BEGIN INSERT INTO s VALUES (REPEAT ('m', 8)); END":               true,
		"CREATE TRIGGER r AFTER INSERT ON t FOR EACH ROW BEGIN INSERT INTO s VALUES (REPEAT('m', 8))":                     false,
		"CREATE PROCEDURE p() BEGIN REPEAT SET @a = 1; UNTIL 1 END REPEAT; SELECT 1; END":                                 true,
		"CREATE PROCEDURE p() BEGIN REPEAT SET @a = 1; UNTIL 1 END REPEAT; SELECT 1":                                      false,
		"CREATE PROCEDURE p() BEGIN IF 1 THEN REPEAT SET @a = REPEAT('a', 2); UNTIL 1 END REPEAT; END IF; SELECT 1; END":  true,
		"CREATE PROCEDURE p() BEGIN IF 1 THEN REPEAT SET @a = REPEAT('a', 2); UNTIL 1 END REPEAT":                         false,
		"CREATE TRIGGER r BEFORE UPDATE ON t FOR EACH ROW SET NEW.c = CASE WHEN NEW.c < 5 THEN REPEAT('a', 2) ELSE 1 END": true,
		"SELECT REPEAT('a', 2)": true,
	} {
		var b Body
		for tok := range Tokens(sql) {
			if b.Take(tok); tok.Kind == Symbol && tok.Text == ";" {
				b.Ends()
			}
		}
		if got := b.Ends(); got != want {
			t.Errorf("%s: ends %v", sql, got)
		}
	}
}
