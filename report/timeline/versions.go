package timeline

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"txweave/history"
)

// Version is a state of a row that a statement saw or wrote.
type Version struct {
	Table      string
	PKey, VKey int64
	Writer     string // statement of the run that wrote it; "" where it was there from the start
}

// String prints a version as findings name it: (t0, 4, 17).
func (v Version) String() string { return fmt.Sprintf("(%s, %d, %d)", v.Table, v.PKey, v.VKey) }

// Versions are what the probes of one statement tell.
type Versions struct {
	Saw     []Version // visible to it, of the rows that any statement of the run writes
	Wrote   []Version
	Deleted []Version // the last versions of the rows that it deleted
	Still   int       // visible rows that no statement of the run writes
}

type item struct {
	table string
	pkey  int64
}

// probes are the last reads of each kind around one statement: those made again after a wait count.
type probes struct {
	txn int
	vsr map[string]*history.Event // by session
	bwr *history.Event
	awr *history.Event
}

// ReadVersions returns the versions that the target statements of a run saw and wrote, by the statements' names. A
// statement without probes is not in it. What a statement with a current view saw is put together as the graph does
// it: its transaction's own versions from the latest ones, all others from the committed ones.
func ReadVersions(run *history.Trace) map[string]*Versions {
	all := map[string]*probes{}
	var names []string
	for _, e := range run.Events {
		if e.Txn < 0 || e.Stmt < 0 {
			continue
		}
		name := stepName(e)
		p := all[name]
		if p == nil {
			p = &probes{txn: e.Txn, vsr: map[string]*history.Event{}}
			all[name], names = p, append(names, name)
		}
		switch {
		case e.Rows == nil:
		case e.Role == history.VSR:
			p.vsr[e.Session] = e
		case e.Role == history.BWR:
			p.bwr = e
		case e.Role == history.AWR:
			p.awr = e
		}
	}
	out := map[string]*Versions{}
	writer, author := map[Version]string{}, map[Version]int{}
	written, deleted := map[item]bool{}, map[item][]int{} // deleted: by these transactions
	for _, name := range names {
		p := all[name]
		v := &Versions{}
		v.Wrote, v.Deleted = p.writes()
		for _, x := range v.Wrote {
			writer[x], author[x] = name, p.txn
			written[item{x.Table, x.PKey}] = true
		}
		for _, x := range v.Deleted {
			it := item{x.Table, x.PKey}
			written[it], deleted[it] = true, append(deleted[it], p.txn)
		}
		out[name] = v
	}
	for _, name := range names {
		v, p := out[name], all[name]
		for _, x := range p.sees(author, deleted) {
			if written[item{x.Table, x.PKey}] {
				v.Saw = append(v.Saw, x)
			} else {
				v.Still++
			}
		}
		for _, list := range [][]Version{v.Saw, v.Wrote, v.Deleted} {
			for i := range list {
				list[i].Writer = writer[list[i]]
			}
		}
		if len(p.vsr) == 0 && p.awr == nil {
			delete(out, name)
		}
	}
	return out
}

// writes returns what a statement wrote and deleted.
func (p *probes) writes() (wrote, deleted []Version) {
	if p.awr == nil {
		return nil, nil
	}
	after, whole := versionsOf(p.awr)
	if !whole {
		return after, nil
	}
	var before []Version
	for _, session := range []string{"committed", p.own(), "latest"} {
		if e := p.vsr[session]; e != nil {
			before, _ = versionsOf(e) // the last one that there is
		}
	}
	if p.bwr != nil {
		before, _ = versionsOf(p.bwr)
	}
	for _, v := range before {
		if v.Table == tableIn(p.awr.Text) && !slices.Contains(after, v) && !slices.ContainsFunc(after, func(a Version) bool { return a.PKey == v.PKey }) {
			deleted = append(deleted, v)
		}
	}
	if p.bwr == nil { // a statement that deletes and inserts
		for _, v := range after {
			if !slices.Contains(before, v) {
				wrote = append(wrote, v)
			}
		}
	}
	return wrote, deleted
}

// own is the name of the statement's own session in the reads before it, "" if none of them is its own.
func (p *probes) own() string {
	for s := range p.vsr {
		if !observes(s) {
			return s
		}
	}
	return ""
}

// sees returns the versions that a statement sees, in order of table and key.
func (p *probes) sees(author map[Version]int, deleted map[item][]int) []Version {
	var out []Version
	own, hasOwn := p.vsr[p.own()]
	committed, hasCommitted := p.vsr["committed"]
	switch {
	case hasOwn && !hasCommitted:
		out, _ = versionsOf(own)
	case hasCommitted:
		rows, _ := versionsOf(committed)
		var mine []Version
		if latest := p.vsr["latest"]; latest != nil {
			l, _ := versionsOf(latest)
			for _, v := range l {
				if t, ok := author[v]; ok && t == p.txn {
					mine = append(mine, v)
				}
			}
			// what it deleted is gone for it
			rows = slices.DeleteFunc(rows, func(v Version) bool {
				gone := !slices.ContainsFunc(l, func(x Version) bool { return x.Table == v.Table && x.PKey == v.PKey })
				return gone && slices.Contains(deleted[item{v.Table, v.PKey}], p.txn)
			})
		}
		for _, v := range rows {
			if !slices.ContainsFunc(mine, func(m Version) bool { return m.Table == v.Table && m.PKey == v.PKey }) {
				out = append(out, v)
			}
		}
		out = append(out, mine...)
	}
	slices.SortFunc(out, func(a, b Version) int {
		return cmp.Or(cmp.Compare(a.Table, b.Table), cmp.Compare(a.PKey, b.PKey), cmp.Compare(a.VKey, b.VKey))
	})
	return out
}

var (
	setTable  = regexp.MustCompile(`SELECT (\d+) AS t, pkey, vkey FROM (\S+)`)
	fromTable = regexp.MustCompile(`FROM (\S+) WHERE vkey = `)
	rowsTable = regexp.MustCompile(`^SELECT (\S+)\.pkey`)
)

// tableIn returns the table of a probe of one table.
func tableIn(sql string) string {
	for _, re := range []*regexp.Regexp{setTable, fromTable, rowsTable} {
		if m := re.FindStringSubmatch(sql); m != nil {
			return m[len(m)-1]
		}
	}
	return ""
}

// versionsOf reads the answer of a probe. whole tells a version-set read, which has every row of its tables, from a
// read of the rows that a statement matches or writes.
func versionsOf(e *history.Event) (list []Version, whole bool) {
	tables := map[int64]string{}
	for _, m := range setTable.FindAllStringSubmatch(e.Text, -1) {
		n, _ := strconv.ParseInt(m[1], 10, 64) // only digits match
		tables[n] = m[2]
	}
	t, pkey, vkey := slices.Index(e.Rows.Columns, "t"), slices.Index(e.Rows.Columns, "pkey"), slices.Index(e.Rows.Columns, "vkey")
	if pkey < 0 || vkey < 0 {
		return nil, false
	}
	whole = len(tables) > 0
	for i := range e.Rows.Len() {
		row := e.Rows.Row(i)
		v := Version{Table: tableIn(e.Text), PKey: row[pkey].N, VKey: row[vkey].N}
		if whole && t >= 0 {
			v.Table = tables[row[t].N]
		}
		list = append(list, v)
	}
	return list, whole
}
