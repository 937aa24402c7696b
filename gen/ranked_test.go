package gen

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"txweave/internal/testkit/effort"
	"txweave/testcase"
)

// TestReachOfWrites: on SQLite some writes ask for each row how many others of their table lie before it, some triggers
// insert a row that is mostly there, and some savepoints are released with one inside that nothing names again (of 600
// cases 0 of each where they are not drawn for that).
func TestReachOfWrites(t *testing.T) {
	ranked := regexp.MustCompile(
		`^(?:UPDATE|DELETE FROM) (?:OR IGNORE )?(t\d).* WHERE (?:\(SELECT COUNT\(\*\) FROM|(?:NOT )?EXISTS \(SELECT 1 FROM) (t\d) AS r\d+ WHERE r\d+\.\w+ [<>=] t\d\.`)
	ranks, clashes, open := 0, 0, 0
	for i := range 600 {
		c := must(t, testDialect(t, "sqlite"), CaseSeed(8, i), Options{Isolation: "serializable"})
		for _, s := range c.Schema {
			if strings.Contains(s.SQL, " WHEN NEW.pkey > 1000 BEGIN INSERT INTO ") {
				clashes++
			}
		}
		for _, txn := range c.Txns {
			if releasedOver(&txn) {
				open++
			}
			for _, s := range txn.Stmts {
				if m := ranked.FindStringSubmatch(s.SQL); m != nil && m[1] == m[2] {
					ranks++
				}
			}
		}
	}
	if ranks < 40 || clashes < 3 || open < 15 {
		t.Errorf("%d writes by ranks, %d triggers that clash, %d savepoints released over another one", ranks, clashes, open)
	}
}

// releasedOver says whether a transaction releases a savepoint while one that was set later, by another name, is there,
// and was never named since.
func releasedOver(txn *testcase.Txn) bool {
	var set []string
	for _, s := range txn.Stmts {
		words := strings.Fields(s.SQL)
		name := words[len(words)-1]
		at := slices.Index(set, name)
		switch {
		case words[0] == "SAVEPOINT":
			set = append(set, name)
		case words[0] == "RELEASE" && at >= 0 && at < len(set)-1:
			return true
		case at >= 0 && (words[0] == "RELEASE" || words[0] == "ROLLBACK"):
			set = set[:at]
		}
	}
	return false
}

// TestLongValues: a long value can be written in the place of another one of its length, which differs from it at its
// end.
func TestLongValues(t *testing.T) {
	length := map[string]map[string]bool{}
	for _, v := range LongValues("%s*%d") {
		word, n, long := strings.Cut(strings.Trim(v, "'"), "'*")
		if long && len(word) > 1 {
			key := n + "/" + string(rune('0'+len(word)))
			if length[key] == nil {
				length[key] = map[string]bool{}
			}
			length[key][word[len(word)-1:]] = true
		}
	}
	alike := 0
	for _, ends := range length {
		if len(ends) > 1 {
			alike++
		}
	}
	if alike < 2 {
		t.Errorf("%d lengths of two values", alike)
	}
}

// TestClashesAlone: no trigger writes a table whose own trigger may fail, as the rows that the case begins with would
// fire it through that one.
func TestClashesAlone(t *testing.T) {
	clash := regexp.MustCompile(`^CREATE TRIGGER \w+ AFTER INSERT ON (t\d) FOR EACH ROW WHEN NEW\.pkey > 1000 `)
	writes := regexp.MustCompile(`BEGIN (?:INSERT INTO|UPDATE) (t\d)`)
	clashes := 0
	for i := range effort.Cases(6000) {
		c := must(t, testDialect(t, "sqlite"), CaseSeed(3110101443369, i), Options{Isolation: "serializable"})
		failing := map[string]bool{}
		for _, s := range c.Schema {
			if m := clash.FindStringSubmatch(s.SQL); m != nil {
				failing[m[1]] = true
				clashes++
			}
		}
		for _, s := range c.Schema {
			if m := writes.FindStringSubmatch(s.SQL); m != nil && failing[m[1]] {
				t.Errorf("case %d: %s", i, s.SQL)
			}
		}
	}
	if clashes < effort.Cases(30) {
		t.Errorf("%d triggers that may fail", clashes)
	}
}
