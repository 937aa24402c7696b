package replay

import (
	"testing"

	"txweave/dbms"
	"txweave/dbms/innodb"
	mysql "txweave/dbms/mysql/dialect"
	"txweave/dbms/postgresql"
	pgtree "txweave/dbms/postgresql/dialect"
	sqlite "txweave/dbms/sqlite/dialect"
	"txweave/dbms/tidb"
	"txweave/fault"
	"txweave/history"
	"txweave/instrument"
	"txweave/oracle/observe"
	"txweave/sql"
	"txweave/sql/sqltext"
)

// TestPlanDecides: where the plan decides whether an error or a warning arises, the rows are compared and nothing else;
// elsewhere both are compared.
func TestPlanDecides(t *testing.T) {
	rows := func(n int64) *history.Event {
		return &history.Event{Answer: history.Answer{Rows: &history.Rows{Columns: []string{"a"},
			Cells: []history.Value{history.IntValue(n)}}}}
	}
	warned := rows(1)
	warned.Warnings = []history.Warning{{Level: "Warning", Code: 1292}}
	failed := &history.Event{Answer: history.Answer{Err: &history.DBError{Code: 1242}}}
	for _, c := range []struct {
		a, b            *history.Event
		decides, always int
	}{
		{rows(1), failed, 0, 1}, {rows(1), warned, 0, 1}, {rows(1), rows(2), 1, 1}, {failed, failed, 0, 0},
	} {
		for decides, want := range map[bool]int{true: c.decides, false: c.always} {
			if got := compareStatement(&sqltext.Analysis{PlanDecides: decides}, c.a, c.b); len(got) != want {
				t.Errorf("plan decides: %v: %v", decides, got)
			}
		}
	}
}

