package exec

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"txweave/history"
)

// innodbStatusText is SHOW ENGINE INNODB STATUS, shortened: the section on the latest deadlock lists transactions
// in LOCK WAIT as the list of the living does.
const innodbStatusText = `
=====================================
2026-11-21 00:44:33 0x7f3a INNODB MONITOR OUTPUT
=====================================
------------------------
LATEST DETECTED DEADLOCK
------------------------
*** (1) TRANSACTION:
TRANSACTION 421, ACTIVE 0 sec starting index read
mysql tables in use 1, locked 1
LOCK WAIT 3 lock struct(s), heap size 1128, 2 row lock(s)
MariaDB thread id 77, OS thread handle 139886, query id 300 localhost root Updating
*** WE ROLL BACK TRANSACTION (1)
------------
TRANSACTIONS
------------
Trx id counter 431
Purge done for trx's n:o < 429 undo n:o < 0 state: running but idle
LIST OF TRANSACTIONS FOR EACH SESSION:
---TRANSACTION (0x7f3a1c), not started
0 lock struct(s), heap size 1128, 0 row lock(s)
---TRANSACTION 430, ACTIVE 1 sec starting index read
mysql tables in use 1, locked 1
LOCK WAIT 2 lock struct(s), heap size 1128, 1 row lock(s)
MariaDB thread id 12, OS thread handle 139887, query id 310 localhost root Updating
UPDATE t SET v = 'LOCK WAIT'
------- TRX HAS BEEN WAITING 1000000 us FOR THIS LOCK TO BE GRANTED:
RECORD LOCKS space id 5 page no 3 n bits 72 index PRIMARY of table t trx id 430 lock_mode X waiting
---TRANSACTION 429, ACTIVE 1 sec
2 lock struct(s), heap size 1128, 1 row lock(s), undo log entries 1
MariaDB thread id 11, OS thread handle 139888, query id 309 localhost root
--------
FILE I/O
--------
`

func TestParseInnodbStatus(t *testing.T) {
	head, list, _ := strings.Cut(innodbStatusText, "LIST OF TRANSACTIONS")
	for name, c := range map[string]struct {
		text string
		want []uint64
	}{
		"one waits, a victim is dead": {innodbStatusText, []uint64{12}},
		"no transaction is alive":     {head, nil},
		"no deadlock so far":          {"\nTRANSACTIONS\n" + list, []uint64{12}},
		"MySQL's spelling":            {strings.ReplaceAll(innodbStatusText, "MariaDB thread id", "MySQL thread id"), []uint64{12}},
		"text in a statement":         {strings.ReplaceAll(innodbStatusText, "\nLOCK WAIT 2", "\nLOCK GRANTED 2"), nil},
		"empty":                       {"", nil},
	} {
		if got := slices.Sorted(maps.Keys(parseInnodbStatus(c.text))); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v wait, want %v", name, got, c.want)
		}
	}
}

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

func TestParseDSN(t *testing.T) {
	c, err := ParseDSN("user:s3cret@tcp(host:3307)/")
	if err != nil || c.User != "user" || c.Passwd != "s3cret" || c.Addr != "host:3307" {
		t.Errorf("a good DSN gives %v, %v", c, err)
	}
	for _, dsn := range []string{
		"user:s3cret@tcp(host:3307)/production",
		"user:s3cret@tcp(host:3307)/production?timeout=1s",
		"user:s3cret@tcp(host:3307)",
		"user:s3cret@tcp(host:3307)/?timeout=s3cret",
		"mysql://user:s3cret@host/",
		"s3cret",
	} {
		if c, err := ParseDSN(dsn); err == nil {
			t.Errorf("%s is taken: %v", dsn, c)
		} else if strings.Contains(err.Error(), "s3cret") {
			t.Errorf("the error shows the password: %v", err)
		}
	}
}

func TestConnectNeverPrintsThePassword(t *testing.T) {
	c, err := ParseDSN("user:s3cret@unix(/nowhere/sock)/")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := DialectOf(t.Context(), c); err == nil || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("DialectOf: %v", err)
	}
	if _, err := Connect(t.Context(), "mariadb", c); err == nil || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("Connect: %v", err)
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
