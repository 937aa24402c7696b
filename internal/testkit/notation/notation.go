// Package notation reads and prints small histories for tests, one transaction a line:
//
//	initial-value 0
//	init: W(x, 1) W(y, 1)
//	T1 s0 10-20: R(x, 1) W(x, 2)
//	T2 s1 15-30 aborted: R(y, nil) R(x) != 3 A(z, 4) R(z, [4 5])
//
// A name is T and a number; times are in ns, given for all transactions or for none; a transaction without a word for
// its outcome committed.
package notation

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"txweave/history"
	"txweave/history/register"
)

var (
	lineRE = regexp.MustCompile(`^(init|T(\d+) s(\d+)(?: (\d+)-(\d+))?(?: (aborted|unknown|committed))?):(.*)$`)
	opRE   = regexp.MustCompile(`^\s*(?:([RWA])\((\w+), (nil|-?\d+|\[[-\d ]*\])\)|R\((\w+)\) != (nil|-?\d+))`)
)

// Parse reads a history. Empty lines and what follows # are left out.
func Parse(text string) (*register.History, error) {
	b := register.NewBuilder(0, 0)
	lines := strings.Split(text, "\n")
	timed := slices.ContainsFunc(lines, func(line string) bool {
		m := lineRE.FindStringSubmatch(line)
		return m != nil && m[4] != ""
	})
	if timed {
		b.SetRealTime()
	}
	for n, line := range lines {
		line, _, _ = strings.Cut(line, "#")
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if v, ok := strings.CutPrefix(line, "initial-value "); ok {
			x, err := strconv.ParseInt(v, 10, 64)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", n+1, err)
			}
			b.SetInitialValue(x)
			continue
		}
		m := lineRE.FindStringSubmatch(line)
		if m == nil || m[1] != "init" && timed != (m[4] != "") {
			return nil, fmt.Errorf("line %d: not a transaction: %q", n+1, line)
		}
		num := func(s string) int64 { x, _ := strconv.ParseInt(s, 10, 64); return x }
		if m[1] == "init" {
			b.BeginInitial()
		} else {
			b.Begin(num(m[3]), num(m[2]))
		}
		if err := parseOps(b, m[7]); err != nil {
			return nil, fmt.Errorf("line %d: %w", n+1, err)
		}
		status := map[string]history.Outcome{"aborted": history.Aborted, "unknown": history.Unknown}[m[6]]
		b.End(status, num(m[4]), num(m[5]))
	}
	return b.History(), nil
}

func parseOps(b *register.Builder, text string) error {
	for strings.TrimSpace(text) != "" {
		m := opRE.FindStringSubmatch(text)
		if m == nil {
			return fmt.Errorf("not an operation: %q", text)
		}
		text = text[len(m[0]):]
		key, arg, kind := m[2], m[3], map[string]register.Action{"R": register.Read, "W": register.Write,
			"A": register.Append}[m[1]]
		if m[4] != "" {
			key, arg, kind = m[4], m[5], register.NotEqual
		}
		k := b.Key(key)
		if strings.HasPrefix(arg, "[") {
			var list []int64
			for _, f := range strings.Fields(strings.Trim(arg, "[]")) {
				x, err := strconv.ParseInt(f, 10, 64)
				if err != nil {
					return err
				}
				list = append(list, x)
			}
			b.ReadList(k, list)
			continue
		}
		op := register.Op{Kind: kind, Key: k, Nil: arg == "nil"}
		if !op.Nil {
			x, err := strconv.ParseInt(arg, 10, 64)
			if err != nil {
				return err
			}
			op.Value = x
		}
		b.Op(op)
	}
	return nil
}

// Format prints a history as Parse reads it.
func Format(h *register.History) string {
	var b strings.Builder
	if h.HasInitialValue {
		fmt.Fprintf(&b, "initial-value %d\n", h.InitialValue)
	}
	for t, x := range h.Txns {
		b.WriteString(h.TxnName(t))
		if t != h.Initial {
			fmt.Fprintf(&b, " s%d", h.SessionID(x.Session))
			if h.RealTime {
				fmt.Fprintf(&b, " %d-%d", h.Start(t), h.End(t))
			}
			if x.Status != history.Committed {
				b.WriteString(" " + x.Status.String())
			}
		}
		b.WriteString(":")
		for _, op := range h.TxnOps(t) {
			b.WriteString(" " + h.FormatOp(op))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// State reads the state of an item: "new" before its first version, "gone" after its deletion, otherwise its version
// key.
func State(s string) history.State {
	switch s {
	case "new":
		return history.Unborn
	case "gone":
		return history.Dead
	}
	n, _ := strconv.ParseInt(s, 10, 64)
	return history.State(n)
}
