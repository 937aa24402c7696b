package guide

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"txweave/dbms"
	"txweave/dbms/registry"
	"txweave/gen"
	"txweave/instrument"
	"txweave/sql/analysis"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// generated is a Maker of a dialect's cases.
type generated struct {
	d       *gen.Dialect
	options gen.Options
}

func (s generated) Seed() uint64                       { return 1 }
func (s generated) Make(n int) (*testcase.Case, error) { return s.Again(gen.CaseSeed(1, n), 0) }
func (s generated) Again(seed, statements uint64) (*testcase.Case, error) {
	o := s.options
	o.Statements = statements
	return gen.Generate(seed, s.d, o)
}

// aim is what cases are changed for.
type aim struct {
	profile *dbms.Profile
	levels  []string
	parser  *analysis.Texts
}

// aimAt returns what cases of a target at a level are changed for, and a source of cases for it.
func aimAt(t testing.TB, name, isolation string) (*aim, generated) {
	t.Helper()
	d, err := registry.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := dbms.Lookup(name, isolation)
	if err != nil {
		t.Fatal(err)
	}
	return &aim{p, d.Dialect.TxnForms.OwnLevels, analysis.TextsOf(sqltext.SyntaxOf(p.DBMS))},
		generated{d.Dialect, gen.Options{Isolation: isolation}}
}

// TestMeet: cases whose transactions are made to meet can be judged, follow from what they are made of, and are others
// than these.
func TestMeet(t *testing.T) {
	for _, target := range profiles {
		g, src := aimAt(t, target[0], target[1])
		used, met := map[string]bool{}, 0
		const cases = 60
		for n := range cases {
			c, err := src.Make(n)
			if err != nil {
				t.Fatal(err)
			}
			before := string(c.Print())
			meet := func() (*testcase.Case, []string) {
				rng := rand.New(rand.NewPCG(3, uint64(n)))
				return Meet(rng, c, g.profile, g.levels, func() *testcase.Case {
					k, _ := src.Again(c.Seed,
						rng.Uint64()|1)
					return k
				})
			}
			m, names := meet()
			if string(c.Print()) != before {
				t.Fatalf("%s: case %d was changed itself", target[0], n)
			}
			if m == nil {
				continue
			}
			met++
			for _, name := range names {
				used[name] = true
			}
			judgeable(t, g, src, m)
			if again, _ := meet(); string(again.Print()) != string(m.Print()) || string(m.Print()) == before {
				t.Errorf("%s: case %d became\n%s\nand then\n%s", target[0], n, m.Print(), again.Print())
			}
			if got := m.Option(optionConflicts); got != strings.Join(names, " ") {
				t.Errorf("%s: case %d says it was made to meet by %q, not %q", target[0], n, got, names)
			}
		}
		if met < cases*9/10 {
			t.Errorf("%s: %d of %d cases were made to meet", target[0], met, cases)
		}
		for _, op := range operators {
			if used[op.name] && op.meets == 0 || !used[op.name] && op.meets >= 14 {
				t.Errorf("%s: by %s: %v", target[0], op.name, used[op.name])
			}
		}
	}
}

// profiles are the levels of targets that cases are changed for.
var profiles = [][2]string{{"sqlite", "serializable"}, {"mariadb", "repeatable-read"}, {"postgresql", "read-committed"}}

// judgeable fails where a case cannot be judged: the instrumenter refuses it, a version has two writers, or its rows
// are others than those of the cases of its seed.
func judgeable(t *testing.T, g *aim, src generated, c *testcase.Case) {
	t.Helper()
	if _, err := instrument.Instrument(c, g.profile); err != nil {
		t.Fatalf("%s: %v\n%s", c.Target, err, c.Print())
	}
	vkeys := map[int64]string{}
	for n := range c.Txns {
		for i, s := range c.Txns[n].Stmts {
			if !sqltext.KindOf(s.SQL).Writes() {
				continue
			}
			a, err := g.parser.Analyze(c.ReadSchema(), s.SQL)
			if err != nil {
				t.Fatal(err)
			}
			if name := (testcase.Ref{Txn: n, Stmt: i}).String(); a.VKey != 0 {
				if by := vkeys[a.VKey]; by != "" {
					t.Errorf("%s and %s write the vkey %d\n%s", by, name, a.VKey, c.Print())
				}
				vkeys[a.VKey] = name
			}
		}
	}
	if base, err := src.Again(c.Seed, 0); err != nil || !slices.Equal(testcase.Texts(base.Rows), testcase.Texts(c.Rows)) {
		t.Errorf("%s: a changed case has other rows than the cases of its seed: %v", c.Target, err)
	}
}

