package observe

import (
	"txweave/dbms"
	"txweave/finding"
	"txweave/history"
	"txweave/instrument"
	"txweave/sdg"
	"txweave/testcase"
)

// attempts are the statements that were given up before somebody's end let them go on, by the version-set read of each
// such attempt. It was made in the transaction all the same, and saw its snapshot. Nothing else is known of an attempt.
func (o *observer) attempts() map[*history.Event]*ObservedStmt {
	out := map[*history.Event]*ObservedStmt{}
	type place struct{ txn, stmt int }
	reads := map[place][]*history.Event{} // of the attempt under way
	for _, e := range o.run.Trace.Events {
		if e.Txn < 0 || e.Stmt < 0 || o.plan.Txns[e.Txn].Autocommit() {
			continue
		}
		at := place{e.Txn, e.Stmt}
		switch e.Role {
		case history.VSR:
			reads[at] = append(reads[at], e)
		case history.Target:
			if s := o.attempt(e, reads[at]); s != nil {
				out[reads[at][0]] = s
			}
			delete(reads, at)
		}
	}
	return out
}

// attempt is what a statement that would have had to wait saw by its version-set reads, where these read its
// transaction's snapshot; nil where it is none such.
func (o *observer) attempt(target *history.Event, reads []*history.Event) *ObservedStmt {
	b := o.plan.Txns[target.Txn].Blocks[target.Stmt]
	waits := target.Err != nil && o.plan.Profile.Errors.Classify(target.Err.Code, target.Err.Message) == dbms.WouldBlock
	if !waits || b.View != dbms.Snapshot || o.plan.Profile.ReadModes.Observer == dbms.SnapshotObserver ||
		len(reads) == 0 || len(reads) != len(b.VSR) {
		return nil
	}
	for i, p := range b.VSR {
		if p.Conn != instrument.Own || reads[i].Err != nil || reads[i].Rows == nil {
			return nil
		}
	}
	sets, err := o.versionSets(&BlockRun{Block: b, VSR: reads, Target: target})
	if err != nil {
		return nil
	}
	s := &ObservedStmt{Node: sdg.Node{Name: b.Name(), Txn: b.Txn, Kind: b.Info.Kind}, View: b.View, Sent: reads[0].Start,
		Done: target.End}
	for _, p := range b.VSR {
		for _, table := range p.Tables {
			s.Reads = append(s.Reads, sdg.TableRead{Table: table, Seen: sets.visible[table]})
		}
	}
	return s
}

// FailedBefore lists the statements of a transaction that had failed before a moment.
func FailedBefore(events []*history.Event, txn int, at int64) []finding.Failure {
	var failed []finding.Failure
	for _, e := range events {
		if e.Txn == txn && e.Stmt >= 0 && e.Role == history.Target && e.Err != nil && e.Start < at {
			failed = append(failed, finding.Failure{Stmt: string(StmtOf(e)), Err: e.Err})
		}
	}
	return failed
}

// StmtOf names the statement of an event where a step is said.
func StmtOf(e *history.Event) finding.StmtName {
	return finding.StmtName(testcase.Ref{Txn: e.Txn, Stmt: e.Stmt}.String())
}

// gone lists the answers with which a transaction was gone.
func (o *observer) gone() {
	for _, e := range o.run.Trace.Events {
		if e.Gone {
			o.out.Gone = append(o.out.Gone, e)
		}
	}
}
