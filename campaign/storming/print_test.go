package storming

import (
	"strings"
	"testing"

	"txweave/exec/storm"
	"txweave/finding"
)

// TestStormBugs: a storm that found one known bug many times says so in one line, and another one beside it with two
// samples and their number, of which no limit takes the first where there is room. Only the other one counts.
func TestStormBugs(t *testing.T) {
	const hidden, stale = "mechanism-violation/missing-row-after-rebuild", "mechanism-violation/stale-read"
	of := func(dbms string, limit int) (*Aftermath, string) {
		s := &Aftermath{Found: 157}
		for range 154 {
			s.Findings = append(s.Findings, finding.Listed{Signature: hidden,
				Summary: "consistent-read: missing-row-after-rebuild of t:5", Explanation: []string{"it was missing"}})
		}
		for range 3 {
			s.Findings = append(s.Findings, finding.Listed{Signature: stale, Summary: "consistent-read: stale-read of t:5",
				Explanation: []string{"it was old"}})
		}
		if err := s.Group(finding.Environment{DBMS: dbms, Version: "10.11.19-MariaDB", Isolation: "repeatable-read"},
			limit); err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := s.printFound(&b); err != nil {
			t.Fatal(err)
		}
		return s, b.String()
	}
	s, text := of("mariadb", 20)
	const told = "finding       consistent-read: stale-read of t:5\n              it was old\n"
	want := "times         in nanoseconds since the storm began\nknown         mariadb-rebuild-snapshot (docs/findings/mariadb-rebuild-snapshot.md), 154 times\n" +
		told + told +
		"              … and 1 more of " + stale + "\nfindings      157, 154 of known bugs\n"
	if text != want || s.Known != 154 {
		t.Errorf("%d known:\n%s\nwant:\n%s", s.Known, text, want)
	}
	if s, text := of("mysql", 3); s.Known != 0 || strings.Count(text, "\nfinding ") != 3 || !strings.Contains(text,
		"stale-read of t:5") {
		t.Errorf("another server's is not known, and three samples are told of: %d known:\n%s", s.Known, text)
	}
}

// TestPrintActs: what was done to sessions is counted for all of them, and says so.
func TestPrintActs(t *testing.T) {
	a := Aftermath{Ran: &storm.Result{ActsOf: map[string]int{"network: session %d loses an answer": 2,
		"kill: the statement of session %d": 1}}}
	var b strings.Builder
	if err := a.printActs(&b); err != nil {
		t.Fatal(err)
	}
	const want = "nemesis       kill: the statement of a session, 1 times\nnemesis       network: a session loses an answer, 2 times\n"
	if !strings.HasPrefix(b.String(), want) {
		t.Errorf("printed:\n%s\nwant first:\n%s", b.String(), want)
	}
}
