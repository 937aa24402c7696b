package instrument

import (
	"fmt"
	"slices"
	"strings"

	"txweave/dbms"
	"txweave/history"
	"txweave/sqltext"
	"txweave/sqltext/grammar"
	"txweave/testcase"
)

// Conn says over which connection a probe goes.
type Conn uint8

// The connections of a run besides the control connection.
const (
	Own       Conn = iota // the transaction's own session
	Committed             // observer at READ COMMITTED, outside every transaction
	Latest                // observer at READ UNCOMMITTED, outside every transaction
)

// Probe is one read that the instrumenter adds.
type Probe struct {
	Role history.Role
	Conn Conn
	SQL  string
	// Tables are the tables of a version-set read, by the number in its first column; one table for the others.
	Tables []string
}

// Block is one target statement with its probes, run with nothing between them.
type Block struct {
	Txn, Stmt int // transaction, and position among its target statements, both as in the case
	SQL       string
	Info      *sqltext.Analysis
	// Redefines is a change of how a table is kept; nil for every other statement.
	Redefines *sqltext.Redefinition
	View      dbms.View // what the statement reads
	VSR       []Probe
	BWR       *Probe
	AWR       *Probe
}

// Name returns the block's name, such as "T1.S3"; statements count from 0.
func (b *Block) Name() string { return fmt.Sprintf("T%d.S%d", b.Txn, b.Stmt) }

// Control says whether the block's statement neither reads nor writes rows, and so is no node of the graph: a savepoint, or
// a change of how a table is kept. It has no probes, and is left out of the replay: answers must be the same without it.
func (b *Block) Control() bool { return !b.Info.Kind.IsTarget() }

// Units of a step that are no target statement.
const (
	BeginUnit = -1
	EndUnit   = -2
)

// Step is one entry of a schedule: the transaction and which of its units, a position among its target
// statements or BeginUnit or EndUnit.
type Step struct{ Txn, Unit int }

// TxnPlan is a transaction of the case (testcase.Txn) with its probes, ready to run. Blocks are indexed by Step.Unit.
type TxnPlan struct {
	Session    int    // number of the connection that runs it: that of the first transaction which runs there
	After      int    // the transaction that runs before it in its session; -1 if none does
	Begin, End string // both empty in autocommit
	Blocks     []*Block
}

// Autocommit says whether the transaction is one statement outside any transaction.
func (t *TxnPlan) Autocommit() bool { return t.Begin == "" }

// Plan is an instrumented case.
type Plan struct {
	Case    *testcase.Case
	Schema  *sqltext.Schema
	Profile *dbms.Profile
	Txns    []TxnPlan
	Steps   []Step // the case's own schedule

	parser sqltext.Parser
}

// admit lets a case pass that reaches beyond its own tables nowhere, as the DBMS reads it. Whoever read it from a text has
// made sure of that for the DBMS that it names; where another one is to run it, the same text may mean something else.
func admit(c *testcase.Case, p *dbms.Profile) error {
	q := sqltext.QuotingOf(p.DBMS)
	if q == sqltext.QuotingOf(c.Target) {
		return nil
	}
	return c.Admit(q)
}

// Instrument analyses a case and adds the probes that the profile calls for.
func Instrument(c *testcase.Case, p *dbms.Profile) (*Plan, error) {
	if err := admit(c, p); err != nil {
		return nil, err
	}
	schema, err := readSchema(c.Schema)
	if err != nil {
		return nil, err
	}
	plan := &Plan{Case: c, Schema: schema, Profile: p, parser: grammar.Of(p.DBMS)}
	if err := checkValues(c, schema, p); err != nil {
		return nil, err
	}
	seen := map[int64]string{}
	plan.addTxns()
	for i := range c.Txns {
		t, txn := &c.Txns[i], &plan.Txns[i]
		if word := p.OtherBegin; word != "" && slices.Contains(sqltext.BeginOptions(txn.Begin), word) {
			return nil, fmt.Errorf("T%d: %q is another kind of transaction than %s at %s", i, txn.Begin, p.DBMS, p.Isolation)
		}
		written := map[string]bool{}
		for j, s := range t.Stmts {
			b := &Block{Txn: i, Stmt: j, SQL: s.SQL}
			if kind := sqltext.KindOf(s.SQL); !kind.IsTarget() {
				if err := plan.control(b, kind); err != nil {
					return nil, fmt.Errorf("%s: %w", b.Name(), err)
				}
				txn.Blocks = append(txn.Blocks, b)
				continue
			}
			if b.Info, err = plan.parser.Analyze(schema, s.SQL); err != nil {
				return nil, fmt.Errorf("%s: %w", b.Name(), err)
			}
			if other := seen[b.Info.VKey]; b.Info.VKey != 0 && other != "" {
				return nil, fmt.Errorf("%s: %s %d is also written by %s: it must name one writer", b.Name(), sqltext.VKey, b.Info.VKey, other)
			}
			seen[b.Info.VKey] = b.Name()
			if err := plan.addProbes(b, written); err != nil {
				return nil, fmt.Errorf("%s: %w", b.Name(), err)
			}
			if b.Info.Target != "" {
				written[b.Info.Target] = true
			}
			txn.Blocks = append(txn.Blocks, b)
		}
	}
	return plan, nil
}

// addTxns makes the transactions, without their blocks, with the sessions that they share, and the schedule.
func (p *Plan) addTxns() {
	before, _ := p.Case.Predecessors(p.Case.Schedule)
	for i := range p.Case.Txns {
		t := &p.Case.Txns[i]
		txn := TxnPlan{Session: i, After: before[i], Begin: t.Begin.SQL, End: t.End.SQL}
		for b := txn.After; b >= 0; b = before[b] {
			txn.Session = b
		}
		p.Txns = append(p.Txns, txn)
	}
	p.Steps = steps(p.Case)
}

