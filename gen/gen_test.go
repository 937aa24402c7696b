package gen

import (
	"crypto/sha256"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/pingcap/tidb/pkg/parser"
	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/format"
	_ "github.com/pingcap/tidb/pkg/parser/test_driver"

	"txweave/sql"
	"txweave/sql/analysis"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// render prints a case for the tests. The tests do not depend on the file format.
func render(c *testcase.Case) string {
	var b strings.Builder
	for _, s := range c.Schema {
		fmt.Fprintln(&b, s.SQL)
	}
	for _, s := range c.Rows {
		fmt.Fprintln(&b, s.SQL)
	}
	for i, t := range c.Txns {
		fmt.Fprintf(&b, "-- txn %d\n", i)
		if t.Session != 0 {
			fmt.Fprintf(&b, "-- session %d\n", t.Session)
		}
		fmt.Fprintln(&b, t.Begin.SQL)
		for _, s := range t.Stmts {
			fmt.Fprintln(&b, s.SQL)
		}
		fmt.Fprintln(&b, t.End.SQL)
	}
	fmt.Fprintln(&b, "-- schedule", c.Schedule)
	return b.String()
}

// must generates a case of a dialect.
func must(t testing.TB, d *Dialect, seed uint64, o Options) *testcase.Case {
	t.Helper()
	c, err := Generate(seed, d, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestGolden(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, td *datadriven.TestData) string {
			var dialect, isolation string
			var seed, n uint64
			td.ScanArgs(t, "dialect", &dialect)
			td.ScanArgs(t, "isolation", &isolation)
			td.ScanArgs(t, "seed", &seed)
			d := testDialect(t, dialect)
			o := Options{Isolation: isolation}
			switch td.Cmd {
			case "case":
				return render(must(t, d, seed, o))
			case "hash":
				td.ScanArgs(t, "cases", &n)
				h := sha256.New()
				for i := range n {
					fmt.Fprint(h, render(must(t, d, CaseSeed(seed, int(i)), o)))
				}
				return fmt.Sprintf("%x\n", h.Sum(nil)[:8])
			default:
				return "unknown command"
			}
		})
	})
}

func TestSameSeedSameCase(t *testing.T) {
	for _, d := range TestDialects {
		for i := range 50 {
			seed := CaseSeed(7, i)
			a, b := must(t, d, seed, Options{}), must(t, d, seed, Options{})
			if !reflect.DeepEqual(a, b) {
				t.Fatalf("%s seed %d: two different cases", d.Name, seed)
			}
		}
	}
}

func TestCaseSeedSpreads(t *testing.T) {
	seen := map[uint64]bool{}
	for campaign := range uint64(100) {
		for n := range 100 {
			seen[CaseSeed(campaign, n)] = true
		}
	}
	if len(seen) != 100*100 {
		t.Fatalf("%d different seeds of %d", len(seen), 100*100)
	}
}

