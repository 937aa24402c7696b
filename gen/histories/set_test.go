package histories

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"txweave/checker"
	"txweave/checker/blackbox"
	proof "txweave/checker/certificate"
	"txweave/fault"
	"txweave/history/format"
	"txweave/history/register"
)

// TestSet: of every format, what the index says of a file is what the checkers find in it.
func TestSet(t *testing.T) {
	for _, form := range format.WriterNames() {
		for _, shape := range []Shape{Mini, General} {
			t.Run(form+"/"+string(shape), func(t *testing.T) { checkSet(t, everything(form, shape, false)) })
			if format.Keeps(form).Lists {
				t.Run(form+"/lists/"+string(shape), func(t *testing.T) {
					checkSet(t, everything(form, shape, true))
				})
			}
		}
	}
}

// everything is a set with all that a format can hold.
func everything(form string, shape Shape, lists bool) *Set {
	s := &Set{Config: Config{Lists: lists, Shape: shape, Txns: 200, Keys: 20, Sessions: 6, Ops: 5}, Seed: 3, Count: 2,
		Format: form}
	if format.Keeps(form).Aborted {
		s.Aborts = 0.1
	}
	if format.Keeps(form).Unknown {
		s.Unknowns = 0.05
	}
	s.Anomalies = append(s.Anomalies, "")
	for _, a := range Anomalies() {
		if s.CanTell(&a) {
			s.Anomalies = append(s.Anomalies, a.Kind)
		}
	}
	return s
}

// checkSet writes a set and judges each of its files.
func checkSet(t *testing.T, s *Set) {
	dir := t.TempDir()
	if err := errors.Join(s.Validate(), s.WriteDir(t.Context(), dir)); err != nil {
		t.Fatal(err)
	}
	index, err := os.ReadFile(filepath.Join(dir, IndexName))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(index)), "\n")
	if len(lines) != s.Count*len(s.Anomalies) {
		t.Errorf("%d lines in the index of %d histories", len(lines), s.Count*len(s.Anomalies))
	}
	for _, line := range lines {
		var m Judged
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		checkJudged(t, dir, &m, s.Lists)
	}
}

// checkJudged judges a file.
func checkJudged(t *testing.T, dir string, m *Judged, lists bool) {
	c, err := format.Read(t.Context(), filepath.Join(dir, m.File), format.Auto)
	if err != nil {
		t.Fatal(err)
	}
	want := 6
	if m.Certificate != "" {
		want = len(certifiedLevels)
	}
	if c.Format != m.Format || len(m.Verdicts) < want {
		t.Errorf("%s is read as %s, with %d verdicts", m.File, c.Format, len(m.Verdicts))
	}
	opt := checker.Options{SessionOrder: true}
	for level, want := range m.Verdicts {
		var v checker.Verdict
		if m.Certificate == "" {
			v = blackbox.Check(t.Context(), c.History, level, opt)
		} else {
			v = proof.Check(t.Context(), c.History, readCertificate(t, filepath.Join(dir, m.Certificate), c.History),
				level, opt, lessThanFive{})
		}
		if string(v.Outcome) != want || want == "invalid" && !slices.Contains(namesAt(m.Anomaly, level, lists), v.Anomaly) {
			t.Errorf("%s: %s, want %s", m.File, v, want)
		}
	}
}

func readCertificate(t *testing.T, path string, h *register.History) *proof.Certificate {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c, err := proof.Read(bytes.NewReader(text), h)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestSetRefuses: what a format cannot hold is not written.
func TestSetRefuses(t *testing.T) {
	for form, cfg := range map[string]Config{
		"awdit": {Aborts: 0.5}, "text": {Unknowns: 0.5}, "dbcop-json": {Unknowns: 0.5},
	} {
		s := &Set{Config: cfg, Count: 1, Anomalies: []fault.Kind{""}, Format: form}
		if err := s.WriteDir(t.Context(), t.TempDir()); err == nil {
			t.Errorf("%s takes %+v", form, cfg)
		}
	}
	for _, s := range []*Set{
		{}, {Count: 1, Anomalies: []fault.Kind{""}, Format: "cobra"},
		{Count: 1, Anomalies: []fault.Kind{fault.HistoryRealTimeViolation}, Format: "text"},
		{Count: 1, Anomalies: []fault.Kind{fault.HistoryPhantom}, Format: "edn"},
		{Count: 1, Anomalies: []fault.Kind{""}, Format: "text", Config: Config{Lists: true}},
	} {
		if err := s.Validate(); err == nil {
			t.Errorf("%+v is accepted", s)
		}
	}
}
