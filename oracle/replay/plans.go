package replay

import (
	"slices"
	"strconv"
	"strings"

	"txweave/dbms"
	"txweave/fault"
	"txweave/finding"
	"txweave/history"
	"txweave/instrument"
	"txweave/oracle"
	"txweave/oracle/observe"
	"txweave/sql"
	"txweave/sql/sqltext"
)

// ComparePlans lists the differences between two replays of the same statements in the same order under two plan
// settings, in what no plan decides: the rows of queries as multisets, affected rows, what the tables hold in the end.
// Values are compared as SQL's comparisons do that DISTINCT, GROUP BY, UNION, MIN and MAX go by: which of several equal
// values they answer with is up to the plan. Warnings and the order of rows are left out. Where one of the two meets an
// error there, which can depend on the order in which rows are looked at, a query is passed over, and after a write
// nothing more is compared.
func ComparePlans(tables []*sqltext.Table, blocks []*instrument.Block, a, b *observe.Replayed) []finding.Difference {
	var out []finding.Difference
	for i, block := range blocks {
		x, y := a.Events[i], b.Events[i]
		switch {
		case (x.Err != nil || y.Err != nil) && block.Info.Kind == sqltext.Select:
			continue
		case (x.Err == nil) != (y.Err == nil):
			return out
		case x.Err != nil:
			continue
		}
		for _, d := range compareStatement(block.Info, plainly(x), plainly(y)) {
			if d.What != fault.Order {
				d.Stmt, d.Kind = block.Name(), oracle.Verb(block.Info.Kind)
				out = append(out, d)
			}
		}
		if ordered(block, tables) {
			return out
		}
	}
	for _, t := range tables {
		if d, differ := compareRows(comparable(a.Final[t.Name]), comparable(b.Final[t.Name]), false); differ {
			d.What, d.Table = fault.Final, t.Name
			out = append(out, d)
		}
	}
	return out
}

// CompareSearches holds each write of a replay against the query right before it for the rows under its WHERE clause,
// or for those that it inserts: it affects as many. That an UPDATE, a DELETE and a SELECT with one condition find the
// same rows is an oracle by itself (Song et al., Testing Database Systems via Differential Query Execution, ICSE 2023,
// section 3); here no transaction nor lock comes between them, at whatever level the case was run. Where either of the
// two meets an error nothing is said: which rows are looked at, and so whether one comes, is up to the plan. An INSERT
// of one row is held against the query for what keeps it out: it is refused for a duplicate where a row has one of its
// keys, and only there, and for a row that it refers to only where there is none. (That it is not refused then the
// integrity check tells.) An upsert of one row with a condition is held against the query for the rows in its way.
func CompareSearches(blocks []*instrument.Block, rep *observe.Replayed, p *dbms.Profile) []finding.Difference {
	var out []finding.Difference
	for i, block := range blocks {
		search, e := rep.Searches[i], rep.Events[i]
		if search == nil || search.Err != nil {
			continue
		}
		found := int64(search.Rows.Len())
		d := finding.Difference{Stmt: block.Name(), Kind: oracle.Verb(block.Info.Kind), What: fault.MatchedAffected,
			Replay: finding.Affected(found),
			Asked:  search.Text}
		switch {
		case block.Info.Passes > 0:
			want, sure := passed(search.Rows)
			if e.Err != nil || !sure || want == e.Affected {
				continue
			}
			d.What, d.Replay, d.Transaction = fault.ChangedMatched, finding.Affected(want), finding.Affected(e.Affected)
		case block.Info.Spells > 0:
			if asItShould(search.Rows, e.Err, p) {
				continue
			}
			d.What, d.Transaction = fault.RefusedHeld, finding.Answered(e.Err)
		case e.Err != nil || found == e.Affected:
			continue
		default:
			d.Transaction = finding.Affected(e.Affected)
		}
		out = append(out, d)
	}
	return out
}

