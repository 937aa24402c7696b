package report

import (
	"fmt"
	"strings"
	"testing"
)

// TestCondensed: what a server said again and again is there once, with its last numbers, a stack in lines of its own,
// and no log is longer than a report can bear.
func TestCondensed(t *testing.T) {
	var again strings.Builder
	again.WriteString("READY\n")
	for i := range 50 {
		fmt.Fprintf(&again,
			"[02:00:%02d] panic [conn=%d] [lastSQL=\"SELECT \\\"%s\\\"\"] goroutine %d\\n\\tmain.a\\n\\tmain.b\\n\\tmain.c\n", i,
			100+i, strings.Repeat("x", i/10), i)
	}
	text, whole := condensed(again.String())
	if want := "READY\n[02:00:49] panic [conn=149] [lastSQL=\"SELECT \\\"xxxx\\\"\"] goroutine " +
		"49\n\tmain.a\n\tmain.b\n\tmain.c"; text != want || whole {
		t.Errorf("%q, whole %v; want %q", text, whole, want)
	}
	if text, whole := condensed("one\ntwo\n\nthree\n\n"); text != "one\ntwo\n\nthree" || !whole {
		t.Errorf("%q, whole %v", text, whole)
	}
	var long strings.Builder
	for i := range 300 {
		fmt.Fprintf(&long, "%s %s\n", strings.Repeat("x", i%26), strings.Repeat(string(rune('a'+i%26)), 40*i))
	}
	if text, whole := condensed(long.String()); len(text) > logSize+logLine+100 || whole ||
		!strings.HasSuffix(text, " more)") {
		t.Errorf("%d characters, whole %v, at the end %q", len(text), whole, text[max(0, len(text)-20):])
	}
}
