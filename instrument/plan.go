package instrument

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"txweave/dbms"
	"txweave/history"
	"txweave/sql"
	"txweave/sql/analysis"
	"txweave/sql/control"
	"txweave/sql/sqltext"
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
	// Whole says that it reads every column of every row of its one table, Written every column of those with the block's
	// version key.
	Whole, Written bool
}

// Block is one target statement with its probes, run with nothing between them.
type Block struct {
	Txn, Stmt int // transaction, and position among its target statements, both as in the case
	SQL       string
	// of a statement that reads or writes rows; nil where nobody reads it, which a case with an order may have
	Tree sql.Stmt
	Info *sqltext.Analysis
	// Redefines is a change of how a table is kept; nil for every other statement.
	Redefines *control.Redefinition
	// Locks are the names of tables that LOCK TABLES locks, or the tables of LOCK TABLE, or an advisory lock; nil for
	// every other statement.
	Locks []control.TableLock
	// Advisory is a SELECT of an advisory lock: it takes a snapshot as every SELECT does, and reads no table; nil for
	// every other statement.
	Advisory *control.AdvisoryLock
	View     dbms.View // what the statement reads
	VSR      []Probe
	BWR      *Probe
	AWR      *Probe
	// what is added to the statement so that it returns the rows that it writes: its after-write read; "": nothing
	Returning string
	After     []Probe // further after-write reads: of tables whose versions are their contents, and of further tables
	// Large says that it answered so many rows that nothing is asked which goes through all of them once more for each.
	Large bool
	// Depends are the tables whose rows can make a difference to it, Writes those that it may write, its target first.
	Depends, Writes []string
}

// Name returns the block's name, such as "T1.S3"; statements count from 0.
func (b *Block) Name() string { return fmt.Sprintf("T%d.S%d", b.Txn, b.Stmt) }

// Carries says whether it may write rows that it does not name: of several tables, or of its own through a foreign key
// or a trigger.
func (b *Block) Carries() bool { return len(b.Writes) > 1 || b.Info.Spreads }

// Control says whether the block's statement neither reads nor writes rows, and so is no node of the graph: a
// savepoint, LOCK TABLES, an advisory lock, or a change of how a table is kept. It has no probes, and is left out of
// the replay: answers must be the same without it.
func (b *Block) Control() bool { return !b.Info.Kind.IsTarget() }

// Snaps says whether the block's statement takes a snapshot where the first one of a transaction does.
func (b *Block) Snaps() bool { return !b.Control() || b.Advisory != nil }

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
	Session int // number of the connection that runs it: that of the first transaction which runs there
	After   int // the transaction that runs before it in its session; -1 if none does
	// Profile is what the database promises at the level of the transaction: the plan's, or its own.
	Profile    *dbms.Profile
	Begin, End string // both empty in autocommit
	Chained    bool   // AND CHAIN, at the end of the one before it, begins it
	Blocks     []*Block
	// Certified says that the database is asked what its snapshot holds, where it tells.
	Certified bool
	// Snapshot are the reads, by an observer, of what its snapshot holds; none where its statements have reads of their
	// own.
	Snapshot []Probe
	// Orphans are the reads, right before its COMMIT, of the rows whose foreign keys of those that are checked then refer
	// to none; none where these would not show what COMMIT checks.
	Orphans []Probe
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
	// Contents are the tables whose rows some statement may write without a version key of its own, or that have none: two
	// versions of a row are the same there where they are equal in every column.
	Contents map[string]bool
	// Deferred are the foreign keys that are checked when a transaction commits, Loose the case without them, whose
	// tables are those of executions without transactions; nil: it has none.
	Deferred []DeferredKey
	Loose    *testcase.Case

	syntax     *sqltext.Syntax
	parser     *analysis.Texts
	unsearched bool // no search of its writes is wanted
	// a statement keeps all others, who reads what a snapshot holds too, from a table until its transaction ends
	shutsOut bool
}