func TestUnusableOptions(t *testing.T) {
	for _, o := range []Options{
		{Tables: Range{3, 2}}, {Columns: Range{0, 4}}, {Rows: Range{-1, 4}}, {Txns: Range{0, 1}}, {Refs: -1},
		{Weights: map[string]int{"selcet": 1}}, {Weights: map[string]int{"select": -1}},
		{Weights: map[string]int{"base": 0, "derived": 0}},
	} {
		if _, err := Generate(1, testDialect(t, "sqlite"), o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
}

func TestProductionNames(t *testing.T) {
	seen := map[string]int{}
	for _, table := range groups {
		for _, e := range table.entries {
			seen[e.name]++
		}
	}
	for name, n := range seen {
		if n > 1 {
			t.Errorf("production %q occurs %d times", name, n)
		}
	}
	for _, d := range TestDialects {
		if err := checkWeights(d.Capabilities.Weights); err != nil {
			t.Errorf("%s: %v", d.Name, err)
		}
	}
}

// TestMissing: for a version that has nothing of what newer ones have there are cases still.
func TestMissing(t *testing.T) {
	for _, d := range TestDialects {
		without := map[string]int{}
		for _, name := range Missing(d, "0") {
			without[name] = 0
		}
		if _, err := Generate(1, d, Options{Weights: without}); err != nil {
			t.Errorf("%s: %v", d.Name, err)
		}
	}
}

// TestWithoutSets: who wants no set operations is asked none by a transaction that reads what it wrote either; the
// others are.
func TestWithoutSets(t *testing.T) {
	for _, d := range TestDialects {
		for weight, want := range map[int]bool{0: false, 30: true} {
			back := false
			for i := range 60 {
				_, uses, err := GenerateTold(CaseSeed(5, i), d, Options{Weights: map[string]int{"set": weight}})
				if err != nil {
					t.Fatal(err)
				}
				back = back || uses["set-back"]
			}
			if back != want {
				t.Errorf("%s: set operations of weight %d: of own writes %v", d.Name, weight, back)
			}
		}
	}
}

// TestOwnRows: a range in a set operation of an UPDATE's condition names no row that the UPDATE writes.
func TestOwnRows(t *testing.T) {
	g := &generator{uses: map[string]bool{}, d: testDialect(t, "mysql"), style: plainStyle, txn: &txnState{}}
	o, err := Options{}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	g.o = o
	g.reseed(3, o.Depth)
	g.schema()
	g.rows()
	ranges := 0
	for range 200 {
		g.startStmt()
		constant := 0
		sc := &scope{}
		g.addTable(sc, g.tables[0])
		if where := g.operandWhere(sc, &constant); where != nil && strings.Contains(sql.Tell(where), "pkey") {
			ranges++
		}
		if len(g.named) > 0 {
			t.Fatalf("names rows %v", g.named)
		}
	}
	if ranges < 20 {
		t.Errorf("%d ranges", ranges)
	}
}

// TestEveryProduction checks that no production is dead: where it has all the weight, or nearly all, cases come out.
func TestEveryProduction(t *testing.T) {
	for _, d := range TestDialects {
		for _, table := range groups {
			for _, e := range table.entries {
				if w, ok := d.Capabilities.Weights[e.name]; ok && w == 0 {
					continue
				}
				for i := range 3 {
					must(t, d, CaseSeed(9, i), Options{Weights: map[string]int{e.name: 1000}})
				}
			}
		}
	}
}

// restore prints a statement the way the instrumenter does.
func restore(t testing.TB, n ast.Node) string {
	t.Helper()
	var b strings.Builder
	flags := format.RestoreStringSingleQuotes | format.RestoreKeyWordUppercase | format.RestoreStringWithoutCharset
	if err := n.Restore(format.NewRestoreCtx(flags, &b)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// parseOne parses one statement.
func parseOne(t testing.TB, p *parser.Parser, sql string) ast.StmtNode {
	t.Helper()
	n, err := p.ParseOneStmt(sql, "", "")
	if err != nil {
		t.Fatalf("%v\n%s", err, sql)
	}
	return n
}

// readable fails where the dialect's own grammar does not read a statement.
func readable(t testing.TB, d *Dialect, c *testcase.Case, sql string) {
	t.Helper()
	read := c.Read(sql)
	if _, lock := read.AdvisoryLock(); lock || !read.Kind.IsTarget() {
		return // no statement of rows
	}
	if _, err := analysis.TextsOf(sqltext.SyntaxOf(d.Name)).Analyze(c.ReadSchema(), sql); err != nil {
		t.Fatal(err)
	}
}

// ownForms are clauses that TiDB's parser does not know, or keywords before them.
var ownForms = regexp.MustCompile(` OR IGNORE | ON CONFLICT | RETURNING |^CREATE INDEX .* WHERE `)

// common says whether TiDB's parser reads a statement. Of SQLite's it reads those that have none of its own words.
func common(d *Dialect, sql string) bool {
	if d.Name == "sqlite" {
		_, err := parser.New().ParseOneStmt(sql, "", "")
		return err == nil
	}
	return d.Name != "postgresql" && !ownForms.MatchString(sql)
}

func TestParses(t *testing.T) {
	p := parser.New()
	for _, d := range TestDialects {
		count := 0
		for i := 0; count < parsed(); i++ {
			c := must(t, d, CaseSeed(1, i), Options{Isolation: "repeatable-read"})
			stmts := append(append([]testcase.Stmt{}, c.Schema...), c.Rows[:min(3, len(c.Rows))]...)
			for _, txn := range c.Txns {
				for _, s := range txn.Stmts {
					if sqltext.KindOf(s.SQL).IsTarget() {
						stmts = append(stmts, s)
						count++
					}
				}
			}
			for _, s := range stmts {
				s.SQL = strings.TrimSuffix(s.SQL, d.TableForms.WithoutNumber) // definitions are not parsed
				s.SQL = strings.TrimSuffix(s.SQL, " WITH SYSTEM VERSIONING")
				s.SQL = strings.ReplaceAll(s.SQL, " COLLATE NOCASE", "")
				s.SQL = strings.ReplaceAll(s.SQL, " DEFERRABLE INITIALLY DEFERRED", "")
				if strings.HasPrefix(s.SQL, "CREATE TRIGGER ") {
					continue
				}
				if !common(d, s.SQL) {
					readable(t, d, c, s.SQL)
					continue
				}
				once := restore(t, parseOne(t, p, s.SQL))
				if twice := restore(t, parseOne(t, p, once)); once != twice {
					t.Fatalf("restoring is not stable:\n%s\n%s\n%s", s.SQL, once, twice)
				}
			}
		}
	}
}

// TestShape checks what the rest of txweave relies on.
func TestShape(t *testing.T) {
	p := parser.New()
	for _, d := range TestDialects {
		for i := range 50 {
			c := must(t, d, CaseSeed(2, i), Options{Tool: "x", Isolation: "serializable",
				Weights: map[string]int{"no-op-update": 0, "no-version-key": 0, "ddl-checkpoint": 0}})
			if c.Target != d.Name || c.Tool != "x" || c.Isolation != "serializable" {
				t.Fatalf("header: %+v", c)
			}
			txns := slices.DeleteFunc(slices.Clone(c.Txns), func(t testcase.Txn) bool { // what changes tables comes on top
				return t.Autocommit() && !sqltext.KindOf(t.Stmts[0].SQL).IsTarget()
			})
			if len(c.Rows) > 80 || len(txns) < 2 || len(txns) > 6 {
				t.Fatalf("%d rows, %d transactions", len(c.Rows), len(txns))
			}
			left := make([]int, len(c.Txns))
			stmts := 0
			vkeys := map[string]bool{}
			for i, txn := range c.Txns {
				left[i] = txn.Steps()
				for _, s := range txn.Stmts {
					if _, scratch := c.Read(s.SQL).Scratch(); scratch {
						stmts++
						continue
					}
					read := c.Read(s.SQL)
					if _, locks := read.AdvisoryLock(); locks || !read.Kind.IsTarget() { // what locks comes on top
						continue
					}
					stmts++
					if !common(d, s.SQL) {
						readable(t, d, c, s.SQL)
						continue
					}
					checkStmt(t, parseOne(t, p, s.SQL), s.SQL, vkeys)
				}
			}
			if stmts < 8 || stmts > 16 {
				t.Fatalf("%d statements", stmts)
			}
			for _, i := range c.Schedule {
				left[i]--
			}
			for i, n := range left {
				if n != 0 {
					t.Fatalf("schedule leaves %d steps of transaction %d", n, i)
				}
			}
		}
	}
}

// TestStyles: most cases leave a part of the grammar out, and each part is there in some; cases are mostly small, and
// some have no rows at all.
func TestStyles(t *testing.T) {
	const cases = 400
	uses := map[string]int{}
	rows, empty, tables := 0, 0, map[int]int{}
	for i := range cases {
		c := must(t, testDialect(t, "mysql"), CaseSeed(4, i), Options{Isolation: "repeatable-read"})
		text := render(c)
		for _, word := range []string{"UNION", "JOIN", "OVER", "WITH", "DELETE", "CASE", "EXISTS", "LIKE", "FOR UPDATE",
			"GROUP BY"} {
			if strings.Contains(text, word) {
				uses[word]++
			}
		}
		rows += len(c.Rows)
		tables[strings.Count(text, "CREATE TABLE")]++
		if len(c.Rows) == 0 {
			empty++
		}
	}
	for word, n := range uses {
		if n < cases/20 || n > cases*19/20 {
			t.Errorf("%s in %d of %d cases", word, n, cases)
		}
	}
	if len(uses) < 10 || rows/cases < 10 || rows/cases > 30 || empty == 0 || empty > cases/8 || len(tables) < 5 ||
		tables[1] < cases/4 {
		t.Errorf("uses %v, %d rows, %d cases without rows, tables %v", uses, rows, empty, tables)
	}
}

// TestNaturalJoin: what a NATURAL JOIN compares does not depend on which columns a table has by then: one may be added
// beside the transactions.
func TestNaturalJoin(t *testing.T) {
	joins := 0
	for i := range 60 {
		text := render(must(t, testDialect(t, "mariadb"), CaseSeed(6, i), Options{Isolation: "read-committed",
			Weights: map[string]int{"natural-join": 500}}))
		joins += strings.Count(text, " NATURAL ")
		if m := regexp.MustCompile(`NATURAL (LEFT )?JOIN t\d`).FindString(text); m != "" {
			t.Fatalf("%s: the columns of a whole table", m)
		}
	}
	if joins < 20 {
		t.Errorf("%d NATURAL JOINs in 60 cases", joins)
	}
}

// TestRecentRows: statements go for rows that other transactions have just committed, or are about to.
func TestRecentRows(t *testing.T) {
	inserted := regexp.MustCompile(`^INSERT INTO (t\d) .* VALUES \((\d+),`)
	point := regexp.MustCompile(`^(?:UPDATE|DELETE FROM) (t\d) .*pkey = (\d+)$`)
	hits := 0
	for i := range 800 {
		c := must(t, testDialect(t, "tidb"), CaseSeed(5, i), Options{Isolation: "read-committed"})
		next, by := make([]int, len(c.Txns)), map[string]int{}
		for _, at := range c.Schedule {
			sql := c.Txns[at].Step(next[at]).SQL
			next[at]++
			if m := inserted.FindStringSubmatch(sql); m != nil {
				by[m[1]+" "+m[2]] = at + 1
			}
			if m := point.FindStringSubmatch(sql); m != nil && by[m[1]+" "+m[2]] > 0 && by[m[1]+" "+m[2]] != at+1 {
				hits++
			}
		}
	}
	if hits < 25 {
		t.Errorf("%d point writes of rows that another transaction had inserted, in 800 cases", hits)
	}
}

// TestSessions: some cases have sessions that run several transactions, never two at once and never all in one.
func TestSessions(t *testing.T) {
	shared := 0
	for i := range 200 {
		c := must(t, testDialect(t, "sqlite"), CaseSeed(3, i), Options{Isolation: "serializable"})
		if err := c.Validate(); err != nil {
			t.Fatal(err)
		}
		before, ok := c.Predecessors(c.Schedule)
		if !ok {
			t.Fatalf("case %d: transactions of one session overlap", i)
		}
		first := 0
		for _, b := range before {
			if b < 0 {
				first++
			}
		}
		if first < len(c.Txns) {
			shared++
		}
		if first < 2 {
			t.Fatalf("case %d: all transactions in one session", i)
		}
	}
	if shared < 20 || shared > 140 {
		t.Errorf("%d of 200 cases have a session of several transactions", shared)
	}
}

// checkStmt checks the version bookkeeping of one statement.
func checkStmt(t *testing.T, n ast.StmtNode, sql string, vkeys map[string]bool) {
	t.Helper()
	vkey := ""
	switch s := n.(type) {
	case *ast.UpdateStmt:
		for i := 0; i < len(s.List); i++ { // of each table that it writes
			if as := s.List[i].Column; as.Name.L != "pvkey" {
				if vkey == "" {
					t.Fatalf("bookkeeping: %s", sql)
				}
				continue
			}
			next := s.List[i+1]
			if e := restore(t, s.List[i].Expr); !strings.HasSuffix(e, "vkey") || next.Column.Name.L != "vkey" || vkey != "" &&
				restore(t, next.Expr) != vkey {
				t.Fatalf("bookkeeping: %s", sql)
			}
			i, vkey = i+1, restore(t, next.Expr)
		}
	case *ast.InsertStmt:
		if s.Select != nil {
			vkey = restore(t, s.Select.(*ast.SelectStmt).Fields.Fields[1].Expr)
			break
		}
		for _, row := range s.Lists {
			vkey = restore(t, row[1])
			if pvkey := restore(t, row[2]); pvkey != "0" {
				t.Fatalf("pvkey %s: %s", pvkey, sql)
			}
		}
	default:
		return
	}
	if len(vkey) < 4 || vkeys[vkey] {
		t.Fatalf("vkey %q is not new: %s", vkey, sql)
	}
	vkeys[vkey] = true
}
