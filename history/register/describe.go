package register

import (
	"fmt"
	"strconv"
	"strings"

	"txweave/history"
)

// Place is where a record of the recording client stands, and what the client said of it.
type Place struct {
	Line  int32 // in the file, from 1; 0 where it has no lines
	Index int32 // the record's own number; -1 without one
	Time  int64 // in ns, by the recording client's clock; -1 without one
}

// places are those of one transaction: where it was begun, and where its outcome was told. The second is zero where
// nobody told it.
type places struct{ begun, told Place }

// Places returns where transaction t was begun and where its outcome was told; ok is false where the file does not say.
func (h *History) Places(t int) (begun, told Place, ok bool) {
	if t >= len(h.places) {
		return Place{}, Place{}, false
	}
	p := h.places[t]
	return p.begun, p.told, p.begun.Line > 0
}

// StartText says when transaction t began.
func (h *History) StartText(t int) string {
	begun, _, _ := h.Places(t)
	return begun.when(h.Start(t))
}

// EndText says when the outcome of transaction t was known.
func (h *History) EndText(t int) string {
	_, told, _ := h.Places(t)
	return told.when(h.End(t))
}

// when prints a moment: as the client told it, else by the time that the history has.
func (p Place) when(ns int64) string {
	switch {
	case p.Line == 0:
		return strconv.FormatInt(ns, 10) + " ns"
	}
	where := fmt.Sprintf("line %d", p.Line)
	if p.Index >= 0 {
		where = fmt.Sprintf(":index %d, %s", p.Index, where)
	}
	if p.Time >= 0 {
		return fmt.Sprintf("%s s (%s)", Seconds(p.Time), where)
	}
	return where
}

// SessionText names the session of transaction t, by the word that its file has for it: "process 1", "session 1".
func (h *History) SessionText(t int) string {
	what := "session "
	if _, _, placed := h.Places(t); placed {
		what = "process "
	}
	return what + h.Name(h.SessionID(h.Txns[t].Session))
}

// Seconds prints a time in ns as seconds.
func Seconds(ns int64) string {
	return strconv.FormatFloat(float64(ns)/1e9, 'f', 6, 64)
}

// Describe prints a transaction whole: its name, process or session, where it stands in its file, and its operations:
// "T3: process 1, :index 4 to 7, lines 5 to 8, 0.100000 s to 0.200000 s: R(x, [1 2]) A(y, 3)".
func (h *History) Describe(t int) string {
	x := &h.Txns[t]
	begun, told, placed := h.Places(t)
	var about []string
	switch {
	case t == h.Initial:
	case placed || x.Session != NoSession:
		about = append(about, h.SessionText(t))
	}
	if x.Status != history.Committed {
		about = append(about, x.Status.String())
	}
	if placed {
		about = append(about, placesText(begun, told)...)
	} else if h.RealTime && t != h.Initial {
		end := "open"
		if h.End(t) != Forever {
			end = fmt.Sprintf("%d ns", h.End(t))
		}
		about = append(about, fmt.Sprintf("%d ns to %s", h.Start(t), end))
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
	span(":index ", "", number(begun.Index >= 0, fmt.Sprint(begun.Index)), fmt.Sprint(told.Index),
		ended && told.Index >= 0)
	line := "line "
	if ended && told.Line != begun.Line {
		line = "lines "
	}
	span(line, "", fmt.Sprint(begun.Line), fmt.Sprint(told.Line), ended)
	span("", " s", number(begun.Time >= 0, Seconds(begun.Time)), Seconds(told.Time), ended && told.Time >= 0)
	return about
}
