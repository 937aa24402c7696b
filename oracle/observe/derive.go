package observe

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"txweave/dbms"
	"txweave/fault"
	"txweave/finding"
	"txweave/history"
	"txweave/instrument"
	"txweave/sdg"
	"txweave/sql/analysis"
	"txweave/sql/sqltext"
)

// rowContent is where the row of a version can be found.
type rowContent struct {
	rows *history.Rows
	at   int
}

// observer builds an observation.
type observer struct {
	run     *Run
	plan    *instrument.Plan
	out     *Observation
	content map[history.Version]rowContent
	own     []ownWrites // by transaction
	naming  naming
	placing map[string][]sqltext.KeyPart
	// numbered are tables whose rows lie by a number and may move, with whether it is hidden; lies says where rows of
	// theirs may lie.
	numbered map[string]bool
	lies     map[history.Version][]string
	mixed    bool // some level mixes by places, and rows of some table may move
	// writers are the transactions that wrote versions, deleters those that deleted items, where mixed.
	writers  map[history.Version]int
	deleters map[history.Item][]int
	undid    map[*BlockRun][]*BlockRun // by ROLLBACK TO: the statements that it undid
	undone   map[*BlockRun]bool
	late     map[int]bool // transactions that have waited for their snapshot
}

// ownWrites is what a transaction has written so far.
type ownWrites struct {
	vkeys   map[int64]bool
	deleted map[history.Item]bool
	last    map[history.Item]history.State
	places  Places
	stmts   []*ObservedStmt
	unsure  map[string]bool // tables, whose versions are their contents, of which not all its writes are known
}

// New derives what each statement of a run saw and wrote from the probes around it; initial is what the tables held
// before. Statements that a lock-wait time-out undid are left out. An error says that the run is not one of the plan.
func New(plan *instrument.Plan, initial map[string]*history.Rows, run *Run) (*Observation, error) {
	o := &observer{run: run, plan: plan, out: &Observation{Promise: plan.Profile, Initial: map[string]map[int64]int64{},
		Unmade: map[*history.Event]bool{}},
		content: map[history.Version]rowContent{}, own: make([]ownWrites, len(plan.Txns)), placing: placing(plan.Schema,
			mixing(plan)),
		naming:  naming{map[history.Item]map[string]int64{}, firstName},
		writers: map[history.Version]int{}, deleters: map[history.Item][]int{}, lies: map[history.Version][]string{}}
	o.numbered = o.replacing()
	o.mixed = mixing(plan) != dbms.ByRow && len(o.placing)+len(o.numbered) > 0
	for i := range o.own {
		o.forget(i, nil)
	}
	for _, t := range plan.Schema.Tables {
		seen, err := o.keys(t.Name, initial[t.Name])
		if err != nil {
			return nil, err
		}
		o.out.Initial[t.Name] = seen
	}
	o.late = late(plan, run)
	o.transactions()
	o.savepoints()
	for _, b := range run.Blocks {
		if b.Target == nil || b.Lost {
			continue
		}
		if err := o.block(b); err != nil {
			return nil, err
		}
	}
	o.gone()
	o.recurrences()
	o.pastSnapshot()
	o.kept()
	o.alike()
	o.rewritten()
	o.events()
	o.out.Contents, o.out.Known, o.out.Name = plan.Contents, o.known, o.named
	o.out.Covered = map[string]bool{}
	for _, t := range plan.Schema.Tables {
		o.out.Covered[t.Name] = t.Covered
	}
	o.out.Content = o.row
	if o.mixed {
		o.out.Places = o.places
	}
	o.out.Moved = o.moved(placing(plan.Schema, dbms.ByClusteredKey))
	return o.out, nil
}

// block takes what the blocks of a run did, one after the other in its order.
func (o *observer) block(b *BlockRun) error {
	txn := b.Block.Txn
	if b.Block.Control() {
		o.forget(txn, o.undid[b])
		return nil
	}
	if o.late[txn] {
		stmt := o.describe(b)
		stmt.Waited = true
		o.out.Stmts = append(o.out.Stmts, stmt)
		return nil
	}
	stmt, err := o.statement(b)
	var bad *BadAnswer
	switch {
	case errors.As(err, &bad):
		stmt = o.describe(b)
		stmt.Bad, stmt.Unsure = bad, stmt.Changes
	case err != nil:
		return fmt.Errorf("%s: %w", b.Block.Name(), err)
	default:
		o.wrote(stmt)
		o.own[txn].note(stmt)
	}
	o.out.Unsettled = o.out.Unsettled || stmt.Waited && stmt.Target != "" && o.plan.Txns[txn].Autocommit()
	o.out.Stmts = append(o.out.Stmts, stmt)
	return nil
}

