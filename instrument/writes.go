package instrument

import (
	"fmt"
	"strings"

	"txweave/dbms"
	"txweave/history"
	"txweave/sql"
	"txweave/sql/analysis"
	"txweave/sql/sqltext"
)

// addWriteProbes adds the reads around a write.
func (p *Plan) addWriteProbes(b *Block) error {
	info := b.Info
	if info.Target == "" {
		return nil
	}
	after := Own
	if p.Profile.ReadModes.Observer == dbms.DirtyObserver && p.Txns[b.Txn].Locks() == nil {
		after = Latest // a plain read in the transaction would take its snapshot, or a lock at SERIALIZABLE
	}
	table := p.Schema.Table(info.Target)
	written := func(table *sqltext.Table) Probe {
		return Probe{Role: history.AWR, Conn: after, Tables: []string{table.Name}, Written: true,
			SQL: fmt.Sprintf("SELECT %s FROM %s WHERE %s = %d", strings.Join(table.Spelled(), ", "), table.Name,
				sqltext.VKey, info.VKey)}
	}
	if info.Diff {
		probes := p.versionSets(history.AWR, after, b.Writes)
		for _, t := range b.Writes {
			if info.VKey != 0 && !p.Contents[t] { // what its versions hold
				probes = append(probes, written(p.Schema.Table(t)))
			}
		}
		b.AWR, b.After = &probes[0], probes[1:]
	} else {
		probe := written(table)
		b.AWR = &probe
	}
	sql, err := p.beforeRead(b)
	if err != nil {
		return err
	}
	if sql != "" {
		b.BWR = &Probe{Role: history.BWR, Conn: Own, SQL: sql, Tables: []string{table.Name}}
		return nil
	}
	b.BWR, err = p.joinedRead(b)
	return err
}

// beforeRead returns the read of the rows that a write is going to overwrite; "" where no such read exists or is
// wanted.
func (p *Plan) beforeRead(b *Block) (string, error) {
	if p.Schema.Table(b.Info.Target).Column(sqltext.VKey) == nil || !p.mayReadBefore(b) {
		return "", nil
	}
	mode := p.Txns[b.Txn].Profile.ReadModes.Before
	return p.parser.BeforeRead(p.Schema, b.SQL, mode != dbms.PlainBeforeRead, mode == dbms.LockingBeforeRead)
}

// Leave takes searches, and reads of what a write is going to overwrite, from the plan.
func (p *Plan) Leave(searches, before bool) {
	p.unsearched = searches
	if !before {
		return
	}
	for i := range p.Txns {
		for _, b := range p.Txns[i].Blocks {
			b.BWR = nil
		}
	}
}

// Search returns the query that finds the rows which an UPDATE or DELETE of one table writes, or which an INSERT …
// SELECT adds, each of which it counts: alone on the database the two agree, whatever its level would have it read. Of
// an INSERT of one row it is the query for the rows that keep it out, or that it changes instead. "" where there is no
// such query, or the write may count others.
func (p *Plan) Search(b *Block) (string, error) {
	info := b.Info
	switch {
	case p.unsearched, info.Target == "": // nobody has looked at it, or it writes nothing
		return "", nil
	case info.Kind == sqltext.Insert && info.Plain && !b.Carries():
		if n, ok := b.Tree.(*sql.Insert); ok {
			if source := analysis.Source(n); source != nil {
				return p.syntax.Tree.Print(source)
			}
		}
		return p.claims(b), nil
	case info.Passes > 0 && !b.Carries():
		return p.passes(b)
	// what is carried along need not match
	case info.Kind != sqltext.Update && info.Kind != sqltext.Delete, info.Truncates, b.Carries(),
		info.Kind == sqltext.Update && (info.Unkeyed || info.VKey == 0), // a row that stays as it is may count or not
		p.Schema.Table(info.Target).Column(sqltext.VKey) == nil:
		return "", nil
	}
	return p.parser.BeforeRead(p.Schema, b.SQL, false, false)
}

// mayReadBefore says whether the level of a block's transaction has a read that sees what the block's write is going to
// see.
func (p *Plan) mayReadBefore(b *Block) bool {
	mode := p.Txns[b.Txn].Profile.ReadModes.Before
	switch {
	case b.Info.Truncates, // it takes all rows, and waits for whoever uses the table
		mode == dbms.NoBeforeRead,
		mode == dbms.LockingDeleteRead && b.Info.Kind != sqltext.Delete,
		mode != dbms.PlainBeforeRead && p.Txns[b.Txn].ReadOnly(), // it would be refused, and the write never sent
		mode == dbms.LockingBeforeRead && b.Info.SetOrCTE:
		// no place for a lock clause in the operands of a set operation
		return false
	}
	return true
}

// joinedRead returns the read of the rows that a write of joined tables is going to overwrite; nil where no such read
// exists, or where it may write rows that its search does not name, or leave one that it does as it was.
func (p *Plan) joinedRead(b *Block) (*Probe, error) {
	info := b.Info
	if len(info.Also) == 0 || info.Spreads || info.Unkeyed || info.Kind == sqltext.Update && info.VKey == 0 ||
		len(b.Writes) != 1+len(info.Also) || !p.mayReadBefore(b) {
		return nil, nil
	}
	mode := p.Txns[b.Txn].Profile.ReadModes.Before
	sql, tables, err := p.parser.JoinedRead(p.Schema, b.SQL, mode != dbms.PlainBeforeRead, mode == dbms.LockingBeforeRead)
	if err != nil || sql == "" || len(tables) != len(b.Writes) {
		return nil, err
	}
	for _, t := range tables {
		if p.Schema.Table(t).Column(sqltext.VKey) == nil {
			return nil, nil
		}
	}
	return &Probe{Role: history.BWR, Conn: Own, SQL: sql, Tables: tables}, nil
}
