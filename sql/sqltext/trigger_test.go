package sqltext_test

import (
	"testing"

	sqlite "txweave/dbms/sqlite/dialect"
	tree "txweave/sql"
	"txweave/sql/sqltext"
)

// TestTriggerOf: which triggers are understood, and what they write.
func TestTriggerOf(t *testing.T) {
	lite := sqlite.New(3053000)
	for _, c := range []struct {
		dialect *tree.Dialect
		text    string
		writes  string // "-": it is not understood
	}{
		{maria, "BEFORE INSERT ON t FOR EACH ROW SET NEW.a = 5", ""},
		{maria, "AFTER UPDATE ON t FOR EACH ROW UPDATE s SET b = NEW.a WHERE s.pkey = OLD.pkey", "s"},
		{maria, "AFTER DELETE ON t FOR EACH ROW REPLACE INTO s VALUES (OLD.pkey)", "s"},
		{maria, "AFTER DELETE ON t FOR EACH ROW DELETE FROM s", "s"},
		{maria, "AFTER INSERT ON t FOR EACH ROW UPDATE s JOIN u ON s.a = u.a SET s.b = 1, u.b = 2", "-"}, // two tables
		{maria, "AFTER INSERT ON t FOR EACH ROW INSERT IGNORE INTO s VALUES (1)", "-"},
		{maria, "AFTER INSERT ON t FOR EACH ROW FOLLOWS x DELETE FROM s", "-"},
		{maria, "AFTER INSERT ON t FOR EACH ROW CALL p()", "-"},
		{lite, "AFTER INSERT ON t BEGIN DELETE FROM s; END", "s"},
		{lite, "AFTER UPDATE OF a ON t WHEN NEW.a > 1 BEGIN UPDATE s SET b = 1; END", "s"},
		{lite, "AFTER INSERT ON t BEGIN DELETE FROM s; DELETE FROM u; END", "-"},
		{lite, "AFTER INSERT ON t BEGIN INSERT OR REPLACE INTO s VALUES (1); END", "-"},
		{lite, "AFTER INSERT ON t BEGIN SELECT 1; END", "-"},
		{lite, "INSTEAD OF INSERT ON t BEGIN DELETE FROM s; END", "-"},
	} {
		stmt, err := c.dialect.Parse("CREATE TRIGGER x " + c.text)
		if err != nil {
			if c.writes != "-" {
				t.Errorf("%s: %v", c.text, err)
			}
			continue
		}
		got, ok := sqltext.TriggerOf(stmt.(*tree.CreateTrigger))
		if want := c.writes != "-"; ok != want || want && (got.Writes != c.writes || got.Table != "t" || got.Name != "x") {
			t.Errorf("%s: %+v, %v", c.text, got, ok)
		}
	}
}
