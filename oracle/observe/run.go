package observe

import (
	"math"
	"slices"

	"txweave/dbms"
	"txweave/history"
	"txweave/instrument"
	"txweave/sql"
	"txweave/sql/sqltext"
)

// BlockRun is what one block sent and got back in a run; the events of its last attempt, if it was restarted.
type BlockRun struct {
	Block  *instrument.Block
	VSR    []*history.Event
	BWR    *history.Event
	Target *history.Event // nil if the block never got to it
	AWR    *history.Event
	After  []*history.Event // of Block.After
	// Searched is a before-write read that waited, and has kept locked all that it scanned since: the one that was made
	// after it finds the same rows. nil where none waited, or what it scanned is not locked.
	Searched *history.Event
	// Again is the before-write read made again after a target that waited and did not lock all that it scanned; nil
	// in all other blocks.
	Again *history.Event
	// Waited says that its target was blocked, or that another session's statement woke while the block ran:
	// the probes before and after the target need not have seen what the target saw.
	Waited bool
	// Reread says that its target was blocked and its version sets were read again after it: they hold what it
	// wrote in place of what it overwrote.
	Reread bool
	// Lost says that concurrency undid the statement and left its transaction alive.
	Lost bool
}

// matched reads the pkey and vkey of the rows that a before-write read of one table found; nil where there was none.
func (b *BlockRun) matched(e *history.Event) map[int64]int64 {
	if p := b.Block.BWR; e == nil || e.Err != nil || p != nil && len(p.Tables) > 1 {
		return nil
	}
	return keysAt(e.Rows, 0)
}

// searched says whether there was a before-write read of one table.
func (b *BlockRun) searched() bool { return b.BWR != nil && len(b.Block.BWR.Tables) == 1 }

// joined reads the pkey and vkey of the rows that a before-write read of joined tables found, by table; nil where there
// was none.
func (b *BlockRun) joined() map[string]map[int64]int64 {
	p, e := b.Block.BWR, b.BWR
	if p == nil || len(p.Tables) < 2 || e == nil || e.Err != nil {
		return nil
	}
	out := map[string]map[int64]int64{}
	for i, t := range p.Tables {
		out[t] = keysAt(e.Rows, 2*i)
	}
	return out
}

// keysAt reads the pkeys of a column, and the vkeys of the next one. An outer join that has no row of a table has NULL
// there.
func keysAt(rows *history.Rows, column int) map[int64]int64 {
	out := make(map[int64]int64, rows.Len())
	for i := range rows.Len() {
		r := rows.Row(i)
		if pkey, there := r[column].Int64(); there {
			out[pkey], _ = r[column+1].Int64()
		}
	}
	return out
}

// MostSeen is how many rows there were, as its version-set reads tell, in the one table that its target may read; 0
// where it reads none, and math.MaxInt where they do not tell: where others' writes came between, where the target
// reads another state of the table than they do, or several tables, whose rows come in an order that is the plan's.
func (b *BlockRun) MostSeen() int {
	tables := len(b.Block.Depends)
	if tables == 0 && !b.tableless() { // nobody has asked what it reads, as in cases with an order
		return math.MaxInt
	}
	if b.Waited || b.Block.View != dbms.Snapshot || tables > 1 || tables > 0 && len(b.Block.VSR) == 0 ||
		len(b.VSR) != len(b.Block.VSR) {
		return math.MaxInt
	}
	most := 0
	for i, p := range b.Block.VSR {
		e := b.VSR[i]
		if e == nil || e.Err != nil || p.Conn != instrument.Own {
			return math.MaxInt
		}
		if p.Whole {
			most = max(most, e.Rows.Len())
			continue
		}
		count := make([]int, len(p.Tables))
		for j := range e.Rows.Len() {
			if n, ok := e.Rows.Row(j)[0].Int64(); ok && 0 <= n && int(n) < len(count) {
				count[n]++
				most = max(most, count[n])
			}
		}
	}
	return most
}

// tableless says whether its target is a query whose text names no source of rows.
func (b *BlockRun) tableless() bool {
	q, ok := b.Block.Tree.(*sql.Query)
	return ok && !sql.Has(q, func(n sql.Node) bool {
		switch n.(type) {
		case sql.TableRef, *sql.Whole, *sql.Values, *sql.With:
			return true
		}
		return false
	})
}

