package house

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// databases finds the names of the databases, in code and in comments.
var databases = regexp.MustCompile(`(?i)mariadb|mysql|tidb|postgres|sqlite`)

// aside are rooms that may name databases: their own folders, what is measured on them, and what only tests need.
var aside = []string{"dbms/", "bench/", "internal/testkit/"}

// TestSeam: who names a database knows of it, and what is known of a database stands in its folder. The files that do
// all the same are listed in testdata/seam.txt. The list only gets shorter: -rewrite takes those out that no longer do.
func TestSeam(t *testing.T) {
	var named []string
	goFiles(t, func(path string) error {
		at := strings.TrimPrefix(filepath.ToSlash(path), "../../")
		if strings.HasSuffix(at, "_test.go") || slices.ContainsFunc(aside, func(room string) bool {
			return strings.HasPrefix(at, room)
		}) {
			return nil
		}
		text, err := os.ReadFile(path)
		if databases.Match(text) {
			named = append(named, at)
		}
		return err
	})
	const golden = "testdata/seam.txt"
	text, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	allowed := strings.Fields(string(text))
	for _, at := range named {
		if !slices.Contains(allowed, at) {
			line := ""
			if src, err := os.ReadFile(filepath.Join("..", "..", at)); err == nil {
				line = string(databases.Find(src))
			}
			t.Errorf("%s names a database (%s): say the rule, or have the database's folder say it", at, line)
		}
	}
	left := slices.DeleteFunc(slices.Clone(allowed), func(at string) bool { return !slices.Contains(named, at) })
	if len(left) == len(allowed) {
		return
	}
	if *rewrite {
		err = os.WriteFile(golden, []byte(strings.Join(left, "\n")+"\n"), 0o600)
	} else {
		t.Errorf("%d files of %s name no database any more: go test ./internal/house -run Seam -rewrite",
			len(allowed)-len(left), golden)
	}
	if err != nil {
		t.Error(err)
	}
}
