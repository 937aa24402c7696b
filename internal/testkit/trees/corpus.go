package trees

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"txweave/testcase"
)

// StatementsOf are the statements of a case, in the order in which a session may run them.
func StatementsOf(c *testcase.Case) (out []string) {
	add := func(stmts ...testcase.Stmt) {
		for _, s := range stmts {
			if s.SQL != "" {
				out = append(out, s.SQL)
			}
		}
	}
	add(c.Schema...)
	add(c.Rows...)
	for _, t := range c.Txns {
		add(t.Begin)
		add(t.Stmts...)
		add(t.End)
	}
	return out
}

// caseOf reads a case of one of the targets; nil for one of another database, and for a text that is there for being
// none.
func caseOf(path string, targets []string) (*testcase.Case, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	c, err := testcase.Parse(path, text)
	var wrong *testcase.ParseError
	if errors.As(err, &wrong) || err == nil && !slices.Contains(targets, c.Target) {
		return nil, nil
	}
	return c, err
}

// Cases calls check for each statement of the cases of targets in the tree; there are at least so many cases.
func Cases(t *testing.T, least int, check func(target, stmt string), targets ...string) {
	t.Helper()
	cases := 0
	for _, dir := range []string{"bench", "cmd", "docs", "finding", "gen/guide", "report", "testcase", "weave"} {
		err := filepath.WalkDir(filepath.Join(root(t), dir), func(path string, _ os.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".txw" {
				return err
			}
			c, err := caseOf(path, targets)
			if err != nil || c == nil {
				return err
			}
			cases++
			for _, stmt := range StatementsOf(c) {
				check(c.Target, stmt)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if cases < least {
		t.Errorf("only %d cases are in the tree", cases)
	}
}

// root is the project's directory: the one above the test's in which its module begins.
func root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	for err == nil {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		above := filepath.Dir(dir)
		if above == dir {
			err = os.ErrNotExist
		}
		dir = above
	}
	t.Fatal("no go.mod above the test: ", err)
	return ""
}
