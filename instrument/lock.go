package instrument

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"txweave/sqltext"
)

// Locks are the tables that LOCK TABLES locks for all of a transaction, by the names that it gives them; nil where it has none.
func (t *TxnPlan) Locks() []sqltext.TableLock {
	if len(t.Blocks) == 0 {
		return nil
	}
	return t.Blocks[0].Locks
}

// Uses are the tables that a block uses, its probes included.
func (b *Block) Uses() []string {
	var out []string
	for _, p := range b.VSR {
		out = append(out, p.Tables...)
	}
	out = append(out, b.Info.Tables...)
	if b.Info.Target != "" {
		out = append(out, b.Info.Target)
	}
	return out
}

// lock understands LOCK TABLES.
func (p *Plan) lock(b *Block, locks []sqltext.TableLock) error {
	if len(p.Schema.Views) > 0 || len(p.Schema.Triggers) > 0 || slices.ContainsFunc(p.Schema.Tables, func(t *sqltext.Table) bool { return len(t.Parents) > 0 }) {
		return errors.New("LOCK TABLES beside views, triggers or foreign keys, which lock further tables, is not supported")
	}
	for _, l := range locks {
		if p.Schema.Table(l.Table) == nil {
			return fmt.Errorf("unknown table %s", l.Table)
		}
		b.Info.Tables = append(b.Info.Tables, l.Table)
	}
	b.Locks = locks
	return nil
}

// checkLocked makes sure that a statement of a transaction which has locked tables names none that is not locked as it needs, since
// it would be refused as it is nowhere else: each name once, and the tables by their own names too, by which the probes know them.
func checkLocked(b *Block, locks []sqltext.TableLock) error {
	read := sqltext.Read(b.SQL)
	if slices.ContainsFunc(read.Tokens, func(t sqltext.Token) bool { return t.Is("with") }) {
		return errors.New("a common table expression under LOCK TABLES, which may open its tables twice, is not supported")
	}
	names := read.References()
	for i, name := range names {
		at := slices.IndexFunc(locks, func(l sqltext.TableLock) bool { return l.Alias == name })
		switch {
		case at < 0:
			return fmt.Errorf("%s is none of the names of tables that LOCK TABLES locks", name)
		case slices.Contains(names[:i], name):
			return fmt.Errorf("it uses %s twice: LOCK TABLES locks a name for one use in a statement", name)
		case !locks[at].Write && (b.Info.Locking || slices.Contains(b.Writes, locks[at].Table)):
			return fmt.Errorf("it locks or writes %s, which LOCK TABLES locks for reading", name)
		}
	}
	for _, t := range slices.Concat(b.Info.Tables, b.Writes) {
		if !slices.ContainsFunc(locks, func(l sqltext.TableLock) bool {
			return l.Alias == t && l.Table == t && (l.Write || !slices.Contains(b.Writes, t))
		}) {
			return fmt.Errorf("LOCK TABLES has to lock %s under its own name, too", strings.ToLower(t))
		}
	}
	return nil
}