// moved says of two versions whether they surely lie at different places; clustered are the keys by which rows lie.
func (o *observer) moved(clustered map[string][]sqltext.KeyPart) func(a, b history.Version) bool {
	return func(a, b history.Version) bool {
		if _, numbered := o.numbered[a.Table]; numbered {
			at := o.numberedPlaces(b)
			return !slices.ContainsFunc(o.numberedPlaces(a), func(place string) bool { return slices.Contains(at, place) })
		}
		x, known1 := o.keyOf(clustered[a.Table], a)
		y, known2 := o.keyOf(clustered[b.Table], b)
		return known1 && known2 && x != y
	}
}

// describe is a statement without what it saw and wrote.
func (o *observer) describe(b *BlockRun) *ObservedStmt {
	info := b.Block.Info
	s := &ObservedStmt{Node: sdg.Node{Name: b.Block.Name(), Txn: b.Block.Txn, Kind: info.Kind,
		ValueDepends: info.ValueDepends, MatchTable: info.MatchTable, KeyTable: keyTable(info)},
		View: b.Block.View, Judges: info.Judges, Target: info.Target, VKey: info.VKey, Used: info.Used, Sent: b.Target.Start,
		Done:     b.Target.End,
		Affected: b.Target.Affected, Err: b.Target.Err, Compared: info.Diff, Changes: b.Block.Writes,
		Replaces: info.Diff && info.Kind == sqltext.Insert && !info.Plain, Keeps: info.Unkeyed && info.Kind == sqltext.Update,
		Counted: counted(b), Carries: b.Block.Carries(),
		Loose: info.Truncates || b.Block.Carries() || info.Unkeyed && !moves(info) &&
			(o.plan.Profile.CountsMatched || o.isVersioned(info.Target)),
		Waited: b.Waited, Matched: b.matched(b.BWR), Joined: b.joined(), Again: b.matched(b.Again),
		Searched: b.matched(b.Searched), Run: b,
		Undone: o.undone[b] && info.Kind != sqltext.Select && b.Target.Err == nil, Skips: info.SkipsLocked,
		Locks: info.RowLock}
	if c := o.run.Certificate; c != nil && b.Target.Err == nil {
		s.Read = c.Read[b]
	}
	if info.Target != "" && s.Err == nil && !s.Carries {
		s.Given = analysis.Givens(o.plan.Schema, b.Block.Tree)
		if keys, ok := o.plan.Meets(b.Block); ok {
			s.Meets = keys
		}
	}
	if s.Carries {
		s.Carrying = o.carrying(info.Target)
	}
	o.told(s, info)
	return s
}

// statement derives a statement from its block's probes.
func (o *observer) statement(b *BlockRun) (*ObservedStmt, error) {
	info, s := b.Block.Info, o.describe(b)
	sets, err := o.versionSets(b)
	if err != nil {
		return nil, err
	}
	before := sets.visible
	s.Reads = o.tableReads(b, sets)
	s.Out = o.printedVersions(b, before)
	s.Under = sets.under
	s.Mixed = o.plan.Profile.MixedSubqueries && sets.differ(info.Inner) || len(s.Under) > 0
	if o.plan.Contents[info.Target] { // what the read before it printed names rows, not versions
		s.Again = nil
		for pkey := range s.Matched {
			s.Matched[pkey] = before[info.Target][pkey]
		}
	}
	if err := o.writesOf(b, s, sets); err != nil {
		return nil, err
	}
	for _, t := range slices.Concat(b.Block.Depends, b.Block.Writes) {
		s.Waited = s.Waited || o.own[s.Txn].unsure[t]
	}
	s.search(info)
	o.blur(s)
	s.SawUndone = o.own[s.Txn].sees(s)
	return s, nil
}

// tableReads are the versions that a block's statement saw of the tables on which it depends.
func (o *observer) tableReads(b *BlockRun, sets *versionSets) (out []sdg.TableRead) {
	info := b.Block.Info
	probes, _ := o.reads(b)
	for _, p := range probes {
		if !sets.main(b, p) {
			continue
		}
		for _, t := range p.Tables {
			if slices.Contains(b.Block.Depends, t) {
				out = append(out, sdg.TableRead{Table: t, Seen: sets.visible[t], Columns: info.Used[t],
					Refers: slices.Contains(info.Refers, t)})
			}
		}
	}
	return out
}

