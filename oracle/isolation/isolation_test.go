package isolation

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"txweave/profile"
	"txweave/sdg"
)

// TestGolden runs the histories under testdata, one file per phenomenon, each with a rejecting and an accepting
// twin. A line is one statement in order of completion, or the end of a transaction:
//
//	T0 read t0:1@10            a plain SELECT printed version 10 of row 1 (lock-read: a locking one)
//	T1 write t0:1@10->11       it overwrote version 10 (new: inserted, gone: deleted)
//	T1 commit                  or abort
func TestGolden(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			var forbidden []profile.Phenomenon
			for _, a := range d.CmdArgs {
				forbidden = append(forbidden, profile.Phenomenon(a.Key))
			}
			h, err := parseHistory(d.Input)
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			for _, a := range Find(h, forbidden) {
				fmt.Fprintf(&b, "%s %v\n", a.Phenomenon, a.Txns)
				for _, line := range a.Explanation {
					fmt.Fprintf(&b, "  %s\n", line)
				}
			}
			if b.Len() == 0 {
				return "none\n"
			}
			return b.String()
		})
	})
}

var itemRE = regexp.MustCompile(`^(\w+):(\d+)@(\w+)(?:->(\w+))?$`)

func parseHistory(text string) (*History, error) {
	h := &History{}
	stmts := map[int]int{}
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) < 2 {
			return nil, fmt.Errorf("line %q", line)
		}
		txn, err := strconv.Atoi(strings.TrimPrefix(f[0], "T"))
		if err != nil {
			return nil, err
		}
		for len(h.Txns) <= txn {
			h.Txns = append(h.Txns, Txn{End: 1 << 30})
		}
		if f[1] == "commit" || f[1] == "abort" {
			h.Txns[txn].End = len(h.Ops)
			if f[1] == "abort" {
				h.Txns[txn].Outcome = Aborted
			}
			continue
		}
		op := Op{Name: fmt.Sprintf("T%d.S%d", txn, stmts[txn]), Txn: txn, Plain: f[1] == "read"}
		stmts[txn]++
		for _, arg := range f[2:] {
			m := itemRE.FindStringSubmatch(arg)
			if m == nil {
				return nil, fmt.Errorf("item %q", arg)
			}
			pkey, _ := strconv.ParseInt(m[2], 10, 64)
			item := sdg.Item{Table: m[1], PKey: pkey}
			if f[1] == "write" {
				op.Wrote = append(op.Wrote, sdg.Write{Item: item, From: state(m[3]), To: state(m[4])})
			} else {
				op.Read = append(op.Read, sdg.Version{Item: item, VKey: int64(state(m[3]))})
			}
		}
		h.Ops = append(h.Ops, op)
	}
	return h, nil
}

func state(s string) sdg.State {
	switch s {
	case "new":
		return sdg.Unborn
	case "gone":
		return sdg.Dead
	}
	n, _ := strconv.ParseInt(s, 10, 64)
	return sdg.State(n)
}

// TestLevels checks that a stronger level forbids all that a weaker one does.
func TestLevels(t *testing.T) {
	var last []profile.Phenomenon
	for _, level := range []string{"read-committed", "repeatable-read", "snapshot", "serializable"} {
		p, err := profile.Lookup("mariadb", level)
		if err != nil {
			t.Fatal(err)
		}
		for _, ph := range last {
			if !slices.Contains(p.Forbidden, ph) {
				t.Errorf("%s does not forbid %s, which a weaker level does", level, ph)
			}
		}
		if len(p.Forbidden) <= len(last) {
			t.Errorf("%s forbids no more than the level below it", level)
		}
		last = p.Forbidden
	}
}
