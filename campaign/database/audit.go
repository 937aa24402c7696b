package database

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"txweave/finding"
)

// Audit looks for what must not be, whatever ended whom: a number that is not counted once, a finding that is counted
// to its bug twice or not at all, one that is kept and whose files are not whole. It returns what it found, a line
// each, and how many cases and findings of bugs it looked at: those of known bugs belong to none. While a campaign
// runs there may be findings that are on their way.
func (d *DB) Audit(ctx context.Context) (wrong []string, cases, findings int64, err error) {
	err = d.read(ctx, func(t *tx) error {
		wrong, cases, findings = nil, 0, 0
		if err := t.auditCases(&wrong, &cases); err != nil {
			return err
		}
		return t.auditBugs(&wrong, &findings)
	})
	if err != nil {
		return nil, 0, 0, err
	}
	more, err := d.auditFiles(ctx)
	return append(wrong, more...), cases, findings, err
}

// auditCases holds what was counted against the cursors: of each shard the numbers below the cursor, without the holes.
func (t *tx) auditCases(wrong *[]string, cases *int64) error {
	var shards int64 = 1
	var text string
	if err := t.row("SELECT v FROM meta WHERE k = 'shards'").Scan(&text); err != nil {
		return err
	}
	if text != "" {
		if _, err := fmt.Sscan(text, &shards); err != nil {
			return err
		}
	}
	return t.rows(func(scan func(...any) error) error {
		var name string
		var shard, next, holes, counted int64
		if err := scan(&name, &shard, &next, &holes, &counted); err != nil {
			return err
		}
		*cases += counted
		if want := (next-shard)/shards - holes; counted != want {
			*wrong = append(*wrong, fmt.Sprintf("cell %s, shard %d: %d cases are counted, and by its cursor there are %d", name,
				shard, counted, want))
		}
		return nil
	}, `SELECT c.name, p.shard, p.next_case, (SELECT COUNT(*) FROM holes h WHERE h.cell = p.cell AND h.shard = p.shard),
		(SELECT COALESCE(SUM(n.cases), 0) FROM counts n WHERE n.cell = p.cell AND n.shard = p.shard) FROM progress p JOIN cells c ON c.id = p.cell ORDER BY c.id, p.shard`)
}

// auditBugs holds the bugs' counts against the findings that were placed.
func (t *tx) auditBugs(wrong *[]string, findings *int64) error {
	placed := map[int64]int64{}
	err := t.rows(func(scan func(...any) error) error {
		var bug, n int64
		err := scan(&bug, &n)
		placed[bug] = n
		*findings += n
		return err
	}, "SELECT bug, COUNT(*) FROM findings WHERE state <> ? GROUP BY bug", findingKnown)
	if err != nil {
		return err
	}
	signatures := map[string]string{}
	return t.rows(func(scan func(...any) error) error {
		var number int64
		var doc string
		if err := scan(&number, &doc); err != nil {
			return err
		}
		g, err := readBug(number, doc)
		if err != nil {
			*wrong = append(*wrong, err.Error())
			return nil
		}
		if int64(g.Count) != placed[number] {
			*wrong = append(*wrong, fmt.Sprintf("%s counts %d findings, and %d were placed there", g.ID, g.Count,
				placed[number]))
		}
		key := signatureKey(g.DBMS, len(g.Planted) > 0, g.Signature)
		if other := signatures[key]; other != "" && g.Status == finding.StatusOpen {
			*wrong = append(*wrong, fmt.Sprintf("%s and %s have the same signature", other, g.ID))
		}
		signatures[key] = g.ID
		return nil
	}, "SELECT number, doc FROM bugs ORDER BY number")
}

// auditFiles looks at the files of findings that are kept. A campaign that runs may remove some meanwhile, and says so
// before it does.
func (d *DB) auditFiles(ctx context.Context) (wrong []string, err error) {
	var kept []string
	err = d.rows(ctx, func(scan func(...any) error) error {
		var name string
		err := scan(&name)
		kept = append(kept, name)
		return err
	}, "SELECT name FROM findings WHERE kept = 1 ORDER BY name")
	if err != nil {
		return nil, err
	}
	for _, name := range kept {
		why := d.damage(name)
		if why == "" {
			continue
		}
		var still int64
		if err := d.row(ctx, "SELECT kept FROM findings WHERE name = ?", name).Scan(&still); err != nil && !isNone(err) {
			return nil, err
		}
		if still == 1 {
			wrong = append(wrong, fmt.Sprintf("finding %s is not whole: %s", name, why))
		}
	}
	return wrong, nil
}

// damage says what is wrong with the files of a finding that is kept; "" if nothing is.
func (d *DB) damage(name string) string {
	dir, err := d.Open(name)
	if err != nil {
		return err.Error()
	}
	if dir.Record == nil {
		return "it has no " + finding.RecordFile
	}
	if _, err := os.Stat(filepath.Join(dir.Path, finding.CaseFile)); err == nil {
		_, err = dir.Case()
		return text(err)
	} else if !errors.Is(err, os.ErrNotExist) {
		return err.Error()
	}
	_, err = dir.Read(finding.StormFile) // a storm has no case
	return text(err)
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