// printedVersions are the versions whose rows a block's statement printed; before are those that it saw.
func (o *observer) printedVersions(b *BlockRun, before map[string]map[int64]int64) (out []history.Version) {
	if b.Target.Err != nil || b.Target.Rows == nil {
		return nil
	}
	for _, item := range b.Block.Info.Items {
		if item.Whole && !printsKeys(b.Target.Rows, item) {
			continue
		}
		out = o.appendItems(out, item, b.Target.Rows, before[item.Table], b.Waited)
	}
	return out
}

// writesOf tells what the block wrote.
func (o *observer) writesOf(b *BlockRun, s *ObservedStmt, sets *versionSets) error {
	info := b.Block.Info
	if info.Target == "" || o.takenBack(b, s) {
		return nil
	}
	after, err := o.after(b)
	if err != nil {
		return err
	}
	left := after[info.Target]
	if s.Writes, err = o.writes(b, sets, after); err != nil {
		return err
	}
	if info.Kind == sqltext.Delete && o.unsureDelete(b, sets, left) {
		s.Mixed, s.Unsure = true, b.Block.Writes
	}
	if b.Waited && info.Diff {
		seen := sets.visible[info.Target]
		if latest, read := sets.latest[info.Target]; read {
			seen = latest
		}
		if s.Writes = o.exactly(b, left); s.Writes == nil {
			s.Writes = o.certainDeletes(b, seen, left)
		}
		if int64(len(s.Writes)) != b.Target.Affected || b.Block.Carries() && !o.deletesNothing(b) {
			s.Unsure = b.Block.Writes
		}
	}
	if b.Reread {
		unwrite(sets.visible[info.Target], s.Writes)
	}
	return nil
}

// unsureDelete says whether it is not known which rows a DELETE took away.
func (o *observer) unsureDelete(b *BlockRun, sets *versionSets, left map[int64]int64) bool {
	if b.searched() {
		return o.mayLieUnder(b, left)
	}
	return o.veiled(b, sets, left)
}

// takenBack says whether what a statement wrote that failed is gone before anybody can read it: the database ends its
// transaction, or those that waited for it in autocommit went on when it failed.
func (o *observer) takenBack(b *BlockRun, s *ObservedStmt) bool {
	if s.Err == nil {
		return false
	}
	if o.plan.Txns[s.Txn].Autocommit() {
		return b.Target.Blocked
	}
	return o.plan.Profile.Transactions.Loss == dbms.ErrorsEnd
}

// search says which table a statement judged row by row.
func (s *ObservedStmt) search(info *sqltext.Analysis) {
	if s.Waited || s.Err != nil || !info.EveryRow {
		return
	}
	for _, r := range s.Reads {
		if r.Table == info.MatchTable {
			s.Search = []PredicateRead{{Table: r.Table, Seen: r.Seen, Lists: len(info.Items) > 0,
				Values: s.Kind == sqltext.Select && len(info.Items) == 0}}
		}
	}
}

// counted is how many rows the answer to a block's statement says there are in the table that it searches; -1 where it
// does not say.
func counted(b *BlockRun) int64 {
	rows, how := b.Target.Rows, b.Block.Info.RowCount
	switch {
	case !how.Told || b.Target.Err != nil || rows == nil || len(rows.Columns) == 0:
		return -1
	case !how.Counts:
		return int64(rows.Len())
	case rows.Len() != 1 || how.Column >= len(rows.Columns):
		return -1
	}
	if n, ok := rows.Row(0)[how.Column].Int64(); ok {
		return n
	}
	return -1
}

func (w *ownWrites) note(s *ObservedStmt) {
	w.stmts = append(w.stmts, s)
	for _, t := range s.Unsure {
		w.unsure[t] = true
	}
	if s.VKey != 0 {
		w.vkeys[s.VKey] = true
	}
	for _, wr := range s.Writes {
		w.last[wr.Item] = wr.To
		if wr.To == history.Dead {
			w.deleted[wr.Item] = true
		}
	}
}