// TestEitherRow: which of several rows' errors a statement answers with says nothing; another row's error does where
// there is one row, where the order is said, or where no data cause it.
func TestEitherRow(t *testing.T) {
	p := innodb.Level("mysql", "repeatable-read", "REPEATABLE READ")
	failed := func(code int) *history.Event {
		return &history.Event{Answer: history.Answer{Err: &history.DBError{Code: code}}}
	}
	rows := func(n int) *history.Event {
		return &history.Event{Answer: history.Answer{Rows: &history.Rows{Columns: []string{"pkey"},
			Cells: make([]history.Value, n)}}}
	}
	update := *blockOf(t, "UPDATE t SET a = 1 / b", &sqltext.Analysis{Kind: sqltext.Update})
	ordered := *blockOf(t, "UPDATE t SET a = 1 / b ORDER BY b", &sqltext.Analysis{Kind: sqltext.Update, TotalOrder: true})
	values := *blockOf(t, "INSERT INTO t VALUES (1 / 0), (1000)", &sqltext.Analysis{Kind: sqltext.Insert})
	selected := *blockOf(t, "INSERT INTO t SELECT 1 / b FROM s", &sqltext.Analysis{Kind: sqltext.Insert})
	// What a block read of its table before it: none, one and two rows, and what an observer saw, which need not be what
	// the statement does.
	seen := func(b instrument.Block, view dbms.View, conn instrument.Conn, tables ...string) instrument.Block {
		b.View, b.Depends = view, tables
		if len(tables) > 0 {
			b.VSR = []instrument.Probe{{Role: history.VSR, Conn: conn, Tables: tables}}
		}
		return b
	}
	query := *blockOf(t, "SELECT 1 / b FROM s", &sqltext.Analysis{Kind: sqltext.Select})
	inner := *blockOf(t, "UPDATE t SET a = (SELECT MAX(1 / b) FROM t AS r) WHERE pkey = 1",
		&sqltext.Analysis{Kind: sqltext.Update})
	own := func(b instrument.Block, tables ...string) instrument.Block {
		return seen(b, dbms.Snapshot, instrument.Own, tables...)
	}
	for _, c := range []struct {
		name  string
		block instrument.Block
		bwr   *history.Event
		rows  []int64 // by table, what the read of all its rows saw
		want  int
	}{
		{"a query of two rows", own(query, "s"), nil, []int64{2}, 0}, {"of one", own(query, "s"), nil, []int64{1}, 1},
		{"of none", own(query, "s"), nil, []int64{0}, 1},
		{"of no table", own(*blockOf(t, "SELECT 1 / 0", &sqltext.Analysis{Kind: sqltext.Select})), nil, nil, 1},
		{"a query, and an UPDATE, of which nobody has asked what it reads", own(query), nil, nil, 0},
		{"the UPDATE", own(update), nil, nil, 0},
		{"of two tables", own(query, "s", "t"), nil, []int64{1, 1}, 0},
		{"of what others see", seen(query, dbms.Current, instrument.Committed, "s"), nil, []int64{1}, 0},
		{"an INSERT of two rows of a query", own(selected, "s"), nil, []int64{2}, 0}, {"of one", own(selected, "s"), nil,
			[]int64{1}, 1},
		{"an UPDATE of whatever it finds of one row", own(update, "t"), nil, []int64{1}, 1}, {"of two", own(update, "t"), nil,
			[]int64{2}, 0},
		{"one of one row, by all rows", own(inner, "t"), rows(1), []int64{2}, 0}, {"by one", own(inner, "t"), rows(1),
			[]int64{1}, 1},
	} {
		n := &observe.BlockRun{Block: &c.block, BWR: c.bwr, Target: failed(1690)}
		if len(c.block.VSR) > 0 {
			set := &history.Rows{Columns: []string{"t", "pkey", "vkey"}}
			for table, many := range c.rows {
				for i := range many {
					set.Cells = append(set.Cells, history.IntValue(int64(table)), history.IntValue(i), history.IntValue(i))
				}
			}
			n.VSR = []*history.Event{{Answer: history.Answer{Rows: set}}}
		}
		if got := Compare(p, nil, []*observe.BlockRun{n}, nil,
			&observe.Replayed{Events: []*history.Event{failed(1264)}}); len(got) != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
		n.Waited = true
		if got := Compare(p, nil, []*observe.BlockRun{n}, nil,
			&observe.Replayed{Events: []*history.Event{failed(1264)}}); len(got) != 0 {
			t.Errorf("%s, which waited: %v", c.name, got)
		}
	}
	unknown := func(b instrument.Block) instrument.Block { return seen(b, dbms.Current, instrument.Committed) }
	update, selected = unknown(update), unknown(selected)
	for _, c := range []struct {
		block   instrument.Block
		bwr     *history.Event
		in, out int
		want    int
	}{
		{update, rows(2), 1690, 1264, 0}, {update, nil, 1690, 1264, 0}, {selected, nil, 1365, 1264, 0},
		{update, rows(1), 1690, 1264, 1}, {ordered, rows(2), 1690, 1264, 1}, {values, nil, 1365, 1264, 1},
		{update, rows(2), 1690, 1034, 1}, {update, rows(2), 1213, 1264, 1}, {update, rows(2), 1690, 1054, 1},
	} {
		nodes := []*observe.BlockRun{{Block: &c.block, BWR: c.bwr, Target: failed(c.in)}}
		if got := Compare(p, nil, nodes, nil, &observe.Replayed{Events: []*history.Event{failed(c.out)}}); len(
			got) != c.want {
			t.Errorf("%s: %d and %d: %v", c.block.SQL, c.in, c.out, got)
		}
	}
}

// TestDeclaredTypes: the type that a server declares for a column can depend on the plan (MySQL 9.7 calls
// ((c > 15) * 5) a BIGINT or an INT), the values' own kinds cannot.
func TestDeclaredTypes(t *testing.T) {
	rows := func(declared string, v history.Value) *history.Rows {
		return &history.Rows{Columns: []string{"e0"}, Types: []string{declared}, Cells: []history.Value{v}}
	}
	if d, differ := compareRows(rows("BIGINT", history.IntValue(5)), rows("INT", history.IntValue(5)), true); differ {
		t.Errorf("the same value declared otherwise counts as different: %+v", d)
	}
	d, differ := compareRows(rows("BIGINT", history.IntValue(5)), rows("DOUBLE", history.FloatValue(5)), true)
	if !differ || d.What != fault.Rows {
		t.Errorf("5 and 5.0 count as the same value")
	}
	d, differ = compareRows(rows("TEXT", history.TextValue("5")), rows("BIGINT", history.IntValue(5)), true)
	if !differ || d.What != fault.Rows {
		t.Errorf("'5' and 5 count as the same value")
	}
}

