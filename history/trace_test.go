package history

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func rowsGen() *rapid.Generator[*Rows] {
	return rapid.Custom(func(t *rapid.T) *Rows {
		width := rapid.IntRange(1, 3).Draw(t, "columns")
		r := &Rows{}
		for range width {
			r.Columns = append(r.Columns, rapid.SampledFrom([]string{"pkey", "vkey", "c0", "count(*)", "ü"}).Draw(t, "column"))
		}
		if rapid.Bool().Draw(t, "typed") {
			for range width {
				r.Types = append(r.Types, rapid.SampledFrom([]string{"", "BIGINT", "TEXT"}).Draw(t, "type"))
			}
		}
		for range width * rapid.IntRange(0, 3).Draw(t, "rows") {
			r.Cells = append(r.Cells, valueGen().Draw(t, "cell"))
		}
		return r
	})
}

func eventGen() *rapid.Generator[*Event] {
	roles := []Role{Begin, VSR, BWR, Target, AWR, End, Abort, Final, Initial}
	return rapid.Custom(func(t *rapid.T) *Event {
		e := &Event{
			Op: rapid.IntRange(0, 1000).Draw(t, "op"), Session: rapid.SampledFrom([]string{"T0", "committed"}).Draw(
				t, "session"),
			Txn: rapid.IntRange(-1, 3).Draw(t, "txn"), Stmt: rapid.IntRange(-1, 3).Draw(t, "stmt"),
			Role: rapid.SampledFrom(roles).Draw(t, "role"), Text: rapid.String().Draw(t, "text"),
			Start: intGen().Draw(t, "start"), End: intGen().Draw(t, "end"), Blocked: rapid.Bool().Draw(t, "blocked"),
			Done: rapid.IntRange(-1, 1000).Draw(t, "done"), Answer: Answer{Affected: intGen().Draw(t, "affected")},
		}
		if rapid.Bool().Draw(t, "has rows") {
			e.Rows = rowsGen().Draw(t, "rows")
		}
		if rapid.Bool().Draw(t, "failed") {
			e.Err = &DBError{Code: 1213, State: rapid.SampledFrom([]string{"", "40001"}).Draw(t, "state"),
				Message: rapid.String().Draw(t, "message")}
		}
		for range rapid.IntRange(0, 2).Draw(t, "warnings") {
			e.Warnings = append(e.Warnings, Warning{Level: "Note", Code: 1265, Message: rapid.String().Draw(t, "warning")})
		}
		return e
	})
}

func traceGen() *rapid.Generator[*Trace] {
	return rapid.Custom(func(t *rapid.T) *Trace {
		tr := &Trace{}
		for range rapid.IntRange(0, 4).Draw(t, "events") {
			tr.Events = append(tr.Events, eventGen().Draw(t, "event"))
		}
		return tr
	})
}

func written(t interface{ Fatal(...any) }, tr *Trace) []byte {
	var b bytes.Buffer
	if err := tr.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestTraceRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr := traceGen().Draw(t, "trace")
		text := written(t, tr)
		back, err := ReadTrace(bytes.NewReader(text))
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if !reflect.DeepEqual(back, tr) {
			t.Fatalf("read back otherwise:\n%s%s", text, written(t, back))
		}
	})
}

// TestTornTrace cuts a trace anywhere, as a kill does: what was written whole is read, the rest is dropped.
func TestTornTrace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr := traceGen().Draw(t, "trace")
		text := written(t, tr)
		cut := rapid.IntRange(0, len(text)).Draw(t, "cut")
		whole := bytes.Count(text[:cut], []byte("\n"))
		if cut < len(text) && text[cut] == '\n' {
			whole++ // only the line's end is missing
		}
		whole = max(whole-1, 0) // the header is no event
		back, err := ReadTrace(bytes.NewReader(text[:cut]))
		if err != nil {
			t.Fatalf("cut at byte %d: %v", cut, err)
		}
		if len(back.Events) != whole {
			t.Fatalf("cut at byte %d of\n%s: %d events, want %d", cut, text, len(back.Events), whole)
		}
	})
}

func TestDamagedTrace(t *testing.T) {
	line := `{"op":0,"session":"T0","txn":0,"stmt":-1,"role":"begin","text":"BEGIN","start":0,"end":1,"done":0,"affected":-1}` + "\n"
	for name, c := range map[string]struct{ text, want string }{
		"torn in the middle":    {line + line[:40] + "\n" + line, "line 2"},
		"first line":            {"\x00\x00\n" + line, "line 1"},
		"after an empty line":   {line + "\n" + "{\n" + line, "line 3"},
		"last line has its end": {line + line + "{]\n", "line 3"},
		"a later format": {`{"trace":"events","format":2}` + "\n" + line,
			"line 1: format 2; this version reads format 1"},
		"another kind of trace": {`{"trace":"operations","version":1}` + "\n" + line, `line 1: a trace of "operations"`},
		"a value of no kind":    {line + `{"rows":{"columns":["a"],"rows":[[true]]}}` + "\n", "line 2"},
	} {
		if _, err := ReadTrace(strings.NewReader(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error is %v, want one about %s", name, err, c.want)
		}
	}
}

// TestTraceWithoutHeader: traces of before there was a format's number are read.
func TestTraceWithoutHeader(t *testing.T) {
	line := `{"op":0,"session":"T0","txn":0,"stmt":-1,"role":"begin","text":"BEGIN","start":0,"end":1,"done":0,"affected":-1}` + "\n"
	tr, err := ReadTrace(strings.NewReader(line + line))
	if err != nil || len(tr.Events) != 2 {
		t.Errorf("%+v, %v, want two events", tr, err)
	}
}

func TestErrorName(t *testing.T) {
	for code, want := range map[int]string{1205: "1205", 5386: "5386", 6718465: "40001", 466560: "0A000",
		46656: "01000", 0: "0"} {
		if got := ErrorName(code); got != want {
			t.Errorf("%d is called %s, want %s", code, got, want)
		}
	}
}
