package format

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"txweave/history/register"
	"txweave/history/workload"
	"txweave/internal/testkit/cputime"
)

// print prints a history, a transaction a line.
func print(h *register.History) string {
	var b strings.Builder
	if h.RealTime {
		b.WriteString("real time\n")
	}
	if h.HasInitialValue {
		fmt.Fprintf(&b, "initial value %d\n", h.InitialValue)
	}
	for i, t := range h.Txns {
		session := "-"
		if t.Session != register.NoSession {
			session = fmt.Sprint(h.SessionID(t.Session))
		}
		fmt.Fprintf(&b, "%s session %s %s", h.TxnName(i), session, t.Status)
		if h.RealTime {
			end := fmt.Sprint(h.End(i))
			if h.End(i) == register.Forever {
				end = "…"
			}
			fmt.Fprintf(&b, " [%d, %s]", h.Start(i), end)
		}
		for _, op := range h.TxnOps(i) {
			b.WriteString(" " + h.FormatOp(op))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// readFile reads a history of reads and writes from memory.
func readFile(r io.Reader, name string) (*register.History, string, error) {
	in := &Opened{Reader: bufio.NewReaderSize(r, headSize)}
	rec, err := in.Contents(name)
	if rec == nil {
		rec = &Contents{}
	}
	return rec.History, rec.Format, err
}

// read is Read of a history of reads and writes.
func read(path, name string) (*register.History, string, error) {
	rec, err := Read(context.Background(), path, name)
	if rec == nil {
		rec = &Contents{}
	}
	return rec.History, rec.Format, err
}

// printWorkload prints a history of another workload, an operation a line.
func printWorkload(h *workload.Clients) string {
	var b strings.Builder
	for _, op := range h.Ops {
		fmt.Fprintf(&b, "%s %s [%d, %d] line %d", h.Name(op.Process), op.Outcome, op.Start, op.End, op.Told.Line)
		switch op.Func {
		case workload.Add:
			fmt.Fprintf(&b, " add %s", h.Name(op.Value))
		case workload.Transfer:
			fmt.Fprintf(&b, " transfer %d from %s to %s", op.Amount, h.Name(op.From), h.Name(op.To))
		case workload.Read:
			b.WriteString(" read")
			switch {
			case op.IsInteger:
				fmt.Fprintf(&b, " %d", op.Value)
			case op.IsList:
				for _, e := range op.Elements {
					b.WriteString(" " + h.Name(e))
				}
			}
			for _, a := range op.Balances {
				fmt.Fprintf(&b, " %s=%d", h.Name(a.Account), a.Amount)
				if a.Nil {
					b.WriteString("(nil)")
				}
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// compactBack writes a history in its compact form and reads it back. Cut or changed anywhere, it is refused.
func compactBack(t *testing.T, h *register.History, want string) {
	t.Helper()
	var out bytes.Buffer
	if err := WriteCompact(&out, h); err != nil {
		t.Fatal(err)
	}
	text := out.Bytes()
	back, name, err := readFile(bytes.NewReader(text), Auto)
	if err != nil || name != "compact" {
		t.Fatal(name, err)
	}
	if got := print(back); got != want {
		t.Fatalf("written in the compact form and read back:\n%s\nbefore:\n%s", got, want)
	}
	for n := range min(len(text), 2000) {
		if _, _, err := readFile(bytes.NewReader(text[:n]), "compact"); err == nil {
			t.Fatalf("cut after %d of %d bytes it is read", n, len(text))
		}
		damaged := bytes.Clone(text)
		damaged[n] ^= 1 << (n % 8)
		if _, _, err := readFile(bytes.NewReader(damaged), "compact"); err == nil {
			t.Fatalf("with byte %d changed it is read", n)
		}
	}
}

// TestReadGolden reads each text under testdata/ and prints the format that was recognised and the history. What
// can be written in our own form must read back as the same.
func TestReadGolden(t *testing.T) {
	datadriven.Walk(t, "testdata/read", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			name := Auto
			if d.HasArg("format") {
				d.ScanArgs(t, "format", &name)
			}
			file := filepath.Join(t.TempDir(), "history")
			if err := os.WriteFile(file, []byte(d.Input), 0o600); err != nil {
				t.Fatal(err)
			}
			r, err := Read(t.Context(), file, name)
			if err != nil {
				return strings.ReplaceAll(err.Error(), file, "history") + "\n"
			}
			if r.Workload != nil {
				return r.Format + "\n" + printWorkload(r.Workload)
			}
			h, name := r.History, r.Format
			got := print(h)
			var own bytes.Buffer
			if err := Write(&own, h); err != nil {
				t.Fatal(err)
			}
			again, _, err := readFile(&own, Auto)
			if err != nil {
				t.Fatal(err)
			}
			if back := print(again); back != got {
				t.Fatalf("written and read back:\n%s\nbefore:\n%s", back, got)
			}
			compactBack(t, h, got)
			return name + "\n" + got
		})
	})
}

// bincode builds a dbcop file.
func bincode(sessions [][][]textOp) []byte {
	var b []byte
	u64 := func(n int64) { b = binary.LittleEndian.AppendUint64(b, uint64(n)) }
	str := func(s string) {
		u64(int64(len(s)))
		b = append(b, s...)
	}
	flag := func(v bool) {
		if v {
			b = append(b, 1)
		} else {
			b = append(b, 0)
		}
	}
	for i := range 5 {
		u64(int64(i))
	}
	str("a test")
	str("2026-01-01T00:00:00+00:00")
	str("2026-01-01T00:00:01+00:00")
	u64(int64(len(sessions)))
	for _, s := range sessions {
		u64(int64(len(s)))
		for _, t := range s {
			u64(int64(len(t)))
			for _, op := range t {
				flag(op.write)
				u64(op.key)
				u64(op.value)
				flag(op.txn == 0)
			}
			flag(true)
		}
	}
	return b
}

func TestDBCop(t *testing.T) {
	file := filepath.Join(t.TempDir(), "history.bincode")
	text := bincode([][][]textOp{{{{key: 1, value: 5, write: true}, {key: 2, value: 9, write: true, txn: 1}}},
		{{{key: 1, value: 5}}, {}}})
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, filepath.Dir(file)} {
		h, name, err := read(path, Auto)
		if err != nil {
			t.Fatal(err)
		}
		want := "initial value 0\nT0 session 0 committed W(1, 5)\nT1 session 1 committed R(1, 5)\nT2 session 1 committed\n"
		if got := print(h); got != want || name != "dbcop" {
			t.Errorf("%s:\n%s", name, got)
		}
	}
	for n := range text { // cut anywhere: an error, never a shorter history
		if h, _, err := readFile(bytes.NewReader(text[:n]), "dbcop"); err == nil {
			t.Fatalf("cut after %d of %d bytes it reads as\n%s", n, len(text), print(h))
		}
	}
}

// cobraRecord builds one record of a Cobra log.
func cobraRecord(kind byte, numbers ...uint64) []byte {
	b := []byte{kind}
	for _, n := range numbers {
		b = binary.BigEndian.AppendUint64(b, n)
	}
	return b
}

func TestCobra(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, records ...[]byte) {
		if err := os.WriteFile(filepath.Join(dir, name), bytes.Join(records, nil), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("T10.log", cobraRecord('S', 7), cobraRecord('R', cobraInitial, cobraInitial, 1, 0), cobraRecord('W', 70, 1, 99),
		cobraRecord('C', 7))
	write("T2.log", cobraRecord('S', 8), cobraRecord('R', 7, 70, 1, 99), cobraRecord('C', 8), cobraRecord('S', 9),
		cobraRecord('W', 90, 1, 99))
	write("notes.txt", []byte("nothing"))
	h, name, err := read(dir, Auto)
	if err != nil {
		t.Fatal(err)
	}
	want := "T8 session 0 committed R(1, 1)\nT9 session 0 unknown W(1, 2)\nT7 session 1 committed R(1, nil) W(1, 1)\n"
	if got := print(h); got != want || name != cobra {
		t.Errorf("%s:\n%s", name, got)
	}
	// VeriStrong's logs: the value is the version.
	const any = cobraUniversal
	write("T2.log", cobraRecord('S', 8), cobraRecord('R', any, any, 1, 99), cobraRecord('W', any, 1, 98),
		cobraRecord('C', 8))
	write("T10.log", cobraRecord('S', 7), cobraRecord('R', cobraInitial, cobraInitial, 1, 0), cobraRecord('W', any, 1, 99),
		cobraRecord('C', 7),
		cobraRecord('S', 9), cobraRecord('R', any, any, 1, 98), cobraRecord('R', any, any, 1, 97), cobraRecord('C', 9))
	if h, _, err = read(dir, Auto); err != nil {
		t.Fatal(err)
	}
	want = "T8 session 0 committed R(1, 1) W(1, 2)\nT7 session 1 committed R(1, nil) W(1, 1)\nT9 session 1 committed " +
		"R(1, 2) R(1, 3)\n"
	if got := print(h); got != want {
		t.Errorf("by value:\n%s", got)
	}
	// A read names a write and found another value: nothing proves that all is well. Where none is equal, values are not
	// told.
	write("T2.log", cobraRecord('S', 8), cobraRecord('R', 7, 70, 1, 5), cobraRecord('R', 7, 71, 2, 98),
		cobraRecord('C', 8))
	for second, doubt := range map[uint64]string{98: "1 of 2 reads found another value", 97: ""} {
		write("T10.log", cobraRecord('S', 7), cobraRecord('W', 70, 1, 99), cobraRecord('W', 71, 2, second),
			cobraRecord('C', 7))
		if h, _, err = read(dir, Auto); err != nil || !strings.HasPrefix(h.Doubt, doubt) || doubt == "" && h.Doubt != "" {
			t.Errorf("%q, %v, want %q", h.Doubt, err, doubt)
		}
	}
	for what, records := range map[string][][]byte{
		"half of each":       {cobraRecord('S', 7), cobraRecord('R', any, 70, 1, 1)},
		"another number":     {cobraRecord('S', 7), cobraRecord('C', 8)},
		"out of place":       {cobraRecord('W', 7, 1, 1)},
		"unknown kind":       {cobraRecord('S', 7), cobraRecord('X', 8)},
		"middle of a record": {cobraRecord('S', 7)[:5]},
	} {
		write("T10.log", records...)
		if _, _, err := read(dir, Auto); err == nil || !strings.Contains(err.Error(), what) ||
			!strings.Contains(err.Error(), "T10.log") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestReadErrors(t *testing.T) {
	dir := t.TempDir()
	for path, want := range map[string]string{
		filepath.Join(dir, "none"): "none: no such file or directory",
		dir:                        "is a directory without T<n>.log files and not of one file",
	} {
		if _, _, err := read(path, Auto); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, _, err := read(dir, "xml"); err == nil || !strings.Contains(err.Error(), `unknown format "xml"`) {
		t.Error(err)
	}
	if len(Names()) != len(About()) {
		t.Error("a format without a line about it")
	}
}

// FuzzRead looks for files that make a reader panic, or that give histories which cannot be written and read back.
func FuzzRead(f *testing.F) {
	f.Add([]byte("w(1,1,0,0)\nr(1,1,1,1)\nw(2,2,1,-1)\n"))
	f.Add([]byte("{:type :invoke, :f :txn, :value [[:r 5 nil] [:append 5 7]], :process 0}\n{:type :ok, :value [[:r 5 " +
		"[1]] [:append 5 7]], :process 0}"))
	f.Add([]byte(`[{"type":"ok","f":"cas","value":[1,null],"process":0}]`))
	f.Add([]byte(`{"data":[[{"events":[{"Write":{"variable":0,"version":1}}],"committed":true}]]}`))
	f.Add([]byte(`{"tid":1,"sid":0,"cts":{"p":2,"l":0},"ops":[{"t":"r","k":7,"v":[1]}]}`))
	f.Add([]byte("INFO  jepsen.util - 4\t:invoke\t:cas\t[1 3]\nINFO  jepsen.util - 4\t:fail\t:cas\t[1 3]"))
	f.Add([]byte(`{"format":"txweave-history","version":1,"real_time":true}` + "\n" +
		`{"txn":1,"session":0,"status":"committed","ops":[["l","x",[1]],["!","x",null]]}`))
	f.Add([]byte("r 0 1\n-\nw 0 1\n="))
	f.Add(bincode([][][]textOp{{{{key: 1, value: 5, write: true}}}}))
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, name := range append(Names(), Auto) {
			if name == cobra {
				continue
			}
			h, _, err := readFile(bytes.NewReader(text), name)
			if err != nil || h == nil {
				continue
			}
			var own bytes.Buffer
			if err := Write(&own, h); err != nil {
				t.Fatal(err)
			}
			again, _, err := readFile(bytes.NewReader(own.Bytes()), Auto)
			if err != nil {
				t.Fatalf("%s: %v\n%s", name, err, own.Bytes())
			}
			if a, b := print(h), print(again); a != b {
				t.Fatalf("%s: %s\nreads back as\n%s", name, a, b)
			}
			compactBack(t, h, print(h))
		}
	})
}

// BenchmarkReadText reads a million mini-transactions of four operations from memory.
func BenchmarkReadText(b *testing.B) {
	var text bytes.Buffer
	const txns = 1_000_000
	for i := range txns {
		k, m := i%1000, i*7%1000
		fmt.Fprintf(&text, "r(%d,%d,%d,%d)\nw(%d,%d,%d,%d)\nr(%d,%d,%d,%d)\nw(%d,%d,%d,%d)\n", k, i, i%20, i+1, k, 2*i+1,
			i%20, i+1, m, i, i%20, i+1, m, 2*i+2, i%20, i+1)
	}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		h, _, err := readFile(bytes.NewReader(text.Bytes()), Auto)
		if err != nil || len(h.Txns) != txns {
			b.Fatal(err, len(h.Txns))
		}
	}
	b.ReportMetric(float64(txns*b.N)/b.Elapsed().Seconds(), "txns/s")
}

// BenchmarkReadEDN reads a million transactions of four operations, as Jepsen writes them, from memory.
func BenchmarkReadEDN(b *testing.B) {
	var text bytes.Buffer
	const txns = 1_000_000
	for i := range txns {
		k, m := i%1000, i*7%1000
		for r, record := range []string{":invoke", ":ok"} {
			read := "nil"
			if r == 1 {
				read = strconv.Itoa(i)
			}
			fmt.Fprintf(&text,
				"{:type %s, :f :txn, :value [[:r %d %s] [:w %d %d] [:r %d %s] [:w %d %d]], :process %d, :time %d, :index %d}\n",
				record, k, read, k, 2*i+1, m, read, m, 2*i+2, i%20, i*1000, 2*i+r)
		}
	}
	b.SetBytes(int64(text.Len()))
	cputime.Loop(b, txns, func() {
		h, _, err := readFile(bytes.NewReader(text.Bytes()), Auto)
		if err != nil || len(h.Txns) != txns {
			b.Fatal(err, len(h.Txns))
		}
	})
}
