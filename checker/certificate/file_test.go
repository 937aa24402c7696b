package certificate

import (
	"strings"
	"testing"

	"txweave/history"
	"txweave/history/register"
)

// What a certificate says of a transaction is refused where the history has several of that number, and of no other.
func TestReadSeveral(t *testing.T) {
	b := register.NewBuilder(0, 0)
	for i, id := range []int64{1, 2, 2} {
		b.Begin(int64(i), id)
		b.Write(b.Key("x"), int64(i))
		b.End(history.Committed, 0, 0)
	}
	h := b.History()
	const head = `{"format":"txweave-certificate","version":1}` + "\n"
	c, err := Read(strings.NewReader(head+`{"txn":1,"commit":7}`), h)
	if err != nil || c.Times[0].Commit != 7 {
		t.Errorf("transaction 1: %v, %v", c, err)
	}
	if c, err := Read(strings.NewReader(head+`{"txn":2,"commit":8}`), h); err == nil || !strings.Contains(err.Error(),
		"several transactions 2") {
		t.Errorf("transaction 2: %v, %v", c, err)
	}
}