// keys reads pkey -> version from whole rows of a table and notes where each version's content is.
func (o *observer) keys(table string, rows *history.Rows) (map[int64]int64, error) {
	l := o.layout(table, rows)
	out := make(map[int64]int64, rows.Len())
	for i := range rows.Len() {
		v, err := o.version(table, rows, l, i)
		if err != nil {
			return nil, err
		}
		out[v.PKey] = v.VKey
	}
	return out, nil
}

// row returns the content of a version as column -> printed value, nil if no probe printed it.
func (o *observer) row(v history.Version) map[string]string {
	c, ok := o.content[v]
	if !ok {
		return nil
	}
	out := make(map[string]string, len(c.rows.Columns))
	for i, val := range c.rows.Row(c.at) {
		out[c.rows.Columns[i]] = val.String()
	}
	return out
}

// printsKeys says whether a row's keys stand where an output has them, by the names of the columns.
func printsKeys(rows *history.Rows, item sqltext.ItemOutput) bool {
	return item.PCol < len(rows.Columns) && item.VCol < len(rows.Columns) &&
		strings.EqualFold(rows.Columns[item.PCol], sqltext.PKey) && strings.EqualFold(rows.Columns[item.VCol], sqltext.VKey)
}

// appendItems appends the versions that a pair of result columns prints; the padded side of an outer join
// prints NULL.
func (o *observer) appendItems(out []history.Version, item sqltext.ItemOutput, rows *history.Rows, seen map[int64]int64,
	waited bool) []history.Version {
	for i := range rows.Len() {
		r := rows.Row(i)
		pkey, ok1 := r[item.PCol].Int64()
		vkey, ok2 := r[item.VCol].Int64()
		v := history.Version{Item: history.Item{Table: item.Table, PKey: pkey}, VKey: vkey}
		if v, told := o.printed(v, seen, waited); ok1 && ok2 && told {
			out = append(out, v)
		}
	}
	return out
}

// versionSets are what the version-set reads of a block saw: table -> pkey -> vkey.
type versionSets struct {
	visible map[string]map[int64]int64 // what the statement sees
	latest  map[string]map[int64]int64 // the latest versions, whoever wrote them
	plain   map[string]map[int64]int64 // for a statement with a current view: what a plain read sees
	under   map[history.Version]bool   // versions of the snapshot that it sees beside its transaction's own
	locked  bool                       // its transaction has locked its tables: what plain reads see is what it sees
}

// reads returns the version-set reads that say what a block's statement sees, and their answers: its own, or those of
// its transaction's snapshot.
func (o *observer) reads(b *BlockRun) ([]instrument.Probe, []*history.Event) {
	if o.plan.Profile.Observer != dbms.SnapshotObserver {
		return b.Block.VSR, b.VSR
	}
	var events []*history.Event
	if o.run.Snapshots != nil {
		events = o.run.Snapshots[b.Block.Txn]
	}
	return o.plan.Txns[b.Block.Txn].Snapshot, events
}

// main says whether a probe of the block is the one that reads what the statement sees.
func (v *versionSets) main(b *BlockRun, p instrument.Probe) bool {
	return p.Conn == instrument.Committed || p.Conn == instrument.Own && (b.Block.View == dbms.Snapshot || v.locked)
}

// differ says whether plain reads of the tables do not see what the statement sees there.
func (v *versionSets) differ(tables []string) bool {
	return slices.ContainsFunc(tables, func(t string) bool {
		seen, both := v.plain[t]
		return both && !maps.Equal(seen, v.visible[t])
	})
}

// versionSets reads the answers of a block's version-set reads. At a current view what the transaction sees is, row by
// row: its own version if it wrote one, nothing if it deleted the row, else the committed one. Which rows bear its own
// versions an observer of uncommitted rows says, or else its own writes so far.
func (o *observer) versionSets(b *BlockRun) (*versionSets, error) {
	v := &versionSets{map[string]map[int64]int64{}, map[string]map[int64]int64{}, map[string]map[int64]int64{},
		map[history.Version]bool{},
		o.plan.Txns[b.Block.Txn].Locks() != nil}
	probes, events := o.reads(b)
	if len(events) != len(probes) {
		return nil, fmt.Errorf("%d version-set reads of %d", len(events), len(probes))
	}
	for i, p := range probes {
		into := v.plain
		switch {
		case v.main(b, p):
			into = v.visible
		case p.Conn == instrument.Latest:
			into = v.latest
		}
		if err := o.readSet(p, events[i].Rows, into, o.twice(b, p, events[i], v.under)); err != nil {
			return nil, err
		}
	}
	if b.Block.View == dbms.Current || o.plan.Profile.Observer == dbms.SnapshotObserver {
		o.own[b.Block.Txn].overlay(v, o.plan.Profile.Observer == dbms.DirtyObserver, o.plan.Contents)
	}
	return v, nil
}

