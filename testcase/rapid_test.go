package testcase

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"txweave/sql/sqltext"
)

// fragments are the pieces that random SQL is made of: what the splitter must not trip over.
var fragments = []string{
	"SELECT", "1", " ", "\n", "\r\n", "\t", "x", ",", "(", ")", "-", "--", "--1", "-- c\n", "#c\n", "# ; ' \" `\n",
	"/* ; ' */", "/**/", "/*/*/",
	`'a'`, `'it''s'`, `'it\'s;'`, `'\\'`, `"a;""\""`, "`a;``\\`", "'\n-- rows --\n'", "/*\n-- T1 --\n*/", "'\r\n'",
	"'# no comment'", "\n-- note --\n",
	"ü", "\x00", "\xff", "T0", "COMMIT", "BEGIN", "-- ", "'#;", "\\", "/", "*", "''", ";", "'", "-- T0 --",
}

// sqlGen draws statements that Validate accepts, as many as it can from nasty pieces.
func sqlGen() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		pieces := rapid.SliceOfN(rapid.SampledFrom(fragments), 0, 12).Draw(t, "pieces")
		sql := strings.Trim(strings.Join(pieces, ""), space)
		if checkSQL(sql, firstLexer) != nil || frames(sql) {
			return "SELECT " + rapid.SampledFrom([]string{"'a;b'", "1 -- c", "2 # c", "3\n\n,4", "5 --"}).Draw(t, "tame")
		}
		return sql
	})
}

// frames says whether a text opens or ends a transaction of some target.
func frames(sql string) bool {
	return slices.ContainsFunc([]string{"mariadb", "sqlite", "postgresql"}, func(target string) bool {
		kind := (&Case{Target: target}).Read(sql).Kind
		return kind == sqltext.Begin || kind == sqltext.Commit || kind == sqltext.Rollback
	})
}

func commentsGen() *rapid.Generator[[]string] {
	line := rapid.SampledFrom([]string{"#", "# note", "#;", "# it's", "# -- T0 --", "#\tü\x00"})
	return rapid.Custom(func(t *rapid.T) []string {
		return orNil(rapid.SliceOfN(line, 0, 2).Draw(t, "comments"))
	})
}

func stmtGen() *rapid.Generator[Stmt] {
	return rapid.Custom(func(t *rapid.T) Stmt {
		return Stmt{Comments: commentsGen().Draw(t, "comments"), SQL: sqlGen().Draw(t, "sql")}
	})
}