// Instrument analyses a case and adds the probes that the profile calls for.
func Instrument(c *testcase.Case, p *dbms.Profile) (*Plan, error) {
	if err := admit(c, p); err != nil {
		return nil, err
	}
	syntax := sqltext.SyntaxOf(p.DBMS)
	schema, err := readSchema(syntax, c.Schema)
	if err != nil {
		return nil, err
	}
	if p.Writes.CountersReset {
		leaveCounters(c, schema, syntax)
	}
	plan := &Plan{Case: c, Schema: schema, Profile: p, syntax: syntax, parser: analysis.TextsOf(syntax)}
	if err := checkValues(c, schema, p); err != nil {
		return nil, err
	}
	if err := plan.deferred(); err != nil {
		return nil, err
	}
	if err := plan.addTxns(); err != nil {
		return nil, err
	}
	if err := plan.analyze(); err != nil {
		return nil, err
	}
	if err := plan.starred(); err != nil {
		return nil, err
	}
	if err := plan.hinted(); err != nil {
		return nil, err
	}
	for i := range plan.Txns {
		if err := plan.probe(&plan.Txns[i]); err != nil {
			return nil, err
		}
		plan.addSnapshot(&plan.Txns[i])
		plan.owes(&plan.Txns[i])
		plan.Txns[i].Certified = plan.Txns[i].Certified && !plan.shutsOut
	}
	return plan, nil
}

// probe fills in the probes of a transaction's blocks.
func (p *Plan) probe(t *TxnPlan) error {
	written := map[string]bool{}
	locks := t.Locks()
	for _, b := range t.Blocks {
		if !b.Info.Kind.IsTarget() {
			continue
		}
		if locks != nil {
			if err := checkLocked(b, locks); err != nil {
				return fmt.Errorf("%s: %w", p.at(b), err)
			}
		}
		if err := p.addProbes(b, written); err != nil {
			return fmt.Errorf("%s: %w", p.at(b), err)
		}
		for _, t := range b.Writes {
			written[t] = true
		}
	}
	return nil
}

// parse returns the tree of a statement; nil where nobody reads it.
func (p *Plan) parse(text string) sql.Stmt {
	stmt, _ := p.syntax.Tree.Parse(text)
	return stmt
}

// at names a statement's block in what is said of it.
func (p *Plan) at(b *Block) string { return p.Case.At(testcase.Ref{Txn: b.Txn, Stmt: b.Stmt}) }

// ID is the identity of a step's statement in the case.
func (p *Plan) ID(s Step) testcase.StmtID {
	t := &p.Case.Txns[s.Txn]
	switch s.Unit {
	case BeginUnit:
		return t.Begin.ID
	case EndUnit:
		return t.End.ID
	}
	return t.Stmts[s.Unit].ID
}

// analyze reads the statements of the transactions, and finds out which tables' versions are their contents.
func (p *Plan) analyze() error {
	seen := map[int64]string{}
	for _, t := range p.Schema.Tables {
		if t.Column(sqltext.VKey) == nil || t.Column(sqltext.PVKey) == nil {
			p.contents(t.Name)
		}
	}
	for i := range p.Case.Txns {
		txn := &p.Txns[i]
		if err := p.checkBegin(i); err != nil {
			return err
		}
		for j, s := range p.Case.Txns[i].Stmts {
			b := &Block{Txn: i, Stmt: j, SQL: s.SQL}
			if err := p.understand(b, seen); err != nil {
				return fmt.Errorf("%s: %w", p.at(b), err)
			}
			txn.Blocks = append(txn.Blocks, b)
		}
	}
	for i := range p.Txns {
		for _, b := range p.Txns[i].Blocks {
			if slices.ContainsFunc(b.Writes, func(t string) bool { return p.Contents[t] }) {
				b.Info.Diff = true
				p.asksForKeys(b.Info)
				p.comparesRows(b.Info)
				p.refers(b)
			}
		}
	}
	return nil
}

// checkBegin refuses a BEGIN that asks for another transaction than the case has.
func (p *Plan) checkBegin(i int) error {
	txn := &p.Txns[i]
	other := txn.Profile.Transactions.OtherBegin
	if other != "" && slices.Contains(p.Profile.Read(txn.Begin).Traits(), other) {
		return fmt.Errorf("T%d: %q is another kind of transaction than %s at %s", i, txn.Begin, txn.Profile.DBMS,
			txn.Profile.Isolation)
	}
	l, asks := p.Profile.Read(txn.Begin).Level()
	if asks && other == "" && l.Name != txn.Profile.Isolation {
		return fmt.Errorf("T%d: %q asks for another level than %s, at which the case has it", i, txn.Begin,
			txn.Profile.Isolation)
	}
	return nil
}

