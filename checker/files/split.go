package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"txweave/checker"
	"txweave/checker/parts"
	"txweave/dbms"
	"txweave/history/format"
	"txweave/history/register"
	"txweave/internal/asked"
	"txweave/internal/outcome"
)

// checkSplit says which flags do not go together with those that cut histories.
func (f *run) checkSplit(histories int) error {
	switch {
	case f.Workers < 1:
		return outcome.Misusef("--workers %d: want how many parts of a history are checked at once", f.Workers)
	case f.Workers > 1 && f.Certificate != "":
		return outcome.Misusef("--workers checks parts of a history, and a --certificate is of the whole")
	case f.Split == "" && f.PartsGiven:
		return outcome.Misusef("--parts says into how many files --split DIR cuts a history, and there is no --split")
	case f.Split == "":
		return nil
	case f.Parts < 2:
		return outcome.Misusef("--parts %d: want 2 at least", f.Parts)
	case histories > 1:
		return outcome.Misusef("--split cuts one history, not %d", histories)
	case f.Certificate != "" || f.Window > 0:
		return outcome.Misusef("--split checks nothing: it takes no --certificate and no --window")
	}
	return nil
}

// split cuts a history and writes the parts into the directory of the flag.
func (f *run) split(ctx context.Context, w io.Writer, path string, level dbms.Level) error {
	rec, err := f.readHistory(ctx, path, []string{path}, false)
	switch {
	case err != nil:
		return outcome.Misuse(err)
	case rec.History == nil || f.isWorkload(rec):
		return outcome.Misusef("%s: --split cuts histories of reads and writes, not those of Jepsen's other workloads", path)
	}
	opt := checker.Options{SessionOrder: f.Sessions}
	h := rec.History
	cut := parts.Cut(h.Widened(f.ClockSkew), f.cutAt(level), opt, f.Parts)
	if len(cut) < 2 {
		return outcome.Misusef("%s: at %s the keys and sessions of all transactions are connected: there is one part "+
			"(--session-order=false may make more)", path,
			level)
	}
	if err := os.MkdirAll(f.Split, 0o777); err != nil {
		return outcome.Misuse(fmt.Errorf("--split: %w", err))
	}
	// A part of another history among these would be believed to be of this one.
	if others, err := os.ReadDir(f.Split); err != nil || len(others) > 0 {
		return outcome.Misuse(errors.Join(fmt.Errorf("--split %s: want an empty directory", f.Split), err))
	}
	for i, txns := range cut {
		if ctx.Err() != nil {
			return outcome.Stopped()
		}
		name := filepath.Join(f.Split, fmt.Sprintf("%s-%d%s", f.partName(level), i+1, format.CompactSuffix))
		part := h.Part(txns)
		part.Cut = f.cut(level)
		err := asked.Write(ctx, name, func(out io.Writer) error { return format.WriteCompact(out, part) })
		if err == nil {
			_, err = fmt.Fprintf(w, "%s: %d of %d transactions, %d operations\n", name, len(txns), len(h.Txns), len(part.Ops))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// cut is what parts of a history are cut out for.
func (f *run) cut(level dbms.Level) *register.Cut {
	return &register.Cut{Level: string(f.cutAt(level)), SessionOrder: f.Sessions, ClockSkew: f.ClockSkew.String()}
}

// checkPart says why a history that is a part cannot be judged as the flags ask.
func (f *run) checkPart(path string, h *register.History, level dbms.Level) error {
	if h == nil || h.Cut == nil || parts.Holds(*h.Cut, *f.cut(level)) {
		return nil
	}
	flags := "--level " + h.Cut.Level
	if !h.Cut.SessionOrder {
		flags += " --session-order=false"
	}
	if h.Cut.ClockSkew != "" {
		flags += " --clock-skew " + h.Cut.ClockSkew
	}
	return outcome.Misusef("%s: a part of a history that was cut with %s: what is asked for here may connect it to other "+
		"parts, so check it with these flags, or cut the history again", path, flags)
}

// cutAt is the level that parts are cut for. Where clocks are off each client's own order is asked for by itself (see
// judge), and is between keys.
func (f *run) cutAt(level dbms.Level) dbms.Level {
	if level == dbms.LIN && f.Sessions && !f.ClockSkew.None() {
		return dbms.SER
	}
	return level
}

// partName is how the names of parts begin: parts say something of the level that they were cut for, and of stronger
// ones nothing.
func (f *run) partName(level dbms.Level) string {
	if f.Sessions {
		return string(level)
	}
	return string(level) + "-without-session-order"
}