// Left is what the reads behind its target showed of a table, by pkey: vkeys of all rows, or of those that it wrote.
func (b *BlockRun) Left(table string) map[int64]int64 {
	out := map[int64]int64{}
	readVersions(out, table, b.Block.AWR, b.AWR)
	for i, e := range b.After {
		readVersions(out, table, &b.Block.After[i], e)
	}
	return out
}

// readVersions adds the vkeys of a table, by pkey, that a probe was answered.
func readVersions(out map[int64]int64, table string, p *instrument.Probe, e *history.Event) {
	if p == nil || e == nil || e.Rows == nil {
		return
	}
	of, pkey, vkey := -1, slices.Index(e.Rows.Columns, sqltext.PKey), slices.Index(e.Rows.Columns, sqltext.VKey)
	at := slices.Index(p.Tables, table)
	if !p.Written && !p.Whole { // which of its tables a row is of, and its names
		of, pkey, vkey = 0, 1, 2
	}
	if at < 0 || of < 0 && at > 0 || min(pkey, vkey) < 0 {
		return
	}
	for i := range e.Rows.Len() {
		r := e.Rows.Row(i)
		if of >= 0 {
			if n, ok := r[of].Int64(); !ok || int(n) != at {
				continue
			}
		}
		k, _ := r[pkey].Int64()
		out[k], _ = r[vkey].Int64()
	}
}

// Run is one execution of an instrumented case in transactions.
type Run struct {
	Trace  *history.Trace
	Blocks []*BlockRun       // in order of completion
	Order  []instrument.Step // steps in order of completion; steps that an abort left out at their turn
	Txns   []history.Outcome // by transaction
	Spans  [][2]int          // by transaction: positions in Order of its begin and its end
	Final  map[string]*history.Rows
	// Snapshots are by transaction the reads of what its snapshot holds (instrument.TxnPlan.Snapshot).
	Snapshots [][]*history.Event
	// Exported is by transaction what the database says that its snapshot holds, table -> pkey -> vkey, without its own
	// writes; nil where it does not say.
	Exported []map[string]map[int64]int64
	// Certificate is the database's own account; nil where it gives none.
	Certificate *Account
}

// Account is a database's own account of a run, in its own timestamps; 0 is one that it did not give.
type Account struct {
	Start, Commit []uint64             // by transaction
	Read          map[*BlockRun]uint64 // the timestamps at which targets read
	// Versions are those of the items that changed, oldest first; nil where the store does not say.
	Versions map[history.Item][]VersionStamp
	Untold   map[string]bool // tables whose items Versions leaves out
	// Snapshots are what the tables held when the transactions with plain reads began, read back: by transaction,
	// table -> pkey -> vkey.
	Snapshots []map[string]map[int64]int64
}

// VersionStamp is one version of a row: the timestamps of the transaction that wrote it, and its vkey or history.Dead.
type VersionStamp struct {
	Start, Commit uint64
	State         history.State
}

// Replayed is the outcome of a replay: an event per statement in replay order, and the final contents.
type Replayed struct {
	Events []*history.Event
	Final  map[string]*history.Rows
	Reads  []*history.Event // of the final contents
	// Around are what the tables held before and after each statement; nil where they were not read.
	Around []Around
	// Searches are the queries right before writes for the rows that these are about to find, by the places of those in
	// Events.
	Searches map[int]*history.Event
}

// Around is what every table held before and after a statement.
type Around struct{ Before, After map[string]*history.Rows }

// Trace returns the replay as a trace, with the reads of what the tables held at its end.
func (p *Replayed) Trace() *history.Trace {
	out := &history.Trace{}
	for i, e := range p.Events {
		if s := p.Searches[i]; s != nil {
			out.Events = append(out.Events, s)
		}
		out.Events = append(out.Events, e)
	}
	out.Events = append(out.Events, p.Reads...)
	return out
}

// late lists the transactions that have waited for a snapshot in which no anomaly can be. It may be the one that was
// taken before they waited, or any one since, so that what an observer read before says nothing of what they see: in
// such a run they have seen nothing.
func late(plan *instrument.Plan, run *Run) map[int]bool {
	out := map[int]bool{}
	for _, b := range run.Blocks {
		if b.Waited && plan.Txns[b.Block.Txn].Deferred() {
			out[b.Block.Txn] = true
		}
	}
	return out
}
