package instrument

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"txweave/dbms"
	"txweave/history"
	"txweave/sql"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// checkView refuses a SELECT whose blocks read different views: where plain reads and locking reads differ, each
// block reads as its own lock clause says. It also refuses what replaces rows that only the writer could have shown.
func checkView(a *sqltext.Analysis, p *dbms.Profile) error {
	if p.ReadModes.StatementSnapshots {
		return nil
	}
	hidden := a.Diff && a.Kind != sqltext.Delete && p.DMLView == dbms.Current &&
		p.ReadModes.Observer != dbms.DirtyObserver && p.ReadModes.SelectView != p.DMLView
	if hidden && a.Kind == sqltext.Update {
		return fmt.Errorf(
			"an UPDATE of several tables, or of one under two names, or without a version key of its own: at this level no " +
				"read shows the rows that it writes")
	}
	if hidden {
		return fmt.Errorf("REPLACE and ON DUPLICATE KEY UPDATE: at this level no read shows the rows that they replace")
	}
	if a.Kind == sqltext.Select && a.LockedBlocks > 0 && a.LockedBlocks < a.Blocks && (a.Subquery || a.SetOrCTE) &&
		p.ReadModes.SelectView != p.DMLView {
		return fmt.Errorf(
			"a locking SELECT of several query blocks: at this level those that lock read another view than the others")
	}
	if a.LocksSome && p.ReadModes.SelectView != p.DMLView {
		return fmt.Errorf("FOR UPDATE OF some of its tables: at this level the others are read in another view than those")
	}
	return nil
}

// CheckKeys refuses a case in which a pkey may name two rows: present holds those of the initial rows by table. Where
// no key of the table keeps the second one out, that is any pkey that is there or written twice. Where one does, it is
// one that may be free at one time and taken at another: the INSERT then depends on a row that no probe shows where the
// table has no other unique key. REPLACE and its like, which are compared with what was there, may use it; where
// another key of the table decides what they replace, only whoever wrote the case knows that it is the row of that
// pkey: of one that was made blindly it is not taken.
func (p *Plan) CheckKeys(present func(table string) []int64, blind bool) error {
	k := keyCheck{plan: p, blind: blind, used: map[history.Item]string{}, bases: map[history.Item]string{},
		shrinks: map[string]bool{}, loses: map[string]bool{}}
	for _, txn := range p.Txns {
		for _, b := range txn.Blocks {
			k.shrinks[b.Info.Target] = k.shrinks[b.Info.Target] || b.Info.Diff
			k.loses[b.Info.Target] = k.loses[b.Info.Target] || b.Info.Kind == sqltext.Delete
		}
	}
	for _, t := range p.Schema.Tables {
		if t.Named() && !k.shrinks[t.Name] {
			continue // the keys of its initial rows are taken at all times
		}
		for _, key := range present(t.Name) {
			item := history.Item{Table: t.Name, PKey: key}
			if k.used[item] != "" {
				return fmt.Errorf("rows: two rows of %s have the %s %d: it must name one row", t.Name, sqltext.PKey, key)
			}
			k.used[item] = "the initial rows"
		}
	}
	for _, txn := range p.Txns {
		for _, b := range txn.Blocks {
			if err := k.inserts(b); err != nil {
				return fmt.Errorf("%s: %w", p.at(b), err)
			}
		}
	}
	return nil
}

// keyCheck is CheckKeys as it goes through a case.
type keyCheck struct {
	plan  *Plan
	blind bool
	used  map[history.Item]string // who gave a table a row of that key
	bases map[history.Item]string // who gave it rows whose keys are those of others, and that number
	// tables of which statements take rows away, or change which there are, and those of which one deletes
	shrinks, loses map[string]bool
}

// inserts refuses a block that gives a table a row whose pkey names another one.
func (k *keyCheck) inserts(b *Block) error {
	if err := k.adds(b); err != nil {
		return err
	}
	mine := map[int64]bool{}
	for _, key := range b.Info.PKeys {
		item := history.Item{Table: b.Info.Target, PKey: key}
		t := k.plan.Schema.Table(item.Table)
		if mine[key] && !t.Named() {
			return fmt.Errorf("inserts %s %d into %s twice: it must name one row", sqltext.PKey, key, item.Table)
		}
		prof := k.plan.Txns[b.Txn].Profile
		if k.used[item] != "" && k.loses[item.Table] && prof.FixedViews() && prof.KeysReborn {
			return fmt.Errorf("gives %s a row of %s %d, which others may have deleted behind its snapshot: at this level it "+
				"would see two rows of that name", item.Table, sqltext.PKey, key)
		}
		sure := t.Named() || !b.Info.Plain && t.IsKeyed() && !k.blind // it replaces the row, or fails
		if by := k.used[item]; by != "" && (!b.Info.Diff || !sure) {
			return fmt.Errorf("inserts %s %d into %s, as do %s: it must never be used again", sqltext.PKey, key,
				item.Table, by)
		}
		k.used[item], mine[key] = b.Name(), true
	}
	return nil
}

