package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
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
func (r *campaignRun) watch(ctx context.Context, all *rotation.Rotation, stop context.CancelFunc) {
	tick, paint := time.NewTicker(beatEvery), time.NewTicker(paintEvery)
	defer tick.Stop()
	defer paint.Stop()
	defer r.screen.close()
	r.begin(ctx)
	r.sample(ctx, 0, 0)
	sampled, taken := time.Now(), 0
	for {
		select {
		case <-ctx.Done():
			r.sample(context.WithoutCancel(ctx), resources.Memory(resources.Processes()), 0)
			return
		case <-paint.C:
			if r.screen.tty {
				r.stands.turnEnds = all.TurnEnds()
				r.show(ctx, false)
			}
			continue
		case <-tick.C:
		}
		if err := errors.Join(r.db.Beat(ctx), all.Clock(ctx)); err != nil && ctx.Err() == nil {
			r.note(err.Error())
		}
		processes := resources.Processes()
		memory := resources.Memory(processes)
		r.stands.memory = memory
		if limit := int64(r.plan.MaxRSS); limit > 0 && memory > limit {
			r.happened(ctx, "memory", fmt.Sprintf("txweave and its servers take %d MiB, more than %d: the turns that run are ended", memory>>20, limit>>20))
			all.EndTurns()
		}
		if time.Since(sampled) >= sampleEvery {
			sampled = time.Now()
			r.stands.disk = r.disk(ctx)
			r.sample(ctx, memory, r.stands.disk)
			if taken++; taken%thinEvery == 1 {
				if _, err := r.db.ThinSamples(ctx, sampled); err != nil && ctx.Err() == nil {
					r.note(err.Error())
				}
			}
		}
		if s := r.show(ctx, true); s != nil {
			r.leaks(ctx, s, processes)
		}
		r.enough(ctx, stop)
	}
}

// begin notes for the screen how the campaign stood when this process began.
func (r *campaignRun) begin(ctx context.Context) {
	r.stands = standing{began: time.Now(), where: r.db.Dir()}
	if s, err := r.db.Status(ctx); err == nil {
		r.stands.bugsAtBeginning = s.Bugs
	}
}

// show shows how the campaign stands: on a terminal as a screen, else on one line. Whole writes the file for others, too. It returns nil where that
// cannot be told.
func (r *campaignRun) show(ctx context.Context, whole bool) *database.CampaignStatus {
	s, err := r.db.Status(ctx)
	if err != nil {
		return nil // whoever counts says so
	}
	if whole {
		if err := r.writeStatus(s); err != nil {
			r.note(err.Error())
		}
	}
	if !r.screen.tty {
		r.screen.say(statusLine(s, time.Now()))
		return s
	}
	r.stands.now = time.Now()
	_, rows := r.screen.size()
	r.screen.show(r.stands.lines(s, rows-1))
	return s
}

// leaks looks for servers, and for txweave itself, whose memory grows with every case: that is noted, counted to the cell that runs, and kept with
// what was measured.
func (r *campaignRun) leaks(ctx context.Context, s *database.CampaignStatus, processes []resources.Process) {
	var cases int64
	var running []string
	for i := range s.Cells {
		cases += s.Cells[i].Cases
		if s.Cells[i].State == string(database.Running) {
			running = append(running, s.Cells[i].Name)
		}
	}
	for _, l := range r.watched.Look(time.Now(), cases, processes) {
		text := "leak: " + l.String()
		name := fmt.Sprintf("leak-%d-%d.json", l.PID, time.Now().Unix())
		if err := writeWhole(r.db.Dir(), name, map[string]any{"cells": running, "what": l.String(), "process": l.Process, "bytes_per_case": l.PerCase, "points": l.Points,
			"smaps_rollup": resources.Detail(l.PID)}); err != nil {
			text += " (what was measured could not be kept: " + err.Error() + ")"
		} else {
			text += "; what was measured is in " + name
		}
		if len(running) != 1 || l.PID == os.Getpid() {
			r.happened(ctx, "leak", text)
			continue
		}
		for _, t := range r.turns {
			if t.Name != running[0] {
				continue
			}
			r.note(t.Name + ": " + text)
			if err := errors.Join(t.Cell.Happened(context.WithoutCancel(ctx), "leak", text), t.Cell.CountFault(context.WithoutCancel(ctx), "leak")); err != nil {
				r.note(err.Error())
			}
		}
	}
}

