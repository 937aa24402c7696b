package blackbox

import (
	"testing"

	"txweave/checker"
	"txweave/dbms"
	"txweave/history"
	"txweave/history/register"
)

// client is a transaction over lists: "ax1 ry12" appends 1 to x and reads y as [1 2].
type client struct {
	session int64
	status  history.Outcome
	ops     string
}

// lists makes a history of transactions that come one after the other.
func lists(clients []client) *register.History {
	b := register.NewBuilder(0, 0)
	b.SetRealTime()
	for i, c := range clients {
		b.Begin(c.session, int64(i))
		for at := 0; at < len(c.ops); at++ {
			f, key := c.ops[at], b.Key(c.ops[at+1:at+2])
			var digits []int64
			for at += 2; at < len(c.ops) && c.ops[at] != ' '; at++ {
				digits = append(digits, int64(c.ops[at]-'0'))
			}
			if f == 'a' {
				b.Append(key, digits[0])
			} else {
				b.ReadList(key, digits)
			}
		}
		b.End(c.status, int64(10*i+1), int64(10*i+2))
	}
	return b.History()
}

// TestNames compares what histories of each kind are called with what Elle calls them.
func TestNames(t *testing.T) {
	const ok, failed, unknown = history.Committed, history.Aborted, history.Unknown
	for _, tc := range []struct {
		level   dbms.Level
		session bool
		want    string // "" if valid
		clients []client
	}{
		{dbms.SER, false, "G0", []client{{0, ok, "ax1 ay1"}, {1, ok, "ax2 ay2"}, {2, ok, "rx12 ry21"}}},
		{dbms.RC, false, "G1a", []client{{0, failed, "ax1"}, {1, ok, "rx1"}}},
		{dbms.RC, false, "G1a", []client{{0, failed, "ax1"}, {1, ok, "ax2"}, {2, ok, "rx12"}}},
		{dbms.RC, false, "G1a", []client{{0, failed, "ax1"}, {1, unknown, "ax2"}, {2, ok, "ax3"}, {3, ok, "rx123"}}},
		{dbms.RC, false, "G1b", []client{{0, ok, "ax1 ax2"}, {1, ok, "rx1"}}},
		{dbms.SER, false, "G1c", []client{{0, ok, "ax1 ry1"}, {1, ok, "ax2 ay1"}, {2, ok, "rx12 ry1"}}},
		{dbms.SI, true, "G1c-process", []client{{1, ok, "rx1 ay1"}, {2, ok, "ry1"}, {2, ok, "ax1"}}},
		{dbms.SER, false, "G-single-item", []client{{0, ok, "ax1 ay1"}, {1, ok, "ax2 ry"}, {2, ok, "rx12"}}},
		{dbms.SER, false, "G2-item", []client{{0, ok, "ax1 ry"}, {1, ok, "ay1 rx"}}},
		{dbms.SI, false, "", []client{{0, ok, "ax1 ry"}, {1, ok, "ay1 rx"}}},
		{dbms.RC, false, "", []client{{0, ok, "ax1 ry"}, {1, ok, "ay1 rx"}}},
		{dbms.SSER, false, "G-single-item-realtime", []client{{0, ok, "ax1"}, {1, ok, "ax2"}, {2, ok, "rx1"}, {3, ok, "rx12"}}},
		{dbms.SER, false, "", []client{{0, ok, "ax1"}, {1, ok, "ax2"}, {2, ok, "rx1"}, {3, ok, "rx12"}}},
		{dbms.SI, true, "G-single-item-process", []client{{0, ok, "ax1"}, {1, ok, "ax2"}, {1, ok, "rx1"}, {2, ok, "rx12"}}},
		{dbms.SI, true, "G-nonadjacent-item-process", []client{{0, ok, "rx rz1"}, {1, ok, "ax1"}, {1, ok, "rz"}, {2, ok, "az1"}}},
		{dbms.SI, false, "G-nonadjacent-item", []client{{0, ok, "ax1"}, {1, ok, "rx1 ry"}, {2, ok, "ay1"}, {3, ok, "ry1 rx"}}},
		{dbms.SI, false, "", []client{{0, ok, "rx5 ay1"}, {1, ok, "ry az2"}, {2, ok, "rz at3"}, {3, ok, "rt3 au4"}, {4, ok, "ru ax5"}}},
		{dbms.SER, false, "incompatible-order", []client{{0, ok, "ax1"}, {1, ok, "ax2"}, {2, ok, "ax3"}, {3, ok, "rx13"}, {4, ok, "rx123"}}},
		{dbms.RC, false, "duplicate-elements", []client{{0, ok, "ax1"}, {1, ok, "ax2"}, {2, ok, "rx121"}}},
		{dbms.SER, false, "internal", []client{{0, ok, "ax1 ax2 ax4"}, {1, ok, "ax3 rx1234"}}},
		{dbms.SI, false, "P4", []client{{0, ok, "ax0"}, {1, ok, "rx0 ax1"}, {2, ok, "rx0 ax2"}}},
		{dbms.SI, false, "", []client{{0, ok, "rx ax1 ax2"}, {1, ok, "rx12"}}},
	} {
		v := Check(t.Context(), lists(tc.clients), tc.level, checker.Options{SessionOrder: tc.session})
		if valid := v.Outcome == checker.Valid; valid != (tc.want == "") || v.Adya != tc.want {
			t.Errorf("%v at %s: %s %q, want %q", tc.clients, tc.level, v.Outcome, v.Adya, tc.want)
		}
	}
}
