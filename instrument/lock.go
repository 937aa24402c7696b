package instrument

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"txweave/dbms"
	"txweave/sql/analysis"
	"txweave/sql/control"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// Locks are the tables that LOCK TABLES locks for all of a transaction, by the names that it gives them; nil where it
// has none.
func (t *TxnPlan) Locks() []control.TableLock {
	if len(t.Blocks) == 0 || !t.Blocks[0].Names() {
		return nil
	}
	return t.Blocks[0].Locks
}

// Names says whether a block is a LOCK TABLES that says by which names its transaction uses which
// tables, and no others.
func (b *Block) Names() bool { return len(b.Locks) > 0 && b.Locks[0].Alias != "" }

// ShutsOut says whether a block is LOCK TABLE in a mode that keeps readers out, too: the probes of others are such.
func (b *Block) ShutsOut() bool {
	return slices.ContainsFunc(b.Locks, func(l control.TableLock) bool {
		return l.Alias == "" && b.Advisory == nil && l.Mode == control.AccessExclusive
	})
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
func (p *Plan) lock(b *Block, locks []control.TableLock) error {
	if len(p.Schema.Views) > 0 || len(p.Schema.Triggers) > 0 || slices.ContainsFunc(p.Schema.Tables,
		func(t *sqltext.Table) bool { return len(t.Parents) > 0 }) {
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

// lockModes understands a LOCK TABLE with modes, in a transaction. Who keeps readers out is let in when nobody uses the
// table (exec), which nobody may be kept waiting for: it stands before whatever else its transaction locks.
func (p *Plan) lockModes(b *Block, locks []control.TableLock) error {
	for _, l := range locks {
		if p.Schema.Table(l.Table) == nil {
			return fmt.Errorf("unknown table %s", l.Table)
		}
		b.Info.Tables = append(b.Info.Tables, l.Table)
	}
	b.Locks = locks
	switch {
	case !b.ShutsOut():
	case p.Profile.ReadModes.Observer == dbms.SnapshotObserver:
		return fmt.Errorf(
			"it keeps the observer's reads from table %s until the transaction ends: a weaker mode than ACCESS EXCLUSIVE does "+
				"not", locks[0].Table)
	case slices.ContainsFunc(p.Case.Txns[b.Txn].Stmts[:b.Stmt], func(s testcase.Stmt) bool {
		return !sqltext.KindOf(s.SQL).IsSavepoint()
	}):
		return errors.New("LOCK TABLE in ACCESS EXCLUSIVE MODE stands before all else that its transaction does")
	default:
		p.shutsOut = true
	}
	return nil
}

// advisory understands a SELECT of an advisory lock.
func (b *Block) advisory(l control.AdvisoryLock) {
	b.Info = &sqltext.Analysis{Kind: sqltext.Lock}
	b.Advisory = &l
	if !l.Unlock {
		b.Locks = []control.TableLock{l.Held()}
	}
}

// KeepsLocks says whether a transaction has locks that would outlast it.
func (t *TxnPlan) KeepsLocks() bool {
	return slices.ContainsFunc(t.Blocks, func(b *Block) bool { return b.Advisory != nil && b.Advisory.Session })
}

// ReadOnly says whether the transaction begins READ ONLY.
func (t *TxnPlan) ReadOnly() bool { return t.Profile.Read(t.Begin).ReadOnly() }

// Deferred says whether the transaction begins READ ONLY DEFERRABLE at a level where its first statement then waits for
// a snapshot in which no anomaly can be.
func (t *TxnPlan) Deferred() bool {
	return t.Profile.Errors.Deferred != 0 && t.ReadOnly() && slices.Contains(t.Profile.Read(t.Begin).Traits(),
		"DEFERRABLE")
}

// Prepared is the name, with its quotes, by which the transaction is prepared, and then ended from
// outside; "" where it is not. One that has given its snapshot away cannot be.
func (t *TxnPlan) Prepared() string {
	return t.Profile.Read(t.End).EndsPrepared()
}

// checkLocked makes sure that a statement of a transaction which has locked tables names none that is not locked as it
// needs, since it would be refused as it is nowhere else: each name once, and the tables by their own names too, by
// which the probes know them.
func checkLocked(b *Block, locks []control.TableLock) error {
	names, ctes := analysis.Opens(b.Tree)
	if ctes {
		return errors.New("a common table expression under LOCK TABLES, which may open its tables twice, is not supported")
	}
	for i, name := range names {
		at := slices.IndexFunc(locks, func(l control.TableLock) bool { return l.Alias == name })
		switch {
		case at < 0:
			return fmt.Errorf("%s is none of the names of tables that LOCK TABLES locks", name)
		case slices.Contains(names[:i], name):
			return fmt.Errorf("it uses %s twice: LOCK TABLES locks a name for one use in a statement", name)
		case locks[at].Mode == control.Share && (b.Info.Locking || slices.Contains(b.Writes, locks[at].Table)):
			return fmt.Errorf("it locks or writes %s, which LOCK TABLES locks for reading", name)
		}
	}
	for _, t := range slices.Concat(b.Info.Tables, b.Writes) {
		if !slices.ContainsFunc(locks, func(l control.TableLock) bool {
			return l.Alias == t && l.Table == t && (l.Mode == control.AccessExclusive || !slices.Contains(b.Writes, t))
		}) {
			return fmt.Errorf("LOCK TABLES has to lock %s under its own name, too", strings.ToLower(t))
		}
	}
	return nil
}
