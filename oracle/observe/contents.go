package observe

import (
	"cmp"
	"slices"
	"strings"

	"txweave/fault"
	"txweave/finding"
	"txweave/history"
	"txweave/sql/sqltext"
)

// firstName is the first version that is named after contents which no version key of their own names: above the
// version keys of cases.
const firstName = 1_000_001

// naming names the contents of rows, in tables whose versions are their contents: after the version key that they hold
// where no other contents of the row do, else by a number.
type naming struct {
	names map[history.Item]map[string]int64
	next  int64
}

func (n *naming) name(item history.Item, contents string, vkey int64, keyed bool) int64 {
	names := n.names[item]
	if names == nil {
		names = map[string]int64{}
		n.names[item] = names
	}
	if v, known := names[contents]; known {
		return v
	}
	for _, v := range names {
		keyed = keyed && v != vkey
	}
	if !keyed || vkey < 0 || vkey >= firstName {
		vkey = n.next
		n.next++
	}
	names[contents] = vkey
	return vkey
}

// layout says where the columns of a table are in rows that were read from it; -1 where one is not.
type layout struct {
	pkey, vkey, pvkey int
	order             []int // of all columns, in the order of the table's definition
}

func (o *observer) layout(table string, rows *history.Rows) layout {
	find := func(name string) int {
		return slices.IndexFunc(rows.Columns, func(c string) bool { return strings.EqualFold(c, name) })
	}
	l := layout{pkey: find(sqltext.PKey), vkey: find(sqltext.VKey), pvkey: find(sqltext.PVKey)}
	for _, name := range o.plan.Schema.Table(table).Names() {
		if at := find(name); at >= 0 {
			l.order = append(l.order, at)
		}
	}
	return l
}

// version names row i of rows that hold a table's columns, and keeps its contents.
func (o *observer) version(table string, rows *history.Rows, l layout, i int) (v history.Version, err error) {
	if l.pkey < 0 || l.vkey < 0 && !o.plan.Contents[table] {
		return v, &BadAnswer{What: fault.NoKey, Why: finding.Say("table %v: rows without %v or %v", table, sqltext.PKey,
			sqltext.VKey)}
	}
	r := rows.Row(i)
	pkey, ok := r[l.pkey].Int64()
	if !ok {
		return v, &BadAnswer{What: fault.BadKey, Why: finding.Say("table %v: %v is %v", table, sqltext.PKey, r[l.pkey])}
	}
	vkey, keyed := int64(0), false
	if l.vkey >= 0 {
		if vkey, keyed = r[l.vkey].Int64(); !keyed && !o.plan.Contents[table] {
			return v, &BadAnswer{What: fault.BadKey, Why: finding.Say("table %v: %v is %v, %v is %v", table, sqltext.PKey,
				r[l.pkey], sqltext.VKey, r[l.vkey])}
		}
	}
	v = history.Version{Item: history.Item{Table: table, PKey: pkey}, VKey: vkey}
	if o.plan.Contents[table] {
		v.VKey = o.naming.name(v.Item, contentsOf(r, l), vkey, keyed)
	}
	o.content[v] = rowContent{rows, i}
	return v, nil
}

// versionKey returns what a version of a table's row holds as vkey and as pvkey; false where it has none.
func (o *observer) versionKeys(v history.Version) (vkey, pvkey int64, ok bool) {
	c := o.content[v]
	if c.rows == nil {
		return 0, 0, false
	}
	l := o.layout(v.Table, c.rows)
	if l.vkey < 0 || l.pvkey < 0 {
		return 0, 0, false
	}
	r := c.rows.Row(c.at)
	vkey, ok1 := r[l.vkey].Int64()
	pvkey, ok2 := r[l.pvkey].Int64()
	return vkey, pvkey, ok1 && ok2
}

// withVKey returns the one version of an item that holds a version key, and how many do.
func (o *observer) withVKey(item history.Item, vkey int64) (v int64, n int) {
	for _, name := range o.naming.names[item] {
		if held, _, keyed := o.versionKeys(history.Version{Item: item, VKey: name}); keyed && held == vkey {
			v, n = name, n+1
		}
	}
	return v, n
}

// printed returns the version that a statement printed as (pkey, vkey): the one that it saw where that holds this
// version key, else the one that does; false where several do, and it need not have seen what the read before it saw.
func (o *observer) printed(v history.Version, seen map[int64]int64, waited bool) (history.Version, bool) {
	if !o.plan.Contents[v.Table] {
		return v, true
	}
	if name, there := seen[v.PKey]; there && !waited {
		if held, _, keyed := o.versionKeys(history.Version{Item: v.Item, VKey: name}); keyed && held == v.VKey {
			v.VKey = name
			return v, true
		}
	}
	name, n := o.withVKey(v.Item, v.VKey)
	if n == 1 {
		v.VKey = name
	}
	return v, n < 2
}

