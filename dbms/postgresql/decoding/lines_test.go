package decoding

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"txweave/checker/certificate"
	"txweave/checker/certificate/commits"
)

var columns = []certificate.ColumnType{{Name: "pkey", Type: "BIGINT"}, {Name: "vkey", Type: "BIGINT"},
	{Name: "s", Type: "TEXT"}}

func layout() commits.Layout {
	return commits.Layout{Table: "t", Columns: columns, Key: 0, Version: 1,
		Name: func(key int64) string { return fmt.Sprint(key) }}
}

// TestLines reads what test_decoding writes.
func TestLines(t *testing.T) {
	datadriven.RunTest(t, "testdata/lines", func(_ *testing.T, d *datadriven.TestData) string {
		p := &parser{layouts: []commits.Layout{layout()}}
		for line := range strings.Lines(d.Input) {
			if err := p.line(strings.TrimSuffix(line, "\n")); err != nil {
				return err.Error() + "\n"
			}
		}
		var b strings.Builder
		if err := p.whole(); err != nil {
			fmt.Fprintln(&b, err)
		}
		for _, c := range p.out {
			fmt.Fprintf(&b, "commit of %d\n", c.Number)
			for _, x := range c.Changes {
				fmt.Fprintf(&b, "  %s %s -> %s\n", x.Table, row(x.Before), row(x.After))
			}
		}
		return b.String()
	})
}

// FuzzLine: whatever a server writes is read or refused.
func FuzzLine(f *testing.F) {
	f.Add("table public.t: UPDATE: old-key: s[text]:'a' new-tuple: ''' pkey[bigint]:1 new-tuple: pkey[bigint]:1 " +
		"vkey[bigint]:-7 s[text]:null")
	f.Add("COMMIT 7")
	f.Fuzz(func(_ *testing.T, line string) {
		p := &parser{layouts: []commits.Layout{layout()}, now: commits.Commit{Number: 7}, open: true}
		_ = p.line(line)
	})
}

func row(fields []commits.Field) string {
	if fields == nil {
		return "none"
	}
	var parts []string
	for _, f := range fields {
		text := "?"
		if f.Known {
			text = f.Value.String()
		}
		parts = append(parts, text)
	}
	return "(" + strings.Join(parts, ", ") + ")"
}
