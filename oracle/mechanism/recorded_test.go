package mechanism

import (
	"bytes"
	"io"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"txweave/history"
)

// halting is a reader that stops now and then, as a slow disk does: its sessions run dry at other moments.
type halting struct {
	r io.Reader
	n int
}

func (h *halting) Read(p []byte) (int, error) {
	if h.n++; h.n%3 == 0 {
		time.Sleep(3 * time.Millisecond)
	}
	return h.r.Read(p[:min(len(p), 2000)])
}

// TestRecordedIsRepeatable: what is said of a recorded trace does not depend on how fast it is read.
func TestRecordedIsRepeatable(t *testing.T) {
	levels := levels(t)
	l := levels[slices.IndexFunc(levels, func(l level) bool {
		return l.DBMS == "mariadb" && l.Isolation == "repeatable-read"
	})]
	m := newModel(rand.New(rand.NewPCG(1, 2)), l.Guarantees.Mechanisms, 4)
	m.bug = staleRead
	m.run(6, 3000)
	var file bytes.Buffer
	sym := history.NewSymbols()
	sym.Table("t")
	w, err := history.NewOperationWriter(&file, sym, history.TraceHeader{DBMS: l.DBMS, Isolation: string(l.Isolation),
		Sessions: 6, Initial: true}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	ops := slices.Clone(m.trace)
	slices.SortStableFunc(ops, func(a, b *history.Operation) int { return int(a.Start - b.Start) })
	for _, op := range ops {
		if err := w.Append(op); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	check := func(r io.Reader) string {
		sym := history.NewSymbols()
		reader, err := history.NewOperationReader(r, sym)
		if err != nil {
			t.Fatal(err)
		}
		rep, err := CheckTrace(Options{Promise: l.Guarantees.Mechanisms, Symbols: sym, Partitions: 2}, reader)
		if err != nil {
			t.Fatal(err)
		}
		if len(rep.Violations) < 5 {
			t.Fatalf("only %d violations: the trace shows too little", len(rep.Violations))
		}
		return printReport(rep, false)
	}
	want := check(bytes.NewReader(file.Bytes()))
	for range 3 {
		if got := check(&halting{r: bytes.NewReader(file.Bytes())}); got != want {
			t.Fatalf("read slowly:\n%s\nread at once:\n%s", got, want)
		}
	}
}
