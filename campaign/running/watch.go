package running

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"txweave/campaign/database"
	"txweave/campaign/notify"
	"txweave/campaign/resources"
	"txweave/campaign/rotation"
	"txweave/finding"
	"txweave/internal/version"
)

// How often the campaign says that it is alive, and how it goes.
const (
	beatEvery   = 10 * time.Second
	paintEvery  = 2 * time.Second // on a terminal
	sampleEvery = 30 * time.Second
	thinEvery   = 120 // samples
)

// watch notes at times how the campaign stands, and keeps it within its budgets, until ctx ends.
func (l *Life) watch(ctx context.Context, all *rotation.Rotation, stop context.CancelFunc) {
	tick, paint := time.NewTicker(beatEvery), time.NewTicker(paintEvery)
	defer tick.Stop()
	defer paint.Stop()
	defer l.Display.Close()
	l.begin(ctx)
	l.sample(ctx, 0, 0)
	l.sampled = time.Now()
	for {
		select {
		case <-ctx.Done():
			l.sample(context.WithoutCancel(ctx), resources.Memory(resources.Processes()), 0)
			return
		case <-paint.C:
			if l.Display.Live() {
				l.stands.TurnEnds = all.TurnEnds()
				l.show(ctx, false)
			}
		case <-l.first: // what runs at all is seen before the first beat
			l.tick(ctx, all, stop)
		case <-tick.C:
			l.tick(ctx, all, stop)
		}
	}
}

// tick notes how the campaign stands.
func (l *Life) tick(ctx context.Context, all *rotation.Rotation, stop context.CancelFunc) {
	if err := errors.Join(l.DB.Beat(ctx), all.Clock(ctx)); err != nil && ctx.Err() == nil {
		l.Note(err.Error())
	}
	if l.gone(stop) {
		return
	}
	processes := resources.Processes()
	memory := resources.Memory(processes)
	l.stands.Memory = resources.Memory(slices.DeleteFunc(slices.Clone(processes), func(p resources.Process) bool {
		return p.PID != os.Getpid()
	}))
	l.stands.Servers = memory - l.stands.Memory
	if limit := int64(l.Plan.MaxRSS); limit > 0 && memory > limit {
		l.happened(ctx, "memory",
			fmt.Sprintf("txweave and its servers take %d MiB, more than %d: the turns that run are ended",
				memory>>20, limit>>20))
		all.EndTurns()
	}
	if time.Since(l.sampled) >= sampleEvery {
		l.takeSample(ctx, memory)
	}
	if s := l.show(ctx, true); s != nil {
		l.leaks(ctx, s, processes)
	}
	l.enough(ctx, stop)
}

// takeSample notes how the cells stand, for charts, and thins the samples at times.
func (l *Life) takeSample(ctx context.Context, memory int64) {
	l.sampled = time.Now()
	l.stands.Disk = l.disk(ctx)
	l.sample(ctx, memory, l.stands.Disk)
	if l.samples++; l.samples%thinEvery != 1 {
		return
	}
	if _, err := l.DB.ThinSamples(ctx, l.sampled); err != nil && ctx.Err() == nil {
		l.Note(err.Error())
	}
}

// gone ends the campaign whose directory somebody has removed: what it goes on to count is kept nowhere.
func (l *Life) gone(stop context.CancelFunc) bool {
	now, err := os.Stat(l.DB.Dir())
	if l.out == nil || l.removed == nil && !(err == nil && !os.SameFile(l.out, now)) && !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if l.removed == nil {
		l.removed = fmt.Errorf("%s was removed while the campaign ran: what it had kept is gone", l.DB.Dir())
		stop()
	}
	return true
}

// begin notes for the screen how the campaign stood when this process began.
func (l *Life) begin(ctx context.Context) {
	l.stands = Standing{Began: time.Now(), Where: l.DB.Dir()}
	if s, err := l.DB.Status(ctx); err == nil {
		l.stands.BugsAtBeginning = s.Bugs
	}
}

// show shows how the campaign stands: on a terminal as a screen, else on one line. Whole writes the file for others,
// too. It returns nil where that cannot be told.
func (l *Life) show(ctx context.Context, whole bool) *database.CampaignStatus {
	s, err := l.DB.Status(ctx)
	if err != nil {
		return nil // whoever counts says so
	}
	if whole {
		if err := l.WriteStatus(s); err != nil {
			l.Note(err.Error())
		}
	}
	l.stands.Now = time.Now()
	l.Display.Show(s, l.stands)
	return s
}