// passed is how many rows an upsert with a condition writes: the one that it spells, where none is in its way, or the
// one that is, where the condition is true of that. With several in its way it is not sure which one is meant, unless
// all are alike in that.
func passed(found *history.Rows) (rows int64, sure bool) {
	held, met := 0, 0
	for i := range found.Len() {
		if why, _ := found.Row(i)[0].Int64(); why == instrument.KeyMet {
			met++
		} else {
			held++
		}
	}
	if held == 0 || held == met {
		return 1, true
	}
	return 0, met == 0
}

// asItShould says whether what became of an INSERT goes with what was found to keep it out.
func asItShould(found *history.Rows, err *history.DBError, p *dbms.Profile) bool {
	held, gone := false, false
	for i := range found.Len() {
		why, _ := found.Row(i)[0].Int64()
		held, gone = held || why == instrument.KeyHeld, gone || why == instrument.ParentGone
	}
	switch {
	case err == nil:
		return !held
	case slices.Contains(p.Errors.Duplicate, err.Code):
		return held
	case slices.Contains(p.Errors.ForeignKey, err.Code):
		return gone
	}
	return true
}

// SameRows compares two answers of one query as ComparePlans does, without regard to the order of rows.
func SameRows(a, b *history.Rows) (d finding.Difference, same bool) {
	d, differ := compareRows(comparable(a), comparable(b), false)
	return d, !differ
}

// ordered says whether what a write leaves can depend on the order in which it comes to rows: where one of them keeps
// another out, or takes its place; where it takes some of those that match; where rows of several tables are joined to
// say what is written; where rows are numbered as they come.
func ordered(b *instrument.Block, tables []*sqltext.Table) bool {
	info := b.Info
	if info.Kind == sqltext.Select {
		return false
	}
	if b.Tree == nil {
		return true // nobody has read it
	}
	several, joined, resolves := false, false, false
	sql.Walk(b.Tree, func(n sql.Node) bool {
		switch n := n.(type) {
		case *sql.Limit:
			several = several || !info.TotalOrder
		case *sql.Insert:
			resolves = resolves || n.Ignore || n.Replace || n.Or != ""
		case *sql.Update:
			_, one := n.Table.(*sql.Table)
			joined, resolves = joined || !one || n.From != nil, resolves || n.Ignore || n.Or != ""
		case *sql.Delete:
			resolves = resolves || n.Ignore
		case *sql.DeleteJoined:
			resolves = resolves || n.Ignore
		}
		return true
	})
	switch {
	case resolves:
		return true
	case info.Kind == sqltext.Update:
		return several || joined
	case info.Kind == sqltext.Insert:
		counts := slices.ContainsFunc(tables, func(t *sqltext.Table) bool {
			return t.Name == info.Target && slices.ContainsFunc(t.Columns, func(c sqltext.Column) bool { return c.Counts })
		})
		return !info.Plain || (several || counts) && selects(b)
	}
	return several
}

// plainly is an answer with comparable rows and without warnings.
func plainly(e *history.Event) *history.Event {
	out := *e
	out.Rows, out.Warnings = comparable(e.Rows), nil
	return &out
}

// comparable replaces each value by one that stands for all that a comparison may call equal to it: of texts without
// regard to case and to blanks at the end, of numbers without regard to their type. The bytes of a BIT column are the
// number that they are, as which it is answered where the column comes from some temporary tables.
func comparable(r *history.Rows) *history.Rows {
	if r == nil {
		return nil
	}
	out := *r
	out.Cells = slices.Clone(r.Cells)
	for i, v := range out.Cells {
		if v.Kind == history.Null {
			continue
		}
		text := v.S
		if v.Kind != history.Text {
			text = v.String()
		} else if len(r.Types) > 0 && r.Types[i%len(r.Types)] == "BIT" {
			var n uint64 // of 64 bits at most
			for _, b := range []byte(v.S) {
				n = n<<8 | uint64(b)
			}
			text = strconv.FormatUint(n, 10)
		}
		text = strings.TrimRight(strings.ToLower(text), " ")
		if strings.Contains(text, ".") && strings.Trim(text, "-+.0123456789") == "" {
			text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
		}
		if text == "-0" {
			text = "0"
		}
		out.Cells[i] = history.TextValue(text)
	}
	return &out
}
