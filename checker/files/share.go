package files

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"txweave/dbms"
	"txweave/history/format"
	"txweave/internal/outcome"
	"txweave/internal/output"
)

// shared is the check of a directory's histories by several processes, on machines that all see it. Each history is
// checked by who takes it first, and its verdict is written beside the others into a directory of the level. So every
// process knows all verdicts at the end, and one that is started later has only the rest to do.
type shared struct {
	*run
	level dbms.Level
	names []string // of the histories, in order
	dir   string   // of the verdicts
	// watched says since when a history that another process took has shown no sign of it.
	watched map[string]sign
	done    int // histories that this process has checked
}

// sign is that a process is at work: it changes the time of a file over and over.
type sign struct {
	modified time.Time // by the clock of whoever changed it
	seen     time.Time // … for the first time, by our own clock: no two clocks are compared
}

// A process shows that it is at work every beat. One that has not for as long as patience is taken for gone.
const (
	beat     = 5 * time.Second
	patience = time.Minute
)

// sharedVerdict is what the check of a history has found.
type sharedVerdict struct {
	Size     int64         `json:"size"` // of the history's file, and when it was written: another one has no verdict yet
	Modified time.Time     `json:"modified"`
	Result   historyResult `json:"result"`
}

// checkShared says which flags --share does not go with.
func (f *run) checkShared(files []string) error {
	if !f.Share {
		return nil
	}
	st, err := os.Stat(files[0])
	switch {
	case err != nil:
		return outcome.Misuse(err)
	case len(files) != 1 || !st.IsDir():
		return outcome.Misusef("--share takes a directory of histories")
	case f.Format != format.Auto || f.Certificate+f.Split+f.DOT+f.SVG != "" || f.Window != 0 || f.Workload != "auto" ||
		f.TotalGiven || f.Negative:
		return outcome.Misusef("--share takes no flags that say how to check but --level, --session-order, --clock-skew, " +
			"--workers and --timeout")
	}
	return nil
}

// share checks the histories of a directory together with other processes, and prints all verdicts.
func (f *run) share(ctx context.Context, w, errs io.Writer, dir string, level dbms.Level) error {
	cut := f.cut(level)
	name := "verdicts-" + f.partName(level)
	if cut.ClockSkew != "" {
		name += "-clock-skew-" + cut.ClockSkew
	}
	s := &shared{run: f, level: level, dir: filepath.Join(dir, name), watched: map[string]sign{}}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return outcome.Misuse(err)
	}
	for _, e := range entries {
		if !e.IsDir() {
			s.names = append(s.names, filepath.Join(dir, e.Name()))
		}
	}
	if len(s.names) == 0 {
		return outcome.Misusef("%s: no history is in there", dir)
	}
	if err := os.MkdirAll(s.dir, 0o777); err != nil {
		return outcome.Misuse(fmt.Errorf("--share: %w", err))
	}
	f.several = true
	if err := s.work(ctx); err != nil {
		return err
	}
	return s.print(w, errs, dir)
}

// work checks histories until each has a verdict.
func (s *shared) work(ctx context.Context) error {
	for {
		missing, before := 0, s.done
		for _, path := range s.names {
			switch has, err := s.check(ctx, path); {
			case err != nil:
				return err
			case !has:
				missing++
			}
		}
		if missing == 0 {
			return nil
		}
		if s.done > before { // others have got on meanwhile, too
			continue
		}
		select {
		case <-ctx.Done():
			return outcome.Stopped()
		case <-time.After(time.Second):
		}
	}
}

