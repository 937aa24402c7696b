package blackbox

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"txweave/checker"
	"txweave/dbms"
	"txweave/history"
	"txweave/history/register"
)

var rewrite = flag.Bool("rewrite", false, "write the table of testdata/elle.md anew")

// besideElle is a history of Elle's own tests (jepsen-io/elle, commit ccdee6f, test/elle): what they say that Elle
// finds in it, and what is different here.
type besideElle struct {
	from  string // "list": list_append_test.clj; "register": rw_register_test.clj; and what the test there is called
	level dbms.Level
	// history are transactions, one after the other, each "process operations"; "fail" or "info" after the process is
	// their outcome. "ax1" appends 1 to x, "rx12" reads x as [1 2]; of registers "wx1" writes 1 and "rx1" reads it. "rx"
	// reads nothing.
	history string
	anomaly string // what Elle calls it; "" for valid
	// cycle is Elle's: "T0 ww(x) T1 wr(y) T0", by the order of the transactions. Of what is no cycle the transactions that
	// it names, and the key: "T0 T1 (x)".
	cycle string
	not   string // Elle's :not
	also  string // what Elle names besides, in the same check
	why   string // what is different here, and why
}

var elle = []besideElle{
	{"list, G0", dbms.SER, "0 ax1 ay1; 1 ax2 ay2; 2 rx12 ry21", "G0", "T0 ww(x) T1 ww(y) T0", "read-uncommitted", "", ""},
	{"list, G1a", dbms.RC, "0 fail ax1; 1 rx1", "G1a", "T0 T1 (x)", "read-committed", "", ""},
	{"list, G1b", dbms.SER, "0 ax1 ax2; 1 rx1", "G1b", "T0 T1 (x)", "read-committed", "G-single-item, of the same two",
		"one of the two is told"},
	{"list, G1c", dbms.SER, "0 ax1 ry1; 1 ax2 ay1; 2 rx12 ry1", "G1c", "T1 wr(y) T0 ww(x) T1", "read-committed", "", ""},
	{"list, G-single", dbms.SER, "0 ax1 ay1; 1 ax2 ry; 2 rx12", "G-single-item", "T1 rw(y) T0 ww(x) T1",
		"consistent-view repeatable-read", "", ""},
	{"list, G2", dbms.SER, "0 ax1 ry; 1 ay1 rx", "G2-item", "T0 rw(y) T1 rw(x) T0", "repeatable-read", "", ""},
	{"list, G2", dbms.RC, "0 ax1 ry; 1 ay1 rx", "", "", "", "", ""},
	{"list, Strong SI violation", dbms.SSER, "0 ax1; 1 ax2; 2 rx1; 3 rx12", "G-single-item-realtime", "T2 rw(x) T1 rt T2",
		"strong-snapshot-isolation", "", ""},
	{"list, Strong SI violation", dbms.SER, "0 ax1; 1 ax2; 2 rx1; 3 rx12", "", "", "", "", ""},
	{"list, Strong Session SI violation", dbms.SI, "0 ax1; 1 ax2; 1 rx1; 2 rx12", "G-single-item-process",
		"T2 rw(x) T1 so T2", "strong-session-snapshot-isolation", "", ""},
	{"list, G-nonadjacent-process", dbms.SI, "0 rx rz1; 1 ax1; 1 rz; 2 az1", "G-nonadjacent-item-process",
		"T2 rw(z) T3 wr(z) T0 rw(x) T1 so T2",
		"strong-session-snapshot-isolation", "", ""},
	{"list, contradictory read orders", dbms.SER, "0 ax1 ry1; 1 ax2; 2 ax3 ay1; 3 rx13; 4 rx123", "incompatible-order",
		"T3 T4 (x)", "read-committed", "G1c: T2 wr(y) T0 ww(x) T1 ww(x) T2",
		"the second cycle is T2 wr(y) T0 ww(x) T2: it does not believe the list that it has just shown to be wrong"},
	{"list, dirty update, direct", dbms.RC, "0 fail ax1; 1 ax2; 2 rx12", "dirty-update", "T0 T1 T2 (x)", "read-committed",
		"G1a", "named G1a; that T1 appended behind it stands in the sentence"},
	{"list, dirty update, indirect", dbms.RC, "0 fail ax1; 1 info ax2; 2 ax3; 3 rx123", "dirty-update", "T0 T2 (x)",
		"read-committed", "G1a",
		"named G1a; the sentence names T1, which appended behind it first, where Elle names T2, the first known to have " +
			"committed"},
	{"list, duplicated elements", dbms.RC, "0 ax1 ry1; 1 ax2 ay1; 2 rx121", "duplicate-elements", "T2 (x)",
		"read-uncommitted", "G1c: T1 wr(y) T0 ww(x) T1",
		"T0, who appended it once, is shown too; no cycle, as an order of versions is not taken from a list that holds one " +
			"twice"},
	{"list, internal consistency violation", dbms.SER, "0 ax1 ax2 ax4; 1 ax3 rx1234", "internal", "T1 (x)",
		"read-atomic", "",
		"Elle's `:not` is read-uncommitted, for a G0 that it was not asked to show"},
	{"list, unobserved writes", dbms.SER, "0 ax1 ay1; 1 ax2 ay2; 2 ax3 ay3; 3 rx12; 4 ry2", "G0", "T1 ww(y) T0 ww(x) T1",
		"read-uncommitted", "G-single-item: T4 rw(y) T0 ww(x) T1 wr(y) T4",
		"a second cycle is shown only where it has other transactions"},
	{"list, G-nonadjacent", dbms.SI, "0 ax1; 1 rx1 ry; 2 ay1; 3 ry1 rx", "G-nonadjacent-item",
		"T3 rw(x) T0 wr(x) T1 rw(y) T2 wr(y) T3", "snapshot-isolation repeatable-read", "", ""},
	{"list, adjacent anti-dependencies", dbms.SI, "0 rx5 ay1; 1 ry az2; 2 rz at3; 3 rt3 au4; 4 ru ax5", "",
		"", "", "", ""},
	{"list, lost update", dbms.SI, "0 ax0; 1 rx0 ax1; 2 rx0 ax2", "lost-update", "T1 T2 (x)",
		"update-atomic cursor-stability",
		"G2-item: T2 rw(x) T1 rw(x) T2", "named P4, as a cycle: that of the G2-item"},
	{"list, one transaction that appends twice", dbms.SI, "0 rx ax1 ax2; 1 rx12", "", "", "", "", ""},
	{"list, reads and session order", dbms.SI, "1 rx1 ay1; 2 ry1; 2 ax1", "G1c-process", "T2 wr(x) T0 wr(y) T1 so T2",
		"strong-session-read-committed", "", ""},
	{"list, G-single at repeatable read", dbms.SER, "0 ax1 ay1; 1 rx1 ry", "G-single-item", "T1 rw(y) T0 wr(x) T1",
		"consistent-view repeatable-read", "", ""},
	{"list, G-nonadjacent at repeatable read", dbms.SI, "0 ax1 at1; 1 rx1 ry; 2 ay1 az2; 3 rz2 rt", "G-nonadjacent-item",
		"T3 rw(t) T0 wr(x) T1 rw(y) T2 wr(z) T3",
		"repeatable-read snapshot-isolation", "", ""},
	{"list, future read", dbms.RC, "0 rx1 ax1", "future-read", "T0 (x)", "read-committed", "", ""},
	{"register, G1a", dbms.RC, "0 fail wx1; 0 rx1", "G1a", "T0 T1 (x)", "read-committed", "", ""},
	{"register, G1b", dbms.RC, "0 wx1 wx2; 0 rx1", "G1b", "T0 T1 (x)", "read-committed", "", ""},
	{"register, G1c", dbms.SER, "0 wx1 ry1; 1 wy1 rx1", "G1c", "T0 wr(x) T1 wr(y) T0", "read-committed", "", ""},
	{"register, initial state", dbms.SER, "0 rx ry1; 1 wy1 wx2", "G-single-item", "T0 rw(x) T1 wr(y) T0",
		"consistent-view repeatable-read", "", ""},
	{"register, writes follow reads", dbms.SER, "0 wy1; 1 ry1 wx1 wy2; 2 rx1 ry1", "G-single-item", "T2 rw(y) T1 wr(x) T2",
		"consistent-view repeatable-read", "",
		"Elle needs `:wfr-keys?` for it; the history here begins with who wrote y = 1, which Elle does not ask for"},
	{"register, lost update", dbms.SI, "0 wx0; 1 rx0 wx1; 2 rx0 wx2", "lost-update", "T1 T2 (x)",
		"update-atomic cursor-stability", "", "named P4, as a cycle; the history begins with who wrote 0"},
	{"register, internal", dbms.RA, "0 wx1; 1 wx2; 2 rx1 rx2", "internal", "T2 (x)", "read-atomic", "",
		"the writer of what was read second is shown too"},
}

