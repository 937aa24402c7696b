package storm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"txweave/dbms"
	"txweave/exec"
	"txweave/fault"
	"txweave/finding"
	"txweave/history"
)

// examiner is a session that reads all tables, over every index, whenever something has been done to the database.
type examiner struct {
	*session
	mu     sync.Mutex // held by who uses the session
	broken bool       // its connection is gone
	kept   int        // times that others kept the database from a check of its tables
}

// beat says while the session has nothing to do that it sends nothing, or the verifier would wait for it.
func (e *examiner) beat(over chan struct{}) {
	t := time.NewTicker(2 * time.Millisecond)
	defer t.Stop()
	for {
		select {
		case <-over:
			return
		case <-t.C:
		}
		if e.mu.TryLock() {
			e.sink.Sending(e.now())
			e.mu.Unlock()
		}
	}
}

// reopen gives the examiner a new connection: a nemesis may have ended the one that it has, whoever tells.
func (e *examiner) reopen(ctx context.Context) error {
	e.conn.Close()
	conn, err := e.connect(ctx)
	for since := e.now(); err != nil && e.now()-since < int64(reopenTime); conn, err = e.connect(ctx) {
		var crash *exec.CrashError
		if alive := e.target.Alive(ctx); errors.As(alive, &crash) {
			return alive
		}
		time.Sleep(pause) // an embedded engine that recovers refuses others
	}
	if err != nil {
		return err
	}
	e.conn, e.broken = conn, false
	return nil
}

// examine reads all tables over a new connection, and asks the database whether they are whole.
func (e *examiner) examine(ctx context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.reopen(ctx); err != nil {
		return err
	}
	if err := e.transaction(ctx, e.readAll); err != nil {
		return err
	}
	return e.check(ctx)
}

// check asks the database whether its tables and their indexes are whole.
func (e *examiner) check(ctx context.Context) error {
	names := make([]string, len(e.opt.Workload.Tables))
	for i, t := range e.opt.Workload.Tables {
		names[i] = t.Name
	}
	said, err := e.conn.Complaints(ctx, e.profile, names)
	var answer *exec.AnswerError
	switch {
	case errors.Is(err, exec.ErrKept): // and still do
		e.kept++
		err = nil
	case errors.As(err, &answer) && e.profile.Errors.Classify(answer.Err.Code, answer.Err.Message) != dbms.Deterministic:
		e.errors[answer.Err.Code]++
		err = nil
	}
	if err != nil {
		return err
	}
	for _, line := range said {
		e.fault(WrongAnswer{Class: finding.ClassCorruption, What: fault.Corruption, Statement: "check of the tables",
			Detail: line, Txn: e.txn})
	}
	return nil
}

// quiet looks, when all sessions have ended, whether anything is still locked.
func (e *examiner) quiet(ctx context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.reopen(ctx); err != nil { // what the last crash ended after it was looked at
		return err
	}
	for since := e.now(); ; time.Sleep(pause) {
		refused, err := e.lockAll(ctx)
		switch {
		case err != nil:
			return err
		case refused == nil:
			return e.check(ctx)
		case e.now()-since > int64(e.opt.KeptTime):
			e.fault(WrongAnswer{Class: finding.ClassHang, What: fault.LockKept,
				Statement: "a locking read of all rows, when all sessions had ended", Txn: e.txn,
				Detail: fmt.Sprintf("it was refused for %s: %s", e.opt.KeptTime, refused)})
			return nil
		}
	}
}

// lockAll locks all rows in a transaction and lets them go.
func (e *examiner) lockAll(ctx context.Context) (refused *history.DBError, err error) {
	begin, clause := e.locks()
	ask := []string{"ROLLBACK", cmp.Or(begin, "BEGIN")}
	for _, t := range e.opt.Workload.Tables {
		ask = append(ask, "SELECT pkey FROM "+t.Name+clause)
	}
	_, refused, err = e.script(ctx, append(ask, "COMMIT"))
	return refused, err
}