// check checks a history unless another process does; has says whether it has a verdict then.
func (s *shared) check(ctx context.Context, path string) (has bool, err error) {
	if v, err := s.verdict(path); v != nil || err != nil {
		return v != nil, err
	}
	if took, err := s.take(path); !took || err != nil {
		return false, err
	}
	defer os.Remove(s.taken(path))
	if v, err := s.verdict(path); v != nil || err != nil { // it came between the two
		return v != nil, err
	}
	st, err := os.Stat(path)
	if err != nil {
		return false, outcome.Misuse(err)
	}
	stop := s.atWork(path)
	res, err := s.history(ctx, path, nil, false, s.level)
	stop()
	code, _ := outcome.Of(err)
	switch {
	case ctx.Err() != nil:
		return false, outcome.Stopped()
	case err != nil && code != outcome.Usage:
		return false, err
	case err != nil:
		res = s.unreadable(path, s.level, err)
	}
	text, err := json.Marshal(sharedVerdict{st.Size(), st.ModTime(), *res})
	if err != nil {
		return false, err
	}
	s.done++
	return true, outcome.Misuse(output.Replace(ctx, s.file(path), append(text, '\n')))
}

func (s *shared) file(path string) string { return filepath.Join(s.dir, filepath.Base(path)+".json") }

func (s *shared) taken(path string) string { return filepath.Join(s.dir, filepath.Base(path)+".taken") }

// verdict is that of a history; nil: there is none yet.
func (s *shared) verdict(path string) (*historyResult, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, outcome.Misuse(err)
	}
	text, err := os.ReadFile(s.file(path))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var v sharedVerdict
	if err == nil {
		err = json.Unmarshal(text, &v)
	}
	if err != nil {
		return nil, outcome.Misuse(fmt.Errorf("--share: %s: %w", s.file(path), err))
	}
	if v.Size != st.Size() || !v.Modified.Equal(st.ModTime()) {
		return nil, nil
	}
	return &v.Result, nil
}

// take says whether the history is this process's to check. Where another one took it and has shown no sign of being at
// work, it is taken from it. Should two do that at once, both check it: they come to the same verdict.
func (s *shared) take(path string) (bool, error) {
	name := s.taken(path)
	file, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	switch {
	case err == nil:
		return true, file.Close()
	case !errors.Is(err, os.ErrExist):
		return false, outcome.Misuse(fmt.Errorf("--share: %w", err))
	}
	st, err := os.Stat(name)
	if err != nil { // it has been given back
		return false, nil
	}
	last, known := s.watched[path]
	if !known || !last.modified.Equal(st.ModTime()) {
		s.watched[path] = sign{st.ModTime(), time.Now()}
		return false, nil
	}
	if time.Since(last.seen) < patience {
		return false, nil
	}
	delete(s.watched, path)
	return false, os.Remove(name)
}

// atWork shows that this process is at work on a history, until stop is called.
func (s *shared) atWork(path string) (stop func()) {
	done := make(chan struct{})
	go func() {
		for tick := time.NewTicker(beat); ; {
			select {
			case <-done:
				tick.Stop()
				return
			case now := <-tick.C:
				_ = os.Chtimes(s.taken(path), now, now) // if it cannot, another one checks the history, too
			}
		}
	}()
	return func() { close(done) }
}

// print prints the verdicts on all histories, whoever has checked them.
func (s *shared) print(w, errs io.Writer, dir string) error {
	worst, counts := 0, map[string]int{}
	for _, path := range s.names {
		res, err := s.verdict(path)
		if err != nil {
			return err
		}
		if res == nil {
			return outcome.Misusef("%s: has changed while the histories were checked", path)
		}
		if res.Verdict == unreadable {
			fmt.Fprintf(errs, "txweave: %s\n", res.Reason)
		}
		if err := s.printHistory(w, res); err != nil {
			return err
		}
		counts[res.Verdict]++
		worst = max(worst, rankOf(res.Verdict))
	}
	var said []string
	for _, verdict := range ranks {
		if n := counts[verdict]; n > 0 {
			said = append(said, fmt.Sprintf("%d %s", n, verdict))
		}
	}
	if s.Out != "json" {
		fmt.Fprintf(w, "%s: %s: %d histories, %d checked here: %s\n", dir, s.partName(s.level), len(s.names), s.done,
			strings.Join(said, ", "))
	}
	return verdictError(ranks[worst])
}
