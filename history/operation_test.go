package history

import (
	"bytes"
	"errors"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// drawOperation draws any operation that a trace may hold.
func drawOperation(t *rapid.T, sym *Symbols) *Operation {
	names := rapid.SampledFrom([]string{"t0", "t1", `a "b"`, "ü", "line\nend"})
	symbol := rapid.OneOf(rapid.Int64Range(-symbolBase+1, symbolBase-1),
		rapid.Custom(func(t *rapid.T) int64 { return sym.Text(rapid.String().Draw(t, "text")) }))
	accesses := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Access {
		a := Access{ItemID: ItemID{sym.Table(names.Draw(t, "table")), symbol.Draw(t, "key")},
			Version: symbol.Draw(t, "version")}
		if rapid.IntRange(0, 9).Draw(t, "absent") == 0 {
			a.Version = Absent
		}
		if rapid.Bool().Draw(t, "known") {
			a.Payload = PayloadOf(rapid.Int64Range(-math.MaxInt64, math.MaxInt64).Draw(t, "payload"))
		}
		return a
	}), 0, 4)
	distinct := func(as []Access) []Access {
		for twice(as) >= 0 {
			as = slices.Delete(as, twice(as), twice(as)+1)
		}
		return as
	}
	condition := rapid.Custom(func(t *rapid.T) *PayloadFilter {
		c := &PayloadFilter{Divisor: rapid.Int64Range(0, 3).Draw(t, "divisor")}
		for range rapid.IntRange(0, 2).Draw(t, "spans") {
			c.In = append(c.In, [2]int64{rapid.Int64Range(-math.MaxInt64, 0).Draw(t, "from"), rapid.Int64().Draw(t, "to") | 1})
		}
		return c
	})
	op := &Operation{Kind: OpKind(rapid.IntRange(int(OpLoad), int(OpClose)).Draw(t, "kind"))}
	if op.Kind == OpLoad {
		op.Writes = distinct(accesses.Draw(t, "writes"))
		return op
	}
	op.Session = rapid.Int32Range(0, math.MaxInt32).Draw(t, "session")
	if op.Kind == OpClose {
		return op
	}
	op.Txn = rapid.Int64Range(-math.MaxInt64, math.MaxInt64).Draw(t, "txn")
	op.Start = rapid.Int64Range(0, math.MaxInt64/2).Draw(t, "start")
	op.End = op.Start + rapid.Int64Range(0, 1<<40).Draw(t, "length")
	op.Outcome = OpOutcome(rapid.IntRange(0, 2).Draw(t, "outcome"))
	op.Lock = LockIntent(rapid.IntRange(0, 2).Draw(t, "lock"))
	op.Snapshot = op.Kind == OpBegin && rapid.Bool().Draw(t, "snapshot")
	if op.Kind == OpRead || op.Kind == OpWrite {
		op.Reads = accesses.Draw(t, "reads")
		if rapid.Bool().Draw(t, "range") {
			op.Ranges = []KeyRange{{sym.Table("t0"), rapid.Int64Range(math.MinInt64+1, 0).Draw(t, "lo"),
				rapid.Int64().Draw(t, "hi") | 1, nil}}
			if rapid.Bool().Draw(t, "if") {
				op.Ranges[0].If = condition.Draw(t, "condition")
			}
		}
	}
	if op.Kind == OpWrite && op.Outcome != OpFailed {
		op.Writes = distinct(accesses.Draw(t, "writes"))
	}
	return op
}

// same compares operations; nil and empty sets are the same.
func same(a, b *Operation) bool {
	x, y := *a, *b
	for _, op := range []*Operation{&x, &y} {
		if len(op.Reads) == 0 {
			op.Reads = nil
		}
		if len(op.Writes) == 0 {
			op.Writes = nil
		}
		if len(op.Ranges) == 0 {
			op.Ranges = nil
		}
	}
	return reflect.DeepEqual(&x, &y)
}

