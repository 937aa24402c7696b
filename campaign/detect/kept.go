package detect

import (
	"context"
	"errors"
	"fmt"

	"txweave/campaign"
	"txweave/campaign/database"
	"txweave/campaign/target"
	"txweave/campaign/worker"
	"txweave/dbms"
	"txweave/exec"
	"txweave/finding"
	"txweave/sdg"
	"txweave/weave"
)

// checking is how detect checks its cases.
var checking = weave.Options{Precision: sdg.Match, Repeats: 2}

// Unplanted is a finding of a case with nothing planted.
type Unplanted struct {
	Seed        uint64 `json:"seed"`
	Case        int    `json:"case"`
	Signature   string `json:"signature"`
	Title       string `json:"title,omitempty"`
	Unconfirmed bool   `json:"unconfirmed,omitempty"` // it did not come back
	Dir         string `json:"dir,omitempty"`         // where it is kept, with Config.Out
	Alone       bool   `json:"alone,omitempty"`       // the case that is kept there showed it again by itself
	Again       string `json:"again,omitempty"`       // the command that shows it again, where whoever ran this names one
}

// keep writes an unplanted finding below Config.Out, and checks its case once more by itself: some findings need the
// cases before.
func (o *Config) keep(ctx context.Context, t exec.Target, p *dbms.Profile, u *Unplanted, f *campaign.Found,
	number int) error {
	if o.Out == "" {
		return nil
	}
	claim := ""
	if p.Claimed != nil {
		claim = p.Claimed.Isolation
	}
	rec := &finding.Record{ID: fmt.Sprintf("finding-seed%d-%06d-%d", u.Seed, u.Case, number), Finding: f.Finding,
		Unconfirmed: u.Unconfirmed,
		Environment: target.Environment(p, claim, nil, t.Describe())}
	env := &rec.Environment
	env.Seed, env.Case, env.Command = u.Seed, u.Case, o.Command
	text, has := f.Files[finding.CaseFile]
	if has {
		text = finding.Mark(text, env)
		f.Files[finding.CaseFile] = text
	}
	out := database.In(o.Out)
	name, err := out.Save(rec, f.Files)
	if err = errors.Join(err, out.Close()); err != nil {
		return fmt.Errorf("cannot keep case %d of seed %d: %w", u.Case, u.Seed, err)
	}
	if u.Dir = out.Where(name); !has {
		return nil
	}
	w := worker.On(t, p, checking)
	defer w.Release()
	res, err := w.Check(ctx, campaign.Job{Case: u.Case, Text: text, Bare: true})
	if err != nil {
		return err
	}
	u.Alone = campaign.FindBySignature(res, f.Signature) != nil
	return nil
}