// statusLine says on one line how a campaign stands.
func statusLine(s *database.CampaignStatus, now time.Time) string {
	var checked int64
	var running, away []string
	for i := range s.Cells {
		c := &s.Cells[i]
		checked += c.CasesChecked
		switch database.CellState(c.State) {
		case database.Running:
			running = append(running, c.Name)
		case database.Unavailable, database.Failed:
			away = append(away, c.Name)
		}
	}
	text := fmt.Sprintf("%s  %d cases checked  %s  %s  running: %s", now.Format("2006-01-02 15:04:05"), checked, count(s.Bugs, "bug"), count(s.Findings, "finding"),
		cmp.Or(strings.Join(running, ", "), "none"))
	if len(away) > 0 {
		text += "  cannot run: " + strings.Join(away, ", ")
	}
	return text
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

// writeStatus puts what "campaign status --format json" prints in the place of status.json, as a whole.
func (r *campaignRun) writeStatus(s *database.CampaignStatus) error {
	return writeWhole(r.db.Dir(), statusFile, s)
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
	if err := errors.Join(printJSON(file, v), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), filepath.Join(dir, name))
}

// openLog opens the campaign's log, an object of JSON a line.
func (r *campaignRun) openLog() (io.Closer, error) {
	file, err := resources.OpenLog(filepath.Join(r.db.Dir(), logFile), logSize, logKeep)
	if err != nil {
		return nil, err
	}
	r.log = slog.New(slog.NewJSONHandler(file, nil))
	r.log.Info("campaign begins", "version", version.Full(), "pid", os.Getpid(), "cells", len(r.plan.Parts))
	return file, nil
}

// note says something that is no finding.
func (r *campaignRun) note(text string) {
	r.screen.say("txweave: " + finding.Line(text))
	r.log.Warn(finding.Line(text))
}

// disk is what the campaign's directory takes, once repeats of bugs have gone as far as its quota asks.
func (r *campaignRun) disk(ctx context.Context) int64 {
	dropped := 0
	for {
		used, err := resources.Disk(r.db.Dir())
		limit := int64(r.plan.DiskQuota)
		if err != nil || limit == 0 || used <= limit {
			if dropped > 0 {
				r.happened(ctx, "disk", fmt.Sprintf("%d findings that their bugs can do without are dropped: the directory was larger than %d MiB", dropped, limit>>20))
			}
			return used
		}
		const several = 8 // of them before it is looked again
		for range several {
			name, err := r.db.DropRepeat(ctx)
			if err != nil || name == "" {
				r.happened(ctx, "disk", fmt.Sprintf("the directory takes %d MiB, more than %d, and there is nothing to drop (%v)", used>>20, limit>>20, err))
				return used
			}
			dropped++
		}
	}
}

// enough ends the campaign if there are as many bugs as it is to find.
func (r *campaignRun) enough(ctx context.Context, stop context.CancelFunc) {
	if r.plan.MaxBugs == 0 {
		return
	}
	b, err := r.db.Bugs()
	if err != nil {
		return // whoever counts says so
	}
	open := 0
	for _, g := range b.Bugs {
		if isOpen(g) {
			open++
		}
	}
	if open >= r.plan.MaxBugs {
		r.happened(ctx, "end", fmt.Sprintf("%s, as many as the campaign is to find", count(open, "open bug")))
		stop()
	}
}

// sample notes for the charts how every cell stands.
func (r *campaignRun) sample(ctx context.Context, memory, disk int64) {
	for _, t := range r.turns {
		if err := t.Cell.TakeSample(ctx, memory, disk); err != nil && ctx.Err() == nil {
			r.note(err.Error())
			return
		}
	}
}

// happened notes an event of the campaign, and says it.
func (r *campaignRun) happened(ctx context.Context, kind, text string) {
	r.note(text)
	if err := r.db.Happened(context.WithoutCancel(ctx), 0, kind, text); err != nil {
		r.note(err.Error())
	}
}

// teller returns who tells somebody, if somebody is to be told.
func (r *campaignRun) teller() *notify.Messenger {
	n := r.plan.Notify
	if n == nil {
		return nil
	}
	return notify.New(notify.Options{Command: n.Command, Webhook: n.Webhook, Slack: n.Slack, Every: time.Duration(n.Every), Failed: func(err error) { r.note(err.Error()) }})
}

// tell tells somebody of an event, if that is wanted.
func (r *campaignRun) tell(event, cell, bug, text string) {
	if r.tells == nil || !r.plan.Notify.Wants(event) {
		return
	}
	host, err := os.Hostname()
	if err != nil {
		host = "?"
	}
	dir, err := filepath.Abs(r.db.Dir())
	if err != nil {
		dir = r.db.Dir()
	}
	r.tells.Tell(notify.Message{Event: event, Time: time.Now().UTC(), Host: host, Dir: dir, Cell: cell, Bug: bug, Text: finding.Line(text)})
}