// TestOperationsRoundTrip: what is written is read back, from the same numbering of texts.
func TestOperationsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sym := NewSymbols()
		var file bytes.Buffer
		w, err := NewOperationWriter(&file, sym, TraceHeader{DBMS: "mariadb"}, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		var ops []*Operation
		for range rapid.IntRange(0, 6).Draw(t, "n") {
			op := drawOperation(t, sym)
			ops = append(ops, op)
			if err := w.Append(op); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		h, got, err := readOperations(bytes.NewReader(file.Bytes()), sym)
		if err != nil || h.DBMS != "mariadb" || len(got) != len(ops) {
			t.Fatalf("%v, %v, %d of %d operations:\n%s", h, err, len(got), len(ops), file.Bytes())
		}
		for i := range ops {
			if !same(ops[i], got[i]) {
				t.Fatalf("wrote %+v, read %+v", ops[i], got[i])
			}
		}
		cut := rapid.IntRange(bytes.IndexByte(file.Bytes(), '\n')+1, file.Len()).Draw(t, "cut")
		_, got, err = readOperations(bytes.NewReader(file.Bytes()[:cut]), sym)
		if want := bytes.Count(file.Bytes()[:cut], []byte("\n")) - 1; err != nil || len(got) < want || len(got) > want+1 {
			t.Fatalf("cut at %d: %d operations of %d whole lines, %v", cut, len(got), want, err)
		}
	})
}

func TestOperationErrors(t *testing.T) {
	const head = `{"trace":"operations","version":1,"sessions":2}` + "\n"
	for _, c := range []struct{ text, want string }{
		{"", "empty"},
		{"[1]\n", "line 1: not the header"},
		{`{"trace":"events"}` + "\n", "line 1: not the header"},
		{`{"trace":"operations","version":9}` + "\n", "format version 9"},
		{head + "nonsense\n{}\n", "line 2: not a JSON object"},
		{head + `{"op":"read","session":0,"txn":1,"start":1,"end":2}` + "\n" + `{"op":"reed"}` + "\n\n",
			`line 3: op: unknown value "reed"`},
		{head + `{"op":"read","session":2,"txn":1,"start":1,"end":2}` + "\n", "session 2, the header says there are 2"},
		{head + `{"op":"read","session":0,"txn":1,"start":3,"end":2}` + "\n", "it ends at 2, before it starts at 3"},
		{head + `{"op":"read","session":0,"txn":1,"start":1,"end":2,"rows":[]}` + "\n", "rows: unknown field"},
		{head + `{"op":"read","session":0,"txn":1.5,"start":1,"end":2}` + "\n", "txn: want an integer"},
		{head + `{"op":"read","session":0,"txn":1,"start":99999999999999999999,"end":2}` + "\n",
			"start: the number is out of range"},
		{head + `{"op":"read","session":0,"txn":1,"start":1,"end":2,"reads":[["t0",1]]}` + "\n",
			`reads: want ["table",key,version]`},
		{head + `{"op":"read","session":0,"txn":1,"start":1,"end":2,"writes":[["t0",1,2]]}` + "\n",
			"a read with a write set"},
		{head + `{"op":"write","session":0,"txn":1,"start":1,"end":2,"outcome":"failed","writes":[["t0",1,2]]}` + "\n",
			"it failed and yet"},
		{head + `{"session":0,"txn":1,"start":1,"end":2}` + "\n", `no "op"`},
		{head + `{"op":"read","session":0,"txn":1,"start":1}` + "\n", `line 2: a read without "end"`},
		{head + `{"op":"close"}` + "\n", `line 2: a close without "session"`},
		{head + `{"op":"write","session":0,"txn":1,"start":1,"end":2,"writes":[["t0",1,2],["t0",1,3]]}` + "\n",
			"line 2: t0:1 twice in one write set"},
		{head + `{"op":"load","writes":[["t0",1,2],["t0",1,3]]}` + "\n", "line 2: t0:1 twice in one write set"},
		{head + `{"op":"read","session":0,"txn":1,"start":1,"end":2,"ranges":[["t0",1,2,[[1]]]]}` + "\n",
			"ranges: want a span [from,to]"},
		{head + `{"op":"read","session":0,"txn":1,"start":1,"end":2,"ranges":[["t0",1,2,[[1,2]],0]]}` + "\n",
			"ranges: divisor 0, want at least 1"},
		{head + `{"op":"reed"}`, `line 2: op: unknown value "reed"`}, // whole, though without an end of line
		{"\x1f\x8b\x08\x00 and so on", "line 1: compressed by gzip, no text"},
		{"\x7fELF\x02\x00\x00\n", "line 1: binary, no text"},
		{head + "\x00\x01\n{}\n", "line 2: binary, no text"},
	} {
		_, _, err := readOperations(strings.NewReader(c.text), NewSymbols())
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want an error with %q", c.text, err, c.want)
		}
	}
}