// leaks looks for servers, and for txweave itself, whose memory grows with every case: that is noted, counted to the
// cell that runs, and kept with what was measured. Whether it comes again the cell's next server tells, which has the
// next cases to itself.
func (l *Life) leaks(ctx context.Context, s *database.CampaignStatus, processes []resources.Process) {
	var cases int64
	var running []string
	for i := range s.Cells {
		cases += s.Cells[i].Cases
		if s.Cells[i].State == string(database.Running) {
			running = append(running, s.Cells[i].Name)
		}
	}
	if l.leaked == nil {
		l.leaked, l.servers = map[string]bool{}, map[int]string{}
	}
	for _, p := range processes {
		if _, known := l.servers[p.PID]; !known && len(running) == 1 && p.PID != os.Getpid() {
			l.servers[p.PID] = running[0]
		}
	}
	for _, leak := range l.watched.Look(time.Now(), cases, processes) {
		l.leak(ctx, leak, running)
	}
	for _, p := range l.watched.Sound() {
		if cell := l.servers[p.PID]; cell != "" && l.leaked[cell+" "+p.Name] {
			delete(l.leaked, cell+" "+p.Name)
			l.toCell(ctx, cell, "note", fmt.Sprintf("leak: it did not come again with %s (process %d), which has ended",
				p.Name, p.PID))
		}
	}
	for pid := range l.servers {
		if !slices.ContainsFunc(processes, func(p resources.Process) bool { return p.PID == pid }) {
			delete(l.servers, pid)
		}
	}
}

// leak notes a leak and keeps what was measured.
func (l *Life) leak(ctx context.Context, leak resources.Leak, running []string) {
	cell := l.servers[leak.PID]
	text := "leak: " + leak.String()
	if server := cell + " " + leak.Name; cell != "" && l.leaked[server] {
		text += "; it comes again: another one has leaked before it in this cell"
	} else if cell != "" {
		l.leaked[server] = true
	}
	name := fmt.Sprintf("leak-%d-%d.json", leak.PID, time.Now().Unix())
	if err := writeWhole(l.DB.Dir(), name, map[string]any{"cells": running, "what": leak.String(),
		"process": leak.Process, "bytes_per_case": leak.PerCase, "points": leak.Points,
		"smaps_rollup": resources.Detail(leak.PID)}); err != nil {
		text += " (what was measured could not be kept: " + err.Error() + ")"
	} else {
		text += "; what was measured is in " + name
	}
	l.toCell(ctx, cell, "leak", text)
}

// toCell notes what happened to a cell, and counts it to it if it is a leak; without a cell it is the campaign's.
func (l *Life) toCell(ctx context.Context, cell, kind, text string) {
	at := slices.IndexFunc(l.turns, func(t *rotation.Turn) bool { return t.Name == cell })
	if at < 0 {
		l.happened(ctx, kind, text)
		return
	}
	l.Note(cell + ": " + text)
	err := l.turns[at].Cell.Happened(context.WithoutCancel(ctx), kind, text)
	if kind == "leak" {
		err = errors.Join(err, l.turns[at].Cell.CountFault(context.WithoutCancel(ctx), kind))
	}
	if err != nil {
		l.Note(err.Error())
	}
}

// The files beside the campaign's database that are for other programs to read.
const (
	statusFile = "status.json"
	logFile    = "campaign.log"
)

// The size of the log, in bytes, and how many older files of it there are.
const (
	logSize = 8 << 20
	logKeep = 4
)

// OpenLog opens the campaign's log, an object of JSON a line.
func (l *Life) OpenLog() (io.Closer, error) {
	file, err := resources.OpenLog(filepath.Join(l.DB.Dir(), logFile), logSize, logKeep)
	if err != nil {
		return nil, err
	}
	l.Log = slog.New(slog.NewJSONHandler(file, nil))
	l.Log.Info("campaign begins", "version", version.Full(), "pid", os.Getpid(), "cells", len(l.Plan.Parts))
	return file, nil
}