// understand says what a block's statement does; seen are the vkeys that blocks before it write, with their names.
func (p *Plan) understand(b *Block, seen map[int64]string) (err error) {
	alone := p.Txns[b.Txn].Autocommit()
	read := p.Profile.Read(b.SQL)
	if l, ok := read.AdvisoryLock(); ok && !alone {
		b.advisory(l)
		return nil
	}
	if !read.IsTarget() {
		return p.control(b, read.Kind)
	}
	if b.Info, err = p.parser.Analyze(p.Schema, b.SQL); err != nil {
		return err
	}
	if b.Tree, err = p.syntax.Tree.Parse(b.SQL); err != nil {
		return err
	}
	if other := seen[b.Info.VKey]; b.Info.VKey != 0 && other != "" {
		return fmt.Errorf("%s %d is also written by %s: it must name one writer", sqltext.VKey, b.Info.VKey, other)
	}
	if b.Info.Truncates && !alone {
		return errors.New("TRUNCATE TABLE ends the transaction: it stands alone, in autocommit")
	}
	if b.Info.Truncates && p.Profile.TruncateSeen && slices.ContainsFunc(p.Txns, func(t TxnPlan) bool {
		return t.Profile.SnapshotScope() == dbms.PerTransaction
	}) {
		return errors.New("TRUNCATE TABLE empties the table for older snapshots, too: where a transaction has one snapshot " +
			"nothing can be said of what it sees then")
	}
	if b.Info.Truncates && slices.ContainsFunc(p.Deferred, func(o DeferredKey) bool { return o.Parent == b.Info.Target }) {
		return errors.New(
			"TRUNCATE TABLE is refused of a table that a foreign key refers to: one that is checked at COMMIT " +
				"says nothing of it here")
	}
	seen[b.Info.VKey] = b.Name()
	p.addWrites(b)
	return nil
}

// comparesRows notes that an INSERT which does something to the rows in its way depends on all that they hold, where
// they bear no version of theirs: one that already is as it would be stays as it is, and is counted otherwise.
func (p *Plan) comparesRows(info *sqltext.Analysis) {
	if info.Kind == sqltext.Insert && !info.Plain && p.Contents[info.Target] {
		info.Used = maps.Clone(info.Used)
		delete(info.Used, info.Target)
	}
}

// asksForKeys notes that an INSERT which may use a pkey again (CheckKeys) depends on whether that is taken, be it in
// what error it fails.
func (p *Plan) asksForKeys(info *sqltext.Analysis) {
	t := p.Schema.Table(info.Target)
	if info.Kind != sqltext.Insert || !info.Plain || t == nil || !t.Named() || slices.Contains(info.Tables, info.Target) {
		return
	}
	info.Tables = append(slices.Clone(info.Tables), info.Target)
	slices.Sort(info.Tables)
	used := maps.Clone(info.Used)
	if used == nil {
		used = map[string][]string{}
	}
	used[info.Target] = []string{sqltext.PKey}
	info.Used, info.ChecksUnique = used, true
	if len(info.PKeys) > 0 && len(info.PKeys) == info.Spells {
		keys := make([]string, len(info.PKeys))
		for i, k := range info.PKeys {
			keys[i] = strconv.FormatInt(k, 10)
		}
		info.KeyWhere, info.KeyAlias = sqltext.PKey+" IN ("+strings.Join(keys, ", ")+")", info.Target
	}
}

// contents notes that the versions of a table are its contents.
func (p *Plan) contents(table string) {
	if p.Contents == nil {
		p.Contents = map[string]bool{}
	}
	p.Contents[table] = true
}

