package sqltext

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"pgregory.net/rapid"
)

// TestGolden runs the commands of testdata: read and tokens, with "ansi" or "postgresql" for the quoting of the SQL
// standard or PostgreSQL's.
func TestGolden(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			q := MySQL
			switch {
			case d.HasArg("ansi"):
				q = ANSI
			case d.HasArg("postgresql"):
				q = PostgreSQL
			}
			var b strings.Builder
			switch d.Cmd {
			case "read": // a statement a line
				for _, sql := range strings.Split(d.Input, "\n") {
					s := q.Read(sql)
					var named []string
					for _, n := range s.Named {
						named = append(named, n.String())
					}
					fmt.Fprintf(&b, "%s target [%s] tables %v named %v\n", s.Kind, s.Written, s.Tables(), named)
				}
			case "tokens":
				for tok := range q.Tokens(d.Input) {
					open := ""
					if tok.Open {
						open = " open"
					}
					fmt.Fprintf(&b, "%s %q%s\n", [...]string{"blank", "comment", "executable", "word", "name", "literal",
						"symbol"}[tok.Kind], tok.Text, open)
				}
			case "calls": // a statement a line
				for _, sql := range strings.Split(d.Input, "\n") {
					session, harmful := q.Read(sql).Calls()
					fmt.Fprintf(&b, "session %v harmful %v\n", session, harmful)
				}
			default:
				t.Fatalf("unknown command %s", d.Cmd)
			}
			return b.String()
		})
	})
}

func TestInner(t *testing.T) {
	for text, want := range map[string]string{
		"/*!50001 CREATE VIEW v */":      " CREATE VIEW v ",
		"/*! STRAIGHT_JOIN */":           " STRAIGHT_JOIN ",
		"/*M!100400 INVISIBLE */":        " INVISIBLE ",
		"/*T![auto_rand] AUTO_RANDOM */": " AUTO_RANDOM ",
		"/*!1 + 1 */":                    "1 + 1 ",
	} {
		if tok := MySQL.Next(text, 0); tok.Kind != Executable || tok.Inner() != want {
			t.Errorf("%s: %q", text, tok.Inner())
		}
		if tok := ANSI.Next(text, 0); tok.Kind != Comment {
			t.Errorf("%s is no comment of SQLite", text)
		}
	}
}

func TestBeginOptions(t *testing.T) {
	for sql, want := range map[string]string{
		"BEGIN": "", "begin work": "", "START TRANSACTION": "", "BEGIN TRANSACTION": "", "BEGIN IMMEDIATE": "IMMEDIATE",
		"begin /* OPTIMISTIC */":                                  "",
		"START  TRANSACTION\nWITH consistent SNAPSHOT, READ ONLY": "WITH CONSISTENT SNAPSHOT READ ONLY",
	} {
		if got := strings.Join(BeginOptions(sql), " "); got != want {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
	}
}

// TestTokensJoin: the tokens of any text are the text, and a token is never empty.
func TestTokensJoin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOf(rapid.SampledFrom([]string{"'", "\"", "`", "[", "]", "\\", "a", "1", ".", "/*", "*/", "!",
			"--", " ", "\n", "#", ";", "(", "é", "$", "E", "$x$"})).Draw(t, "text")
		sql := strings.Join(pieces, "")
		for _, q := range []Quoting{MySQL, ANSI, PostgreSQL} {
			var b strings.Builder
			for tok := range q.Tokens(sql) {
				if tok.Text == "" {
					t.Fatalf("an empty token in %q", sql)
				}
				b.WriteString(tok.Text)
			}
			if b.String() != sql {
				t.Fatalf("%q became %q", sql, b.String())
			}
			q.Read(sql) // must not panic
		}
	})
}

// TestUnquote checks each kind of token and what it names.
func TestUnquote(t *testing.T) {
	var got []string
	kinds := "SCEWNLY"
	for token := range Tokens("SELECT `a``b`, \"x\" FROM t0/*c*/ WHERE c='it''s'--1 -- end") {
		got = append(got, kinds[token.Kind:token.Kind+1]+token.Unquote())
	}
	want := "WSELECT|S |Na`b|Y,|S |Nx|S |WFROM|S |Wt0|C/*c*/|S |WWHERE|S |Wc|Y=|Lit's|Y-|Y-|W1|S |C-- end"
	if strings.Join(got, "|") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "|"), want)
	}
}
