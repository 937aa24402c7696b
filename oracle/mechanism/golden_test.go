package mechanism

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"txweave/dbms"
	"txweave/history"
)

// TestGolden runs the traces under testdata, one file for each situation, every rejecting trace beside an accepting
// twin. "check dbms=D level=L" checks a trace at the level's promise; "nothing-loaded" says that there may be more
// rows than those loaded. A line is one operation with its interval:
//
//	load x=1 y=1
//	T1 begin 0-1               begin-snapshot: WITH CONSISTENT SNAPSHOT
//	T1 read 2-3 x=1 y=absent   read-shared, read-exclusive, read-entries; "all": every other row was absent
//	T1 read 2-3 x=1:7 if=0..9  version 1 has payload 7; every other row was absent, or its payload is not in 0 to 9
//	                           (if=0..9/3: or 3 does not divide it)
//	T1 write 4-5 x=1->2 z=3    read version 1 and wrote 2; 3 was written over a version that is not known
//	T1 commit 6-7              abort; "unknown" after the interval: no answer
func TestGolden(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			var name, level string
			d.ScanArgs(t, "dbms", &name)
			d.ScanArgs(t, "level", &level)
			claim, err := dbms.LookupPromise(name, level)
			if err != nil {
				t.Fatal(err)
			}
			sym := history.NewSymbols()
			ops, err := parseTrace(d.Input, sym)
			if err != nil {
				t.Fatal(err)
			}
			var out string
			for _, partitions := range []int{1, 3} { // the division must not matter
				r, err := Check(Options{Promise: claim.Guarantees.Mechanisms, Symbols: sym, Initial: !d.HasArg("nothing-loaded"),
					Partitions: partitions}, ops)
				if err != nil {
					t.Fatal(err)
				}
				text := printReport(r, d.HasArg("stats"))
				if out != "" && out != text {
					t.Fatalf("with one partition:\n%s\nwith %d:\n%s", out, partitions, text)
				}
				out = text
			}
			return out
		})
	})
}

func printReport(r *TraceReport, stats bool) string {
	var b strings.Builder
	for _, v := range r.Violations {
		fmt.Fprintf(&b, "%s, T%v\n", v.String(), v.Txns)
		for _, line := range v.Explanation {
			fmt.Fprintf(&b, "  %s\n", line)
		}
	}
	if len(r.Violations) == 0 {
		b.WriteString("none\n")
	}
	if stats {
		fmt.Fprintf(&b, "candidates %d, ww %v, wr %v, rw %v\n", r.Stats.Candidates, r.Stats.WW, r.Stats.WR, r.Stats.RW)
	}
	return b.String()
}

func parseTrace(text string, sym *history.Symbols) ([]*history.Operation, error) {
	table := sym.Table("t")
	access := func(it history.ItemID, s string) history.Access {
		s, payload, known := strings.Cut(s, ":")
		a := history.Access{ItemID: it, Version: history.Absent}
		if s != "absent" {
			a.Version = sym.Text(s)
		}
		if known {
			n, _ := strconv.ParseInt(payload, 10, 64)
			a.Payload = history.PayloadOf(n)
		}
		return a
	}
	every := history.KeyRange{Table: table, Lo: history.Absent + 1, Hi: 1<<63 - 1}
	var ops []*history.Operation
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		op := &history.Operation{}
		args := f[1:]
		if f[0] != "load" {
			txn, err := strconv.Atoi(strings.TrimPrefix(f[0], "T"))
			lo, hi, found := strings.Cut(f[2], "-")
			if err != nil || !found {
				return nil, fmt.Errorf("line %q", line)
			}
			op.Txn, op.Session = int64(txn), int32(txn)
			if op.Start, err = strconv.ParseInt(lo, 10, 64); err == nil {
				op.End, err = strconv.ParseInt(hi, 10, 64)
			}
			if err != nil {
				return nil, err
			}
			kind, lock, _ := strings.Cut(f[1], "-")
			switch kind {
			case "begin":
				op.Kind, op.Snapshot = history.OpBegin, lock == "snapshot"
			case "read":
				op.Kind = history.OpRead
				op.Lock = map[string]history.LockIntent{"shared": history.LockShared, "exclusive": history.LockExclusive,
					"entries": history.LockEntries}[lock]
			case "write":
				op.Kind, op.Lock = history.OpWrite, history.LockExclusive
			case "commit":
				op.Kind = history.OpCommit
			case "abort":
				op.Kind = history.OpAbort
			default:
				return nil, fmt.Errorf("line %q", line)
			}
			args = f[3:]
		}
		for _, a := range args {
			switch a {
			case "unknown":
				op.Outcome = history.OpUnknown
				continue
			case "all":
				op.Ranges = []history.KeyRange{every}
				continue
			}
			name, value, _ := strings.Cut(a, "=")
			if name == "if" {
				r := every
				r.If = &history.PayloadFilter{In: make([][2]int64, 1)}
				if _, err := fmt.Sscanf(value+"/0", "%d..%d/%d", &r.If.In[0][0], &r.If.In[0][1], &r.If.Divisor); err != nil {
					return nil, fmt.Errorf("line %q: %w", line, err)
				}
				op.Ranges = []history.KeyRange{r}
				continue
			}
			it := history.ItemID{Table: table, Key: sym.Text(name)}
			from, to, both := strings.Cut(value, "->")
			if both || op.Kind == history.OpRead {
				op.Reads = append(op.Reads, access(it, from))
			}
			if op.Kind == history.OpWrite || op.Kind == history.OpLoad {
				if !both {
					to = from
				}
				op.Writes = append(op.Writes, access(it, to))
			}
		}
		ops = append(ops, op)
	}
	return ops, nil
}
