package binlog

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"txweave/dbms"

	"txweave/checker"
	"txweave/checker/certificate"
	"txweave/checker/certificate/commits"
	"txweave/history"
	"txweave/history/register"
)

var update = flag.Bool("update", false, "write testdata/commits")

func everything(string, string) bool { return true }

// magic begins a log file.
var magic = []byte("\xfebin")

// parse reads log files, oldest first.
func parse(files ...string) ([]commits.Commit, error) {
	p := &parser{wanted: everything}
	for _, name := range files {
		log, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if err := p.stream(bytes.NewReader(bytes.TrimPrefix(log, magic))); err != nil {
			return nil, err
		}
	}
	return p.out, nil
}

// format prints commits, of long ones the beginning.
func format(log []commits.Commit) string {
	var b strings.Builder
	for i, c := range log {
		fmt.Fprintf(&b, "commit %d\n", i+1)
		for n, x := range c.Changes {
			if n == 8 {
				fmt.Fprintf(&b, "  … %d rows in all\n", len(c.Changes))
				break
			}
			fmt.Fprintf(&b, "  %s %s -> %s", x.Table, row(x.Before), row(x.After))
			if x.Marked {
				fmt.Fprintf(&b, " deletion %d", x.Deletion)
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func row(fields []commits.Field) string {
	if fields == nil {
		return "none"
	}
	parts := make([]string, len(fields))
	for i, f := range fields {
		switch {
		case !f.Known:
			parts[i] = "?"
		case f.Value.Kind == history.Text:
			parts[i] = strconv.QuoteToASCII(f.Value.S)
		default:
			parts[i] = f.Value.String()
		}
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// TestParse reads logs that MariaDB 10.11 and MySQL 9.7 wrote for the same statements, each in two files: values of
// many types, a row changed twice, one that is deleted and there again, savepoints, roll-backs, what touches nothing, a
// transaction of several events.
func TestParse(t *testing.T) {
	want, err := os.ReadFile("testdata/commits")
	if err != nil {
		t.Fatal(err)
	}
	for _, server := range []string{"mariadb", "mysql"} {
		files, err := filepath.Glob("testdata/" + server + ".0*")
		if err != nil || len(files) != 2 {
			t.Fatalf("%v %v", files, err)
		}
		commits, err := parse(files...)
		if err != nil {
			t.Fatal(err)
		}
		got := format(commits)
		if *update {
			if err := os.WriteFile("testdata/commits", []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
			want = []byte(got)
		}
		if got != string(want) {
			t.Errorf("%s: got\n%s", server, got)
		}
	}
}

// TestXA reads logs that both wrote for the same XA transactions: one is committed by another connection after a
// transaction that began later, one is rolled back once it was prepared, one commits in one phase, one only reads, one
// is rolled back before it was prepared, one is prepared at the end of the log.
func TestXA(t *testing.T) {
	const want = `commit 1
  r none -> (1, 10)
  r none -> (2, 20)
commit 2
  r none -> (3, 30)
commit 3
  r (1, 10) -> (1, 11)
commit 4
  r (1, 11) -> (1, 13)
commit 5
  r (3, 30) -> (3, 31)
commit 6
  r (2, 20) -> (2, 14)
`
	for _, server := range []string{"mariadb", "mysql"} {
		log, err := parse("testdata/" + server + "-xa")
		if err != nil {
			t.Fatal(err)
		}
		if got := format(log); got != want {
			t.Errorf("%s: got\n%s", server, got)
		}
	}
}

// TestDamage: a log that is cut off or changed anywhere is an error, or at the end of an event loses nothing that it
// had said; it never says something else.
func TestDamage(t *testing.T) {
	log, err := os.ReadFile("testdata/mariadb.000001")
	if err != nil {
		t.Fatal(err)
	}
	read := func(log []byte) (string, error) {
		p := &parser{wanted: everything}
		err := p.stream(bytes.NewReader(log))
		return format(p.out), err
	}
	log = bytes.TrimPrefix(log, magic)
	whole, err := read(log)
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for n := range log {
		got, err := read(log[:n])
		if err != nil {
			refused++
		} else if !strings.HasPrefix(whole, got) {
			t.Fatalf("the first %d bytes: %s", n, got)
		}
		if n < 400 && n%3 > 0 { // the format description says how the rest is read
			continue
		}
		changed := bytes.Clone(log)
		changed[n] ^= 0x41
		if got, err := read(changed); err == nil && got != whole {
			t.Fatalf("byte %d changed: %s", n, got)
		}
	}
	if refused < len(log)*9/10 {
		t.Errorf("only %d of %d truncated logs are refused", refused, len(log))
	}
}

// TestNoColumns: rows of a table without columns take no bytes, and reading them would not end.
func TestNoColumns(t *testing.T) {
	event := func(kind byte, body ...byte) []byte {
		e := make([]byte, headerSize, headerSize+len(body))
		e[4], e[9] = kind, byte(headerSize+len(body))
		return append(e, body...)
	}
	log := slices.Concat(
		// table 1, flags, d, r, no types, no metadata
		event(tableMapEvent, 1, 0, 0, 0, 0, 0, 0, 0, 1, 'd', 0, 1, 'r', 0, 0, 0),
		event(writeRowsV1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 9, 9)) // table 1, flags, no columns, rows
	p := &parser{wanted: everything}
	if err := p.stream(bytes.NewReader(log)); err == nil || !strings.Contains(err.Error(), "without columns") {
		t.Errorf("%v, %d commits", err, len(p.out))
	}
}

// FuzzParse: no panic, and no memory beyond the log's size, without checksums.
func FuzzParse(f *testing.F) {
	for _, name := range []string{"mariadb.000001", "mysql.000001"} {
		log, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(bytes.TrimPrefix(log, magic))
	}
	f.Fuzz(func(t *testing.T, log []byte) {
		p := &parser{wanted: everything}
		_ = p.stream(bytes.NewReader(log))
	})
}

// TestCertify: the versions of rows that are deleted and there again, and what it takes to tell them apart.
func TestCertify(t *testing.T) {
	log, err := parse("testdata/mariadb.000001")
	if err != nil {
		t.Fatal(err)
	}
	log = log[:4] // then a row is deleted that no version names
	layout := commits.Layout{Table: "r", Key: 0, Version: 1, Name: func(k int64) string {
		return fmt.Sprint(k)
	},
		Columns: []certificate.ColumnType{{Name: "k", Type: "INT"}, {Name: "v", Type: "BIGINT"}}}
	b := register.NewBuilder(0, 0)
	b.BeginInitial()
	x, y := b.Key("1"), b.Key("2")
	b.Write(x, 10)
	b.Write(y, 20)
	b.End(history.Committed, 0, 0)
	b.Begin(0, 1)
	b.Write(x, 11)
	b.Write(x, 12)
	b.Write(y, -21)
	b.Write(y, 22)
	b.End(history.Committed, 0, 0)
	b.Begin(1, 2)
	b.Read(y, 22)
	b.Write(x, 13)
	b.End(history.Unknown, 0, 0)
	h := b.History()
	c, err := (&commits.Issuer{Source: Log.Source, Log: log, Tables: []commits.Layout{layout}}).Certify(h)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(c.Order, c.Times); got != "[[10 12 13] [20 22]] [{0 0} {0 3} {0 4}]" {
		t.Errorf("order and times %s", got)
	}
	rows := c.Tables[0].Rows
	if row, known := rows[certificate.KeyVersion{Key: y, Value: -21}]; !known || row != nil || len(rows) != 7 {
		t.Errorf("rows %v", rows)
	}
	for _, v := range []checker.Verdict{certificate.Check(t.Context(), h, c, dbms.SER, checker.Options{}, nil),
		certificate.Replay(t.Context(), h, c, dbms.SER, checker.Options{}, nil)} {
		if v.Outcome != checker.Valid {
			t.Error(v)
		}
	}
	certify := func(log []commits.Commit) error {
		_, err := (&commits.Issuer{Source: Log.Source, Log: log, Tables: []commits.Layout{layout}}).Certify(h)
		return err
	}
	unnamed := commits.Commit{Changes: []commits.Change{{Table: "r", Before: log[3].Changes[0].After}}}
	var contradiction *commits.ContradictionError
	if err := certify([]commits.Commit{log[0], log[3], log[2]}); !errors.As(err, &contradiction) ||
		contradiction.Key != "1" {
		t.Errorf("a version that nobody left is replaced: %v", err)
	}
	if err := certify(append(log[:4:4], unnamed)); err == nil || !strings.Contains(err.Error(),
		"does not name the version") {
		t.Errorf("a deletion without a name: %v", err)
	}
	layout.Columns = layout.Columns[:1]
	if err := certify(log); err == nil || !strings.Contains(err.Error(), "columns") {
		t.Errorf("other columns: %v", err)
	}
}

// TestUnread: an event that is not read, of whichever database of the server, says so. It is no fault of the log.
func TestUnread(t *testing.T) {
	for _, kind := range []byte{partialUpdate, payloadEvent, compressedFirst, compressedLast} {
		event := make([]byte, headerSize)
		event[4] = kind
		var no *commits.UnreadableError
		if err := (&parser{wanted: everything}).event(event); !errors.As(err, &no) {
			t.Errorf("event %d: %v", kind, err)
		}
	}
}
