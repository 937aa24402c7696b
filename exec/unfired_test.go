package exec

import (
	"fmt"
	"strings"
	"testing"

	"txweave/instrument"
	"txweave/oracle/replay"
	"txweave/sql"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// TestUnfired: where queries read copies, triggers are dropped and what they do is sent by statements. Of an engine
// that fires them as their text says both executions leave the same; of one that forgets a condition, a trigger or a
// row they do not.
func TestUnfired(t *testing.T) {
	target, p := target(t, "sqlite"), lookup(t, "sqlite/serializable")
	r := newRunner(t, target, p, Options{})
	const log = "CREATE TABLE l (pkey INTEGER PRIMARY KEY, vkey BIGINT, pvkey BIGINT, v INT)"
	for _, c := range []struct{ trigger, wrong, statements string }{
		{"AFTER DELETE ON t FOR EACH ROW WHEN OLD.v >= 20 BEGIN DELETE FROM l WHERE l.pkey = OLD.pkey; END",
			"AFTER DELETE ON t FOR EACH ROW BEGIN DELETE FROM l WHERE l.pkey = OLD.pkey; END",
			"T0 INSERT INTO l VALUES (1, 50, 0, 0), (2, 50, 0, 0), (3, 50, 0, 0)\nT1 DELETE FROM t WHERE pkey < 3"},
		{"AFTER DELETE ON t BEGIN INSERT INTO l VALUES (1000 + OLD.pkey, OLD.vkey, 0, OLD.v); END",
			"AFTER DELETE ON t WHEN OLD.pkey > 1 BEGIN INSERT INTO l VALUES (1000 + OLD.pkey, OLD.vkey, 0, OLD.v); END",
			"T0 DELETE FROM t"},
		{"AFTER INSERT ON t FOR EACH ROW WHEN NEW.v < '15' BEGIN UPDATE s SET v = NEW.v + 1 WHERE s.pkey = NEW.pkey; END",
			"AFTER INSERT ON t FOR EACH ROW WHEN NEW.v > 15 BEGIN UPDATE s SET v = NEW.v + 1 WHERE s.pkey = NEW.pkey; END",
			"T0 INSERT INTO s (pkey, vkey, v) VALUES (11, 59, 0), (12, 59, 0)\nT1 INSERT INTO t (pkey, vkey, v) VALUES (11, " +
				"60, 14), (12, 60, 16)"},
		{"AFTER UPDATE ON t BEGIN UPDATE s SET v = v + 1 WHERE s.pkey = NEW.pkey % 2 + 1; END",
			"AFTER UPDATE ON t WHEN OLD.pkey <> 2 BEGIN UPDATE s SET v = v + 1 WHERE s.pkey = NEW.pkey % 2 + 1; END",
			"T0 UPDATE t SET pvkey = vkey, vkey = 70, v = v + 1"},
		{"AFTER INSERT ON t WHEN NEW.pkey > 20 BEGIN INSERT INTO l VALUES (7, 1, 0, NEW.v); END",
			"AFTER INSERT ON t WHEN NEW.pkey > 20 BEGIN INSERT INTO l VALUES (7 + NEW.pkey, 1, 0, NEW.v); END",
			"T0 INSERT INTO t (pkey, vkey, v) VALUES (21, 80, 1), (22, 80, 2)\nT1 INSERT INTO t (pkey, vkey, v) VALUES (23, " +
				"81, 1)"},
		{"AFTER DELETE ON t BEGIN INSERT INTO l (pkey, vkey, pvkey, v) VALUES (1000 + OLD.pkey, OLD.vkey, 0, NULL); END",
			"AFTER DELETE ON t BEGIN INSERT INTO l (pkey, vkey, pvkey, v) VALUES (1000 + OLD.pkey, OLD.vkey, 0, 1); END",
			"T0 DELETE FROM t"},
		// Literals stay what they are; a WHEN may be any number, and may fail; the number of a row is an INTEGER, other
		// columns have no type.
		{"AFTER INSERT ON t WHEN NEW.v >= 8.50 AND NEW.v <> x'41' BEGIN INSERT INTO l VALUES (NEW.pkey, 1, 0, 1e-3); END",
			"AFTER INSERT ON t BEGIN INSERT INTO l VALUES (NEW.pkey, 1, 0, 1); END",
			"T0 INSERT INTO t (pkey, vkey, v) VALUES (21, 80, 8), (22, 80, 9)"},
		{"AFTER INSERT ON t WHEN NEW.v * 0.1 BEGIN INSERT INTO l VALUES (NEW.pkey, 1, 0, 1); END",
			"AFTER INSERT ON t WHEN NEW.v > 5 BEGIN INSERT INTO l VALUES (NEW.pkey, 1, 0, 1); END",
			"T0 INSERT INTO t (pkey, vkey, v) VALUES (21, 80, 0), (22, 80, 5)"},
		{"AFTER INSERT ON t WHEN abs(NEW.v) > 5 BEGIN INSERT INTO l VALUES (NEW.pkey, 1, 0, 1); END",
			"AFTER INSERT ON t WHEN NEW.v > 5 BEGIN INSERT INTO l VALUES (NEW.pkey, 1, 0, 1); END",
			"T0 INSERT INTO t (pkey, vkey, v) VALUES (21, 80, -9223372036854775807 - 1)"},
		{"AFTER INSERT ON i WHEN NEW.pkey < '15' BEGIN INSERT INTO l VALUES (NEW.pkey, 1, 0, 1); END",
			"AFTER INSERT ON i BEGIN INSERT INTO l VALUES (NEW.pkey, 1, 0, 1); END",
			"T0 INSERT INTO i VALUES (14, 80, 0), (16, 80, 0)"},
	} {
		file := parseCase(t, tables+"; CREATE TABLE i (pkey INTEGER PRIMARY KEY, vkey BIGINT, pvkey BIGINT); "+log,
			c.statements)
		file.Schema = append(file.Schema, testcase.Stmt{SQL: "CREATE TRIGGER x " + c.trigger})
		plan := load(t, r, file)
		var blocks []*instrument.Block
		for i := range plan.Txns {
			blocks = append(blocks, plan.Txns[i].Blocks...)
		}
		if !tellable(plan, blocks) {
			t.Fatalf("%s is not said otherwise", c.trigger)
		}
		differences := func() string {
			as, err := r.Replay(blocks)
			if err != nil {
				t.Fatal(err)
			}
			other, err := r.ReplayUnder(blocks, p.PlanSetting("copies"))
			if err != nil {
				t.Fatal(err)
			}
			for i, e := range as.Events {
				if (e.Err == nil) != (other.Events[i].Err == nil) || e.Affected != other.Events[i].Affected {
					return fmt.Sprintf("%s: %v, %v and %v, %v", e.Text, e.Affected, e.Err, other.Events[i].Affected,
						other.Events[i].Err)
				}
			}
			if d := replay.ComparePlans(plan.Schema.Tables, blocks, as, other); len(d) > 0 {
				return fmt.Sprint(d)
			}
			return ""
		}
		if d := differences(); d != "" {
			t.Errorf("%s: %s", c.trigger, d)
		}
		// What is sent in place of the trigger is another one's, as if it was the engine that forgot something.
		stmt, err := sqltext.SyntaxOf("sqlite").Tree.Parse("CREATE TRIGGER x " + c.wrong)
		if err != nil {
			t.Fatal(err)
		}
		wrong, ok := sqltext.TriggerOf(stmt.(*sql.CreateTrigger))
		if !ok {
			t.Fatalf("%s is not read", c.wrong)
		}
		plan.Schema.Triggers[0] = wrong
		if d := differences(); d == "" {
			t.Errorf("%s in place of %s leaves the same", c.wrong, c.trigger)
		}
	}
}

// TestUntold: triggers of which it is not known what they do to which row are fired as ever.
func TestUntold(t *testing.T) {
	r := newRunner(t, target(t, "sqlite"), lookup(t, "sqlite/serializable"), Options{})
	const copied = "AFTER INSERT ON t BEGIN UPDATE s SET v = 1 WHERE s.pkey = NEW.pkey; END"
	for _, c := range []struct{ more, trigger, statements string }{
		{"", "BEFORE INSERT ON t BEGIN UPDATE s SET v = 1 WHERE s.pkey = NEW.pkey; END", "T0 DELETE FROM t"},
		{"", copied, "T0 REPLACE INTO t (pkey, vkey, v) VALUES (1, 60, 1)"},
		{"", copied, "T0 UPDATE t SET v = 3"},
		{"", copied, "T0 INSERT OR IGNORE INTO t (pkey, vkey, v) VALUES (1, 60, 1)"},
		{"", copied, "T0 INSERT INTO t (pkey, vkey, v) VALUES (1, 60, 1) ON CONFLICT (pkey) DO UPDATE SET vkey = 60"},
		{"CREATE TRIGGER y AFTER UPDATE ON s BEGIN DELETE FROM t WHERE t.pkey = 9; END", copied, "T0 DELETE FROM t"},
		{"CREATE TABLE c (pkey INTEGER PRIMARY KEY, f INT REFERENCES t (pkey) ON DELETE SET NULL)", copied,
			"T0 DELETE FROM t"},
		// which comes first?
		{"CREATE TRIGGER y AFTER INSERT ON t BEGIN UPDATE s SET v = 2 WHERE s.pkey = NEW.pkey; END", copied,
			"T0 DELETE FROM t"},
		// not each UPDATE
		{"", "AFTER UPDATE OF v ON t BEGIN UPDATE s SET v = 1 WHERE s.pkey = NEW.pkey; END", "T0 DELETE FROM t"},
		// fewer with each row
		{"", "AFTER DELETE ON t BEGIN UPDATE s SET v = (SELECT COUNT(*) FROM t) WHERE s.pkey = OLD.pkey; END",
			"T0 DELETE FROM t"},
		// the last row's
		{"", "AFTER INSERT ON t BEGIN UPDATE s SET v = NEW.v WHERE s.pkey = 1; END", "T0 DELETE FROM t"},
		{"", "AFTER INSERT ON t BEGIN DELETE FROM s WHERE s.pkey = (SELECT MAX(pkey) FROM s); END", "T0 DELETE FROM t"},
		{"", "AFTER INSERT ON t WHEN EXISTS (SELECT 1 FROM s) BEGIN DELETE FROM s WHERE s.pkey = NEW.pkey; END",
			"T0 DELETE FROM t"},
		{"", "AFTER INSERT ON t BEGIN UPDATE s SET v = v + 1 WHERE s.v < NEW.v; END", "T0 DELETE FROM t"},
		{"CREATE TABLE n (pkey INTEGER PRIMARY KEY, v INT)",
			"AFTER INSERT ON t BEGIN INSERT INTO n (pkey, v) VALUES (NULL, NEW.v); END", "T0 DELETE FROM t"},
		// reads what it writes
		{"", copied, "T0 INSERT INTO t (pkey, vkey, v) SELECT 100 + pkey, 60, v FROM s"},
		// no column
		{"", "AFTER INSERT ON t BEGIN DELETE FROM s WHERE s.pkey = NEW.rowid; END", "T0 DELETE FROM t"},
		// compares otherwise
		{"CREATE TABLE n (pkey INTEGER PRIMARY KEY, v TEXT COLLATE NOCASE)",
			"AFTER INSERT ON t BEGIN DELETE FROM n WHERE NEW.v = n.v; END", "T0 DELETE FROM t"},
		{"CREATE TABLE c (pkey INTEGER PRIMARY KEY, f INT REFERENCES t (pkey) DEFERRABLE INITIALLY DEFERRED)", copied,
			"T0 DELETE FROM t"},
	} {
		file := parseCase(t, tables, c.statements)
		for _, sql := range append(strings.SplitAfter(c.more, "); "), "CREATE TRIGGER x "+c.trigger) {
			if sql != "" {
				file.Schema = append(file.Schema, testcase.Stmt{SQL: strings.TrimSuffix(sql, "; ")})
			}
		}
		plan := load(t, r, file)
		if tellable(plan, plan.Txns[0].Blocks) {
			t.Errorf("%s %s, %s is said otherwise", c.more, c.trigger, strings.TrimPrefix(c.statements, "T0 "))
		}
	}
}