// TestOperationsFlushed: what was appended is in the file after the flush interval, without any other call.
func TestOperationsFlushed(t *testing.T) {
	r, pipe := io.Pipe()
	sym := NewSymbols()
	lines := make(chan string, 8)
	go func() {
		o, err := NewOperationReader(r, sym)
		for err == nil {
			var op Operation
			if err = o.Next(&op); err == nil {
				lines <- op.Kind.String()
			}
		}
		close(lines)
	}()
	w, err := NewOperationWriter(pipe, sym, TraceHeader{}, time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Append(&Operation{Kind: OpCommit}); err != nil {
		t.Fatal(err)
	}
	if got := <-lines; got != "commit" {
		t.Errorf("read %q", got)
	}
	if err := errors.Join(w.Close(), pipe.Close()); err != nil {
		t.Fatal(err)
	}
	if op, more := <-lines; more {
		t.Errorf("read %q after the end", op)
	}
}

// TestOperationWriterReportsErrors: a full disk is not silent.
func TestOperationWriterReportsErrors(t *testing.T) {
	r, pipe := io.Pipe()
	go func() {
		_, _ = io.CopyN(io.Discard, r, 10)
		r.CloseWithError(errors.New("no space left"))
	}()
	w, err := NewOperationWriter(pipe, NewSymbols(), TraceHeader{}, time.Hour)
	if err == nil {
		err = errors.Join(w.Append(&Operation{}), w.Close())
	}
	if err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("the error of the file is lost: %v", err)
	}
}

// readOperations reads a whole interval trace.
func readOperations(r io.Reader, sym *Symbols) (TraceHeader, []*Operation, error) {
	o, err := NewOperationReader(r, sym)
	if err != nil {
		return TraceHeader{}, nil, err
	}
	var ops []*Operation
	for {
		op := new(Operation)
		switch err := o.Next(op); {
		case errors.Is(err, io.EOF):
			return o.Header, ops, nil
		case err != nil:
			return o.Header, nil, err
		}
		ops = append(ops, op)
	}
}

func BenchmarkReadOperations(b *testing.B) {
	sym := NewSymbols()
	var file bytes.Buffer
	w, _ := NewOperationWriter(&file, sym, TraceHeader{}, time.Hour)
	op := &Operation{Kind: OpWrite, Lock: LockExclusive, Session: 3, Txn: 123456, Start: 1234567890, End: 1234569999}
	op.Writes = []Access{{ItemID: ItemID{sym.Table("t0"), 4711}, Version: 123456}}
	for range 1000 {
		_ = w.Append(op)
	}
	_ = w.Close()
	b.SetBytes(int64(file.Len()))
	for b.Loop() {
		r, err := NewOperationReader(bytes.NewReader(file.Bytes()), sym)
		for err == nil {
			err = r.Next(op)
		}
	}
	b.ReportMetric(float64(b.N)*1000/b.Elapsed().Seconds(), "ops/s")
}
