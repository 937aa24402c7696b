package weave

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"txweave/finding"
	"txweave/observe"
	"txweave/sqltext"

	"txweave/history"
	"txweave/sdg"
)

// kindNames are the statement kinds as findings print them.
var kindNames = map[sqltext.Kind]string{sqltext.Select: "SELECT", sqltext.Insert: "INSERT", sqltext.Update: "UPDATE", sqltext.Delete: "DELETE"}

// check compares a write that did not wait with the reads around it: nothing ran between them, so the rows that
// the before-write read found, the rows that the statement says it affected and the rows that bear its version
// key must be the same ones.
func (o *observer) check(b *observe.BlockRun, s *sdg.Stmt, visible map[int64]int64) {
	odd := func(what, format string, args ...any) {
		o.out.odd = append(o.out.odd, finding.Difference{Stmt: s.Name, Kind: kindNames[s.Kind], What: what, Detail: fmt.Sprintf(format, args...)})
	}
	info := b.Block.Info
	if b.Target.Err != nil {
		if len(s.Writes) > 0 {
			odd("failed-yet-wrote", "it failed with %s and yet wrote %s", b.Target.Err, printWrites(s.Writes))
		}
		return
	}
	plain := !info.Diff || s.Kind == sqltext.Delete // REPLACE counts a replaced row twice
	if plain && b.Target.Affected != int64(len(s.Writes)) {
		odd("affected-versus-written", "it says it affected %d rows and wrote %d: %s", b.Target.Affected, len(s.Writes), printWrites(s.Writes))
	}
	if s.Kind != sqltext.Update && s.Kind != sqltext.Delete {
		return
	}
	for _, w := range s.Writes {
		if vkey, there := visible[w.PKey]; !there || history.State(vkey) != w.From {
			odd("overwrote-unseen", "it overwrote %s; the read before it saw %s", printWrites([]history.Write{w}), printSeen(vkey, there))
		}
	}
	if b.BWR == nil || b.BWR.Err != nil {
		return
	}
	found := rowKeys(b.BWR.Rows)
	wrote := map[int64]int64{}
	for _, w := range s.Writes {
		wrote[w.PKey] = int64(w.From)
	}
	for _, pkey := range sortedUnion(found, wrote) {
		f, inFound := found[pkey]
		w, inWrote := wrote[pkey]
		if inFound != inWrote || f != w {
			odd("matched-versus-written", "row %d of %s: a SELECT with the same WHERE found %s, the write overwrote %s",
				pkey, info.Target, printSeen(f, inFound), printSeen(w, inWrote))
		}
	}
}

// rowKeys reads the pkey and vkey of the rows that a before-write read found.
func rowKeys(rows *history.Rows) map[int64]int64 {
	out := make(map[int64]int64, rows.Len())
	for i := range rows.Len() {
		r := rows.Row(i)
		pkey, _ := r[0].Int64()
		vkey, _ := r[1].Int64()
		out[pkey] = vkey
	}
	return out
}

// checkWaited compares a write that waited with the same read before and after it. A row that matched before and
// matches after it must have been written if nobody changed it in the meantime, or if the one change, uncommitted
// then, was there when the write began: it matched whenever the write came to it. A row that was changed later, or
// twice, may have been passed over: InnoDB at READ COMMITTED evaluates the WHERE clause anew after each wait, and a row
// can move in an index from before the scan to behind it.
func (o *observer) checkWaited(b *observe.BlockRun) {
	info := b.Block.Info
	if b.Again == nil || b.Again.Err != nil || b.BWR == nil || b.BWR.Err != nil || b.Target.Err != nil || info.MatchTable == "" {
		return
	}
	before, after := rowKeys(b.BWR.Rows), rowKeys(b.Again.Rows)
	for _, pkey := range slices.Sorted(maps.Keys(after)) {
		old, matched := before[pkey]
		now := after[pkey]
		item := history.Item{Table: info.Target, PKey: pkey}
		change := o.origin[history.Version{Item: item, VKey: now}]
		if !matched || now == info.VKey || now != old && (change.by == nil || change.from != history.State(old) || change.by.Target.End > b.Target.Start) {
			continue
		}
		o.out.odd = append(o.out.odd, finding.Difference{Stmt: b.Block.Name(), Kind: kindNames[info.Kind], What: "passed-over-after-wait",
			Detail: fmt.Sprintf("row %d of %s: a SELECT with the same WHERE found version %d before it waited and finds version %d after it; it has not written the row",
				pkey, info.Target, old, now)})
	}
}

func printSeen(vkey int64, there bool) string {
	if !there {
		return "nothing"
	}
	return fmt.Sprintf("version %d", vkey)
}

func printWrites(ws []history.Write) string {
	if len(ws) == 0 {
		return "nothing"
	}
	parts := make([]string, len(ws))
	for i, w := range ws {
		parts[i] = fmt.Sprintf("(%s, %d): %s → %s", w.Table, w.PKey, w.From, w.To)
	}
	return strings.Join(parts, "; ")
}

func sortedUnion(a, b map[int64]int64) []int64 {
	var out []int64
	for k := range a {
		out = append(out, k)
	}
	for k := range b {
		if _, both := a[k]; !both {
			out = append(out, k)
		}
	}
	slices.Sort(out)
	return out
}
