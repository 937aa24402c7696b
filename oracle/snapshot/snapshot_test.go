package snapshot

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"txweave/dbms"
	"txweave/finding"
	"txweave/history"
	"txweave/internal/testkit/notation"
	"txweave/oracle/observe"
	"txweave/sdg"
	"txweave/sql/sqltext"
)

// TestGolden runs the histories under testdata, one file per kind of anomaly, each with a rejecting and an accepting
// twin. Rows 1 and 2 of table t are there from the start, with versions 1 and 2. The command is the moment at which
// snapshots are taken; a line is one statement in order of completion:
//
//	T0 snapshot           the snapshot is taken, by BEGIN
//	T0 saw 1@1 2@20       a version-set read of t saw these versions of rows 1 and 2, and no other row
//	T0 printed 1@1        a statement printed this version of row 1
//	T0 wrote 1@1->10      it overwrote version 1 of row 1 (new: inserted, gone: deleted; ?: rows that nobody saw;
//	                      ?30: and gave them version 30; unsure: perhaps others, too)
//	T0 sent               it sends a statement that waits until "T0 waited key-share 1@1", which prints;
//	                      update in place of key-share
//	T0 commit             or rollback
//
// "T1 exported 1@1" says that the database tells of T1's snapshot that it holds this version of row 1, and no other
// row; it is no statement. "session T0 T2" says that both run in one session.
func TestGolden(t *testing.T) {
	times := map[string]dbms.ReadScope{"first-read": dbms.PerTransaction, "each-statement": dbms.PerStatement,
		"none": dbms.NoConsistentRead}
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			when, ok := times[d.Cmd]
			if !ok {
				t.Fatalf("unknown moment %s", d.Cmd)
			}
			h, err := parseHistory(d.Input)
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			for _, a := range find(h, func(int) dbms.ReadScope { return when }) {
				d := finding.Difference{Steps: a.Why, Failed: a.Failed}
				fmt.Fprintf(&b, "%s %s: %s\n", a.Stmt, a.What, d.Detail())
			}
			if b.Len() == 0 {
				return "none\n"
			}
			return b.String()
		})
	})
}

var itemRE = regexp.MustCompile(`^(\d+)@(\w+)(?:->(\w+))?$`)

func parseHistory(text string) (*observe.Observation, error) {
	o := &observe.Observation{Initial: map[string]map[int64]int64{"t": {1: 1, 2: 2}}}
	for i := range 5 {
		o.Txns = append(o.Txns, observe.ObservedTxn{Session: i})
	}
	stmts, sent := map[int]int{}, map[int]int64{}
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if f[0] == "session" {
			first, err := strconv.Atoi(f[1][1:])
			if err != nil {
				return nil, err
			}
			for _, name := range f[2:] {
				n, err := strconv.Atoi(name[1:])
				if err != nil {
					return nil, err
				}
				o.Txns[n].Session = first
			}
			continue
		}
		n, err := strconv.Atoi(f[0][1:])
		if err != nil {
			return nil, fmt.Errorf("line %q", line)
		}
		if f[1] == "exported" {
			told := &observe.ObservedStmt{Node: sdg.Node{Reads: []sdg.TableRead{{Seen: map[int64]int64{}}}}}
			for _, arg := range f[2:] {
				if err := item(told, "saw", arg); err != nil {
					return nil, err
				}
			}
			o.Txns[n].Exported = map[string]map[int64]int64{"t": told.Reads[0].Seen}
			continue
		}
		if f[1] == "sent" {
			sent[n] = int64(10*len(o.Events) + 1) // between two events
			continue
		}
		at := int64(10 * len(o.Events))
		e := observe.Moment{Txn: n, Done: len(o.Events), Start: at, End: at + 5, Stmt: &observe.ObservedStmt{Target: "t",
			Node: sdg.Node{Txn: n, Name: fmt.Sprintf("T%d.S%d", n, stmts[n])}}}
		stmts[n]++
		switch f[1] {
		case "snapshot":
			e.Kind, e.Snapshot = observe.Begin, true
		case "saw":
			e.Kind, e.Snapshot, e.Whole = observe.Look, true, true
			e.Stmt.Reads = []sdg.TableRead{{Table: "t", Seen: map[int64]int64{}}}
		case "printed":
			e.Kind, e.Snapshot = observe.Ran, true
		case "waited":
			e.Kind, e.Snapshot, e.Start, e.Stmt.Waited = observe.Ran, true, sent[n], true
			e.Stmt.Locks = map[string]sqltext.RowLock{"key-share": sqltext.ForKeyShare, "update": sqltext.ForUpdate}[f[2]]
			f = slices.Delete(f, 2, 3)
		case "wrote":
			e.Kind = observe.Ran
		case "commit":
			e.Kind = observe.Commit
		case "rollback":
			continue
		default:
			return nil, fmt.Errorf("line %q", line)
		}
		for _, arg := range f[2:] {
			if vkey, unseen := strings.CutPrefix(arg, "?"); unseen {
				e.Stmt.Waited, e.Stmt.Compared = true, true
				e.Stmt.VKey, _ = strconv.ParseInt(vkey, 10, 64)
				continue
			}
			if arg == "unsure" {
				e.Stmt.Unsure = []string{"t"}
				continue
			}
			if err := item(e.Stmt, f[1], arg); err != nil {
				return nil, err
			}
		}
		o.Events = append(o.Events, e)
	}
	return o, nil
}

// item adds one row to a statement.
func item(s *observe.ObservedStmt, what, arg string) error {
	m := itemRE.FindStringSubmatch(arg)
	if m == nil {
		return fmt.Errorf("item %q", arg)
	}
	pkey, _ := strconv.ParseInt(m[1], 10, 64)
	item := history.Item{Table: "t", PKey: pkey}
	vkey := int64(notation.State(m[2]))
	switch what {
	case "saw":
		s.Reads[0].Seen[pkey] = vkey
	case "printed", "waited":
		s.Out = append(s.Out, history.Version{Item: item, VKey: vkey})
	case "wrote":
		s.Writes = append(s.Writes, history.Write{Item: item, From: notation.State(m[2]), To: notation.State(m[3])})
	}
	return nil
}