// TestEveryOperator: each operator finds something to do, and what it does can mostly be judged.
func TestEveryOperator(t *testing.T) {
	for _, op := range operators {
		g, src := aimAt(t, "mariadb", "repeatable-read")
		if op.name == "store" { // which MariaDB has not
			g, src = aimAt(t, "sqlite", "serializable")
		}
		did, judged := 0, 0
		for n := 0; did < 12 && n < 60; n++ {
			c, err := src.Make(n)
			if err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(7, uint64(n)))
			m := &mutator{rng: rng, profile: g.profile, levels: g.levels, parser: g.parser, c: c, schema: c.ReadSchema(),
				related: func() *testcase.Case { k, _ := src.Again(c.Seed, rng.Uint64()|1); return k }}
			if had := m.c.Clone(); !op.apply(m) {
				continue
			} else {
				keepsIdentities(t, op.name, had, m.c.Identify())
			}
			did++
			if err := m.check(); err == nil {
				judged++
			}
		}
		if did == 0 || 2*judged < did {
			t.Errorf("%s: changed %d cases of 60, of which %d can be judged", op.name, did, judged)
		}
	}
}

// keepsIdentities fails where two statements have one identity, where one has it that stood in another transaction, or
// where none is left as it was behind a change, which takes out, or says otherwise, one transaction or one statement at
// most.
func keepsIdentities(t *testing.T, change string, before, after *testcase.Case) {
	t.Helper()
	type at struct{ begin, end testcase.StmtID }
	was, in := map[testcase.StmtID]string{}, map[testcase.StmtID]at{}
	for _, x := range before.Txns {
		for _, s := range x.Stmts {
			was[s.ID], in[s.ID] = s.SQL, at{x.Begin.ID, x.End.ID}
		}
	}
	kept, seen := 0, map[testcase.StmtID]bool{}
	for _, x := range after.Txns {
		for _, s := range x.Stmts {
			if stood, old := in[s.ID]; old && stood != (at{x.Begin.ID, x.End.ID}) || seen[s.ID] {
				t.Errorf("%s: %q has the identity %d, which was that of %q", change, s.SQL, s.ID, was[s.ID])
			}
			if seen[s.ID] = true; was[s.ID] == s.SQL {
				kept++
			}
		}
	}
	if change != Template && kept == 0 {
		t.Errorf("%s: none of %d statements is what it was", change, len(was))
	}
}

