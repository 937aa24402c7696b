package innodb

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"txweave/exec"
)

// statusText is SHOW ENGINE INNODB STATUS, shortened: the section on the latest deadlock lists transactions
// in LOCK WAIT as the list of the living does.
const statusText = `
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

func TestParseStatus(t *testing.T) {
	head, list, _ := strings.Cut(statusText, "LIST OF TRANSACTIONS")
	for name, c := range map[string]struct {
		text string
		want []uint64
	}{
		"one waits, a victim is dead": {statusText, []uint64{12}},
		"no transaction is alive":     {head, nil},
		"no deadlock so far":          {"\nTRANSACTIONS\n" + list, []uint64{12}},
		"MySQL's spelling":            {strings.ReplaceAll(statusText, "MariaDB thread id", "MySQL thread id"), []uint64{12}},
		"text in a statement":         {strings.ReplaceAll(statusText, "\nLOCK WAIT 2", "\nLOCK GRANTED 2"), nil},
		"empty":                       {"", nil},
	} {
		if got := slices.Sorted(maps.Keys(parseStatus(c.text))); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v wait, want %v", name, got, c.want)
		}
	}
}

// TestWaitsDiffer: a wait is the same one while only time passes, and another one for another lock or with more locks.
func TestWaitsDiffer(t *testing.T) {
	of := func(old, by string) exec.Wait {
		text := strings.Replace(statusText, old, by, 1)
		if old != "" && text == statusText {
			t.Fatalf("no %q", old)
		}
		return parseStatus(text)[12]
	}
	wait := of("", "")
	if wait == exec.NoWait || of("WAITING 1000000 us", "WAITING 2000000 us") != wait || of("ACTIVE 1 sec starting",
		"ACTIVE 2 sec starting") != wait {
		t.Errorf("%q is another wait a second later", wait)
	}
	for old, by := range map[string]string{"page no 3 n bits": "page no 4 n bits",
		"\nLOCK WAIT 2 lock struct(s)": "\nLOCK WAIT 4 lock struct(s)",
		"lock_mode X waiting":          "lock_mode X waiting\nRecord lock, heap no 5 PHYSICAL RECORD: n_fields 3"} {
		if of(old, by) == wait {
			t.Errorf("%q in place of %q is the same wait", by, old)
		}
	}
}