// WriteStatus puts what "campaign status --format json" prints in the place of status.json, as a whole.
func (l *Life) WriteStatus(s *database.CampaignStatus) error {
	return writeWhole(l.DB.Dir(), statusFile, s)
}

// writeWhole puts a value as JSON in the place of a file, as a whole.
func writeWhole(dir, name string, v any) (err error) {
	file, err := os.CreateTemp(dir, finding.TempPrefix)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(file.Name())
		}
	}()
	enc := json.NewEncoder(file)
	enc.SetIndent("", "  ")
	if err := errors.Join(enc.Encode(v), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), filepath.Join(dir, name))
}

// Note says something that is no finding.
func (l *Life) Note(text string) {
	l.Display.Say("txweave: " + finding.Line(text))
	l.Log.Warn(finding.Line(text))
}

// disk is what the campaign's directory takes, once repeats of bugs have gone as far as its quota asks.
func (l *Life) disk(ctx context.Context) int64 {
	dropped := 0
	for {
		used, err := resources.Disk(l.DB.Dir())
		limit := int64(l.Plan.DiskQuota)
		if err != nil || limit == 0 || used <= limit {
			if dropped > 0 {
				l.happened(ctx, "disk",
					fmt.Sprintf("%d findings that their bugs can do without are dropped: the directory was larger than %d MiB",
						dropped, limit>>20))
			}
			return used
		}
		const several = 8 // of them before it is looked again
		for range several {
			name, err := l.DB.DropRepeat(ctx)
			if err != nil || name == "" {
				l.happened(ctx, "disk", fmt.Sprintf("the directory takes %d MiB, more than %d, and nothing can be dropped (%v)",
					used>>20, limit>>20, err))
				return used
			}
			dropped++
		}
	}
}

// enough ends the campaign if there are as many bugs as it is to find.
func (l *Life) enough(ctx context.Context, stop context.CancelFunc) {
	if l.Plan.MaxBugs == 0 {
		return
	}
	b, err := l.DB.Bugs()
	if err != nil {
		return // whoever counts says so
	}
	open := 0
	for _, g := range b.Bugs {
		if g.Open() {
			open++
		}
	}
	if open >= l.Plan.MaxBugs {
		l.happened(ctx, "end", fmt.Sprintf("%s, as many as the campaign is to find", finding.Count(open, "open bug")))
		stop()
	}
}

// sample notes for the charts how every cell stands.
func (l *Life) sample(ctx context.Context, memory, disk int64) {
	for _, t := range l.turns {
		if err := t.Cell.TakeSample(ctx, memory, disk); err != nil && ctx.Err() == nil {
			l.Note(err.Error())
			return
		}
	}
}

// happened notes an event of the campaign, and says it.
func (l *Life) happened(ctx context.Context, kind, text string) {
	l.Note(text)
	if err := l.DB.Happened(context.WithoutCancel(ctx), 0, kind, text); err != nil {
		l.Note(err.Error())
	}
}

// tellers are those who are told.
func (l *Life) tellers() *notify.Options {
	n := l.Plan.Notify
	return &notify.Options{Command: n.Command, Webhook: n.Webhook, Slack: n.Slack, Every: time.Duration(n.Every),
		Failed: func(err error) { l.Note(err.Error()) }}
}

// CanTell says what keeps everybody who is to be told from that.
func (l *Life) CanTell() error {
	if l.Plan.Notify == nil {
		return nil
	}
	return l.tellers().Check()
}

// teller returns who tells somebody, if somebody is to be told.
func (l *Life) teller() *notify.Messenger {
	if l.Plan.Notify == nil {
		return nil
	}
	return notify.New(*l.tellers())
}

// tell tells somebody of an event, if that is wanted.
func (l *Life) tell(event, cell, bug, text string) {
	if l.tells == nil || !l.Plan.Notify.Wants(event) {
		return
	}
	host, err := os.Hostname()
	if err != nil {
		host = "?"
	}
	dir, err := filepath.Abs(l.DB.Dir())
	if err != nil {
		dir = l.DB.Dir()
	}
	l.tells.Tell(notify.Message{Event: event, Time: time.Now().UTC(), Host: host, Dir: dir, Cell: cell, Bug: bug,
		Text: finding.Line(text)})
}
