package script

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"txweave/dbms"
	"txweave/finding"
	"txweave/history"
	"txweave/oracle/observe"
	"txweave/oracle/replay"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// Watched is a run with rows and versions numbered of the case that a script is.
type Watched struct {
	profile *dbms.Profile
	at      []testcase.Ref                  // which statement of the case a step is
	ran     map[testcase.Ref]*history.Event // by statement of the case
}

// NewWatched is what was observed of such a run; at says which statement of the case a step is. It is nil where nothing
// was observed.
func NewWatched(p *dbms.Profile, watched *observe.Observation, at []testcase.Ref) *Watched {
	if watched == nil {
		return nil
	}
	w := &Watched{profile: p, at: at, ran: map[testcase.Ref]*history.Event{}}
	for _, s := range watched.Stmts {
		if s.Run != nil && s.Run.Target != nil {
			w.ran[testcase.Ref{Txn: s.Run.Block.Txn, Stmt: s.Run.Block.Stmt}] = s.Run.Target
		}
	}
	return w
}

// Parted says why a watched run may have gone another way than the script's, by what is up to neither of them: a wait
// that ends by its limit here, since a watched run has none, or a deadlock that ends another transaction. "" where
// neither is so.
func (o *Showing) Parted(w *Watched) string {
	var limits []string // lines
	victims := map[bool]int{}
	for i, e := range o.Run.Steps {
		other := w.ran[w.at[i]]
		if e == nil || other == nil {
			continue
		}
		here, there := w.class(e), w.class(other)
		switch line := o.Script.Steps[i].Line; {
		case here == dbms.StatementLost && there == dbms.Deterministic && e.Blocked, here == dbms.WouldBlock:
			limits = append(limits, strconv.Itoa(line))
		case here == dbms.TxnLost && there != dbms.TxnLost:
			victims[true] = line
		case here != dbms.TxnLost && there == dbms.TxnLost:
			victims[false] = line
		}
	}
	switch {
	case len(limits) > 0:
		return fmt.Sprintf("the wait on line %s is given up here and lasts in the watched run, which has no limits of time",
			strings.Join(limits, ", "))
	case len(victims) == 2:
		return fmt.Sprintf("of the transactions in conflict the one of line %d is rolled back here and the one of line %d in "+
			"the watched run: the server chooses", victims[true], victims[false])
	}
	return ""
}

// class is what the answer of an event says of concurrency.
func (w *Watched) class(e *history.Event) dbms.ErrorClass {
	if e.Err == nil {
		return dbms.Deterministic
	}
	return w.profile.Errors.Classify(e.Err.Code, e.Err.Message)
}

// Otherwise lists what the script's run answers otherwise than the watched one: to number rows and versions may change
// what a database does, where a write of a value that is there becomes one of another version, or where a plan goes by
// the columns.
func (o *Showing) Otherwise(w *Watched) []finding.Difference {
	p := w.profile
	var nodes []*observe.BlockRun
	rep := &observe.Replayed{}
	for i, e := range o.Run.Steps {
		other := w.ran[w.at[i]]
		if e == nil || other == nil || !compared(e.Text) || w.givenUp(e) || w.givenUp(other) {
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
		nodes = append(nodes, o.node(i, w.at[i].Txn, w.at[i].Stmt))
		rep.Events = append(rep.Events, &own)
	}
	return replay.Compare(p, nil, nodes, &observe.Run{}, rep)
}

// givenUp says whether a statement waited in vain, or was not let in: how long it waits is up to who runs it.
func (w *Watched) givenUp(e *history.Event) bool {
	class := w.class(e)
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
