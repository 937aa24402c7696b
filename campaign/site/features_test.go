package site

import (
	"net/http"
	"strings"
	"testing"

	"txweave/campaign/database"
	"txweave/dbms/registry"
	"txweave/gen"
)

// TestHeatMap: a spot tells what was tried, what could have been, and what a target does not have.
func TestHeatMap(t *testing.T) {
	lite, err := registry.Lookup("sqlite")
	if err != nil {
		t.Fatal(err)
	}
	var often, seldom, never, foreign string
	for _, f := range gen.Features(lite.Dialect) {
		switch {
		case f.Weight == 0 && foreign == "":
			foreign = f.Name
		case f.Weight > 0 && often == "":
			often = f.Name
		case f.Weight > 0 && seldom == "":
			seldom = f.Name
		case f.Weight > 0 && never == "":
			never = f.Name
		}
	}
	cells := []database.CellStatus{{ID: 1, Name: "one", Target: "sqlite", Mode: "fuzz", CasesChecked: 200},
		{ID: 2, Name: "new", Target: "sqlite", Mode: "fuzz"},
		{ID: 3, Name: "stormy", Target: "sqlite", Mode: "storm", CasesChecked: 5}, {ID: 4, Name: "strange", Target: "nothing",
			Mode: "fuzz", CasesChecked: 5}}
	uses := []database.Production{{Cell: 1, Name: often, Cases: 196, Found: 2}, {Cell: 1, Name: seldom, Cases: 1},
		{Cell: 1, Name: "no longer there", Cases: 4}}
	rows := func(d *featuresData) map[string]featureRow {
		out := map[string]featureRow{}
		for _, g := range d.Groups {
			for _, r := range g.Rows {
				out[r.Name] = r
			}
		}
		return out
	}
	d := heatMap(cells, uses, false)
	if len(d.Cells) != 2 || d.Cells[0].Tried != 2 || d.Cells[0].Known < 50 || d.Cells[1].Tried != 0 {
		t.Errorf("%+v", d.Cells)
	}
	all := rows(d)
	for name, want := range map[string]spot{
		often:  {"h8", "98.0 %", "!", "196 cases of 200, 2 of them with something wrong"},
		seldom: {"h0", "0.5 %", "", "1 case of 200"},
		never:  {"never", "0", "", "in none of the cases so far"},
	} {
		if r := all[name]; len(r.Spots) != 2 || r.Spots[0] != want || r.Spots[1].Class != "none" {
			t.Errorf("%s: %+v, want %+v", name, r.Spots, want)
		}
	}
	if foreign != "" && all[foreign].Name != "" {
		t.Errorf("%s is shown, which no cell can draw", foreign)
	}
	few := rows(heatMap(cells, uses, true))
	if few[never].Name == "" || few[often].Name != "" || few[seldom].Name != "" {
		t.Errorf("%d rows", len(few))
	}
	if none := heatMap(nil, uses, false); len(none.Cells)+len(none.Groups) != 0 {
		t.Errorf("%+v", none)
	}
}

// TestFeaturesPage: the page shows what was counted, and of a campaign without cases that there is nothing.
func TestFeaturesPage(t *testing.T) {
	db := campaign(t)
	history(t, db)
	v := visit(t, Options{DB: db})
	code, text, _ := v.ask("GET", "/features", nil)
	if code != http.StatusOK || !strings.Contains(text, "1 case of 2, 1 of them with something wrong") ||
		!strings.Contains(text, "3 of ") {
		t.Errorf("%d %s", code, text)
	}
	if _, text, _ := v.ask("GET", "/", nil); !strings.Contains(text, "<b>Coverage</b>") || !strings.Contains(text,
		"<b>Productions</b>") {
		t.Error(text)
	}
}
