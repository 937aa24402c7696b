package exec

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"txweave/history"
)

func TestLastLines(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want string
	}{
		{"a\nb\nc\n", 2, "b\nc"},
		{"a\nb\nc", 3, "a\nb\nc"},
		{"a\nb", 9, "a\nb"},
		{"a\n\nb\n\n", 2, "\nb"},
		{"", 2, ""},
	} {
		if got := string(lastLines([]byte(c.text), c.n)); got != c.want {
			t.Errorf("last %d lines of %q are %q, want %q", c.n, c.text, got, c.want)
		}
	}
}

func TestClip(t *testing.T) {
	if got := clip("SELECT 1"); got != "SELECT 1" {
		t.Errorf("a short statement becomes %q", got)
	}
	if got := clip(strings.Repeat("x", 5000)); len(got) > 200 || !strings.HasSuffix(got, "…") {
		t.Errorf("a long statement becomes %d bytes", len(got))
	}
}

// TestLiterals: the match oracle writes rows back as literals, which must be the rows again.
func TestLiterals(t *testing.T) {
	row := []history.Value{{}, history.IntValue(math.MinInt64), history.FloatValue(3), history.TextValue(`it's a \ here`)}
	for name, want := range map[string]string{
		"sqlite/serializable":     `(NULL, -9223372036854775808, 3.0, 'it''s a \ here')`,
		"mariadb/repeatable-read": `(NULL, -9223372036854775808, 3.0, 'it''s a \\ here')`,
	} {
		r := &Runner{profile: lookup(t, name)}
		if got := r.literals(row); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// TestAlarm: every deadline fires, and one that was taken back leaves nothing behind for the next.
func TestAlarm(t *testing.T) {
	a := newAlarm()
	defer a.stop()
	for range 50 {
		a.set(grace)
		<-a.C
		a.set(time.Microsecond)
		a.clear()
		a.set(pause)
		<-a.C
		a.clear()
	}
}

func ExampleCrashError() {
	fmt.Println(&CrashError{Reason: "signal: aborted", Log: "a long log"})
	// Output: the server is gone: signal: aborted
}

// TestWarns: of statements that read no table MariaDB is not asked for warnings, as they may be those of the statement
// before.
func TestWarns(t *testing.T) {
	p := &Protocol{Warnings: "SHOW WARNINGS", KeepsWarnings: true}
	for sql, want := range map[string]bool{
		"SELECT 1": false, "SELECT 1 FROM DUAL": false, "SELECT 1 UNION SELECT 2": false, "SET @a = 1": false,
		"WITH a AS (SELECT 1) SELECT * FROM a": false,
		"SELECT 1 FROM t":                      true, "SELECT (SELECT MAX(a) FROM t)": true,
		"SET @a = (SELECT MAX(a) FROM t)": true,
		"INSERT INTO t VALUES (1)":        true,
		"SAVEPOINT a":                     false, "ROLLBACK TO a": false, "RELEASE SAVEPOINT a": false, "BEGIN": false,
		"COMMIT":       false,
		"XA START 'x'": false, "UNLOCK TABLES": false,
		"FLUSH TABLES": false, "DROP TABLE t": true, "EXECUTE s": true,
		"ALTER TABLE t ADD INDEX (a)": true, "TRUNCATE t": true, "CALL p(1)": true,
	} {
		if got := p.warns(sql); got != want {
			t.Errorf("%s: %v, want %v", sql, got, want)
		}
	}
	if !(&Protocol{Warnings: "SHOW WARNINGS"}).warns("SELECT 1") {
		t.Error("where each statement has a list of its own it is not asked for it")
	}
	if (&Protocol{}).warns("INSERT INTO t VALUES (1)") {
		t.Error("a database that has no list of warnings is asked for it")
	}
}

// TestTelling: of the log of a program in Go what ended it is kept, however long the stacks behind it are; of others
// their last lines.
func TestTelling(t *testing.T) {
	stacks := strings.Repeat("main.f()\n", 50)
	for _, c := range []struct{ log, want string }{
		{"a\nb\nc\nd\ne\n", "b\nc\nd\ne"},
		{"a\nfatal error: stack overflow\n\nb\n", "a\nfatal error: stack overflow\n\nb"},
		{"a\npanic: earlier\nfatal error: stack overflow\nb\n" + stacks,
			"fatal error: stack overflow\nb\n…\nmain.f()\nmain.f()"},
	} {
		if got := string(telling([]byte(c.log), 4)); got != c.want {
			t.Errorf("%q: %q, want %q", c.log, got, c.want)
		}
	}
}
