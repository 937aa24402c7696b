// Package replay is the replay oracle. Its claim: the statements of a case's committed transactions, sorted so
// that every statement dependency is kept and run without transactions, give the same rows, affected rows,
// errors, warnings and final contents as they gave in transactions (TxCheck, Theorem 1, with the dependencies
// that package sdg adds). On the way there it checks that each write agrees with the reads around it.
package weave

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"txweave/dbms"
	"txweave/finding"
	"txweave/observe"
	"txweave/sqltext"

	"txweave/history"
	"txweave/instrument"
	"txweave/oracle/isolation"
	"txweave/sdg"
)

// observation is a run as the dependency inference wants it.
type observation struct {
	input *sdg.Input
	nodes []*observe.BlockRun // by position in input.Stmts
	odd   []finding.Difference
	// ops is every statement as the isolation oracle looks at it, those of aborted transactions included, blocks
	// their executions.
	ops    []isolation.Op
	blocks []*observe.BlockRun
	built  map[*observe.BlockRun]*sdg.Stmt // what each statement of blocks read and wrote
	mixed  map[*observe.BlockRun]bool      // statements that may have read two views at once
}

// rowContent is where the row of a version can be found.
type rowContent struct {
	rows *history.Rows
	at   int
}

// observer builds an observation.
type observer struct {
	run     *observe.Run
	plan    *instrument.Plan
	out     *observation
	content map[history.Version]rowContent
	own     []ownWrites                // by transaction
	origin  map[history.Version]origin // of each version that a statement wrote
}

// origin is where a version comes from.
type origin struct {
	from history.State     // what it overwrote
	by   *observe.BlockRun // who wrote it
}

// ownWrites is what a transaction has written so far.
type ownWrites struct {
	vkeys   map[int64]bool
	deleted map[history.Item]bool
	last    map[history.Item]history.State
}

// observeRun derives what each surviving statement read and wrote from the probes of a run. Aborted and rolled-back
// transactions and statements undone by a lock-wait time-out are no nodes.
func observeRun(plan *instrument.Plan, initial map[string]*history.Rows, run *observe.Run) (*observation, error) {
	o := &observer{run: run, plan: plan, out: &observation{input: &sdg.Input{Initial: map[string]map[int64]int64{}},
		built: map[*observe.BlockRun]*sdg.Stmt{}, mixed: map[*observe.BlockRun]bool{}},
		content: map[history.Version]rowContent{}, origin: map[history.Version]origin{}, own: make([]ownWrites, len(plan.Txns))}
	for i := range o.own {
		o.own[i] = ownWrites{map[int64]bool{}, map[history.Item]bool{}, map[history.Item]history.State{}}
	}
	for _, t := range plan.Schema.Tables {
		seen, err := o.keys(t.Name, initial[t.Name])
		if err != nil {
			return nil, err
		}
		o.out.input.Initial[t.Name] = seen
	}
	for _, b := range run.Blocks {
		if b.Target == nil || b.Lost {
			continue
		}
		stmt, err := o.statement(b)
		var bad *badAnswer
		if errors.As(err, &bad) {
			o.out.ops, o.out.blocks = append(o.out.ops, unsure(b)), append(o.out.blocks, b)
			o.out.odd = append(o.out.odd, finding.Difference{Stmt: b.Block.Name(), Kind: kindNames[b.Block.Info.Kind], What: bad.what, Detail: bad.detail})
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", b.Block.Name(), err)
		}
		o.own[b.Block.Txn].note(stmt, b.Block.Info.VKey)
		for _, w := range stmt.Writes {
			o.origin[history.Version{Item: w.Item, VKey: int64(w.To)}] = origin{w.From, b}
		}
		o.out.operation(b, stmt)
		o.out.built[b] = stmt
		if run.Txns[b.Block.Txn] == history.Committed {
			o.out.input.Stmts = append(o.out.input.Stmts, *stmt)
			o.out.nodes = append(o.out.nodes, b)
		}
	}
	for _, e := range run.Trace.Events {
		if e.Role == history.End && e.Err != nil && plan.Profile.Classify(e.Err.Code) == dbms.Deterministic {
			o.out.odd = append(o.out.odd, finding.Difference{Kind: "COMMIT", What: "failed-commit",
				Detail: fmt.Sprintf("%s of T%d: %s", e.Text, e.Txn, e.Err)})
		}
	}
	o.out.input.Content = o.row
	return o.out, nil
}

// badAnswer is an answer to a probe that no correct database gives: evidence, not a fault of ours.
type badAnswer struct{ what, detail string }

func (e *badAnswer) Error() string { return e.what + ": " + e.detail }

func (w *ownWrites) note(s *sdg.Stmt, vkey int64) {
	if vkey != 0 {
		w.vkeys[vkey] = true
	}
	for _, wr := range s.Writes {
		w.last[wr.Item] = wr.To
		if wr.To == history.Dead {
			w.deleted[wr.Item] = true
		}
	}
}

