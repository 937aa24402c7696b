package script

import (
	"slices"

	"txweave/dbms"
	"txweave/finding"
	"txweave/history"
	"txweave/oracle/observe"
	"txweave/oracle/replay"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// Otherwise lists what the script's run answers otherwise than the watched run of the case that it is: to number rows
// and versions may change what a database does, where a write of a value that is there becomes one of another version,
// or where a plan goes by the columns. watched is nil where nothing was observed; at says which statement of the case a
// step is.
func (o *Showing) Otherwise(p *dbms.Profile, watched *observe.Observation, at []testcase.Ref) []finding.Difference {
	if watched == nil {
		return nil
	}
	ran := map[testcase.Ref]*history.Event{}
	for _, s := range watched.Stmts {
		if s.Run != nil && s.Run.Target != nil {
			ran[testcase.Ref{Txn: s.Run.Block.Txn, Stmt: s.Run.Block.Stmt}] = s.Run.Target
		}
	}
	var nodes []*observe.BlockRun
	rep := &observe.Replayed{}
	for i, e := range o.Run.Steps {
		other := ran[at[i]]
		if e == nil || other == nil || !compared(e.Text) || givenUp(p, e) || givenUp(p, other) {
			continue
		}
		own := *o.inside(i, other)
		if e.Rows != nil && own.Rows != nil {
			own.Rows = unnumbered(own.Rows, e.Rows)
		}
		if e.Affected < 0 { // it prints rows, and the watched one counts as well, or the other way round
			own.Affected = e.Affected
		} else if own.Affected < 0 {
			own.Affected = o.inside(i, e).Affected
		}
		nodes = append(nodes, o.node(i, at[i].Txn, at[i].Stmt))
		rep.Events = append(rep.Events, &own)
	}
	return replay.Compare(p, nil, nodes, &observe.Run{}, rep)
}

// givenUp says whether a statement waited in vain, or was not let in: how long it waits is up to who runs it.
func givenUp(p *dbms.Profile, e *history.Event) bool {
	if e.Err == nil {
		return false
	}
	class := p.Errors.Classify(e.Err.Code, e.Err.Message)
	return class == dbms.StatementLost || class == dbms.WouldBlock || class == dbms.Environment
}

// unnumbered are rows without the columns by which rows and versions are numbered, where others like them have none.
func unnumbered(rows, like *history.Rows) *history.Rows {
	var keep []int
	for at, name := range rows.Columns {
		if !sqltext.IsBookkeeping(name) || slices.Contains(like.Columns, name) {
			keep = append(keep, at)
		}
	}
	out := &history.Rows{}
	for _, at := range keep {
		out.Columns = append(out.Columns, rows.Columns[at])
	}
	for i := range rows.Len() {
		for _, at := range keep {
			out.Cells = append(out.Cells, rows.Row(i)[at])
		}
	}
	return out
}
