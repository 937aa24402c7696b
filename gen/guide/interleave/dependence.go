package interleave

import (
	"slices"

	"txweave/dbms"
	"txweave/instrument"
	"txweave/sql/sqltext"
	"txweave/weave"
)

// Dependence says which steps of different transactions depend on each other: their order may make a difference.
type Dependence struct {
	plan *instrument.Plan
	// told are the SELECTs and the writes of other transactions of which runs have told whether the write touches a row
	// that the SELECT finds: true once one has said so. Another order may bring other rows about, which a run of that
	// order tells then.
	told map[[2]instrument.Step]bool
}

// NewDependence returns what is known before the case has run: statements depend on each other where one writes a table
// that the other one uses.
func NewDependence(plan *instrument.Plan) *Dependence {
	return &Dependence{plan: plan, told: map[[2]instrument.Step]bool{}}
}

// Learn takes from a run of the case, under whichever schedule, which SELECTs find what others wrote, and says whether
// anything depends on something else than before.
func (d *Dependence) Learn(ran *weave.Explored) (changed bool) {
	for names, finds := range ran.Finds {
		read, ok := d.step(names[0])
		write, also := d.step(names[1])
		if !ok || !also {
			continue
		}
		at := [2]instrument.Step{read, write}
		if was, known := d.told[at]; !known || finds && !was {
			d.told[at], changed = finds, true
		}
	}
	return changed
}

// step finds a statement by its name.
func (d *Dependence) step(name string) (instrument.Step, bool) {
	for i := range d.plan.Txns {
		for _, b := range d.plan.Txns[i].Blocks {
			if b.Name() == name {
				return instrument.Step{Txn: b.Txn, Unit: b.Stmt}, true
			}
		}
	}
	return instrument.Step{}, false
}

// On says whether two steps depend on each other: those of one transaction, or of one session, do.
func (d *Dependence) On(a, b instrument.Step) bool {
	t, u := &d.plan.Txns[a.Txn], &d.plan.Txns[b.Txn]
	switch {
	case a.Txn == b.Txn || t.Session == u.Session:
		return true
	case d.inert(a) || d.inert(b):
		return false
	case d.publishes(a) && (d.publishes(b) || d.takes(b)) || d.publishes(b) && d.takes(a):
		return d.some(a.Txn, func(s instrument.Step) bool { return d.withSome(s, b.Txn) })
	case d.publishes(a):
		return d.withSome(b, a.Txn)
	case d.publishes(b):
		return d.withSome(a, b.Txn)
	case a.Unit >= 0 && b.Unit >= 0:
		return d.statements(a, b)
	}
	// A snapshot goes by what has ended; but a BEGIN that takes it at once may take the one write lock, too.
	return d.plan.Profile.Order == dbms.OneWriterAtOnce && (d.atOnce(a) || d.atOnce(b)) &&
		d.some(a.Txn, func(s instrument.Step) bool { return d.withSome(s, b.Txn) })
}

// atOnce says whether a step is a BEGIN that takes its snapshot by itself, and not with the first statement.
func (d *Dependence) atOnce(s instrument.Step) bool {
	t := &d.plan.Txns[s.Txn]
	return s.Unit == instrument.BeginUnit && t.Profile.BeginTakesSnapshot(t.Begin)
}

// inert says whether a step does nothing that others could tell: a savepoint.
func (d *Dependence) inert(s instrument.Step) bool {
	if s.Unit < 0 {
		return false
	}
	kind := d.block(s).Info.Kind
	return kind == sqltext.Savepoint || kind == sqltext.Release
}

// publishes says whether a step does something for what its transaction did before: an end shows others what was
// written and gives locks back, and so does a ROLLBACK TO a savepoint for a part of it. A statement in autocommit ends
// with itself.
func (d *Dependence) publishes(s instrument.Step) bool {
	t := &d.plan.Txns[s.Txn]
	return s.Unit == instrument.EndUnit || t.Autocommit() || s.Unit >= 0 && t.Blocks[s.Unit].Info.Kind ==
		sqltext.RollbackTo
}

// takes says whether a step may take the snapshot for all that follows in its transaction: its first statement that
// reads one, and its BEGIN, at every level: a snapshot that is taken too early is what is looked for.
func (d *Dependence) takes(s instrument.Step) bool {
	if s.Unit < 0 {
		return s.Unit == instrument.BeginUnit
	}
	t := &d.plan.Txns[s.Txn]
	opens := func(b *instrument.Block) bool {
		return b.Snaps() && t.Profile.OpensView(b.View, len(b.Depends)+len(b.Writes) > 0)
	}
	return t.Profile.SnapshotScope() == dbms.PerTransaction && opens(t.Blocks[s.Unit]) &&
		!slices.ContainsFunc(t.Blocks[:s.Unit], opens)
}

// some says whether something is true of a statement of a transaction.
func (d *Dependence) some(txn int, is func(instrument.Step) bool) bool {
	return slices.ContainsFunc(d.plan.Txns[txn].Blocks, func(b *instrument.Block) bool {
		return is(instrument.Step{Txn: b.Txn, Unit: b.Stmt})
	})
}

// withSome says whether a statement and one of another transaction depend on each other.
func (d *Dependence) withSome(s instrument.Step, txn int) bool {
	if s.Unit < 0 { // the end of a transaction without statements
		return false
	}
	return d.some(txn, func(o instrument.Step) bool { return d.statements(s, o) })
}

// statements says whether two statements of different transactions depend on each other.
func (d *Dependence) statements(a, b instrument.Step) bool {
	if d.inert(a) || d.inert(b) {
		return false
	}
	x, y := d.block(a), d.block(b)
	if x.Control() || y.Control() { // what keeps others out is not told by rows
		return true
	}
	if len(x.Writes) > 0 && len(y.Writes) > 0 && d.plan.Profile.Order == dbms.OneWriterAtOnce {
		return true
	}
	if !meet(x.Writes, y.Writes) && !meet(x.Writes, y.Depends) && !meet(x.Depends, y.Writes) {
		return (x.Info.Locking || y.Info.Locking) && meet(x.Depends, y.Depends)
	}
	return !d.apart(a, b) && !d.apart(b, a)
}

// apart says whether a SELECT that locks nothing finds no row that the other statement touches, in any run that told of
// both.
func (d *Dependence) apart(read, write instrument.Step) bool {
	p := d.plan.Txns[read.Txn].Profile
	if x := d.block(read); x.Info.Kind != sqltext.Select || x.Info.Locking || p.LockingReads || p.Certifier == dbms.SSI {
		return false
	}
	finds, known := d.told[[2]instrument.Step{read, write}]
	return known && !finds
}

func (d *Dependence) block(s instrument.Step) *instrument.Block {
	return d.plan.Txns[s.Txn].Blocks[s.Unit]
}

// meet says whether two lists have a name in common.
func meet(a, b []string) bool {
	return slices.ContainsFunc(a, func(name string) bool { return slices.Contains(b, name) })
}
