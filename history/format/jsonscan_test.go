package format

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestJSONAtOnce: records of JSON that are read at once give the history that encoding/json's values give, in parts of
// any size.
func TestJSONAtOnce(t *testing.T) {
	for seed := range uint64(100) {
		rnd := rand.New(rand.NewPCG(seed, 3))
		blank := func() string { return []string{"", "", "", " ", "\n", "\t "}[rnd.IntN(6)] }
		pick := func(all ...string) string { return all[rnd.IntN(len(all))] }
		lists := rnd.IntN(2) == 0
		mop := func(told bool) string {
			value := pick("1", "2", "-3", `"v"`, "30", "1.0")
			f := pick("w", "r")
			switch {
			case f == "r" && !told:
				value = "null"
			case f == "r" && lists:
				value = pick("[]", "[1]", "[1,2]", "[ 1 , 2 ]", "null")
			case f == "r":
				value = pick(value, "null")
			case lists:
				f = "append"
			}
			key := pick("5", `"x"`, `"a\"b"`, `"ключ"`, "6", "-1", "007"[:1])
			return "[" + blank() + `"` + f + `"` + blank() + "," + key + "," + blank() + value + blank() + "]"
		}
		var records []string
		array := rnd.IntN(2) == 0
		for i := range rnd.IntN(30) {
			var mops []string
			for range 1 + rnd.IntN(3) {
				mops = append(mops, mop(true))
			}
			extra := pick("", "", `,"error":"x"`, `,"node":{"a":[1,{"b":null}]}`, fmt.Sprintf(`,"time":%d`, i),
				`,"index":`+fmt.Sprint(i))
			records = append(records, blank()+fmt.Sprintf(`{%s"type"%s:"%s","f":"txn","value":[%s],"process":%d%s}`, blank(),
				blank(), pick("ok", "ok", "fail", "info"),
				strings.Join(mops, blank()+","+blank()), i%3, extra)+blank())
		}
		text := strings.Join(records, "\n")
		if array {
			text = "[" + strings.Join(records, ",") + "]"
		}
		read := func(size int, whole bool) string {
			var all []string
			body := strings.TrimPrefix(text, "[")
			for c, err := range ednChunks(strings.NewReader(body), 1, size) {
				if err != nil {
					t.Fatal(err)
				}
				s := &recordScanner{json: true, array: array, words: map[string]string{}, whole: whole}
				s.scan(c)
				if s.err != nil {
					t.Fatalf("%v\n%s", s.err, text)
				}
				for i := range s.records {
					r := &s.records[i]
					x := fmt.Sprintf("%d %s %s %d %q", r.place, r.outcome, r.f, r.process, r.client)
					for _, m := range r.mops {
						key := m.keyText
						if key == "" {
							key = fmt.Sprint(m.key)
						}
						x += fmt.Sprintf(" %c %s %s", m.f, key, m.datum())
					}
					all = append(all, x)
				}
			}
			return strings.Join(all, "\n")
		}
		want := read(1<<20, true)
		for _, size := range []int{16, 100, 1 << 20} {
			if got := read(size, false); got != want {
				t.Fatalf("in parts of %d\n%s\nby encoding/json\n%s\n%s", size, got, want, text)
			}
		}
	}
	for text, want := range map[string]string{
		`[{"type":"ok","f":"txn","value":[["w",1,2]],"process":0} {"type":"ok"}]`: "1: no comma between two operations",
		`[{"type":"ok","f":"txn","value":[["w",1,2]],"process":0},]`: "1: a bracket that closes no list, " +
			"or a comma in front of it",
		`[{"type":"ok","f":"txn","value":[["w",1,2]],"process":0}`: "0: ends in the middle of its list",
		`{"type":"ok","f":"txn","value":[["w",1,2]],"process":0}` +
			"\n]": "2: a bracket that closes no list, or a comma in front of it",
		`[{"type":"ok","f":"txn","value":[["w",1 2]],"process":0}]`: "1: invalid character '2' after " +
			"array element (of the operation byte 39)",
		`#op{"type":"ok","f":"txn","value":[["w",1,2]],"process":0}`: "1: invalid character '#' looking for beginning of value " +
			"(of the operation byte 0)",
		`{"type":"ok","f":"txn","value":[["w",1,2]],"process":0}` + "\n" +
			`{"f":1}`: "2: operation 2: an operation without :type",
	} {
		_, _, err := readFile(strings.NewReader(text), "jepsen-json")
		var e *Error
		if !errors.As(err, &e) || fmt.Sprintf("%d: %s", e.Line, e.Msg) != want {
			t.Errorf("%s\n%v, want %s", text, err, want)
		}
	}
}
