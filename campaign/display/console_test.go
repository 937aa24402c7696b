package display

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"txweave/campaign"
	"txweave/report/tabular"
)

// TestStatus: what is left, the last new bug, what is planted, known and waiting; on a narrow terminal the most
// important of it.
func TestStatus(t *testing.T) {
	now := time.Date(2026, 11, 21, 3, 0, 0, 0, time.UTC)
	s := &campaign.Summary{ElapsedS: 60, Cases: 100, CasesPerMinute: 100, Bugs: []*campaign.BugRef{{Count: 7}, {Count: 1}},
		Known:   map[string]int{"a": 2, "b": 3},
		Skipped: map[string]int{"x": 4}, Waiting: 3, LastBug: "B2", LastBugAt: now.Add(-90 * time.Second)}
	c := &Console{Cases: 300, Duration: 10 * time.Minute}
	got := strings.Join(c.status(s, now), "  ")
	if want := "1m0s, 2m0s left  100 cases  2 bugs (B2 1m30s ago)  100/min  8 findings  5 of known bugs  3 to reduce  4 " +
		"cases not checked  0.0 % of statements replayed"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	c = &Console{Duration: 90 * time.Second, Planted: true}
	if got := strings.Join(c.status(s, now)[:4], "  "); got !=
		"1m0s, 30s left  100 cases  2 planted bugs (B2 1m30s ago)  100/min" {
		t.Error(got)
	}
	for width := range 200 {
		line := tabular.Fit(c.status(s, now), width)
		if n := utf8.RuneCountInString(line); n > width {
			t.Fatalf("%d characters on a line of %d: %q", n, width, line)
		}
	}
	if got := tabular.Fit(c.status(s, now), 60); got != "1m0s, 30s left  100 cases  2 planted bugs (B2 1m30s ago)" {
		t.Error(got)
	}
	if got := tabular.Fit((&Console{}).status(&campaign.Summary{ElapsedS: 9, Cases: 4, CasesPerMinute: 26}, now),
		39); got != "9s  4 cases  0 bugs  26/min" {
		// 40 columns
		t.Error(got)
	}
}

// TestRemarkRate: a slow server of the user's is remarked upon, once, after a minute.
func TestRemarkRate(t *testing.T) {
	var b strings.Builder
	c := &Console{w: &b, OnServer: true, Faster: "no disk"}
	for _, s := range []campaign.Summary{{ElapsedS: 59, CasesPerMinute: 20}, {ElapsedS: 61, CasesPerMinute: 900},
		{ElapsedS: 62, CasesPerMinute: 20}, {ElapsedS: 63, CasesPerMinute: 20}} {
		c.remarkRate(&s)
		if said := b.Len() > 0; said != (s.ElapsedS >= 62) {
			t.Errorf("after %.0f s at %.0f a minute: %q", s.ElapsedS, s.CasesPerMinute, b.String())
		}
	}
	if strings.Count(b.String(), "\n") != 1 || !strings.Contains(b.String(), "uses: no disk (docs") {
		t.Errorf("said %q", b.String())
	}
}