// TestEitherConstraint: of a row that violates two constraints a database may tell either, where it is said to; which
// of them came first the transaction's way, and of no other pair, nor where one of the two did not fail.
func TestEitherConstraint(t *testing.T) {
	block := *blockOf(t, "INSERT INTO t VALUES (1, 2)", &sqltext.Analysis{Kind: sqltext.Insert})
	failed := func(code int) *history.Event {
		e := &history.Event{}
		if code != 0 {
			e.Err = &history.DBError{Code: code}
		}
		return e
	}
	for _, c := range []struct {
		dbms      string
		in, alone int
		differ    int
	}{
		{"tidb", 1452, 1062, 0}, {"tidb", 1062, 1452, 1}, {"tidb", 1452, 1048, 1}, {"tidb", 1452, 0, 1}, {"tidb", 0, 1062, 1},
		{"mysql", 1452, 1062, 1},
	} {
		p := innodb.Level("mysql", "repeatable-read", "REPEATABLE READ")
		if c.dbms == "tidb" {
			p = tidb.Levels()[0]
		}
		n := &observe.BlockRun{Block: &block, Target: failed(c.in)}
		got := Compare(p, nil, []*observe.BlockRun{n}, nil, &observe.Replayed{Events: []*history.Event{failed(c.alone)}})
		if len(got) != c.differ {
			t.Errorf("%s, %d in the transaction and %d alone: %v", c.dbms, c.in, c.alone, got)
		}
	}
}

// TestKeysAsRowsLie: an UPDATE of several rows that PostgreSQL refuses for a key one time and not the other, and what
// comes after it, says nothing; of one row, of columns that are in no key, for another error, and elsewhere it does,
// and so does what came before.
func TestKeysAsRowsLie(t *testing.T) {
	duplicate, other := postgresql.Levels()[0].Errors.Duplicate[0], postgresql.Levels()[0].Errors.ForeignKey[0]
	for name, c := range map[string]struct {
		dbms         string
		unique       bool
		rows         int64
		code, differ int
	}{
		"several rows": {"postgresql", true, 2, duplicate, 1}, "one row": {"postgresql", true, 1, duplicate, 3},
		"no key":        {"postgresql", false, 2, duplicate, 3},
		"another error": {"postgresql", true, 2, other, 3}, "elsewhere": {"mysql", true, 2, 1062, 3},
	} {
		p := innodb.Level("mysql", "repeatable-read", "REPEATABLE READ")
		if c.dbms == "postgresql" {
			p = postgresql.Levels()[0]
		}
		var nodes []*observe.BlockRun
		again := &observe.Replayed{}
		for i := range 3 { // the second one is the UPDATE; the others affect one row, and two
			block := blockOf(t, "UPDATE t SET a = a + 1", &sqltext.Analysis{Kind: sqltext.Update,
				ChecksUnique: c.unique && i == 1})
			done, alone := &history.Event{Answer: history.Answer{Affected: 1}},
				&history.Event{Answer: history.Answer{Affected: 2}}
			if i == 1 {
				done.Affected, alone.Err = c.rows, &history.DBError{Code: c.code}
			}
			nodes, again.Events = append(nodes, &observe.BlockRun{Block: block, Target: done}), append(again.Events, alone)
		}
		if got := Compare(p, nil, nodes, nil, again); len(got) != c.differ {
			t.Errorf("%s: %v, want %d differences", name, got, c.differ)
		}
	}
}

// blockOf is a statement as it was analysed, with its tree.
func blockOf(t *testing.T, text string, info *sqltext.Analysis) *instrument.Block {
	t.Helper()
	for _, d := range []*sql.Dialect{mysql.New(mysql.Server{Product: "MariaDB", Version: 120100}),
		pgtree.New(pgtree.Server{Version: 18}), sqlite.New(3053000)} {
		if stmt, err := d.Parse(text); err == nil {
			return &instrument.Block{SQL: text, Tree: stmt, Info: info}
		}
	}
	t.Fatalf("nobody reads %s", text)
	return nil
}