// adds refuses a block that gives a table without a key of its pkeys rows whose pkeys are those of other rows and a
// number, or rows with pkeys that such a block may give: none of them names one row. Below the number lie all pkeys
// that there were before, as the generator numbers them.
func (k *keyCheck) adds(b *Block) error {
	t := k.plan.Schema.Table(b.Info.Target)
	if t == nil || t.Named() {
		return nil
	}
	clash := func(key, base int64, by string) error {
		return fmt.Errorf("inserts %s %d into %s, and %s rows of %s %d and more: it must name one row", sqltext.PKey, key,
			t.Name, by, sqltext.PKey, base)
	}
	for _, key := range b.Info.PKeys {
		var highest history.Item
		for base := range k.bases {
			if base.Table == t.Name && key >= base.PKey && key < 2*base.PKey && base.PKey > highest.PKey {
				highest = base
			}
		}
		if highest.Table != "" {
			return clash(key, highest.PKey, k.bases[highest])
		}
	}
	base, ok := addend(b.Tree)
	if !ok {
		return nil
	}
	own := history.Item{Table: t.Name, PKey: base}
	if by := k.bases[own]; by != "" {
		return clash(base, base, by)
	}
	lowest := history.Item{PKey: 2 * base}
	for item := range k.used {
		if item.Table == t.Name && item.PKey >= base && item.PKey < lowest.PKey {
			lowest = item
		}
	}
	if lowest.Table != "" {
		return clash(lowest.PKey, base, k.used[lowest])
	}
	k.bases[own] = b.Name()
	return nil
}

// addend is the number that an INSERT of a query adds to other rows' pkeys.
func addend(stmt sql.Stmt) (int64, bool) {
	x, ok := stmt.(*sql.Insert)
	if !ok || x.Source == nil {
		return 0, false
	}
	at := slices.IndexFunc(x.Columns, func(n *sql.Name) bool { return n.Folded() == sqltext.PKey })
	sel, ok := x.Source.Body.(*sql.Select)
	if !ok || at < 0 || at >= len(sel.Items) {
		return 0, false
	}
	sum, ok := sel.Items[at].X.(*sql.Binary)
	if !ok || sum.Op != sql.OpAdd {
		return 0, false
	}
	n, ok := sum.Left.(*sql.Literal)
	if !ok || n.Kind != sql.Number {
		return 0, false
	}
	base, err := strconv.ParseInt(n.Text, 10, 64)
	return base, err == nil
}

// checkNow refuses, where a text 'now' is the time to the functions of dates, a case that holds such a text and gives
// one of them what is no literal: a row may hold it. A text that is put together from others is not seen.
func checkNow(c *testcase.Case, syntax *sqltext.Syntax) error {
	if !syntax.TextTellsTime {
		return nil
	}
	now, called, at := false, "", ""
	read := func(sql, place string) {
		s := syntax.Quoting.Read(sql)
		asked, _ := s.Calls() // a default that is the time does not hold the text
		now = now || len(asked) == 0 && slices.ContainsFunc(s.Tokens, func(t sqltext.Token) bool {
			return t.Kind == sqltext.Literal && strings.EqualFold(strings.TrimSpace(t.Unquote()), "now")
		})
		if called == "" {
			called, at = s.DatesContents(), place
		}
	}
	for i, s := range c.Schema {
		read(s.SQL, fmt.Sprintf("schema, statement %d", i))
	}
	for n := range c.Txns {
		for i, s := range c.Txns[n].Stmts {
			read(s.SQL, c.At(testcase.Ref{Txn: n, Stmt: i}))
		}
	}
	for _, s := range c.Rows {
		read(s.SQL, "")
	}
	if now && called != "" {
		return fmt.Errorf("%s: function %s: of a row that holds 'now' its value is the time: take another text", at,
			strings.ToUpper(called))
	}
	return nil
}
