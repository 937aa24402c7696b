package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"txweave/checker/window"
	"txweave/history/format"
	"txweave/internal/memory"
)

// inWindow looks for a serial order of a text while it reads it, if the flags ask for that. It is done where it finds one,
// which makes the history valid at every level that it is asked at, and where the text cannot be read again: then nothing
// is known.
func (f *checkFlags) inWindow(ctx context.Context, path string, res *historyResult) (done bool, err error) {
	if f.window == 0 {
		return false, nil
	}
	in := f.first
	if in == nil || in.Path != path {
		opened, err := format.Open(ctx, path)
		if err != nil {
			return true, usage(err)
		}
		in = &firstInput{Opened: opened}
	}
	if f.format != "text" && (f.format != format.Auto || !in.IsText()) {
		return true, usagef("%s: --window is for the text format", path)
	}
	f.first = nil
	defer in.Close()
	started := time.Now()
	s := window.New(f.window)
	found := true
	err = in.Transactions(func(session int64, ops []format.TextAccess) bool {
		res.Transactions++
		res.Operations += len(ops)
		found = ctx.Err() == nil && s.Add(session, ops)
		return found
	})
	apart := errors.Is(err, format.ErrApart)
	if err != nil && !apart {
		return true, usage(err)
	}
	found = found && !apart && s.Finish()
	res.Format, res.Window = "text", f.window
	res.ParseS, res.PeakMiB = time.Since(started).Seconds(), memory.PeakMiB()
	switch {
	case found && res.Transactions == 0:
		return true, usagef("%s: holds no transaction", path)
	case found:
		res.Verdict = verdictValid
		res.Notes = []string{fmt.Sprintf("executed one by one in a window of %d transactions; whether a value was written twice was not looked at", f.window)}
		return true, nil
	case ctx.Err() != nil:
		res.Verdict, res.Reason = verdictUnknown, stopped(ctx)
		return true, nil
	}
	if st, err := os.Stat(path); path != format.Stdin && err == nil && st.Mode().IsRegular() {
		res.Transactions, res.Operations, res.Window = 0, 0, 0
		return false, nil // it is read again, as a whole
	}
	res.Verdict = verdictUnknown
	res.Reason = fmt.Sprintf("no serial order was found in a window of %d transactions, and what is no file cannot be read again as a whole", f.window)
	return true, nil
}