// overlay puts a transaction's own writes over the committed versions. Which of the latest versions are its own their
// version keys say; where versions are contents, its writes so far.
func (w *ownWrites) overlay(v *versionSets, latest bool, contents map[string]bool) {
	for item, state := range w.last {
		seen, read := v.visible[item.Table]
		switch {
		case !read || latest && !contents[item.Table]:
		case state == history.Dead:
			delete(seen, item.PKey)
		default:
			seen[item.PKey] = int64(state)
		}
	}
	if !latest {
		return
	}
	for table, rows := range v.latest {
		seen := v.visible[table]
		if seen == nil || contents[table] {
			continue
		}
		for pkey := range seen {
			if w.deleted[history.Item{Table: table, PKey: pkey}] {
				delete(seen, pkey)
			}
		}
		for pkey, vkey := range rows {
			if w.vkeys[vkey] {
				seen[pkey] = vkey
			}
		}
	}
}

// notTwice says that no row may be printed twice.
func notTwice(history.Item, map[int64]int64, int64) bool { return false }

// readSet reads the answer of a version-set read into table -> pkey -> version.
func (o *observer) readSet(p instrument.Probe, rows *history.Rows, into map[string]map[int64]int64,
	twice func(history.Item, map[int64]int64, int64) bool) error {
	if !p.Whole {
		return splitVersionSet(p.Tables, rows, into, twice)
	}
	table := p.Tables[0]
	seen := make(map[int64]int64, rows.Len())
	into[table] = seen
	l := o.layout(table, rows)
	for i := range rows.Len() {
		v, err := o.version(table, rows, l, i)
		if err != nil {
			return err
		}
		if _, again := seen[v.PKey]; !again {
			seen[v.PKey] = v.VKey
		} else if !twice(v.Item, seen, v.VKey) {
			return &BadAnswer{What: fault.RowTwice, Why: finding.Say("the version-set read printed %v twice",
				history.Item{Table: table, PKey: v.PKey})}
		}
	}
	return nil
}

// after reads what the after-write reads of a statement whose writes are told by comparison saw.
func (o *observer) after(b *BlockRun) (map[string]map[int64]int64, error) {
	if b.AWR == nil || len(b.After) != len(b.Block.After) {
		return nil, fmt.Errorf("no after-write read")
	}
	out := map[string]map[int64]int64{}
	if !b.Block.Info.Diff || b.Block.Returning != "" {
		return out, nil
	}
	under := map[history.Version]bool{}
	err := o.readSet(*b.Block.AWR, b.AWR.Rows, out, o.twice(b, *b.Block.AWR, b.AWR, under))
	for i, p := range b.Block.After {
		switch {
		case err != nil:
		case p.Written:
			_, err = o.keys(p.Tables[0], b.After[i].Rows)
		default:
			err = o.readSet(p, b.After[i].Rows, out, o.twice(b, p, b.After[i], under))
		}
	}
	return out, err
}

// splitVersionSet reads the answer of a version-set read over several tables; twice takes a second version of an item,
// or says that there cannot be one.
func splitVersionSet(tables []string, rows *history.Rows, into map[string]map[int64]int64, twice func(history.Item,
	map[int64]int64, int64) bool) error {
	for _, t := range tables {
		into[t] = map[int64]int64{}
	}
	for i := range rows.Len() {
		r := rows.Row(i)
		t, ok0 := r[0].Int64()
		pkey, ok1 := r[1].Int64()
		vkey, ok2 := r[2].Int64()
		if !ok0 || !ok1 || !ok2 || t < 0 || int(t) >= len(tables) {
			return &BadAnswer{What: fault.BadKey, Why: finding.Say("version-set read: row %v", history.RowString(r))}
		}
		seen := into[tables[t]]
		if _, again := seen[pkey]; again {
			row := history.Item{Table: tables[t], PKey: pkey}
			if !twice(row, seen, vkey) {
				return &BadAnswer{What: fault.RowTwice, Why: finding.Say("the version-set read printed %v twice", row)}
			}
			continue
		}
		seen[pkey] = vkey
	}
	return nil
}