// addWrites tells which tables a block may write, by itself or through foreign keys.
func (p *Plan) addWrites(b *Block) {
	info := b.Info
	if info.Target == "" {
		return
	}
	b.Writes = append([]string{info.Target}, info.Also...)
	if info.Unkeyed {
		for _, t := range b.Writes {
			p.contents(t)
		}
	}
	itself := slices.Clone(b.Writes)
	also := func(t string) {
		p.contents(t)
		if !slices.Contains(info.Reached, t) {
			info.Reached = append(info.Reached, t)
		}
		info.Spreads = info.Spreads || slices.Contains(itself, t)
		if !slices.Contains(b.Writes, t) {
			b.Writes = append(b.Writes, t)
			info.Also = append(info.Also, t)
		}
		info.Diff = true
	}
	for known := -1; known < len(b.Writes)+len(info.Reached); {
		known = len(b.Writes) + len(info.Reached)
		p.fires(b, len(itself), also)
		if info.Kind == sqltext.Insert && !info.Diff {
			p.refers(b)
			return
		}
		for _, t := range slices.Clone(b.Writes) { // what a foreign key carries along may fire triggers, too
			for _, c := range p.carried(info, t) {
				also(c)
			}
		}
	}
	p.refers(b)
	if b.Carries() {
		info.MatchTable, info.Judges, info.KeyWhere = "", "", "" // a row that does not match may be written all the same
	}
}

// carried are the tables to which foreign keys carry what a statement does to a table.
func (p *Plan) carried(info *sqltext.Analysis, table string) []string {
	if TakesKeys(info, table) {
		return p.Schema.Carried(table)
	}
	return p.Schema.CarriedByUpdate(table)
}

// addTxns makes the transactions, without their blocks, with the sessions that they share, and the schedule.
func (p *Plan) addTxns() error {
	before, _ := p.Case.Predecessors(p.Case.Schedule)
	for i := range p.Case.Txns {
		t := &p.Case.Txns[i]
		txn := TxnPlan{Session: i, After: before[i], Profile: p.Profile, Begin: t.Begin.SQL, End: t.End.SQL}
		for b := txn.After; b >= 0; b = before[b] {
			if p.Profile.Read(p.Case.Txns[b].End.SQL).Disconnects() {
				return fmt.Errorf("T%d runs in a session that T%d has ended", i, b)
			}
			txn.Session = b
		}
		if t.Isolation != "" && t.Isolation != p.Profile.Isolation {
			own, err := p.level(t.Isolation)
			if err != nil {
				return fmt.Errorf("T%d: %w", i, err)
			}
			txn.Profile = own
		}
		txn.Certified = !txn.Autocommit() && txn.Profile.FixedViews() && txn.Prepared() == ""
		p.Txns = append(p.Txns, txn)
	}
	p.chain()
	p.Steps = steps(p.Case)
	return nil
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
	return p.Profile.Read(p.Txns[txn].End).RollsBack()
}

// addProbes fills in the block's probes; written are the tables that its transaction has written before.
func (p *Plan) addProbes(b *Block, written map[string]bool) error {
	info, prof := b.Info, p.Txns[b.Txn].Profile
	none := prof.ReadModes.LocksNothing
	if info.Kind == sqltext.Select && none != nil && none(p.Txns[b.Txn].Autocommit()) {
		info.Locking, info.RowLock = false, sqltext.NoRowLock
	}
	if err := checkView(info, prof); err != nil {
		return err
	}
	b.View = viewOf(info, &p.Txns[b.Txn])
	b.Depends = p.versionSetTables(info)
	tables := slices.Clone(b.Depends)
	if info.Diff { // what it writes is told by comparison
		for _, t := range b.Writes {
			if !slices.Contains(tables, t) {
				tables = append(tables, t)
			}
		}
		slices.Sort(tables)
	}
	switch {
	case prof.ReadModes.Observer == dbms.SnapshotObserver:
		return p.addReturning(b)
	case b.View == dbms.Snapshot, p.Txns[b.Txn].Locks() != nil:
		// of locked tables nobody can change what a plain read sees
		b.VSR = p.versionSets(history.VSR, Own, tables)
	case prof.ReadModes.Observer == dbms.DirtyObserver:
		b.VSR = p.versionSets(history.VSR, Committed, b.Depends)
		// The latest versions differ from the committed ones, for this transaction, only where it wrote itself.
		var own []string
		for _, t := range tables {
			if written[t] || info.Diff && slices.Contains(b.Writes, t) {
				own = append(own, t)
			}
		}
		b.VSR = append(b.VSR, p.versionSets(history.VSR, Latest, own)...)
	default:
		b.VSR = append(p.versionSets(history.VSR, Committed, b.Depends), p.versionSets(history.VSR, Own, p.plainTables(b))...)
	}
	return p.addWriteProbes(b)
}

