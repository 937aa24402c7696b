package register

import (
	"strings"
	"testing"
	"unsafe"

	"txweave/history"
)

func TestBuilder(t *testing.T) {
	b := NewBuilder(0, 0)
	b.SetRealTime()
	x, y, seven := b.Key("x"), b.Key("y"), b.Key("7")
	if b.IntKey(7) != seven || b.Key("07") == seven || b.Key("x") != x {
		t.Fatal("keys are not interned by name")
	}
	b.BeginInitial()
	b.Write(x, 1)
	b.End(history.Committed, 0, 0)
	b.Begin(40, 3)
	b.Read(x, 1)
	b.Write(x, 2)
	b.ReadNil(y)
	b.Op(Op{Kind: NotEqual, Key: y, Value: 5})
	b.End(history.Committed, 10, 20)
	b.Begin(41, 4)
	b.Append(seven, 9)
	b.ReadList(seven, []int64{8, 9})
	b.ReadList(y, nil)
	b.End(history.Unknown, 11, 12)
	b.Begin(40, 5)
	b.End(history.Aborted, 21, 22)
	h := b.History()

	var got []string
	for i, txn := range h.Txns {
		line := []string{h.TxnName(i), txn.Status.String()}
		for _, op := range h.TxnOps(i) {
			line = append(line, h.FormatOp(op))
		}
		got = append(got, strings.Join(line, " "))
	}
	want := []string{
		"init committed W(x, 1)",
		"T3 committed R(x, 1) W(x, 2) R(y, nil) R(y) != 5",
		"T4 unknown A(7, 9) R(7, [8 9]) R(y, [])",
		"T5 aborted",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if h.End(2) != Forever {
		t.Error("the end of a transaction of unknown outcome must be open")
	}
	if h.Sessions() != 2 || h.SessionID(h.Txns[3].Session) != 40 || h.Txns[1].Session != h.Txns[3].Session {
		t.Error("sessions are not interned")
	}
	if h.Txns[0].Session != NoSession || h.Initial != 0 || h.Keys() != 4 {
		t.Error("initial transaction or keys are wrong")
	}
}

// TestCompact holds the sizes that a history of millions of operations depends on.
func TestCompact(t *testing.T) {
	if n := unsafe.Sizeof(Op{}); n != 16 {
		t.Errorf("an operation takes %d bytes", n)
	}
	if n := unsafe.Sizeof(TxnSpan{}); n != 24 {
		t.Errorf("a transaction takes %d bytes", n)
	}
}