// clients makes a history of transactions that come one after the other.
func clients(text string) *register.History {
	b := register.NewBuilder(0, 0)
	b.SetRealTime()
	lists := !strings.Contains(text, "w")
	for i, txn := range strings.Split(text, "; ") {
		words := strings.Fields(txn)
		process, _ := strconv.ParseInt(words[0], 10, 64)
		b.Begin(process, int64(i))
		status := history.Committed
		for _, word := range words[1:] {
			if outcome, ok := map[string]history.Outcome{"fail": history.Aborted, "info": history.Unknown}[word]; ok {
				status = outcome
				continue
			}
			operation(b, word, lists)
		}
		b.End(status, int64(10*i+1), int64(10*i+2))
	}
	return b.History()
}

func operation(b *register.Builder, word string, lists bool) {
	key := b.Key(word[1:2])
	var values []int64
	for _, d := range word[2:] {
		values = append(values, int64(d-'0'))
	}
	switch {
	case word[0] == 'a':
		b.Append(key, values[0])
	case word[0] == 'w':
		b.Write(key, values[0])
	case lists:
		b.ReadList(key, values)
	case values == nil:
		b.ReadNil(key)
	default:
		b.Read(key, values[0])
	}
}

// circle prints a cycle from its first transaction on, round to it again; of what is no cycle the transactions, and the
// key.
func circle(edges []checker.ExplainedEdge) string {
	if len(edges) == 0 {
		return ""
	}
	if last := edges[len(edges)-1]; last.To != edges[0].From || len(edges) == 1 {
		var names []string
		for _, e := range edges {
			for _, name := range []string{e.From, e.To} {
				if name != "" && !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
		slices.Sort(names)
		return strings.Join(names, " ") + " (" + edges[0].Key + ")"
	}
	words := []string{edges[0].From}
	for _, e := range edges {
		words = append(words, e.Label(), e.To)
	}
	return strings.Join(words, " ")
}

// turned says whether two cycles are one: written from different transactions on.
func turned(a, b string) bool {
	x, y := strings.Fields(a), strings.Fields(b)
	if len(x) != len(y) || len(x) < 2 || strings.HasSuffix(a, ")") || strings.HasSuffix(b, ")") {
		return a == b
	}
	return x[0] == x[len(x)-1] && strings.Contains(" "+strings.Join(slices.Concat(x[:len(x)-1], x), " ")+" ", " "+b+" ")
}

// TestBesideElle holds what is found in Elle's own histories to what Elle finds there: the name, the cycle and the
// levels that it says do not hold. What is different is in testdata/elle.md, with the reason.
func TestBesideElle(t *testing.T) {
	var table strings.Builder
	table.WriteString("| history | level | Elle | `:not` | here |\n| --- | --- | --- | --- | --- |\n")
	for _, c := range elle {
		v := Check(t.Context(), clients(c.history), c.level, checker.Options{SessionOrder: c.level != dbms.SER &&
			c.level != dbms.RC})
		not := strings.Fields(c.not)
		slices.Sort(not)
		same := v.Adya == c.anomaly && turned(circle(v.Counterexample), c.cycle) &&
			slices.Equal(checker.Forbidden(v.Adya), not)
		if valid := v.Outcome == checker.Valid; valid != (c.anomaly == "") || c.why == "" && !same {
			t.Errorf("%s: %s at %s: %s %q %s not %v, want %q %s not %v", c.from, c.history, c.level, v.Outcome, v.Adya,
				circle(v.Counterexample), checker.Forbidden(v.Adya), c.anomaly, c.cycle, not)
		}
		table.WriteString(c.row(&v, not, same))
	}
	held(t, table.String())
}

// row is a line of the table in testdata/elle.md.
func (c *besideElle) row(v *checker.Verdict, not []string, same bool) string {
	theirs := strings.TrimSpace(c.anomaly + ": " + c.cycle)
	if c.anomaly == "" {
		theirs = "valid"
	}
	if c.also != "" {
		theirs += "; also " + c.also
	}
	here := "the same"
	if !same {
		here = fmt.Sprintf("%s: %s", v.Adya, circle(v.Counterexample))
	}
	if v.Second != nil {
		here += fmt.Sprintf("; also %s: %s", v.Second.Adya, circle(v.Second.Edges))
	}
	if c.why != "" {
		here += " (" + c.why + ")"
	}
	return fmt.Sprintf("| %s: `%s` | %s | %s | %s | %s |\n", c.from, c.history, c.level, theirs,
		strings.Join(not, ", "), here)
}

// held compares the table with the one in testdata/elle.md, or writes it there.
func held(t *testing.T, table string) {
	t.Helper()
	const path, begin, end = "testdata/elle.md", "<!-- table -->\n", "<!-- end -->\n"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	old, after, found := strings.Cut(rest, end)
	switch {
	case !ok || !found:
		t.Fatalf("%s has no place for the table", path)
	case old == table:
	case !*rewrite:
		t.Errorf("%s is not what is found (go test ./checker/blackbox -run BesideElle -rewrite):\n%s", path, table)
	default:
		if err := os.WriteFile(path, []byte(before+begin+table+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
