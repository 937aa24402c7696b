package detect

import (
	"slices"
	"testing"

	"txweave/campaign"
	"txweave/campaign/worker"
	"txweave/dbms"
	"txweave/dbms/sqlite"
	"txweave/exec/planted"
	"txweave/finding"
)

// TestUnplantedKept: what shows with nothing planted is kept with its case, which shows it again where that is said,
// and the cases of its seed up to it show it again. The engine's own bug is one that was planted before.
func TestUnplantedKept(t *testing.T) {
	p, err := dbms.Lookup("sqlite", "serializable")
	if err != nil {
		t.Fatal(err)
	}
	sound, err := sqlite.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := sound.Close(); err != nil {
			t.Error(err)
		}
	}()
	at := slices.IndexFunc(planted.Faults(), func(f *planted.Fault) bool { return f.Name == "lost-delete" })
	target := planted.Plant(sound, planted.Faults()[at], 3)
	o := Config{Budget: 8, Seeds: 1, Out: t.TempDir(), Command: "txweave detect"}
	d, err := o.RunOn(t.Context(), target, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Unplanted) == 0 || len(d.Planted) > 0 {
		t.Fatalf("%+v: the engine's own bug does not show", d)
	}
	u := d.Unplanted[0]
	kept, err := finding.Open(u.Dir)
	if err != nil {
		t.Fatal(err)
	}
	text, err := kept.Read(finding.CaseFile)
	if err != nil {
		t.Fatal(err)
	}
	w := worker.On(target, p, checking)
	defer w.Release()
	res, err := w.Check(t.Context(), campaign.Job{Text: text})
	if err != nil {
		t.Fatal(err)
	}
	if !u.Alone || campaign.FindBySignature(res, u.Signature) == nil || kept.Record.Environment.Case != u.Case ||
		kept.Record.Environment.Command != o.Command {
		t.Errorf("%+v: its case shows %+v", u, res.Findings)
	}
	again := Config{Budget: u.Case + 1, Seeds: 1, First: u.Seed}
	if d, err = again.RunOn(t.Context(), target, p, nil); err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(d.Unplanted, func(x Unplanted) bool {
		return x.Case == u.Case && x.Signature == u.Signature && x.Dir == ""
	}) {
		t.Errorf("the cases up to %d show %+v", u.Case, d.Unplanted)
	}
}