// viewOf is the state that a statement of a transaction reads.
func viewOf(info *sqltext.Analysis, t *TxnPlan) dbms.View {
	prof := t.Profile
	switch plain := info.Kind == sqltext.Select && !info.Locking; {
	case plain && prof.LockingReads && t.Autocommit():
		return dbms.Snapshot // it is known to be all of its transaction, and takes no lock
	case plain:
		return prof.ReadModes.SelectView
	case prof.ReadModes.StatementSnapshots:
		return dbms.Snapshot
	}
	return prof.DMLView
}

// plainTables lists the tables that a statement with a current view needs plain reads of where nobody else can read
// what its transaction has not committed: those of its subqueries where these may read the snapshot, and the target
// where only two reads show what became of its rows.
func (p *Plan) plainTables(b *Block) []string {
	var tables []string
	if p.Profile.ReadModes.MixedSubqueries {
		tables = slices.Clone(b.Info.Inner)
	}
	for _, t := range b.Writes {
		if b.Info.Diff && !slices.Contains(tables, t) {
			tables = append(tables, t)
		}
	}
	slices.Sort(tables)
	return tables
}

// versionSets reads tables in one view each: those whose versions are their contents as a whole, of the others pkey and
// vkey.
func (p *Plan) versionSets(role history.Role, conn Conn, tables []string) []Probe {
	var out []Probe
	if keyed := slices.DeleteFunc(slices.Clone(tables), func(t string) bool { return p.Contents[t] }); len(keyed) > 0 {
		out = append(out, versionSet(role, conn, keyed))
	}
	for _, t := range tables {
		if p.Contents[t] {
			out = append(out, Probe{Role: role, Conn: conn, Tables: []string{t}, Whole: true,
				SQL: fmt.Sprintf("SELECT %s FROM %s", strings.Join(p.Schema.Table(t).Spelled(), ", "), t)})
		}
	}
	return out
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

// level returns another level of the plan's DBMS, for a transaction of its own. It is held to what it promises itself,
// whatever is claimed of the case's.
func (p *Plan) level(isolation string) (*dbms.Profile, error) {
	own, err := dbms.Lookup(p.Profile.DBMS, isolation)
	if err != nil {
		return nil, err
	}
	if own.ReadModes.Observer != p.Profile.ReadModes.Observer ||
		own.ReadModes.MixedSubqueries != p.Profile.ReadModes.MixedSubqueries {
		return nil, fmt.Errorf("it runs at %s beside %s: on this database the reads that show what a statement saw are other "+
			"ones at each, and a case has one kind: give all transactions one level", own.Isolation, p.Profile.Isolation)
	}
	return own, nil
}

// Mixed says whether transactions of the case run at different levels.
func (p *Plan) Mixed() bool {
	return slices.ContainsFunc(p.Txns, func(t TxnPlan) bool { return t.Profile != p.Profile })
}

// NoReplay is the reason why the case cannot be replayed; "" if it can. Transactions that only read at a level without
// a replay are left out of it, those that write are not.
func (p *Plan) NoReplay() string {
	for i := range p.Txns {
		t := &p.Txns[i]
		if t.Profile.Guarantees.NoReplay != "" && (t.Profile == p.Profile || slices.ContainsFunc(t.Blocks,
			func(b *Block) bool {
				return b.Info.Kind.Writes() || b.Info.Kind == sqltext.Select && b.Info.Target != ""
			})) {
			return t.Profile.Guarantees.NoReplay
		}
	}
	return ""
}

// chain finds the transactions that AND CHAIN begins: the next one of the session, at the same level, that begins as it
// says. Where there is none the words are left out, since they would leave a transaction open.
func (p *Plan) chain() {
	for i := range p.Txns {
		t := &p.Txns[i]
		if b := t.After; b >= 0 && p.Profile.Read(p.Txns[b].End).Chains() {
			before := &p.Txns[b]
			t.Chained = t.Profile.Transactions.Chained != "" && t.Profile == before.Profile &&
				control.Continues(p.Profile.Read(before.Begin),
					p.Profile.Read(t.Begin))
		}
	}
	for i := range p.Txns {
		if !slices.ContainsFunc(p.Txns, func(t TxnPlan) bool { return t.After == i && t.Chained }) {
			p.Txns[i].End = p.Profile.Read(p.Txns[i].End).Unchained()
		}
	}
}
