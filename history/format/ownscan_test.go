package format

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"txweave/history"
	"txweave/history/register"
)

// TestOwnLines: lines as Write writes them are read at once, with blanks between their parts by encoding/json: the same
// history comes of both, and the same error.
func TestOwnLines(t *testing.T) {
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 7))
		b := register.NewBuilder(0, 0)
		if rnd.IntN(2) == 0 {
			b.SetRealTime()
		}
		if rnd.IntN(4) == 0 {
			b.BeginInitial()
			b.Write(b.Key("x"), 1)
			b.End(history.Committed, 0, 0)
		}
		for i := range int64(rnd.IntN(20)) {
			b.Begin(int64(rnd.IntN(3)), i)
			for range rnd.IntN(4) {
				key := b.Key([]string{"x", "y", "a\"b", "ключ", "10", ""}[rnd.IntN(6)])
				switch v := rnd.Int64N(20) - 10; rnd.IntN(6) {
				case 0:
					b.Read(key, v)
				case 1:
					b.ReadNil(key)
				case 2:
					b.Write(key, v)
				case 3:
					b.Append(key, b.Number("a word"))
				case 4:
					b.ReadList(key, []int64{v, v + 1}[:rnd.IntN(3)])
				default:
					b.Op(register.Op{Kind: register.NotEqual, Key: key, Value: v})
				}
			}
			b.End([]history.Outcome{history.Committed, history.Aborted, history.Unknown}[rnd.IntN(3)], 10*i, 10*i+5)
		}
		var text bytes.Buffer
		if err := Write(&text, b.History()); err != nil {
			t.Fatal(err)
		}
		fast, err := readOwnText(text.String())
		if err != nil {
			t.Fatalf("%v\n%s", err, text.String())
		}
		slow, err := readOwnText(strings.ReplaceAll(text.String(), `,"ops":[`, `, "ops": [`))
		if err != nil {
			t.Fatal(err)
		}
		if fast != slow || fast != text.String() {
			t.Fatalf("read at once\n%s\nby encoding/json\n%s\nwritten\n%s", fast, slow, text.String())
		}
	}
	header := `{"format":"txweave-history","version":1,"real_time":false}` + "\n"
	timed := `{"format":"txweave-history","version":1,"real_time":true}` + "\n"
	for _, c := range []struct{ text, want string }{
		{`{"txn":1,"session":0,"status":"committed","ops":[]}`,
			`1: want the header {"format":"txweave-history",…}, not "{\"txn\":1,\"session\":0,\"status\":\"committed\",\"ops\":[]}"`},
		{header + `{"txn":1,"session":0,"status":"done","ops":[]}`, `2: status "done": want committed, aborted or unknown`},
		{header + `{"txn":1,"session":0,"status":"committed","start":1,"end":2,"ops":[]}` + "\n\n" +
			`{"txn":1,"session":1,"status":"committed","start":1,"end":2,"ops":[]}`,
			"4: transaction 1 is in line 2 already"},
		{timed + `{"txn":1,"session":0,"status":"committed","start":3,"end":2,"ops":[]}`,
			"2: transaction 1 ends at 2, before it starts at 3"},
		{timed + `{"txn":1,"session":0,"status":"committed","start":3,"ops":[]}`,
			`2: transaction 1 lacks "start" or "end", and the header says that there are times ("real_time")`},
		{timed + `{"txn":1, "session":0,"status":"unknown","ops":[]}`,
			`2: transaction 1 lacks "start" or "end", and the header says that there are times ("real_time")`},
		{header + `{"txn":1,"session":0,"status":"committed","ops":[["w","x",null]]}`,
			`2: operation ["w","x",null]: want r, w, !, a, + with an integer or a string, or l with a list`},
		{header + `{"txn":1,"session":0,"status":"committed","ops":[["w","x",012]]}`,
			"2: invalid character '1' after array element"},
		{header + `{"txn":1,"session":0,"status":"committed","ops":[["w","x",1],]}`,
			"2: invalid character ']' looking for beginning of value"},
		{header + `{"txn":1,"session":0,"status":"committed","ops":[["w","x",1]`, "2: unexpected end of JSON input"},
		{header + `{"txn":1,"session":null,"status":"committed","ops":[]}` + "\n" +
			`{"txn":2,"session":null,"status":"committed","ops":[]}`, "3: a second initial transaction"},
	} {
		_, err := readOwnText(c.text)
		var e *Error
		if !errors.As(err, &e) || fmt.Sprintf("%d: %s", e.Line, e.Msg) != c.want {
			t.Errorf("%s\n%v, want %s", c.text, err, c.want)
		}
	}
}

// readOwnText reads a text of our own form and writes what it has read.
func readOwnText(text string) (string, error) {
	to := &sink{Builder: register.NewBuilder(0, 0), size: int64(len(text))}
	if err := readOwn(strings.NewReader(text), to); err != nil {
		return "", err
	}
	var out bytes.Buffer
	err := Write(&out, to.History())
	return out.String(), err
}
