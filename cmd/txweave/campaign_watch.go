package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"txweave/campaign/notify"
	"txweave/campaign/resources"
	"txweave/campaign/rotation"
	"txweave/finding"
)

// How often the campaign says that it is alive, and how it goes.
const (
	beatEvery   = 10 * time.Second
	sampleEvery = 30 * time.Second
	thinEvery   = 120 // samples
)

// watch notes at times how the campaign stands, and keeps it within its budgets, until ctx ends.
func (r *campaignRun) watch(ctx context.Context, all *rotation.Rotation, stop context.CancelFunc) {
	tick := time.NewTicker(beatEvery)
	defer tick.Stop()
	r.sample(ctx, 0, 0)
	sampled, taken := time.Now(), 0
	for {
		select {
		case <-ctx.Done():
			r.sample(context.WithoutCancel(ctx), resources.Memory(), 0)
			return
		case <-tick.C:
		}
		if err := errors.Join(r.db.Beat(ctx), all.Clock(ctx)); err != nil && ctx.Err() == nil {
			r.note(err.Error())
		}
		memory := resources.Memory()
		if limit := int64(r.plan.MaxRSS); limit > 0 && memory > limit {
			r.happened(ctx, "memory", fmt.Sprintf("txweave and its servers take %d MiB, more than %d: the turns that run are ended", memory>>20, limit>>20))
			all.EndTurns()
		}
		if time.Since(sampled) >= sampleEvery {
			sampled = time.Now()
			r.sample(ctx, memory, r.disk(ctx))
			if taken++; taken%thinEvery == 1 {
				if _, err := r.db.ThinSamples(ctx, sampled); err != nil && ctx.Err() == nil {
					r.note(err.Error())
				}
			}
		}
		r.line(ctx)
		r.enough(ctx, stop)
	}
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
