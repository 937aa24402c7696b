package weave

import (
	"testing"

	"txweave/dbms"
	"txweave/exec"
	"txweave/history"
	"txweave/instrument"
	"txweave/oracle/observe"
	"txweave/sql/sqltext"
)

// askedRunner counts what the match oracle asks of the database.
type askedRunner struct {
	Runner
	asked []exec.MatchQuery
}

func (r *askedRunner) Matching(q exec.MatchQuery) (map[history.Version]bool, error) {
	r.asked = append(r.asked, q)
	return map[history.Version]bool{{Item: history.Item{Table: q.Table, PKey: 1}, VKey: 1}: true}, nil
}

// Of a statement whose rows no clause judges one by one the database is not asked: there is no table to ask about, and
// the error would be taken for a lost one.
func TestMatcherWithoutTable(t *testing.T) {
	r := &askedRunner{}
	k := &checker{Runner: r, plan: &instrument.Plan{Profile: &dbms.Profile{DBMS: "sqlite"},
		Schema: sqltext.SyntaxOf("sqlite").Schema([]string{"CREATE TABLE t (pkey INT)"})}}
	block := func(table string) *observe.ObservedStmt {
		return &observe.ObservedStmt{Run: &observe.BlockRun{Block: &instrument.Block{Info: &sqltext.Analysis{
			MatchTable: table, MatchAlias: table}}}}
	}
	stmts := []*observe.ObservedStmt{block(""), block("t"), block("t")}
	stmts[2].Run.Block.Info.MatchWhere = "rowid = 3" // which it is elsewhere
	matches := k.matcher(&observe.Observation{}, stmts, false)
	v := history.Version{Item: history.Item{Table: "t", PKey: 1}, VKey: 1}
	if match, known := matches(0, v); match || known || len(r.asked) != 0 {
		t.Errorf("a statement without a clause of its own: match %v, known %v, asked %v", match, known, r.asked)
	}
	if match, known := matches(2, v); match || known || len(r.asked) != 0 {
		t.Errorf("a statement that asks where a row lies: match %v, known %v, asked %v", match, known, r.asked)
	}
	if match, known := matches(1, v); !match || !known || len(r.asked) != 1 {
		t.Errorf("a statement with one: match %v, known %v, asked %d times", match, known, len(r.asked))
	}
}
