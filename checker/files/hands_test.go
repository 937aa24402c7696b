package files

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"txweave/checker"
	"txweave/checker/blackbox"
	"txweave/dbms"
	"txweave/history/format"
	"txweave/history/register"
)

// TestByHand reads small histories of every format and judges them at every level. What is right was worked out by hand
// from the definitions of the levels; a line of the output has the levels that say the same. "crlf" ends lines as
// Windows does, "bom" puts a byte order mark before them, "cut" leaves out the last line's end.
func TestByHand(t *testing.T) {
	datadriven.Walk(t, "testdata/hands", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			text := d.Input + "\n"
			if d.HasArg("cut") {
				text = d.Input
			}
			if d.HasArg("crlf") {
				text = strings.ReplaceAll(text, "\n", "\r\n")
			}
			if d.HasArg("bom") {
				text = "\ufeff" + text
			}
			return judgedByHand(t, text)
		})
	})
}

// checkStream checks that a file that is read transaction by transaction holds what it holds as a whole.
func checkStream(t *testing.T, file string, h *register.History) {
	t.Helper()
	s, err := format.OpenStream(t.Context(), file, format.Auto)
	if errors.Is(err, format.ErrApart) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	var whole, streamed bytes.Buffer
	var w *format.CompactWriter
	err = s.Each(t.Context(), func(one *register.History, at int) {
		if w == nil {
			w = format.NewCompactWriter(&streamed, one)
		}
		w.Add(one, at)
	})
	if err := errors.Join(err, w.End(), format.WriteCompact(&whole, h)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(whole.Bytes(), streamed.Bytes()) {
		t.Errorf("%s: %q, and transaction by transaction %q", file, whole.Bytes(), streamed.Bytes())
	}
}

// judgedByHand reads a history and says what it is at each level.
func judgedByHand(t *testing.T, text string) string {
	file := filepath.Join(t.TempDir(), "history")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := format.Read(t.Context(), file, format.Auto)
	if err != nil {
		return "refused: " + strings.ReplaceAll(err.Error(), file, "history") + "\n"
	}
	if c.History == nil {
		return c.Format + ": a workload of its own\n"
	}
	checkStream(t, file, c.History)
	var out strings.Builder
	fmt.Fprintln(&out, c.Format)
	last := ""
	for _, level := range dbms.HistoryLevels {
		v := blackbox.Check(t.Context(), c.History, level, checker.Options{SessionOrder: true})
		said := string(v.Outcome)
		switch {
		case v.Adya != "":
			said += fmt.Sprintf(" %s (%s)", v.Anomaly, v.Adya)
		case v.Anomaly != "":
			said += " " + string(v.Anomaly)
		case v.Unmet != "":
			said += fmt.Sprintf(" (%s)", v.Unmet)
		}
		if said == last {
			fmt.Fprintf(&out, " %s", level)
			continue
		}
		if last != "" {
			fmt.Fprintf(&out, ": %s\n", last)
		}
		fmt.Fprint(&out, level)
		last = said
	}
	fmt.Fprintf(&out, ": %s\n", last)
	return out.String()
}
