package register

import (
	"fmt"
	"strings"

	"txweave/history"
)

// Describe prints a transaction whole: its name, process or session, where it stands in its file, and its operations:
// "T3: process 1, :index 4 to 7, lines 5 to 8, 0.100000 s to 0.200000 s, R(x, [1 2]) A(y, 3)".
func (h *History) Describe(t int) string {
	x := &h.Txns[t]
	begun, told, placed := h.Places(t)
	var about []string
	switch {
	case t == h.Initial:
	case placed:
		about = append(about, "process "+h.Name(h.SessionID(x.Session)))
	case x.Session != NoSession:
		about = append(about, "session "+h.Name(h.SessionID(x.Session)))
	}
	if x.Status != history.Committed {
		about = append(about, x.Status.String())
	}
	if placed {
		about = append(about, placesText(begun, told)...)
	} else if h.RealTime && t != h.Initial {
		end := "open"
		if x.End != Forever {
			end = fmt.Sprintf("%d ns", x.End)
		}
		about = append(about, fmt.Sprintf("%d ns to %s", x.Start, end))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s:", h.TxnName(t), strings.Join(about, ", "))
	if len(about) == 0 {
		b.Reset()
		b.WriteString(h.TxnName(t) + ":")
	}
	for _, op := range h.TxnOps(t) {
		b.WriteString(" " + h.FormatOp(op))
	}
	return b.String()
}

// placesText says where a transaction was begun and where its outcome was told, each number with its name.
func placesText(begun, told Place) (about []string) {
	span := func(name, unit string, from, to string, both bool) {
		switch {
		case from == "":
		case both && from != to:
			about = append(about, name+from+unit+" to "+to+unit)
		default:
			about = append(about, name+from+unit)
		}
	}
	number := func(ok bool, text string) string {
		if !ok {
			return ""
		}
		return text
	}
	ended := told.Line > 0
	span(":index ", "", number(begun.Index >= 0, fmt.Sprint(begun.Index)), fmt.Sprint(told.Index), ended && told.Index >= 0)
	line := "line "
	if ended && told.Line != begun.Line {
		line = "lines "
	}
	span(line, "", fmt.Sprint(begun.Line), fmt.Sprint(told.Line), ended)
	span("", " s", number(begun.Time >= 0, Seconds(begun.Time)), Seconds(told.Time), ended && told.Time >= 0)
	return about
}
