package trees

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"txweave/sql"
)

// PrintAndRead holds that whatever tree of a language's is built, what is printed of it is read as that tree; that what
// was read prints its own bytes, and printed anew the same text.
func PrintAndRead(t *testing.T, d *sql.Dialect, language Language) {
	t.Helper()
	rapid.Check(t, func(rt *rapid.T) {
		stmt := Statement(language).Draw(rt, "tree")
		text, err := d.Print(stmt)
		if err != nil {
			rt.Fatal(sql.Tell(stmt), err)
		}
		read, err := d.Parse(text)
		if err != nil || !sql.Equal(stmt, read) {
			rt.Fatal(text, err)
		}
		if again, err := d.Print(read); err != nil || again != text {
			rt.Fatal(text, again, err)
		}
		if anew, err := d.Reprint(read); err != nil || anew != text {
			rt.Fatal(text, anew, err)
		}
	})
}

// Read holds a tree that was read against its text.
func Read(t testing.TB, d *sql.Dialect, stmt sql.Stmt, text string) {
	t.Helper()
	if got, err := d.Print(stmt); err != nil || got != text {
		t.Errorf("%.300s\nis printed %.300s, %.300v", text, got, err)
	}
	anew, err := d.Reprint(stmt)
	if len(anew) > sql.MaxLength { // spaces make it longer
		return
	}
	if err != nil {
		t.Errorf("%.300s: %.300v", text, err)
	}
	if sql.Rewrite(stmt, func(n sql.Node) sql.Node { return n }) != stmt {
		t.Errorf("%.300s: where nothing changes the tree is another one", text)
	}
	again, err := d.Parse(anew)
	if err != nil || !sql.Equal(stmt, again) {
		t.Errorf("%.300s\nis printed anew %.300s, %.300v", text, anew, err)
	}
}

// Placed holds each node's place against the one of what it stands in.
func Placed(t testing.TB, stmt sql.Stmt, text string) {
	t.Helper()
	var within func(n sql.Node, from, to int)
	within = func(n sql.Node, from, to int) {
		first, last, ok := sql.Span(n)
		if !ok || first < from || last > to || first >= last {
			t.Errorf("%s\n%T stands at %d to %d, in what stands at %d to %d", text, n, first, last, from, to)
		}
		sql.Walk(n, func(child sql.Node) bool {
			if child != n {
				within(child, first, last)
			}
			return child == n
		})
	}
	within(stmt, 0, len(text))
}

// Fuzz holds that whatever the text, beginning with those of testdata/golden, it is read or refused; that what is read
// prints its bytes, and printed anew reads as the same tree.
func Fuzz(f *testing.F, d *sql.Dialect) {
	paths, err := filepath.Glob(filepath.Join("testdata", "golden", "*"))
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSuffix(line, "\n"); !strings.HasPrefix(line, "(") && line != "" {
				f.Add(strings.TrimPrefix(line, "  "))
			}
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		if stmt, err := d.Parse(text); err == nil {
			Read(t, d, stmt, text)
			Placed(t, stmt, text)
		}
	})
}

// Hostile holds that what nests or goes on without end is read as far as the bounds let it, in one pass, and refused
// beyond them with the reason. Those are texts that every dialect reads alike.
func Hostile(t *testing.T, d *sql.Dialect) {
	t.Helper()
	for _, c := range hostile() {
		stmt, err := d.Parse(c.text)
		if c.refused != "" {
			if err == nil || !strings.Contains(err.Error(), c.refused) || len(err.Error()) > 200 {
				t.Errorf("%s: %.300v; want %s", c.name, err, c.refused)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %.300v", c.name, err)
			continue
		}
		Read(t, d, stmt, c.text)
	}
}

// hostileText is a text, and a part of what it is refused for; "" where it is read.
type hostileText struct{ name, text, refused string }

func hostile() []hostileText {
	around := func(n int, left, x, right string) string {
		return strings.Repeat(left, n) + x + strings.Repeat(right, n)
	}
	return []hostileText{
		{"parentheses", "SELECT " + around(9000, "(", "1", ")"), ""},
		{"more parentheses", "SELECT " + around(20_000, "(", "1", ")"), "nests too deeply"},
		{"parentheses that stay open", "SELECT " + strings.Repeat("(", 9000), "an expression is expected"},
		{"sum", "SELECT 1" + strings.Repeat(" + a", 4900), ""},
		{"long sum", "SELECT 1" + strings.Repeat(" + a", 20_000), "without a comma"},
		{"signs", "SELECT " + strings.Repeat("- ", 9900) + "a", ""},
		{"negations", "SELECT " + strings.Repeat("NOT ", 9900) + "a", ""},
		{"cases", "SELECT " + around(3000, "CASE WHEN ", "a", " THEN 1 END")[:30_000], "is expected"},
		{"nested cases", "SELECT " + around(1600, "CASE WHEN ", "a", " THEN 1 END"), ""},
		{"subqueries", "SELECT " + around(3000, "(SELECT ", "1", ")"), ""},
		{"derived tables", "SELECT 1 FROM " + around(2400, "(SELECT 1 FROM ", "t", ")"), ""},
		{"joins in parentheses", "SELECT 1 FROM " + around(9000, "(", "t", ")"), ""},
		{"calls with commas", "SELECT " + around(4900, "f(1, ", "1", ")"), ""},
		{"queries", "SELECT 1" + strings.Repeat(" UNION SELECT 1", 3300), ""},
		{"tables", "SELECT 1 FROM t" + strings.Repeat(", t", 40_000), ""},
		{"values", "SELECT a IN (1" + strings.Repeat(", 1", 40_000) + ")", ""},
		{"words", "SELECT 1" + strings.Repeat(", 1", 60_000), "100000 words and signs"},
		{"bytes", "SELECT '" + strings.Repeat("x", 1<<20) + "'", "1048585 bytes"},
		{"one long text", "SELECT '" + strings.Repeat("''", 500_000) + "'", ""},
		{"comments", strings.Repeat("/* */ -- \n", 90_000) + "SELECT 1", ""},
		{"comments in comments", "SELECT 1 " + strings.Repeat("/* ", 90_000), "a comment is not closed"},
		{"a comment that ends twice", "SELECT 1 /* */ */", "an expression is expected"},
		{"82 digits", "SELECT " + strings.Repeat("9", 82) + ", a = -" + strings.Repeat("1", 82), ""},
		{"exponent", "SELECT 1e999999999999999999999, 0x" + strings.Repeat("f", 82), ""},
		{"NUL", "SELECT a\x00 FROM t", "begins neither a word"},
		{"NUL in a text", "SELECT 'a\x00b'", ""},
		{"no characters", "SELECT \xff\xfe, '\xc3' FROM \x80", ""},
		{"byte order mark", "\ufeffSELECT 1", "begins no statement"},
		{"nothing", "", "a statement is expected"},
		{"blanks", " \n-- x\n/* y */", "a statement is expected"},
		{"semicolons", ";;;", "a statement is expected"},
		{"semicolons behind", "SELECT 1;;;", ""},
	}
}
