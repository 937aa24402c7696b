package isolation

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"txweave/dbms"
	"txweave/fault"
	"txweave/history"
	"txweave/internal/testkit/notation"
	"txweave/oracle/observe"
	"txweave/sdg"
	"txweave/sql/sqltext"
)

// TestGolden runs the histories under testdata, one file per phenomenon, each with a rejecting and an accepting
// twin. A line is one statement in order of completion, or the end of a transaction:
//
//	T0 read t0:1@10            a plain SELECT printed version 10 of row 1 (lock-read: a locking one)
//	T0 count t0:1@10 t0:2@20   a plain SELECT searched table t0, which held these rows, and printed no versions
//	                           (lock-count: a locking one; sum: one that uses the values of the rows that match;
//	                           list: one that printed those that match, or the ones after "printing").
//	                           "count t0" found the table empty
//	T1 write t0:1@10->11       it overwrote version 10 (new: inserted, gone: deleted)
//	T1 unsure t0               it may have deleted rows of t0
//	T1 unsure t0:1@11          it waited, and its writes are not known: it gives what it writes version 11
//	T1 commit                  or abort
//	match 10 20                the versions that match every search; in front of it
//	same 10 11                 versions that differ in no column that is used
//	initial t0:1@10            the rows at the beginning, where they matter
//	recurring t0:1@10          versions that came to be more than once: their writers are not certain
func TestGolden(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			var forbidden []fault.Kind
			for _, a := range d.CmdArgs {
				forbidden = append(forbidden, fault.Kind(a.Key))
			}
			h, err := parseHistory(d.Input)
			if err != nil {
				t.Fatal(err)
			}
			found := func() []Occurrence { return Find(h, forbidden) }
			if d.Cmd == "mixed" { // T0=SER T1=RC: levels of transactions
				for _, a := range d.CmdArgs {
					n, err := strconv.Atoi(strings.TrimPrefix(a.Key, "T"))
					if err != nil || len(a.Vals) != 1 || levels[a.Vals[0]] == nil {
						t.Fatalf("level %s", a)
					}
					h.Txns[n].Promise = &dbms.Profile{Guarantees: dbms.Guarantees{Forbidden: levels[a.Vals[0]]}}
				}
				found = func() []Occurrence { return FindMixed(h) }
			}
			var b strings.Builder
			for _, a := range found() {
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

// levels are what the levels of mixed histories forbid.
var levels = map[string][]fault.Kind{"RU": dbms.ForbidUncommitted, "RC": dbms.ForbidCommitted,
	"RR": dbms.ForbidRepeatable,
	"SI": dbms.ForbidSnapshot, "SER": dbms.ForbidSerializable}

var itemRE = regexp.MustCompile(`^(\w+):(\d+)@(\w+)(?:->(\w+))?$`)

// historyParser reads the histories of the golden files.
type historyParser struct {
	o           *observe.Observation
	stmts       map[int]int
	match, same map[int64]bool
}

func parseHistory(text string) (*observe.Observation, error) {
	p := &historyParser{o: &observe.Observation{Initial: map[string]map[int64]int64{},
		Recurring: map[history.Version]bool{}}, stmts: map[int]int{}, match: map[int64]bool{}, same: map[int64]bool{}}
	p.o.Matches = func(_ int, v history.Version) (bool, bool) { return p.match[v.VKey], true }
	p.o.Content = func(v history.Version) map[string]string {
		if p.same[v.VKey] {
			return map[string]string{"c": "the same"}
		}
		return map[string]string{"c": v.String()}
	}
	n := int64(0)
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) < 2 {
			return nil, fmt.Errorf("line %q", line)
		}
		n++
		if err := p.line(n, f); err != nil {
			return nil, fmt.Errorf("line %q: %w", line, err)
		}
	}
	return p.o, nil
}

