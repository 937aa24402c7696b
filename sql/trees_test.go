package sql_test

import (
	"os"
	"reflect"
	"regexp"
	"testing"

	"txweave/internal/testkit/trees"
	"txweave/sql"
)

// TestTreesHaveEveryField: of each node's fields one is set in some of the trees that are drawn, so that none is
// printed or read by chance.
func TestTreesHaveEveryField(t *testing.T) {
	text, err := os.ReadFile("nodes_gen.go")
	if err != nil {
		t.Fatal(err)
	}
	missing := map[string]bool{}
	of := ""
	for _, m := range regexp.MustCompile(`func \(n? ?\*(\w+)\) fields|\(f, "(\w+)"`).FindAllStringSubmatch(
		string(text), -1) {
		if m[1] != "" {
			of = m[1]
		}
		missing[of+"."+m[2]] = true
	}
	if len(missing) < 400 {
		t.Fatalf("only %d fields are known", len(missing))
	}
	delete(missing, "Opaque.") // no reader makes it
	delete(missing, "Opaque.Text")
	for seed := 0; seed < 10_000 && len(missing) > 0; seed++ {
		for _, language := range []trees.Language{trees.SQLite, trees.MySQL, trees.PostgreSQL} {
			sql.Walk(trees.Statement(language).Example(seed), func(n sql.Node) bool {
				v := reflect.ValueOf(n).Elem()
				delete(missing, v.Type().Name()+".")
				for i := range v.NumField() {
					if !v.Field(i).IsZero() {
						delete(missing, v.Type().Name()+"."+v.Type().Field(i).Name)
					}
				}
				return true
			})
		}
	}
	for name := range missing {
		t.Errorf("%s is in no tree", name)
	}
}
