package format

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// ednText draws a text that is much like Jepsen's histories, with what is seldom in them, and damage.
func ednText(t *rapid.T) string {
	word := rapid.SampledFrom([]string{"nil", "1", "-3", "22", ":x", "\"y z\"", "1.5", "2N", "true",
		"[1 2]", "[]", "#{1}", "(1)", "{:a 1}", "\\{", "#inst \"t\"", "#_ 7 8", "\"a\\\"b\"", "", ":5", "sym"})
	key := rapid.SampledFrom([]string{":type", ":f", ":value", ":process", ":index", ":time", ":error",
		":node", "\"type\""})
	gap := rapid.SampledFrom([]string{" ", " ", ", ", ",\n  ", " ; a comment ]\n"})
	value := rapid.Custom(func(t *rapid.T) string {
		if rapid.IntRange(0, 2).Draw(t, "plain") == 0 {
			return word.Draw(t, "word")
		}
		var ops []string
		for range rapid.IntRange(0, 3).Draw(t, "ops") {
			f := rapid.SampledFrom([]string{":r", ":w", ":append", ":cas", ":r"}).Draw(t, "f")
			ops = append(ops, "["+f+" "+word.Draw(t, "key")+" "+word.Draw(t, "value")+"]")
		}
		return "[" + strings.Join(ops, " ") + "]"
	})
	var records []string
	for range rapid.IntRange(0, 6).Draw(t, "records") {
		fields := []string{":type " + rapid.SampledFrom([]string{":ok", ":invoke", ":fail", ":info", "nil"}).Draw(t, "type"),
			":f :txn", ":value " + value.Draw(t, "value"),
			fmt.Sprintf(":process %d", rapid.IntRange(0, 2).Draw(t, "process"))}
		for range rapid.IntRange(0, 2).Draw(t, "more") {
			fields = append(fields, key.Draw(t, "field")+" "+value.Draw(t, "of field"))
		}
		tag := rapid.SampledFrom([]string{"", "", "#jepsen.history.Op", "#_ ", "#tag #_ nil "}).Draw(t, "tag")
		records = append(records, tag+"{"+strings.Join(fields, gap.Draw(t, "gap"))+"}")
	}
	text := strings.Join(records, gap.Draw(t, "between"))
	for range rapid.IntRange(0, 2).Draw(t, "damage") {
		at := rapid.IntRange(0, len(text)).Draw(t, "at")
		if rapid.Bool().Draw(t, "cut") {
			text = text[:at] + text[min(len(text), at+rapid.IntRange(1, 5).Draw(t, "length")):]
		} else {
			text = text[:at] + rapid.SampledFrom([]string{"]", "[", "{", "}", "\"", "\\", ";", "#", "#_", "\n", "nil",
				":"}).Draw(t, "noise") + text[at:]
		}
	}
	return text
}

// scanned prints what is read of a text that is cut into parts of a size.
func scanned(text string, size int, whole bool) string {
	var b strings.Builder
	for c, err := range ednChunks(strings.NewReader(text), 1, size) {
		if err != nil {
			return err.Error()
		}
		s := &recordScanner{words: map[string]string{}, whole: whole}
		s.scan(c)
		for i := range s.records {
			r := &s.records[i]
			fmt.Fprintf(&b, "%+v %s %s %d %q %t %s %v", r.place, r.outcome, r.f, r.process, r.client, r.txn,
				r.datumText(), r.err)
			for k := range r.mops {
				m := &r.mops[k]
				name := m.keyText
				if name == "" {
					name = fmt.Sprint(m.key)
				}
				fmt.Fprintf(&b, " %c(%s)%d=%s", m.f, name, m.kind, m.datum())
			}
			b.WriteByte('\n')
		}
		if s.err != nil || s.closed {
			return fmt.Sprintf("%s%v %t %d", b.String(), s.err, s.closed, s.line)
		}
		if n := len(s.records); n > 0 && s.records[n-1].err != nil {
			break
		}
	}
	return b.String()
}

func (r *record) datumText() string {
	if r.txn || r.value == nil {
		return "nil"
	}
	return fmt.Sprint(r.value.kind, r.value)
}

// TestScan reads texts in parts of any size, and without what is known of how records are mostly written: nothing may
// change.
func TestScan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := ednText(t)
		want := scanned(text, len(text)+1, true)
		if got := scanned(text, len(text)+1, false); got != want {
			t.Fatalf("%s\nis read as\n%s\nby its notation it is\n%s", text, got, want)
		}
		if got := scanned(text, rapid.IntRange(1, 100).Draw(t, "size"), false); got != want {
			t.Fatalf("%s\nis read in parts as\n%s\nas a whole it is\n%s", text, got, want)
		}
	})
}