// TestAfter: a statement runs right behind another one, with what comes before it in its transaction, and nothing else
// moves.
func TestAfter(t *testing.T) {
	text := `txweave case 1
target: sqlite
isolation: serializable

-- schema --
CREATE TABLE t0 (pkey BIGINT NOT NULL PRIMARY KEY);

-- T0 --
BEGIN;
SELECT pkey FROM t0;
DELETE FROM t0;
COMMIT;

-- T1 --
BEGIN;
SELECT pkey FROM t0;
SELECT pkey + 1 FROM t0;
COMMIT;

-- schedule --
`
	for _, x := range []struct {
		schedule, want string
		b, a           place
	}{
		{"T0 T0 T0 T0 T1 T1 T1 T1", "T0 T0 T0 T1 T1 T0 T1 T1", place{1, 0}, place{0, 1}},
		{"T1 T1 T1 T1 T0 T0 T0 T0", "T1 T0 T0 T1 T1 T1 T0 T0", place{1, 0}, place{0, 0}},
		{"T1 T0 T0 T1 T0 T0 T1 T1", "T1 T0 T0 T1 T0 T1 T0 T1", place{1, 1}, place{0, 1}},
	} {
		c, err := testcase.Parse("case.txw", []byte(text+x.schedule+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		m := &mutator{c: c}
		m.after(x.b, x.a)
		var got []string
		for _, n := range m.c.Schedule {
			got = append(got, fmt.Sprintf("T%d", n))
		}
		if s := strings.Join(got, " "); s != x.want {
			t.Errorf("%s: got %s, want %s", x.schedule, s, x.want)
		}
	}
}

// TestSites: which literals a statement has beside its columns.
func TestSites(t *testing.T) {
	schema := sqltext.SyntaxOf("mariadb").Schema(
		[]string{"CREATE TABLE t0 (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT, pvkey BIGINT, c0 INT, c1 VARCHAR(20))",
			"CREATE TABLE t1 (pkey BIGINT NOT NULL PRIMARY KEY, c0 INT)"})
	for sql, want := range map[string]string{
		"UPDATE t0 SET pvkey = vkey, vkey = 1001, c0 = 5 WHERE t0.pkey = 3":                 "t0.c0=5 t0.pkey=3",
		"SELECT r0.pkey FROM t1 AS r0 WHERE r0.pkey IN (1, 2) AND r0.c0 = 7 + 1":            "t1.pkey=1 t1.pkey=2",
		"SELECT 1 FROM t0 AS r0 INNER JOIN t1 AS r1 ON r0.c1 <> 'a' AND r1.c0 >= 4":         "t0.c1='a' t1.c0=4",
		"DELETE FROM t0 WHERE t0.pkey BETWEEN 2 AND 6 AND t0.c0 < -3 AND t0.c1 = t0.c1":     "t0.pkey=2 t0.pkey=6",
		"SELECT r0.vkey FROM t0 AS r0 WHERE r0.vkey = 4 OR r0.c0 = (SELECT 5) OR 3 = r0.c0": "",
	} {
		stmt, err := sqltext.SyntaxOf("mariadb").Tree.Parse(sql)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range sites(schema, stmt) {
			got = append(got, s.table+"."+s.column+"="+s.literal.Text)
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s: got %q, want %q", sql, s, want)
		}
	}
}

// TestFreshKeys: an INSERT that is taken over gets a base that no statement has, and no trigger: what a trigger writes
// has both bases.
func TestFreshKeys(t *testing.T) {
	g, _ := aimAt(t, "mariadb", "repeatable-read")
	schema := []testcase.Stmt{
		{SQL: "CREATE TABLE t0 (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL)"},
		{SQL: "CREATE TABLE t1 (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL)"},
		{SQL: "CREATE TRIGGER tr0 AFTER INSERT ON t0 FOR EACH ROW INSERT INTO t1 (pkey, vkey, pvkey) VALUES (2000 + " +
			"NEW.pkey, NEW.vkey, 0)"},
	}
	c := &testcase.Case{Target: "mariadb", Isolation: "repeatable-read", Schema: schema, Txns: []testcase.Txn{{
		Begin: testcase.Stmt{SQL: "BEGIN"}, End: testcase.Stmt{SQL: "COMMIT"},
		Stmts: []testcase.Stmt{{SQL: "INSERT INTO t1 (pkey, vkey, pvkey) VALUES (4001, 1001, 0)"}}}}}
	m := &mutator{profile: g.profile, parser: g.parser, c: c, schema: sqltext.SyntaxOf("mariadb").Schema(
		testcase.Texts(schema))}
	got, ok := m.fresh("INSERT INTO t0 (pkey, vkey, pvkey) VALUES (4001, 1001, 0), (4002, 1001, 0)")
	if want := "INSERT INTO t0 (pkey, vkey, pvkey) VALUES (8001, 1002, 0), (8002, 1002, 0)"; got != want || !ok {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestWiden: a point becomes a range; what would pass over rows stays as it is.
func TestWiden(t *testing.T) {
	g, src := aimAt(t, "sqlite", "serializable")
	c, err := src.Make(0)
	if err != nil {
		t.Fatal(err)
	}
	schema := sqltext.SyntaxOf("mariadb").Schema(
		[]string{"CREATE TABLE t0 (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT, pvkey BIGINT, c0 INT UNIQUE)"})
	for sql, want := range map[string]string{
		"UPDATE t0 SET pvkey = vkey, vkey = 1001, c0 = 5 WHERE t0.pkey = 3": "UPDATE t0 SET pvkey = vkey, vkey = " +
			"1001, c0 = 5 WHERE t0.pkey BETWEEN ",
		"UPDATE IGNORE t0 SET pvkey = vkey, vkey = 1001, c0 = 5 WHERE t0.pkey = 3": "UPDATE IGNORE t0 SET pvkey = vkey, " +
			"vkey = 1001, c0 = 5 WHERE t0.pkey = 3",
	} {
		c.Txns = []testcase.Txn{{Begin: testcase.Stmt{SQL: "BEGIN"}, Stmts: []testcase.Stmt{{SQL: sql}},
			End: testcase.Stmt{SQL: "COMMIT"}}}
		m := &mutator{rng: rand.New(rand.NewPCG(1, 1)), profile: g.profile, parser: g.parser, c: c, schema: schema}
		did := widen(m)
		if got := c.Txns[0].Stmts[0].SQL; !strings.HasPrefix(got, want) || did == (got == sql) {
			t.Errorf("%s became %s (%v)", sql, got, did)
		}
	}
}

// TestPortable: what bears a name that a case has once, a transaction of another case does not bring along.
func TestPortable(t *testing.T) {
	for dialect, want := range map[string][]int{"mariadb": {0, 2, 3}, "postgresql": {0, 1, 3}} {
		p, err := dbms.Lookup(dialect, "serializable")
		if err != nil {
			t.Fatal(err)
		}
		c := &testcase.Case{}
		for _, frame := range [][2]string{{"BEGIN", "COMMIT"}, {"XA START 'a'", "XA COMMIT 'a'"},
			{"BEGIN", "ROLLBACK PREPARED 'a'"}, {"BEGIN READ ONLY", "ROLLBACK"}} {
			c.Txns = append(c.Txns, testcase.Txn{Begin: testcase.Stmt{SQL: frame[0]}, End: testcase.Stmt{SQL: frame[1]}})
		}
		if got := (&mutator{profile: p}).portable(c); !slices.Equal(got, want) {
			t.Errorf("%s: portable are %v, want %v", dialect, got, want)
		}
	}
}

// TestPatterns: the steps of every pattern can be read, and each transaction of it ends.
func TestPatterns(t *testing.T) {
	for _, p := range patterns {
		ended := map[byte]bool{}
		for _, s := range strings.Fields(p.steps) {
			if ended[s[1]] {
				t.Errorf("%s: %s comes behind the end of its transaction", p.name, s)
			}
			switch {
			case strings.IndexByte("ca", s[0]) >= 0 && len(s) == 2:
				ended[s[1]] = true
			case strings.IndexByte("stl", s[0]) >= 0 && len(s) == 2, strings.IndexByte("rwipnd", s[0]) >= 0 && len(s) == 3 &&
				strings.IndexByte("xyz", s[2]) >= 0:
			default:
				t.Errorf("%s: %s is no step", p.name, s)
			}
		}
		if len(ended) != p.txns() || p.txns() > maxTxns || p.weight <= 0 {
			t.Errorf("%s: %d of %d transactions end", p.name, len(ended), p.txns())
		}
	}
}

// TestNest: nested transactions run whole between two steps of another one, and a late one behind all others.
func TestNest(t *testing.T) {
	_, src := aimAt(t, "sqlite", "serializable")
	for n := range 40 {
		c, err := src.Make(n)
		if err != nil {
			t.Fatal(err)
		}
		m := &mutator{rng: rand.New(rand.NewPCG(1, uint64(n))), c: c}
		if nest(m) && !slices.ContainsFunc(m.c.Schedule, func(outer int) bool {
			return encloses(m.c.Schedule, outer, m.c.Txns)
		}) {
			t.Errorf("case %d: no transaction runs between two steps of another one: %v", n, m.c.Schedule)
		}
		if late(m) {
			last := m.c.Schedule[len(m.c.Schedule)-1]
			if steps := m.c.Txns[last].Steps(); slices.ContainsFunc(m.c.Schedule[len(m.c.Schedule)-steps:], func(i int) bool {
				return i != last
			}) {
				t.Errorf("case %d: nobody begins when all others have ended: %v", n, m.c.Schedule)
			}
		}
		for i := range m.c.Txns {
			if got := len(m.c.StepsOf(i)); got != m.c.Txns[i].Steps() {
				t.Errorf("case %d: T%d has %d steps, the schedule %d", n, i, m.c.Txns[i].Steps(), got)
			}
		}
	}
}

// encloses says whether the steps of some transaction stand together between two steps of another one.
func encloses(schedule []int, outer int, txns []testcase.Txn) bool {
	first, last := slices.Index(schedule, outer), 0
	for i, n := range schedule {
		if n == outer {
			last = i
		}
	}
	for i := first + 1; i < last; i++ {
		inner := schedule[i]
		if end := i + txns[inner].Steps(); inner != outer && end <= last && !slices.ContainsFunc(schedule[i:end],
			func(n int) bool { return n != inner }) {
			return true
		}
	}
	return false
}

// TestRareSettings: a plan setting that costs much is as rare in mutants as it is in cases, and comes.
func TestRareSettings(t *testing.T) {
	g, src := aimAt(t, "postgresql", "repeatable-read")
	c, err := src.Make(0)
	if err != nil {
		t.Fatal(err)
	}
	for key, change := range map[string]func(*mutator) bool{testcase.OptionPlan: plan, testcase.OptionSetting: session} {
		m := &mutator{rng: rand.New(rand.NewPCG(1, 1)), profile: g.profile, parser: g.parser, c: c}
		drawn := map[string]int{}
		for range 10000 {
			change(m)
			drawn[m.c.Option(key)]++
		}
		if rare, usual := drawn["parallel"], drawn["parallel-leader"]; rare == 0 || 16*rare > usual {
			t.Errorf("%s: %d cases with rare settings, %d with those in their places", key, rare, usual)
		}
	}
}
