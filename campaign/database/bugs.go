package database

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"txweave/campaign/store"
	"txweave/finding"
)

// Place implements store.Store. A finding that was placed before, or that was never counted, stays as it is.
func (c *part) Place(list []store.Placement, keep int) (out []store.Placed, err error) {
	ctx := context.Background()
	var gone []string
	err = c.db.tx(ctx, func(t *tx) error {
		out, gone = make([]store.Placed, len(list)), nil
		if err := t.lock(); err != nil {
			return err
		}
		for i := range list {
			if err := c.place(t, &list[i], &out[i], max(keep, 1)); err != nil {
				return fmt.Errorf("finding %s: %w", list[i].Record.ID, err)
			}
			for _, name := range notKept(&list[i], &out[i]) {
				if err := t.exec("UPDATE findings SET kept = 0 WHERE name = ?", name); err != nil {
					return err
				}
				gone = append(gone, name)
			}
		}
		return nil
	})
	if err != nil {
		return out, err
	}
	for _, name := range gone {
		if err := c.db.discard(ctx, name); err != nil {
			return out, err
		}
	}
	return out, nil
}

// notKept are the findings whose files go when one was placed: its own, or those of one that it takes the place of.
func notKept(p *store.Placement, placed *store.Placed) (names []string) {
	if p.Name != "" && placed.Name == "" {
		names = append(names, p.Name)
	}
	if placed.Gone != "" {
		names = append(names, placed.Gone)
	}
	return names
}

// place counts one finding.
func (c *part) place(t *tx, p *store.Placement, out *store.Placed, keep int) error {
	var state string
	var number int64
	if err := t.row("SELECT state, bug FROM findings WHERE name = ?", p.Record.ID).Scan(&state, &number); err != nil {
		return err
	}
	if state != findingWaiting {
		if number > 0 {
			g, err := t.bug(number)
			if err != nil {
				return err
			}
			out.Bug, out.Name = *g, p.Name
		}
		return nil
	}
	b := &finding.Bugs{Unconfirmed: p.Unconfirmed}
	err := t.alike(b, p)
	if err != nil {
		return err
	}
	if b.Said, err = t.said(); err != nil {
		return err
	}
	g, fresh := b.Place(p.Record, p.Signature, time.Now().UTC().Truncate(time.Second))
	before := len(b.Said)
	if b.Hear(g, p.Record.ID, fresh); len(b.Said) != before {
		if err := t.say(b.Said); err != nil {
			return err
		}
	}
	if p.Name != "" {
		kept := finding.Kept{Dir: p.Name, Signature: p.Signature, Title: p.Record.Title,
			Origin: p.Record.Origin()}
		if gone, ok := g.Keep(kept, keep); ok {
			out.Name, out.Gone = p.Name, gone
		}
	}
	out.Bug, out.Fresh = *g, fresh
	if number, err = bugNumber(g.ID); err != nil {
		return err
	}
	if fresh {
		err = t.insertBug(number, g, signatureKey(g.DBMS, len(g.Planted) > 0, p.Signature), b.Next)
	} else {
		err = t.saveBug(number, g)
	}
	if err != nil {
		return err
	}
	return t.exec("UPDATE findings SET state = ?, bug = ?, record = ?, signature = '' WHERE name = ?", findingPlaced,
		number, valid(summary(p.Record)), p.Record.ID)
}

// summary is what stays of a placed finding's record in its row.
func summary(r *finding.Record) string {
	text, err := json.Marshal(map[string]any{"summary": r.Summary, "class": r.Class, "oracle": r.Oracle, "rate": r.Rate,
		"version": r.Environment.Version, "seed": r.Environment.Seed,
		"command": r.Environment.Command})
	if err != nil {
		return "{}"
	}
	return string(text)
}

// signatureKey is the same for findings of which the later ones are always counted to the first one's bug.
func signatureKey(dbms string, planted bool, s finding.Signature) string {
	return hash(dbms, strconv.FormatBool(planted), strconv.FormatBool(s.Minimal), s.Cause.String(), s.String())
}

func bugNumber(id string) (int64, error) {
	n, err := strconv.ParseInt(strings.TrimPrefix(id, "B"), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not the name of a bug", id)
	}
	return n, nil
}

func bugName(number int64) string { return "B" + strconv.FormatInt(number, 10) }

// BugOf returns the name of the bug that a finding is counted to; "" if it is to none.
func (d *DB) BugOf(ctx context.Context, name string) (id string, err error) {
	var number int64
	err = d.row(ctx, "SELECT bug FROM findings WHERE name = ?", name).Scan(&number)
	if isNone(err) || err == nil && number == 0 {
		return "", nil
	}
	return bugName(number), err
}

// bug reads one bug.
func (t *tx) bug(number int64) (*finding.Bug, error) {
	var doc string
	if err := t.row("SELECT doc FROM bugs WHERE number = ?", number).Scan(&doc); err != nil {
		return nil, err
	}
	return readBug(number, doc)
}

