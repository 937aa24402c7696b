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
	"txweave/internal/outcome"
	"txweave/internal/output"
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

// splitter is a history that is cut: whole, or read transaction by transaction.
type splitter interface {
	// Each gives every transaction to do: t of a history that may have no others.
	Each(ctx context.Context, do func(h *register.History, t int)) error
}

// wholeHistory is one that has been read.
type wholeHistory struct{ *register.History }

// Each gives every transaction to do.
func (h wholeHistory) Each(_ context.Context, do func(h *register.History, t int)) error {
	for t := range h.Txns {
		do(h.History, t)
	}
	return nil
}

// splitter opens a history that is to be cut. It is read as a whole only where it cannot be read otherwise.
func (f *run) splitter(ctx context.Context, path string) (splitter, error) {
	s, err := format.OpenStream(ctx, path, f.Format)
	if in := f.first; err == nil && in != nil {
		in.Close()
		f.first = nil
	}
	contents := &format.Contents{}
	var out splitter = s
	switch {
	case err == nil:
		contents.LongFork = s.LongFork
	case errors.Is(err, format.ErrWhole), errors.Is(err, format.ErrApart):
		if contents, err = f.readHistory(ctx, path, []string{path}, false); err != nil {
			return nil, outcome.Misuse(err)
		}
		out = wholeHistory{contents.History}
	default:
		return nil, outcome.Misuse(err)
	}
	if f.isWorkload(contents) {
		return nil, outcome.Misusef("%s: --split cuts histories of reads and writes, not those of Jepsen's other workloads",
			path)
	}
	return out, nil
}

// split cuts a history and writes the parts into the directory of the flag. It goes through the history twice: what
// hangs together shows at its end.
func (f *run) split(ctx context.Context, w io.Writer, path string, level dbms.Level) error {
	s, err := f.splitter(ctx, path)
	if err != nil {
		return err
	}
	c, txns := parts.NewCutter(f.cutAt(level), checker.Options{SessionOrder: f.Sessions}, f.ClockSkew), 0
	met := map[int64]bool{}
	err = s.Each(ctx, func(h *register.History, t int) {
		if s := h.Txns[t].Session; s != register.NoSession {
			met[h.SessionID(s)] = true
		}
		c.Take(h, t)
		txns++
	})
	if err != nil {
		return outcome.Misuse(err)
	}
	if err := f.ClockSkew.Met(met); err != nil {
		return outcome.Misusef("%s: --clock-skew: %w", path, err)
	}
	out := make([]part, c.Cut(f.Parts))
	if len(out) < 2 {
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
	for i := range out {
		out[i].name = filepath.Join(f.Split, fmt.Sprintf("%s-%d%s", f.partName(level), i+1, format.CompactSuffix))
		if out[i].file, err = output.Create(ctx, out[i].name); err != nil {
			return outcome.Misuse(err)
		}
	}
	err = s.Each(ctx, func(h *register.History, t int) { f.distribute(out, c, h, t, level) })
	for i := range out {
		if err == nil { // a part of a part is not ended: nobody takes it for a history
			err = out[i].End()
		}
		err = errors.Join(err, out[i].file.Close())
	}
	switch {
	case ctx.Err() != nil:
		return outcome.Stopped()
	case err != nil:
		return outcome.Misuse(err)
	}
	for _, p := range out {
		fmt.Fprintf(w, "%s: %d of %d transactions, %d operations\n", p.name, p.txns, txns, p.ops)
	}
	return nil
}

// part is a part of a history that is being written.
type part struct {
	*format.CompactWriter
	name      string
	file      io.WriteCloser
	txns, ops int
}

// distribute writes a transaction to its part; of the initial one, to each part what is of its keys.
func (f *run) distribute(out []part, c *parts.Cutter, h *register.History, t int, level dbms.Level) {
	for i := range out {
		if out[i].CompactWriter == nil {
			head := *h
			head.Cut = f.cut(level)
			out[i].CompactWriter = format.NewCompactWriter(out[i].file, &head)
		}
		if t == h.Initial {
			of := h.InitialPart(func(op register.Op) bool { return c.PartOf(op.Key) == i })
			out[i].ops += len(of.Ops)
			out[i].Add(of, 0)
		}
	}
	if t == h.Initial {
		return
	}
	p := &out[c.Part(h, t)]
	p.txns, p.ops = p.txns+1, p.ops+len(h.TxnOps(t))
	p.Add(h, t)
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