// steps spells out the schedule of a case.
func steps(c *testcase.Case) []Step {
	next := make([]int, len(c.Txns))
	out := make([]Step, 0, len(c.Schedule))
	for _, t := range c.Schedule {
		unit := next[t] - 1
		switch {
		case c.Txns[t].Autocommit():
			unit = 0
		case next[t] == 0:
			unit = BeginUnit
		case unit == len(c.Txns[t].Stmts):
			unit = EndUnit
		}
		next[t]++
		out = append(out, Step{Txn: t, Unit: unit})
	}
	return out
}

// RolledBack says whether the transaction ends in a ROLLBACK of its own.
func (p *Plan) RolledBack(txn int) bool {
	return sqltext.KindOf(p.Txns[txn].End) == sqltext.Rollback
}

// addProbes fills in the block's probes; written are the tables that its transaction has written before.
func (p *Plan) addProbes(b *Block, written map[string]bool) error {
	info, prof := b.Info, p.Profile
	if err := checkView(info, prof); err != nil {
		return err
	}
	b.View = prof.DMLView
	if info.Kind == sqltext.Select && !info.Locking {
		b.View = prof.SelectView
		if prof.LockingReads && p.Txns[b.Txn].Autocommit() {
			b.View = dbms.Snapshot // it is known to be all of its transaction, and takes no lock
		}
	}
	tables := p.versionSetTables(info)
	read := func(conn Conn, tables []string) {
		if len(tables) > 0 {
			b.VSR = append(b.VSR, versionSet(history.VSR, conn, tables))
		}
	}
	switch {
	case b.View == dbms.Snapshot:
		read(Own, tables)
	case prof.DirtyObserver:
		read(Committed, tables)
		// The latest versions differ from the committed ones, for this transaction, only where it wrote itself.
		var own []string
		for _, t := range tables {
			if written[t] || info.Diff && t == info.Target {
				own = append(own, t)
			}
		}
		read(Latest, own)
	default:
		read(Committed, tables)
		read(Own, p.plainTables(info))
	}
	return p.addWriteProbes(b)
}

// plainTables lists the tables that a statement with a current view needs plain reads of where nobody else can read
// what its transaction has not committed: those of its subqueries where these may read the snapshot, and the target
// where only two reads show what became of its rows.
func (p *Plan) plainTables(info *sqltext.Analysis) []string {
	var tables []string
	if p.Profile.MixedSubqueries {
		tables = slices.Clone(info.Inner)
	}
	if info.Diff && !slices.Contains(tables, info.Target) {
		tables = append(tables, info.Target)
	}
	slices.Sort(tables)
	return tables
}

// versionSetTables lists the tables whose version sets a statement can depend on: those it references, and
// through foreign keys the parents of what it inserts or updates and the children of what it deletes or updates.
func (p *Plan) versionSetTables(info *sqltext.Analysis) []string {
	tables := slices.Clone(info.Tables)
	add := func(names []string) {
		for _, t := range names {
			if !slices.Contains(tables, t) {
				tables = append(tables, t)
			}
		}
	}
	if info.Target != "" && info.Kind != sqltext.Delete {
		add(p.Schema.Table(info.Target).Parents)
	}
	if info.Kind == sqltext.Delete || info.Kind == sqltext.Update || info.Diff { // REPLACE deletes
		add(p.Schema.Children(info.Target))
	}
	slices.Sort(tables)
	return tables
}

// addWriteProbes adds the reads around a write.
func (p *Plan) addWriteProbes(b *Block) error {
	info := b.Info
	if info.Target == "" {
		return nil
	}
	after := Own
	if p.Profile.DirtyObserver {
		after = Latest // a plain read in the transaction would take its snapshot, or a lock at SERIALIZABLE
	}
	table := p.Schema.Table(info.Target)
	if info.Diff {
		probe := versionSet(history.AWR, after, []string{table.Name})
		b.AWR = &probe
	} else {
		b.AWR = &Probe{Role: history.AWR, Conn: after, Tables: []string{table.Name},
			SQL: fmt.Sprintf("SELECT %s FROM %s WHERE %s = %d", strings.Join(table.Names(), ", "), table.Name, sqltext.VKey, info.VKey)}
	}
	sql, err := p.beforeRead(b)
	if err != nil {
		return err
	}
	if sql != "" {
		b.BWR = &Probe{Role: history.BWR, Conn: Own, SQL: sql, Tables: []string{table.Name}}
	}
	return nil
}

// beforeRead returns the read of the rows that a write is going to overwrite; "" where no such read exists or is wanted.
func (p *Plan) beforeRead(b *Block) (string, error) {
	mode := p.Profile.Before
	switch {
	case mode == dbms.NoBeforeRead,
		mode == dbms.LockingDeleteRead && b.Info.Kind != sqltext.Delete,
		mode == dbms.LockingBeforeRead && b.Info.SetOrCTE: // no place for a lock clause in the operands of a set operation
		return "", nil
	}
	locking := mode == dbms.LockingBeforeRead || mode == dbms.LockingDeleteRead
	return p.parser.BeforeRead(b.SQL, locking, mode == dbms.LockingBeforeRead)
}

// versionSet reads pkey and vkey of every row of the tables in one statement, and thus in one view.
func versionSet(role history.Role, conn Conn, tables []string) Probe {
	var b strings.Builder
	for i, t := range tables {
		if i > 0 {
			b.WriteString(" UNION ALL ")
		}
		fmt.Fprintf(&b, "SELECT %d AS t, %s, %s FROM %s", i, sqltext.PKey, sqltext.VKey, t)
	}
	return Probe{Role: role, Conn: conn, SQL: b.String(), Tables: tables}
}
