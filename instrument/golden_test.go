package instrument

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"txweave/dbms"
	"txweave/sql/analysis"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// defaultSchema is the schema of a golden file that gives none: t without and u with a unique key, s for a third.
const defaultSchema = `
CREATE TABLE t (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT, pvkey BIGINT, c0 INT, c1 TEXT)
CREATE TABLE u (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT, pvkey BIGINT, c0 INT UNIQUE, c2 INT)
CREATE TABLE s (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT, pvkey BIGINT, v INT)
`

// TestGolden runs the situations in testdata. Commands:
//
//	schema [dbms]               CREATE statements, one a line, for the rest of the file; prints the tables
//	analyze                     prints the analysis of one statement
//	plan profile=dbms/level     statements of transactions, one a line after the transaction's number; prints blocks
//
// Each prints "refused: …" instead where the package refuses its input.
func TestGolden(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		ddl, dbms := defaultSchema, "mariadb"
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			out, err := "", error(nil)
			switch d.Cmd {
			case "schema":
				ddl, dbms = d.Input, "mariadb"
				for _, arg := range d.CmdArgs {
					dbms = arg.Key
				}
				out, err = goldenSchema(ddl, dbms)
			case "analyze":
				out, err = goldenAnalysis(ddl, dbms, d.Input)
			case "plan":
				var name string
				d.ScanArgs(t, "profile", &name)
				out, err = goldenPlan(ddl, name, d.Input)
			default:
				d.Fatalf(t, "unknown command %s", d.Cmd)
			}
			if err != nil {
				return "refused: " + err.Error() + "\n"
			}
			return out
		})
	})
}

func lines(text string) []testcase.Stmt {
	var out []testcase.Stmt
	for _, l := range strings.Split(strings.TrimSpace(text), "\n") {
		out = append(out, testcase.Stmt{SQL: l})
	}
	return out
}

func goldenSchema(ddl, dbms string) (string, error) {
	s, err := readSchema(sqltext.SyntaxOf(dbms), lines(ddl))
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, t := range s.Tables {
		fmt.Fprintf(&b, "%s: columns %v unique %v parents %v children %v\n", t.Name, t.Names(), t.Unique, t.Parents,
			s.Children(t.Name))
	}
	return b.String(), nil
}

func goldenAnalysis(ddl, dbms, sql string) (string, error) {
	s, err := readSchema(sqltext.SyntaxOf(dbms), lines(ddl))
	if err != nil {
		return "", err
	}
	a, err := analysis.TextsOf(sqltext.SyntaxOf(dbms)).Analyze(s, sql)
	if err != nil {
		return "", err
	}
	return printAnalysis(a), nil
}

// printAnalysis prints every field that is not empty.
func printAnalysis(a *sqltext.Analysis) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s", a.Kind)
	if a.Target != "" {
		fmt.Fprintf(&b, " %s", a.Target)
	}
	if a.VKey != 0 {
		fmt.Fprintf(&b, " vkey=%d", a.VKey)
	}
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"locking", a.Locking}, {"diff", a.Diff}, {"value-depends", a.ValueDepends}, {"subquery", a.Subquery},
		{"set-op-or-cte", a.SetOrCTE}, {"total-order", a.TotalOrder}, {"plan-decides", a.PlanDecides},
		{"skips-locked", a.SkipsLocked}, {"locks-some", a.LocksSome}, {"locks-rows", a.RowLock != sqltext.NoRowLock},
	} {
		if f.set {
			b.WriteString(" " + f.name)
		}
	}
	b.WriteString("\n")
	for _, t := range a.Tables {
		fmt.Fprintf(&b, "  reads %s", t)
		if cols := a.Used[t]; cols == nil {
			b.WriteString(" *\n")
		} else {
			fmt.Fprintf(&b, " %v\n", cols)
		}
	}
	for _, t := range slices.Sorted(maps.Keys(a.Used)) {
		if !slices.Contains(a.Tables, t) {
			fmt.Fprintf(&b, "  USED BUT NOT READ: %s\n", t)
		}
	}
	for _, i := range a.Items {
		fmt.Fprintf(&b, "  prints items of %s in columns %d, %d\n", i.Table, i.PCol, i.VCol)
	}
	if a.MatchTable != "" {
		fmt.Fprintf(&b, "  judges rows of %s AS %s WHERE %s\n", a.MatchTable, a.MatchAlias, a.MatchWhere)
	} else {
		b.WriteString("  judges no row by itself\n")
	}
	return b.String()
}

func goldenPlan(ddl, name, input string) (string, error) {
	name, level, _ := strings.Cut(name, "/")
	p, err := dbms.Lookup(name, level)
	if err != nil {
		return "", err
	}
	c := &testcase.Case{Schema: lines(ddl)}
	for _, l := range strings.Split(input, "\n") {
		number, sql, _ := strings.Cut(l, " ")
		n, err := strconv.Atoi(strings.TrimPrefix(number, "T"))
		if err != nil || n > len(c.Txns) {
			return "", fmt.Errorf("bad line %q", l)
		}
		if n == len(c.Txns) {
			c.Txns = append(c.Txns, testcase.Txn{Begin: testcase.Stmt{SQL: "BEGIN"}, End: testcase.Stmt{SQL: "COMMIT"}})
		}
		c.Txns[n].Stmts = append(c.Txns[n].Stmts, testcase.Stmt{SQL: sql})
	}
	c.Schedule = c.SerialSchedule()
	plan, err := Instrument(c, p)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, t := range plan.Txns {
		for _, bl := range t.Blocks {
			fmt.Fprintf(&b, "%s %s\n", bl.Name(), viewNames[bl.View])
			for _, p := range probes(bl) {
				fmt.Fprintf(&b, "  %s %s %v: %s\n", p.Role, connNames[p.Conn], p.Tables, p.SQL)
			}
		}
		for _, p := range t.Orphans {
			fmt.Fprintf(&b, "%s\n  %s %s %v: %s\n", t.End, p.Role, connNames[p.Conn], p.Tables, p.SQL)
		}
	}
	return b.String(), nil
}

var (
	viewNames = map[dbms.View]string{dbms.Snapshot: "snapshot", dbms.Current: "current"}
	connNames = map[Conn]string{Own: "own", Committed: "committed", Latest: "latest"}
)

// probes lists a block's probes in the order in which they are sent.
func probes(b *Block) []Probe {
	out := slices.Clone(b.VSR)
	for _, p := range []*Probe{b.BWR, b.AWR} {
		if p != nil {
			out = append(out, *p)
		}
	}
	return out
}
