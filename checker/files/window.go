package files

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"txweave/checker/window"
	"txweave/history/format"
	"txweave/internal/memory"
	"txweave/internal/outcome"
)

// inWindow looks for a serial order of a text while it reads it, if the flags ask for that. It is done where it finds
// one, which makes the history valid at every level that it is asked at, and where the text cannot be read again: then
// nothing is known.
func (f *run) inWindow(ctx context.Context, path string, res *historyResult) (done bool, err error) {
	if f.Window == 0 {
		return false, nil
	}
	in := f.first
	if in == nil || in.Path != path {
		opened, err := format.Open(ctx, path)
		if err != nil {
			return true, outcome.Misuse(err)
		}
		in = &firstInput{Opened: opened}
	}
	if f.Format != "text" && (f.Format != format.Auto || !in.IsText()) {
		return true, outcome.Misusef("%s: --window is for the text format", path)
	}
	f.first = nil
	defer in.Close()
	started := time.Now()
	s := window.New(f.Window)
	found := true
	err = in.Transactions(func(session int64, ops []format.TextAccess) bool {
		res.Transactions++
		res.Operations += len(ops)
		found = ctx.Err() == nil && s.Add(session, ops)
		return found
	})
	apart := errors.Is(err, format.ErrApart)
	if err != nil && !apart {
		return true, outcome.Misuse(err)
	}
	found = found && !apart && s.Finish()
	res.Format, res.Window = "text", f.Window
	res.ParseS, res.PeakMiB = time.Since(started).Seconds(), memory.PeakMiB()
	switch {
	case found && res.Transactions == 0:
		return true, outcome.Misusef("%s: holds no transaction", path)
	case found:
		res.Verdict = valid
		res.Notes = []string{
			fmt.Sprintf(
				"executed one by one in a window of %d transactions; whether a value was written twice was not looked at",
				f.Window)}
		return true, nil
	case ctx.Err() != nil:
		res.Verdict, res.Reason = unknown, stopped(ctx)
		return true, nil
	}
	if st, err := os.Stat(path); path != format.Stdin && err == nil && st.Mode().IsRegular() {
		res.Transactions, res.Operations, res.Window = 0, 0, 0
		return false, nil // it is read again, as a whole
	}
	res.Verdict = unknown
	res.Reason = fmt.Sprintf(
		"no serial order was found in a window of %d transactions, and what is no file cannot be read again as a whole",
		f.Window)
	return true, nil
}