// readBug reads what the database says of a bug.
func readBug(number int64, doc string) (*finding.Bug, error) {
	g := &finding.Bug{}
	if err := json.Unmarshal([]byte(doc), g); err != nil {
		return nil, fmt.Errorf("bug %d in the campaign's database cannot be read: %w", number, err)
	}
	return g, nil
}

// alike reads the bugs that a finding may be one of, those that they are duplicates of, and the number of the next bug.
func (t *tx) alike(b *finding.Bugs, p *store.Placement) error {
	var next string
	if err := t.row("SELECT v FROM meta WHERE k = 'bugs'").Scan(&next); err != nil {
		return err
	}
	var err error
	if b.Next, err = strconv.Atoi(next); err != nil {
		return err
	}
	var numbers []int64
	for _, key := range p.Signature.Keys() {
		err := t.rows(func(scan func(...any) error) error {
			var n int64
			err := scan(&n)
			numbers = append(numbers, n)
			return err
		}, "SELECT bug FROM bug_keys WHERE hash = ?", hash(p.Record.Environment.DBMS, key))
		if err != nil {
			return err
		}
	}
	slices.Sort(numbers)
	numbers = slices.Compact(numbers)
	for i := 0; i < len(numbers); i++ { // it grows
		g, err := t.bug(numbers[i])
		if isNone(err) {
			continue // a duplicate of one that is gone
		}
		if err != nil {
			return err
		}
		b.Bugs = append(b.Bugs, g)
		if g.Status == finding.StatusDuplicate {
			if of, err := bugNumber(g.Of); err == nil && !slices.Contains(numbers, of) {
				numbers = append(numbers, of)
			}
		}
	}
	return nil
}

// insertBug writes a new bug, unless one has its signature.
func (t *tx) insertBug(number int64, g *finding.Bug, signature any, next int) error {
	doc, err := json.Marshal(g)
	if err != nil {
		return err
	}
	if err := t.exec("INSERT INTO bugs (number, signature, doc) VALUES (?, ?, ?)", number, signature,
		valid(string(doc))); err != nil {
		return err
	}
	if err := t.exec("UPDATE meta SET v = ? WHERE k = 'bugs'", strconv.Itoa(next)); err != nil {
		return err
	}
	return t.keys(number, g)
}

// saveBug writes what a bug has become.
func (t *tx) saveBug(number int64, g *finding.Bug) error {
	doc, err := json.Marshal(g)
	if err != nil {
		return err
	}
	if err := t.exec("UPDATE bugs SET doc = ? WHERE number = ?", valid(string(doc)), number); err != nil {
		return err
	}
	return t.keys(number, g)
}

// keys writes the keys under which a bug is found.
func (t *tx) keys(number int64, g *finding.Bug) error {
	have := map[string]bool{}
	err := t.rows(func(scan func(...any) error) error {
		var h string
		err := scan(&h)
		have[h] = true
		return err
	}, "SELECT hash FROM bug_keys WHERE bug = ?", number)
	if err != nil {
		return err
	}
	for _, key := range g.Keys() {
		h := hash(g.DBMS, key)
		if have[h] {
			continue
		}
		have[h] = true
		if err := t.exec("INSERT INTO bug_keys (hash, bug) VALUES (?, ?)", h, number); err != nil {
			return err
		}
	}
	return nil
}

// bugs reads all bugs.
func (t *tx) bugs() (*finding.Bugs, error) {
	b := &finding.Bugs{Format: finding.BugsFormat, Bugs: []*finding.Bug{}, Known: map[string]int{}}
	var next string
	if err := t.row("SELECT v FROM meta WHERE k = 'bugs'").Scan(&next); err != nil {
		return nil, err
	}
	var err error
	if b.Next, err = strconv.Atoi(next); err != nil {
		return nil, err
	}
	if b.Said, err = t.said(); err != nil {
		return nil, err
	}
	err = t.rows(func(scan func(...any) error) error {
		var number int64
		var doc string
		if err := scan(&number, &doc); err != nil {
			return err
		}
		g, err := readBug(number, doc)
		b.Bugs = append(b.Bugs, g)
		return err
	}, "SELECT number, doc FROM bugs ORDER BY number")
	if err != nil {
		return nil, err
	}
	err = t.rows(func(scan func(...any) error) error {
		var name string
		var n int
		err := scan(&name, &n)
		b.Known[name] = n
		return err
	}, "SELECT name, SUM(n) FROM tallies WHERE kind = ? GROUP BY name", kindKnown)
	if err != nil {
		return nil, err
	}
	return b, b.Check()
}

// Bugs implements store.Store.
func (d *DB) Bugs() (b *finding.Bugs, err error) {
	err = d.read(context.Background(), func(t *tx) (err error) {
		b, err = t.bugs()
		return err
	})
	if err == nil {
		b.Explain()
	}
	return b, err
}

// Note implements store.Store.
func (d *DB) Note(list map[string]finding.Verification) error {
	return d.Update(func(b *finding.Bugs) error {
		for _, g := range b.Bugs {
			if v, has := list[g.ID]; has {
				g.Verified = append(g.Verified, v)
			}
		}
		return nil
	})
}