func caseGen() *rapid.Generator[*Case] {
	stmts := rapid.SliceOfN(stmtGen(), 0, 4)
	begin := rapid.SampledFrom([]string{"BEGIN", "begin immediate", "START TRANSACTION", "start /* c */\ntransaction # ;",
		"BEGIN -- c"})
	end := rapid.SampledFrom([]string{"COMMIT", "ROLLBACK", "/* x */ rollback", "COMMIT # c"})
	value := rapid.SampledFrom([]string{"a", "a: b", "# x", "-- rows --", "", "ü", "0.1.0  b", "'", "\xff"})
	return rapid.Custom(func(t *rapid.T) *Case {
		c := &Case{
			Comments:  commentsGen().Draw(t, "comments"),
			Tool:      value.Draw(t, "tool"),
			Seed:      rapid.Uint64().Draw(t, "seed"),
			Target:    rapid.SampledFrom([]string{"mariadb", "sqlite"}).Draw(t, "target"),
			Isolation: "repeatable-read",
			Schema:    orNil(stmts.Draw(t, "schema")),
			Rows:      orNil(stmts.Draw(t, "rows")),
			Tail:      commentsGen().Draw(t, "tail"),
		}
		keys := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z][A-Za-z0-9._-]{3}`), 0, 3, rapid.ID[string])
		for _, k := range keys.Draw(t, "keys") {
			if !slices.Contains([]string{fieldTool, fieldSeed, fieldStatements}, k) {
				c.Options = append(c.Options, Option{Key: k, Value: value.Draw(t, "value")})
			}
		}
		for range rapid.IntRange(1, 12).Draw(t, "txns") {
			txn := Txn{
				Begin: Stmt{Comments: commentsGen().Draw(t, "comments"), SQL: begin.Draw(t, "begin")},
				Stmts: orNil(stmts.Draw(t, "stmts")),
				End:   Stmt{Comments: commentsGen().Draw(t, "comments"), SQL: end.Draw(t, "end")},
			}
			c.Txns = append(c.Txns, txn)
		}
		c.Schedule = rapid.Permutation(c.SerialSchedule()).Draw(t, "schedule")
		if rapid.Bool().Draw(t, "sessions") {
			c.Schedule = c.SerialSchedule()
			for n := range c.Txns {
				c.Txns[n].Session = rapid.IntRange(0, 2).Draw(t, "session")
			}
		}
		if c.Number(); rapid.Bool().Draw(t, "edited") {
			ids := rapid.SliceOfNDistinct(rapid.IntRange(1, 99), len(c.Schedule), len(c.Schedule), rapid.ID[int]).Draw(t,
				"identities")
			for s := range c.steps() {
				s.ID, ids = StmtID(ids[0]), ids[1:]
			}
			c.Identify()
			c.given += StmtID(rapid.IntRange(0, 2).Draw(t, "gone"))
		}
		return c
	})
}

func orNil[T any](s []T) []T {
	if len(s) == 0 {
		return nil
	}
	return s
}

// TestPrintParse: printing and parsing is the identity on valid cases, the line width of the schedule holds,
// and a clone is equal.
func TestPrintParse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := caseGen().Draw(t, "case")
		checkIdentity(t, c)
		if !reflect.DeepEqual(c, c.Clone()) {
			t.Fatalf("clone differs")
		}
		_, schedule, _ := bytes.Cut(c.Print(), []byte("\n-- schedule --\nT"))
		for _, line := range bytes.Split(schedule, []byte("\n")) {
			if len(line) > scheduleWidth && line[0] == 'T' {
				t.Fatalf("schedule line of %d bytes: %s", len(line), line)
			}
		}
	})
}

// TestPrintParseSecond: so it is of cases that only the second version can hold.
func TestPrintParseSecond(t *testing.T) {
	own := map[string]string{"sqlite": "SELECT '\\'", "postgresql": "SELECT $a$ ; ' $a$", "mariadb": "SELECT '\\''"}
	rapid.Check(t, func(t *rapid.T) {
		target := rapid.SampledFrom([]string{"sqlite", "postgresql", "mariadb"}).Draw(t, "target")
		lexis := sqltext.SyntaxOf(target).Quoting
		piece := rapid.SliceOfN(rapid.SampledFrom(append([]string{"$a$", "$$", "E'\\''", "[a;]"}, fragments...)), 0, 8)
		stmt := func() Stmt {
			sql := strings.Trim(strings.Join(piece.Draw(t, "pieces"), ""), space)
			if checkSQL(sql, lexis) != nil || frames(sql) || !isKey(sql[:1]) {
				sql = own[target]
			}
			return Stmt{Comments: commentsGen().Draw(t, "comments"), SQL: sql}
		}
		c := &Case{Target: target, Isolation: "repeatable-read", Rows: []Stmt{stmt(), {SQL: own[target]}}}
		for n := range rapid.IntRange(1, 3).Draw(t, "txns") {
			c.Txns = append(c.Txns, Txn{Session: n % 2, Begin: Stmt{SQL: "BEGIN"}, Stmts: []Stmt{stmt()},
				End: Stmt{SQL: "COMMIT"}})
		}
		for n := range rapid.IntRange(0, 2).Draw(t, "sessions") {
			if n == 0 || len(c.Txns) > 1 {
				c.Sessions = append(c.Sessions, SessionSettings{Number: n,
					Stmts: []Stmt{{Comments: commentsGen().Draw(t, "comments"), SQL: "SET a = 1"}}})
			}
		}
		c.Schedule = c.SerialSchedule()
		c.Number()
		want := 2
		if target == "mariadb" && len(c.Sessions) == 0 {
			want = 1
		}
		if c.version() != want {
			t.Fatalf("version %d, want %d", c.version(), want)
		}
		checkIdentity(t, c)
		if !reflect.DeepEqual(c, c.Clone()) {
			t.Fatalf("clone differs")
		}
	})
}

// TestParseCRLF: a file with CRLF line ends is the same case, where no literal holds a line end.
func TestParseCRLF(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := caseGen().Draw(t, "case")
		text := bytes.ReplaceAll(c.Print(), []byte("\r\n"), []byte("\n"))
		c, err := Parse("lf", text)
		if err != nil {
			t.Fatalf("%v", err)
		}
		d, err := Parse("crlf", bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n")))
		if err != nil {
			t.Fatalf("%v", err)
		}
		if !reflect.DeepEqual(c, d) {
			t.Fatalf("CRLF reads differently:\n%#v\n%#v", c, d)
		}
	})
}

// FuzzParse: no text makes Parse panic, an error is one line with name and line number, and a text that
// parses prints as a canonical one.
func FuzzParse(f *testing.F) {
	f.Add([]byte(small))
	f.Add([]byte("\ufeff# c\r\n" + strings.ReplaceAll(small, "\n", "\r\n")))
	for i := range 20 {
		f.Add(caseGen().Example(i).Print())
	}
	for _, piece := range fragments {
		f.Add([]byte(small + "-- T1 --\nBEGIN;" + piece + ";COMMIT;\n-- schedule --\nT0 T1 T0 T1 T1 # c\n#"))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := Parse("case.txw", text)
		if err != nil {
			if msg := err.Error(); !strings.HasPrefix(msg, "case.txw:") || strings.ContainsAny(msg, "\n\r") {
				t.Fatalf("bad message %q", msg)
			}
			return
		}
		checkIdentity(t, c)
	})
}