func (p *historyParser) line(n int64, f []string) error {
	switch f[0] {
	case "match", "same":
		for _, s := range f[1:] {
			map[string]map[int64]bool{"match": p.match, "same": p.same}[f[0]][int64(notation.State(s))] = true
		}
		return nil
	case "recurring":
		return p.items(f[1:], func(item history.Item, from, _ history.State) {
			p.o.Recurring[history.Version{Item: item, VKey: int64(from)}] = true
		})
	case "initial":
		return p.items(f[1:], func(item history.Item, from, _ history.State) {
			if p.o.Initial[item.Table] == nil {
				p.o.Initial[item.Table] = map[int64]int64{}
			}
			p.o.Initial[item.Table][item.PKey] = int64(from)
		})
	}
	txn, err := strconv.Atoi(strings.TrimPrefix(f[0], "T"))
	if err != nil {
		return err
	}
	for len(p.o.Txns) <= txn {
		p.o.Txns = append(p.o.Txns, observe.ObservedTxn{Sent: math.MaxInt64})
	}
	if f[1] == "commit" || f[1] == "abort" {
		p.o.Txns[txn].Sent, p.o.Txns[txn].Done = n, n
		if f[1] == "abort" {
			p.o.Txns[txn].Outcome = history.Aborted
		}
		return nil
	}
	op := &observe.ObservedStmt{Node: sdg.Node{Name: fmt.Sprintf("T%d.S%d", txn, p.stmts[txn]), Txn: txn},
		Sent: n, Done: n}
	p.stmts[txn]++
	verb, locks := strings.CutPrefix(f[1], "lock-")
	op.View = dbms.Snapshot
	if locks {
		op.View = dbms.Current
	}
	search := observe.PredicateRead{Table: strings.Split(f[2], ":")[0], Seen: map[int64]int64{}, Lists: verb == "list",
		Values: verb == "sum"}
	if !strings.Contains(f[2], ":") { // an empty table
		f = f[:2]
	}
	if at := slices.Index(f, "printing"); at > 0 {
		err = p.items(f[at+1:], func(item history.Item, from, _ history.State) {
			op.Out = append(op.Out, history.Version{Item: item, VKey: int64(from)})
		})
		f, verb = f[:at], "printing"
	}
	err = errors.Join(err, p.items(f[2:], func(item history.Item, from, to history.State) {
		switch verb {
		case "write":
			op.Writes = append(op.Writes, history.Write{Item: item, From: from, To: to})
		case "list":
			if p.match[int64(from)] {
				op.Out = append(op.Out, history.Version{Item: item, VKey: int64(from)})
			}
		case "read":
			op.Out = append(op.Out, history.Version{Item: item, VKey: int64(from)})
		case "unsure":
			op.VKey = int64(from)
			return
		}
		search.Seen[item.PKey] = int64(from)
	}))
	op.Reads = []sdg.TableRead{{Table: search.Table, Seen: search.Seen}}
	switch verb {
	case "read":
	case "write":
		op.Kind = sqltext.Update
	case "unsure":
		op.Kind, op.Unsure = sqltext.Delete, []string{search.Table}
	case "count", "sum", "list", "printing":
		op.Search = []observe.PredicateRead{search}
	default:
		return fmt.Errorf("verb %s", verb)
	}
	p.o.Stmts = append(p.o.Stmts, op)
	return err
}

func (p *historyParser) items(words []string, do func(item history.Item, from, to history.State)) error {
	for _, word := range words {
		m := itemRE.FindStringSubmatch(word)
		if m == nil {
			return fmt.Errorf("item %q", word)
		}
		pkey, _ := strconv.ParseInt(m[2], 10, 64)
		do(history.Item{Table: m[1], PKey: pkey}, notation.State(m[3]), notation.State(m[4]))
	}
	return nil
}

// TestLevels checks that a stronger level forbids all that a weaker one does; but a serializable one need not read
// from snapshots.
func TestLevels(t *testing.T) {
	var last []fault.Kind
	for _, level := range []string{"read-uncommitted", "read-committed", "repeatable-read", "snapshot", "serializable"} {
		p, err := dbms.Lookup("mariadb", level)
		if err != nil {
			t.Fatal(err)
		}
		for _, ph := range last {
			if snapshots := ph == fault.GSIa || ph == fault.GSIaRead; !slices.Contains(p.Guarantees.Forbidden, ph) &&
				!(snapshots && p.Serializable) {
				t.Errorf("%s does not forbid %s, which a weaker level does", level, ph)
			}
		}
		if !slices.ContainsFunc(p.Guarantees.Forbidden, func(ph fault.Kind) bool { return !slices.Contains(last, ph) }) {
			t.Errorf("%s forbids no more than the level below it", level)
		}
		last = p.Guarantees.Forbidden
	}
}
