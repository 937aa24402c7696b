package history

import (
	"strings"
	"testing"
)

const leopardClient = `[
  {"threadID":"0-0-0","transactionID":"0-0-0,0","operationID":"0-0-0,0,0","sql":"start transaction;",
   "operationTraceType":"START","startTimestamp":10,"finishTimestamp":12,"isolationLevel":"REPEATABLE_READ",
   "traceLockMode":"EXCLUSIVE_LOCK","readMode":"UNCOMMITTED_READ"},
  {"threadID":"0-0-0","transactionID":"0-0-0,0","operationID":"0-0-0,0,1","operationTraceType":"SELECT",
   "startTimestamp":13,"finishTimestamp":14,"traceLockMode":"SHARE_LOCK","readMode":"LOCKING_READ",
   "readTupleList":[{"table":"t","primaryKey":"1","valueMap":{"b":"x y","a":"7"},"realValueMap":{}}]},
  {"threadID":"0-0-0","transactionID":"0-0-0,0","operationID":"0-0-0,0,2","operationTraceType":"UPDATE",
   "startTimestamp":15,"finishTimestamp":16,"traceLockMode":"EXCLUSIVE_LOCK",
   "writeTupleList":[{"table":"t","primaryKey":"1","valueMap":{"a":"8"}}]},
  {"threadID":"0-0-0","transactionID":"0-0-0,0","operationID":"0-0-0,0,3","operationTraceType":"DELETE",
   "startTimestamp":17,"finishTimestamp":18,"traceLockMode":"EXCLUSIVE_LOCK",
   "writeTupleList":[{"table":"t","primaryKey":"1","valueMap":{}}]},
  {"threadID":"0-0-0","transactionID":"0-0-0,0","operationID":"0-0-0,0,4","operationTraceType":"INSERT",
   "startTimestamp":19,"finishTimestamp":20,"exception":"Duplicate entry","writeTupleList":[]},
  {"threadID":"0-0-0","transactionID":"0-0-0,0","operationID":"0-0-0,0,5","operationTraceType":"COMMIT",
   "startTimestamp":21,"finishTimestamp":22}
]`

func TestReadLeopard(t *testing.T) {
	sym := NewSymbols()
	h, ops, err := ReadLeopard([]Source{{"loader-0.0.json", []byte(leopardClient)}},
		[]Source{{"init/t.csv", []byte("pkId,a,b\n\"1\",\"7\",\"x y\"\n")}}, sym)
	if err != nil {
		t.Fatal(err)
	}
	var b []byte
	for _, op := range ops {
		b = AppendOperation(b, op, sym)
	}
	want := `{"op":"load","writes":[["t.a",1,7],["t.b",1,"x y"]]}
{"op":"begin","session":0,"txn":0,"start":10,"end":12}
{"op":"read","session":0,"txn":0,"start":13,"end":14,"lock":"shared","reads":[["t.a",1,7],["t.b",1,"x y"]]}
{"op":"write","session":0,"txn":0,"start":15,"end":16,"lock":"exclusive","writes":[["t.a",1,8]]}
{"op":"write","session":0,"txn":0,"start":17,"end":18,"lock":"exclusive","writes":[["t.a",1,null],["t.b",1,null]]}
{"op":"write","session":0,"txn":0,"start":19,"end":20,"lock":"exclusive","outcome":"failed"}
{"op":"commit","session":0,"txn":0,"start":21,"end":22}
`
	if string(b) != want {
		t.Errorf("read\n%s\nwant\n%s", b, want)
	}
	if !h.Initial || h.Sessions != 1 || h.Isolation != "repeatable-read" {
		t.Errorf("header %+v", h)
	}
}

func TestReadLeopardErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{}`, "f.json: line 1: want an array"},
		{"[\n{\"threadID\":5}\n]", "f.json: line 2"},
		{"[\n\n{\"operationID\":\"7\",\"operationTraceType\":\"TEA\"}\n]", `f.json: line 3: operation 7: unknown type "TEA"`},
		{`[{"operationTraceType":"ROLLBACK","savepoint":"s1"}]`, "savepoints are not supported"},
		{`[{"operationTraceType":"SELECT","startTimestamp":2,"finishTimestamp":1}]`, "ends at 1, before it starts at 2"},
	} {
		_, _, err := ReadLeopard([]Source{{"f.json", []byte(c.text)}}, nil, NewSymbols())
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want an error with %q", c.text, err, c.want)
		}
	}
	cut := leopardClient[:strings.Index(leopardClient, `"0-0-0,0,5"`)]
	_, ops, err := ReadLeopard([]Source{{"f.json", []byte(cut)}}, nil, NewSymbols())
	if err != nil || len(ops) != 6 {
		t.Errorf("cut off by a kill: %d operations, %v", len(ops), err)
	}
	if _, _, err := ReadLeopard(nil, []Source{{"t.csv", []byte("pkId,a\n1,2,3\n")}}, NewSymbols()); err == nil ||
		!strings.Contains(err.Error(), "t.csv") {
		t.Errorf("damaged rows: %v", err)
	}
}
