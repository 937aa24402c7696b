package database

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"txweave/finding"
)

// BugChange is what somebody, or txweave, did to a bug.
type BugChange struct {
	At   time.Time
	Who  string
	What string
}

// Update implements store.Store. What is changed is noted in the bug's history, by the name of the user.
func (d *DB) Update(change func(*finding.Bugs) error) error {
	return d.UpdateAs(cmp.Or(os.Getenv("USER"), os.Getenv("LOGNAME"), "command line"), change)
}

// UpdateAs is Update by somebody.
func (d *DB) UpdateAs(who string, change func(*finding.Bugs) error) error {
	return d.tx(context.Background(), func(t *tx) error {
		if err := t.lock(); err != nil {
			return err
		}
		b, err := t.bugs()
		if err != nil {
			return err
		}
		said := maps.Clone(b.Said)
		old, err := earlier(b.Bugs)
		if err != nil {
			return err
		}
		if err := change(b); err != nil {
			return err
		}
		for _, g := range b.Bugs {
			if err := t.store(g, old[g.ID], who, b.Next); err != nil {
				return fmt.Errorf("bug %s: %w", g.ID, err)
			}
			delete(old, g.ID)
		}
		for _, g := range old { // they were merged into others
			if err := t.forget(g.bug, b, who); err != nil {
				return fmt.Errorf("bug %s: %w", g.bug.ID, err)
			}
		}
		if reflect.DeepEqual(said, b.Said) {
			return nil
		}
		return t.say(b.Said)
	})
}

// earlierBug is a bug before a change: a copy, and as it is stored.
type earlierBug struct {
	bug *finding.Bug
	doc string
}

// earlier copies bugs, by their names.
func earlier(bugs []*finding.Bug) (map[string]earlierBug, error) {
	out := map[string]earlierBug{}
	for _, g := range bugs {
		doc, err := json.Marshal(g)
		if err != nil {
			return nil, err
		}
		was := &finding.Bug{}
		if err := json.Unmarshal(doc, was); err != nil {
			return nil, err
		}
		out[g.ID] = earlierBug{was, string(doc)}
	}
	return out, nil
}

// store writes a bug if it is another one than before, with its history.
func (t *tx) store(g *finding.Bug, old earlierBug, who string, next int) error {
	doc, err := json.Marshal(g)
	if err != nil || string(doc) == old.doc {
		return err
	}
	number, err := bugNumber(g.ID)
	if err != nil {
		return err
	}
	if old.bug == nil {
		if err := t.insertBug(number, g, nil, next); err != nil {
			return err
		}
		if err := t.move(g.Kept, number); err != nil {
			return err
		}
		return t.note(number, who, "made a bug of its own")
	}
	if err := t.saveBug(number, g); err != nil {
		return err
	}
	came := slices.DeleteFunc(slices.Clone(g.Kept), func(k finding.Kept) bool {
		return slices.ContainsFunc(old.bug.Kept, func(was finding.Kept) bool { return was.Dir == k.Dir })
	})
	if err := t.move(came, number); err != nil {
		return err
	}
	if what := difference(old.bug, g); what != "" {
		return t.note(number, who, what)
	}
	return nil
}

// move counts kept findings to a bug.
func (t *tx) move(list []finding.Kept, bug int64) error {
	for _, k := range list {
		if err := t.exec("UPDATE findings SET bug = ? WHERE name = ?", bug, k.Dir); err != nil {
			return err
		}
	}
	return nil
}

// forget removes a bug that was merged into another one.
func (t *tx) forget(g *finding.Bug, b *finding.Bugs, who string) error {
	number, err := bugNumber(g.ID)
	if err != nil {
		return err
	}
	for _, to := range b.Bugs {
		if !slices.ContainsFunc(to.Also, func(s finding.Signature) bool {
			return s.Equal(g.Signature) && s.Minimal == g.Signature.Minimal
		}) {
			continue
		}
		into, err := bugNumber(to.ID)
		if err != nil {
			return err
		}
		if err := t.exec("UPDATE findings SET bug = ? WHERE bug = ?", into, number); err != nil {
			return err
		}
		if err := t.exec("UPDATE changes SET bug = ? WHERE bug = ?", into, number); err != nil {
			return err
		}
		if err := t.note(into, who, g.ID+" merged into it"); err != nil {
			return err
		}
		break
	}
	if err := t.exec("DELETE FROM bug_keys WHERE bug = ?", number); err != nil {
		return err
	}
	return t.exec("DELETE FROM bugs WHERE number = ?", number)
}

// note adds a line to a bug's history.
func (t *tx) note(bug int64, who, what string) error {
	return t.exec("INSERT INTO changes (id, bug, at, who, what) VALUES (?, ?, ?, ?, ?)", t.d.number(), bug, now(),
		short(who), valid(what))
}

// difference says what somebody changed at a bug; "" if it is nothing that people do.
func difference(old, g *finding.Bug) string {
	var out []string
	if old.Status != g.Status || old.Of != g.Of || old.FixedIn != g.FixedIn {
		text := fmt.Sprintf("%s, was %s", g.Status, old.Status)
		switch g.Status {
		case finding.StatusDuplicate:
			text = fmt.Sprintf("duplicate of %s, was %s", g.Of, old.Status)
		case finding.StatusFixed:
			text = fmt.Sprintf("fixed in %s, was %s", g.FixedIn, old.Status)
		}
		out = append(out, text)
	}
	if old.Note != g.Note && g.Note != "" {
		out = append(out, "note: "+g.Note)
	}
	for _, l := range g.Labels {
		if !slices.Contains(old.Labels, l) {
			out = append(out, "label "+l)
		}
	}
	for _, l := range old.Labels {
		if !slices.Contains(g.Labels, l) {
			out = append(out, "label "+l+" taken off")
		}
	}
	if n := len(g.Verified); n > len(old.Verified) {
		v := g.Verified[n-1]
		out = append(out, strings.TrimSpace(fmt.Sprintf("run again on %s %s: seen %d of %d times %s", v.DBMS, v.Version,
			v.Shown, v.Runs, v.Note)))
	}
	return strings.Join(out, "; ")
}

// History returns what was done to a bug, the latest first.
func (d *DB) History(ctx context.Context, id string) (out []BugChange, err error) {
	number, err := bugNumber(id)
	if err != nil {
		return nil, err
	}
	err = d.rows(ctx, func(scan func(...any) error) error {
		var c BugChange
		var at int64
		err := scan(&at, &c.Who, &c.What)
		c.At = time.Unix(at, 0).UTC()
		out = append(out, c)
		return err
	}, "SELECT at, who, what FROM changes WHERE bug = ? ORDER BY id DESC", number)
	return out, err
}
