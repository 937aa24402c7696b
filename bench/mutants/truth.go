package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	_ "txweave/dbms/registry" // how statements are read
	"txweave/dbms/sqlite"
	"txweave/exec"
	"txweave/finding"
	"txweave/history"
	"txweave/testcase"
)

// truth is wrongSide of what a finding's report shows, and "?" where that cannot be known.
func truth(ctx context.Context, dir string) string {
	side, err := wrongSide(ctx, shown(dir))
	if err != nil {
		return "?"
	}
	return side
}

// wrongSide says which recorded side of a finding an engine without mutants contradicts: "transaction", "replay",
// "both" or "neither". The statements of the trace and of the replay are sent again as they were, in the same order,
// and the first answer of each side that is another one decides. The mutants of this program are off: it has none.
func wrongSide(ctx context.Context, dir string) (string, error) {
	c, err := testcase.ReadFile(filepath.Join(dir, finding.CaseFile))
	if err != nil {
		return "", err
	}
	wrong := map[string]bool{}
	for _, file := range []string{finding.TraceFile, finding.ReplayFile} {
		f, err := os.Open(filepath.Join(dir, file))
		if errors.Is(err, os.ErrNotExist) {
			continue // judged without a replay
		}
		if err != nil {
			return "", err
		}
		trace, err := history.ReadTrace(f)
		if err := errors.Join(err, f.Close()); err != nil {
			return "", fmt.Errorf("%s: %w", file, err)
		}
		if wrong[file], err = contradicted(ctx, c, trace); err != nil {
			return "", fmt.Errorf("%s: %w", file, err)
		}
	}
	switch run, replay := wrong[finding.TraceFile], wrong[finding.ReplayFile]; {
	case run && replay:
		return "both", nil
	case run:
		return "transaction", nil
	case replay:
		return "replay", nil
	}
	return "neither", nil
}

// contradicted sends the statements of a trace to a database of its own and compares the answers.
func contradicted(ctx context.Context, c *testcase.Case, trace *history.Trace) (differs bool, err error) {
	db, err := sqlite.Open(ctx)
	if err != nil {
		return false, err
	}
	sessions := map[string]*exec.Session{}
	defer func() {
		for _, s := range sessions {
			err = errors.Join(err, s.Close())
		}
		err = errors.Join(err, db.Close())
	}()
	for _, s := range slices.Concat(c.Schema, c.Rows) {
		if err := db.Control().Must(ctx, s.SQL); err != nil {
			return false, err
		}
	}
	for _, e := range trace.Events {
		s := sessions[e.Session]
		if s == nil {
			if s, err = db.Open(ctx, exec.FirstNode, sqlite.Levels()[0]); err != nil {
				return false, err
			}
			sessions[e.Session] = s
		}
		send := s.Exec
		if first, _, _ := strings.Cut(e.Text, " "); e.Rows != nil || first == "SELECT" || first == "WITH" ||
			first == "VALUES" {
			send = s.Query
		}
		a, err := send(ctx, e.Text)
		if err != nil {
			return false, err
		}
		if !sameAnswer(e, a) {
			return true, nil
		}
	}
	return false, nil
}

// sameAnswer compares error codes, affected rows where the trace has them, and rows without their order.
func sameAnswer(e *history.Event, a history.Answer) bool {
	if e.Err != nil || a.Err != nil {
		return e.Err != nil && a.Err != nil && e.Err.Code == a.Err.Code
	}
	if e.Rows == nil || a.Rows == nil {
		return e.Rows == a.Rows && (e.Affected < 0 || e.Affected == a.Affected)
	}
	return slices.Equal(sorted(e.Rows), sorted(a.Rows))
}

// sorted are the rows as text, in the order of the text.
func sorted(r *history.Rows) []string {
	var lines []string
	for i := range r.Len() {
		var b strings.Builder
		for _, v := range r.Row(i) {
			b.WriteString(v.String())
			b.WriteByte('\n')
		}
		lines = append(lines, b.String())
	}
	slices.Sort(lines)
	return lines
}
