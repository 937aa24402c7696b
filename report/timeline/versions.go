package timeline

import (
	"cmp"
	"maps"
	"slices"

	"txweave/history"
	"txweave/oracle/observe"
)

// SeenVersion is a state of a row that a statement saw or wrote.
type SeenVersion struct {
	history.Version
	Writer string // statement of the run that wrote it; "" where it was there from the start
}

// Versions are what the observation tells of one statement.
type Versions struct {
	Saw     []SeenVersion // visible to it, of the rows that any statement of the run writes
	Wrote   []SeenVersion
	Deleted []SeenVersion // the last versions of the rows that it deleted
	Still   int           // visible rows that no statement of the run writes
}

// ReadVersions returns what the target statements of a run saw and wrote, by the statements' names, as the oracles used
// it. Statements that neither read nor write a table are not in it; nil where nothing was recorded.
func ReadVersions(d *observe.Document) map[string]*Versions {
	if d == nil {
		return nil
	}
	r := versionReader{writer: map[history.Version]string{}, written: map[history.Item]bool{}}
	for i := range d.Statements {
		s := &d.Statements[i]
		for _, w := range s.Wrote {
			item := history.Item{Table: w.Table, PKey: w.PKey}
			r.written[item] = true
			if state, ok := history.ParseState(w.To); ok && !state.Absent() {
				r.writer[history.Version{Item: item, VKey: int64(state)}] = s.Name
			}
		}
	}
	out := map[string]*Versions{}
	for i := range d.Statements {
		if s := &d.Statements[i]; len(s.Saw) > 0 || len(s.Wrote) > 0 {
			out[s.Name] = r.read(s)
		}
	}
	return out
}

// versionReader knows who wrote the versions of a run.
type versionReader struct {
	writer  map[history.Version]string
	written map[history.Item]bool
}

func (r *versionReader) version(item history.Item, vkey int64) SeenVersion {
	x := history.Version{Item: item, VKey: vkey}
	return SeenVersion{x, r.writer[x]}
}

// read is what a statement saw and wrote.
func (r *versionReader) read(s *observe.StmtDocument) *Versions {
	v := &Versions{}
	for _, table := range slices.Sorted(maps.Keys(s.Saw)) {
		for _, pkey := range slices.Sorted(maps.Keys(s.Saw[table])) {
			item := history.Item{Table: table, PKey: pkey}
			if !r.written[item] {
				v.Still++
				continue
			}
			v.Saw = append(v.Saw, r.version(item, s.Saw[table][pkey]))
		}
	}
	for _, w := range s.Wrote {
		item := history.Item{Table: w.Table, PKey: w.PKey}
		from, _ := history.ParseState(w.From)
		to, _ := history.ParseState(w.To)
		switch {
		case !to.Absent():
			v.Wrote = append(v.Wrote, r.version(item, int64(to)))
		case !from.Absent():
			v.Deleted = append(v.Deleted, r.version(item, int64(from)))
		}
	}
	for _, list := range [][]SeenVersion{v.Wrote, v.Deleted} {
		slices.SortFunc(list, func(a, b SeenVersion) int {
			return cmp.Or(cmp.Compare(a.Table, b.Table), cmp.Compare(a.PKey, b.PKey))
		})
	}
	return v
}