// exactly returns what a statement that waited wrote, where it gave its rows a version key in a table whose versions
// are their contents: rows tell it themselves, and what an UPDATE overwrote where one version alone held that version
// key.
func (o *observer) exactly(b *BlockRun, after map[int64]int64) []history.Write {
	info := b.Block.Info
	if info.VKey == 0 || info.Unkeyed || b.Block.Carries() || info.Kind != sqltext.Update || b.Target.Err != nil {
		return nil
	}
	var out []history.Write
	for pkey, name := range after {
		v := history.Version{Item: history.Item{Table: info.Target, PKey: pkey}, VKey: name}
		vkey, pvkey, ok := o.versionKeys(v)
		if !ok || vkey != info.VKey {
			continue
		}
		from, n := o.withVKey(v.Item, pvkey)
		if n != 1 {
			return nil
		}
		out = append(out, history.Write{Item: v.Item, From: history.State(from), To: history.State(name)})
	}
	slices.SortFunc(out, func(a, b history.Write) int { return int(a.PKey - b.PKey) })
	return out
}

// recurrences lists the versions that came to be more than once: equal contents are one version, so who wrote what was
// seen of them is not certain. Where not all that a statement wrote is known, any version of the table may be one that
// it wrote again, but those whose version key a statement gives that was sent when this one had been answered.
func (o *observer) recurrences() {
	if len(o.plan.Contents) == 0 {
		return
	}
	born := map[history.Version]int{}
	for table, rows := range o.out.Initial {
		for pkey, name := range rows {
			born[history.Version{Item: history.Item{Table: table, PKey: pkey}, VKey: name}]++
		}
	}
	o.out.Recurring = map[history.Version]bool{}
	sent := map[int64]int64{} // by version key, when the statement was that gives it
	for _, s := range o.out.Stmts {
		if s.VKey != 0 {
			sent[s.VKey] = s.Sent
		}
	}
	for _, s := range o.out.Stmts {
		for _, w := range s.Writes {
			v := history.Version{Item: w.Item, VKey: int64(w.To)}
			if born[v]++; w.To >= 0 && born[v] > 1 && o.plan.Contents[v.Table] {
				o.out.Recurring[v] = true
			}
		}
		o.mayRecur(s, sent)
	}
}

// mayRecur notes the versions that a statement may have written again of which not all is known that it wrote.
func (o *observer) mayRecur(s *ObservedStmt, sent map[int64]int64) {
	for v := range o.content {
		if !slices.Contains(s.Unsure, v.Table) || !o.plan.Contents[v.Table] {
			continue
		}
		if vkey, _, keyed := o.versionKeys(v); !keyed || sent[vkey] < s.Done {
			o.out.Recurring[v] = true
		}
	}
}

// known returns every version of a table's rows that is known, in order of pkey and version.
func (o *observer) known(table string) *history.Rows {
	out := &history.Rows{Columns: o.plan.Schema.Table(table).Names()}
	var versions []history.Version
	for v := range o.content {
		if v.Table == table {
			versions = append(versions, v)
		}
	}
	slices.SortFunc(versions, func(a, b history.Version) int {
		return cmp.Or(cmp.Compare(a.PKey, b.PKey), cmp.Compare(a.VKey, b.VKey))
	})
	for _, v := range versions {
		c := o.content[v]
		for _, at := range o.layout(table, c.rows).order {
			out.Cells = append(out.Cells, c.rows.Row(c.at)[at])
		}
	}
	return out
}

// named finds the names of contents that are known.
func (o *observer) named(table string) func(rows *history.Rows, i int) (history.Version, bool) {
	return func(rows *history.Rows, i int) (v history.Version, ok bool) {
		l := o.layout(table, rows)
		if l.pkey < 0 {
			return v, false
		}
		pkey, isKey := rows.Row(i)[l.pkey].Int64()
		v.Item = history.Item{Table: table, PKey: pkey}
		v.VKey, ok = o.naming.names[v.Item][contentsOf(rows.Row(i), l)]
		return v, ok && isKey
	}
}

// contentsOf prints a row's columns in the order of the table's definition.
func contentsOf(row []history.Value, l layout) string {
	cells := make([]history.Value, len(l.order))
	for at, column := range l.order {
		cells[at] = row[column]
	}
	return history.RowString(cells)
}

// moves says whether a statement makes rows or takes them away, and leaves none as it is: what it counts it has
// written, in tables whose rows have no versions, too.
func moves(info *sqltext.Analysis) bool {
	return info.Kind == sqltext.Insert && info.Plain || info.Kind == sqltext.Delete
}

// isVersioned says whether the database keeps what the rows of a table held before: there an UPDATE that leaves a row
// as it is writes all the same, and counts it.
func (o *observer) isVersioned(table string) bool {
	t := o.plan.Schema.Table(table)
	return t != nil && t.Versioned
}
