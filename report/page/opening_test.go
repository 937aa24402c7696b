package page

import (
	"strings"
	"testing"

	"txweave/history"
	"txweave/report/timeline"
)

// TestOpening: settings with which every session begins are no moments of their own; where one session begins otherwise
// they are.
func TestOpening(t *testing.T) {
	step := func(lane int, role history.Role, sql string) timeline.Mark {
		return timeline.Mark{Kind: timeline.Ran, Step: &timeline.LaneStep{Lane: lane, Role: role, SQL: sql}}
	}
	lanes := []timeline.Lane{{Name: "T0"}, {Name: "T1"}, {Name: "committed", Observer: true}}
	same := &timeline.Timeline{Lanes: lanes, Marks: []timeline.Mark{
		step(0, history.Level, "SET a = 1"), step(1, history.Level, "SET a = 1"), step(2, history.VSR, "SELECT 1"),
		step(0, history.Begin, "BEGIN"), step(1, history.Begin, "BEGIN"), step(0, history.Level, "SET a = 1"),
		step(0, history.End, "COMMIT"),
	}}
	marks, settings := opening(same)
	if len(marks) != 5 || strings.Join(settings, ";") != "SET a = 1" {
		t.Errorf("%d moments, settings %q", len(marks), settings)
	}
	other := &timeline.Timeline{Lanes: lanes, Marks: append([]timeline.Mark{}, same.Marks...)}
	other.Marks[1] = step(1, history.Level, "SET a = 2")
	if marks, settings := opening(other); len(marks) != len(other.Marks) || settings != nil {
		t.Errorf("%d moments of %d, settings %q", len(marks), len(other.Marks), settings)
	}
}