// keys reads pkey -> vkey from whole rows of a table and notes where each version's content is.
func (o *observer) keys(table string, rows *history.Rows) (map[int64]int64, error) {
	p, v := slices.Index(rows.Columns, sqltext.PKey), slices.Index(rows.Columns, sqltext.VKey)
	if p < 0 || v < 0 {
		return nil, fmt.Errorf("table %s: rows without %s or %s", table, sqltext.PKey, sqltext.VKey)
	}
	out := make(map[int64]int64, rows.Len())
	for i := range rows.Len() {
		r := rows.Row(i)
		pkey, ok1 := r[p].Int64()
		vkey, ok2 := r[v].Int64()
		if !ok1 || !ok2 {
			return nil, &badAnswer{"bad-key", fmt.Sprintf("table %s: %s is %s, %s is %s", table, sqltext.PKey, r[p], sqltext.VKey, r[v])}
		}
		out[pkey] = vkey
		o.content[history.Version{Item: history.Item{Table: table, PKey: pkey}, VKey: vkey}] = rowContent{rows, i}
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

// statement builds a node from a block's probes.
func (o *observer) statement(b *observe.BlockRun) (*sdg.Stmt, error) {
	info := b.Block.Info
	s := &sdg.Stmt{Name: b.Block.Name(), Txn: b.Block.Txn, Kind: info.Kind, ValueDepends: info.ValueDepends, MatchTable: info.MatchTable}
	sets, err := o.versionSets(b)
	if err != nil {
		return nil, err
	}
	before := sets.visible
	for _, p := range b.Block.VSR {
		if !sets.main(b, p) {
			continue
		}
		for _, t := range p.Tables {
			s.Reads = append(s.Reads, sdg.TableRead{Table: t, Seen: before[t], Columns: info.Used[t]})
		}
	}
	if b.Target.Err == nil && b.Target.Rows != nil {
		for _, item := range info.Items {
			s.Out = appendItems(s.Out, item, b.Target.Rows)
		}
	}
	o.out.mixed[b] = o.plan.Profile.MixedSubqueries && sets.differ(info.Inner)
	if info.Target == "" {
		return s, nil
	}
	if s.Writes, err = o.writes(b, sets); err != nil {
		return nil, err
	}
	if b.Waited && info.Diff {
		seen := before[info.Target]
		if latest, read := sets.latest[info.Target]; read {
			seen = latest
		}
		s.Writes = o.certainDeletes(b, s, seen)
	}
	if b.Reread {
		unwrite(before[info.Target], s.Writes)
	}
	if !b.Waited && !o.out.mixed[b] {
		o.check(b, s, before[info.Target])
	} else {
		o.checkWaited(b)
	}
	return s, nil
}

// unwrite puts a version set that was read after a write back to what it was before.
func unwrite(seen map[int64]int64, writes []history.Write) {
	for _, w := range writes {
		switch {
		case seen == nil: // the target was not read: a plain INSERT
		case w.From == history.Unborn:
			delete(seen, w.PKey)
		default:
			seen[w.PKey] = int64(w.From)
		}
	}
}

// appendItems appends the versions that a pair of result columns prints; the padded side of an outer join
// prints NULL.
func appendItems(out []history.Version, item sqltext.ItemOutput, rows *history.Rows) []history.Version {
	for i := range rows.Len() {
		r := rows.Row(i)
		pkey, ok1 := r[item.PCol].Int64()
		vkey, ok2 := r[item.VCol].Int64()
		if ok1 && ok2 {
			out = append(out, history.Version{Item: history.Item{Table: item.Table, PKey: pkey}, VKey: vkey})
		}
	}
	return out
}

// versionSets are what the version-set reads of a block saw: table -> pkey -> vkey.
type versionSets struct {
	visible map[string]map[int64]int64 // what the statement sees
	latest  map[string]map[int64]int64 // the latest versions, whoever wrote them
	plain   map[string]map[int64]int64 // for a statement with a current view: what a plain read sees
}

// main says whether a probe of the block is the one that reads what the statement sees.
func (*versionSets) main(b *observe.BlockRun, p instrument.Probe) bool {
	return p.Conn == instrument.Committed || p.Conn == instrument.Own && b.Block.View == dbms.Snapshot
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
func (o *observer) versionSets(b *observe.BlockRun) (*versionSets, error) {
	v := &versionSets{map[string]map[int64]int64{}, map[string]map[int64]int64{}, map[string]map[int64]int64{}}
	if len(b.VSR) != len(b.Block.VSR) {
		return nil, fmt.Errorf("%d version-set reads of %d", len(b.VSR), len(b.Block.VSR))
	}
	for i, p := range b.Block.VSR {
		into := v.plain
		switch {
		case v.main(b, p):
			into = v.visible
		case p.Conn == instrument.Latest:
			into = v.latest
		}
		if err := splitVersionSet(p.Tables, b.VSR[i].Rows, into); err != nil {
			return nil, err
		}
	}
	if b.Block.View == dbms.Current {
		o.own[b.Block.Txn].overlay(v, o.plan.Profile.DirtyObserver)
	}
	return v, nil
}

// overlay puts a transaction's own writes over the committed versions.
func (w *ownWrites) overlay(v *versionSets, latest bool) {
	if !latest {
		for item, state := range w.last {
			seen, read := v.visible[item.Table]
			switch {
			case !read:
			case state == history.Dead:
				delete(seen, item.PKey)
			default:
				seen[item.PKey] = int64(state)
			}
		}
		return
	}
	for table, rows := range v.latest {
		seen := v.visible[table]
		if seen == nil {
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

// splitVersionSet reads the answer of a version-set read over several tables.
func splitVersionSet(tables []string, rows *history.Rows, into map[string]map[int64]int64) error {
	for _, t := range tables {
		into[t] = map[int64]int64{}
	}
	for i := range rows.Len() {
		r := rows.Row(i)
		t, ok0 := r[0].Int64()
		pkey, ok1 := r[1].Int64()
		vkey, ok2 := r[2].Int64()
		if !ok0 || !ok1 || !ok2 || t < 0 || int(t) >= len(tables) {
			return &badAnswer{"bad-key", fmt.Sprintf("version-set read: row %s", printRow(r))}
		}
		seen := into[tables[t]]
		if _, twice := seen[pkey]; twice {
			return &badAnswer{"row-twice", fmt.Sprintf("the version-set read printed row %d of %s twice", pkey, tables[t])}
		}
		seen[pkey] = vkey
	}
	return nil
}

// writes tells what the block wrote, from its after-write read.
func (o *observer) writes(b *observe.BlockRun, sets *versionSets) ([]history.Write, error) {
	if b.AWR == nil {
		return nil, fmt.Errorf("no after-write read")
	}
	info := b.Block.Info
	if info.Diff {
		split := map[string]map[int64]int64{}
		if err := splitVersionSet([]string{info.Target}, b.AWR.Rows, split); err != nil {
			return nil, err
		}
		after, before := split[info.Target], sets.visible[info.Target]
		if latest, read := sets.latest[info.Target]; read {
			before = latest
		}
		plain, read := sets.plain[info.Target]
		if read && info.Kind == sqltext.Delete {
			return deletions(b, plain, before, after), nil
		}
		if read {
			before = plain
		}
		return difference(info.Target, before, after), nil
	}
	rows := b.AWR.Rows
	written, err := o.keys(info.Target, rows)
	if err != nil {
		return nil, err
	}
	if len(written) != rows.Len() {
		return nil, &badAnswer{"row-twice", "the read after the write printed a row of " + info.Target + " twice"}
	}
	p, pv := slices.Index(rows.Columns, sqltext.PKey), slices.Index(rows.Columns, sqltext.PVKey)
	var out []history.Write
	for i := range rows.Len() {
		r := rows.Row(i)
		pkey, _ := r[p].Int64()
		w := history.Write{Item: history.Item{Table: info.Target, PKey: pkey}, From: history.Unborn, To: history.State(info.VKey)}
		if info.Kind == sqltext.Update {
			from, ok := r[pv].Int64()
			if !ok {
				return nil, &badAnswer{"bad-key", fmt.Sprintf("table %s: %s is %s", info.Target, sqltext.PVKey, r[pv])}
			}
			w.From = history.State(from)
		}
		out = append(out, w)
	}
	return out, nil
}

// deletions tells what a DELETE with a current view removed where reads after it see the snapshot: the rows that a
// plain read saw before it and does not see after it, and those that the locking read before it found and no plain
// read sees after it.
func deletions(b *observe.BlockRun, plain, visible, after map[int64]int64) []history.Write {
	gone := map[int64]int64{}
	for pkey, vkey := range plain {
		if _, there := after[pkey]; !there {
			gone[pkey] = vkey
			if current, there := visible[pkey]; there {
				gone[pkey] = current
			}
		}
	}
	if b.BWR != nil && b.BWR.Err == nil && b.Target.Err == nil {
		for pkey, vkey := range rowKeys(b.BWR.Rows) {
			if _, there := after[pkey]; !there {
				gone[pkey] = vkey
			}
		}
	}
	return difference(b.Block.Info.Target, gone, nil)
}

// difference tells the writes that lie between two version sets of a table, sorted by pkey.
func difference(table string, before, after map[int64]int64) []history.Write {
	var out []history.Write
	for pkey, old := range before {
		w := history.Write{Item: history.Item{Table: table, PKey: pkey}, From: history.State(old), To: history.Dead}
		now, there := after[pkey]
		if there {
			w.To = history.State(now)
		}
		if !there || now != old {
			out = append(out, w)
		}
	}
	for pkey, now := range after {
		if _, there := before[pkey]; !there {
			out = append(out, history.Write{Item: history.Item{Table: table, PKey: pkey}, From: history.Unborn, To: history.State(now)})
		}
	}
	slices.SortFunc(out, func(a, b history.Write) int { return int(a.PKey - b.PKey) })
	return out
}
