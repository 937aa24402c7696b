package site

import (
	"fmt"
	"net/http"
	"slices"

	"txweave/campaign/database"
	"txweave/campaign/rotation"
	"txweave/dbms/registry"
	"txweave/finding"
	"txweave/gen"
)

// featuresData is what the page of productions shows: a table of productions by cells.
type featuresData struct {
	Cells  []featureCell
	Groups []featureGroup
	Few    bool // only productions that some cell could have tried and has not
}

// featureCell is a column: a cell that generates cases.
type featureCell struct {
	Name         string
	Cases        int64 // that were checked
	Tried, Known int   // productions that its cases were made of, and that it can draw
}

// featureGroup is productions that the generator draws from together.
type featureGroup struct {
	Name string
	Rows []featureRow
}

type featureRow struct {
	Name, What string
	Spots      []spot
}

// spot says how often a cell's cases were made of a production.
type spot struct {
	Class string // h0 to h8, by the share; "never": it could have been and was not; "none": the target has no such thing
	Text  string
	Mark  string // "!": something was wrong in some of them
	Title string
}

// heats are the shares of cases, in percent, from which on a spot is the next darker one.
var heats = []float64{0, 1, 3, 7, 15, 30, 50, 75, 95}

// heat shows how often a production was used. It is about what was checked: where nothing was, nothing is missing.
func heat(u database.Production, cases int64, drawn bool) spot {
	switch {
	case u.Cases == 0 && !drawn:
		return spot{"none", "–", "", "not for this target"}
	case u.Cases == 0 && cases == 0:
		return spot{"none", "", "", "no case yet"}
	case u.Cases == 0:
		return spot{"never", "0", "", "in none of the cases so far"}
	}
	share := min(100, 100*float64(u.Cases)/float64(max(cases, 1, u.Cases)))
	at := len(heats) - 1
	for share < heats[at] {
		at--
	}
	s := spot{fmt.Sprintf("h%d", at), heatShare(share), "", fmt.Sprintf("%s of %d", finding.Count(u.Cases, "case"),
		max(cases, u.Cases))}
	if u.Found > 0 {
		s.Mark = "!"
		s.Title += fmt.Sprintf(", %d of them with something wrong", u.Found)
	}
	return s
}

// heatShare prints a share so that one is as long as the next.
func heatShare(v float64) string {
	const least = 0.1
	if v < least {
		return "<0.1 %"
	}
	return fmt.Sprintf("%.1f %%", v)
}

// features shows of which productions of the generator the cells' cases were made.
func (s *Site) features(w http.ResponseWriter, r *http.Request) {
	st, err := s.DB.Status(r.Context())
	var uses []database.Production
	if err == nil {
		uses, err = s.DB.Features(r.Context())
	}
	if err != nil {
		fail(w, err)
		return
	}
	d := heatMap(st.Cells, uses, r.URL.Query().Get("show") == "never")
	s.render(w, "features.tmpl", view{Title: "Coverage", Live: st.Running, Running: st.Running, Data: d})
}

// heatMap lays out how often each cell's cases were made of each production.
func heatMap(cells []database.CellStatus, uses []database.Production, few bool) *featuresData {
	d := &featuresData{Few: few}
	used := map[cellFeature]database.Production{}
	for _, u := range uses {
		used[cellFeature{u.Cell, u.Name}] = u
	}
	var columns []heatColumn
	var features []gen.Feature // of the first cell
	for _, c := range cells {
		dbms, err := registry.Lookup(c.Target)
		if err != nil || c.Mode != rotation.ModeFuzz || dbms.Dialect == nil {
			continue
		}
		all := gen.Features(dbms.Dialect)
		if len(columns) == 0 {
			features = all
		}
		drawn := map[string]bool{}
		for _, f := range all {
			drawn[f.Name] = f.Weight > 0
		}
		columns = append(columns, heatColumn{c.ID, c.CasesChecked, drawn})
		d.Cells = append(d.Cells, featureCell{Name: c.Name, Cases: c.CasesChecked})
	}
	for _, f := range features {
		row, shown := featureRow{Name: f.Name, What: f.What}, false
		for i, c := range columns {
			spot := heat(used[cellFeature{c.cell, f.Name}], c.cases, c.drawn[f.Name])
			row.Spots = append(row.Spots, spot)
			shown = shown || spot.Class != "none" && (!few || spot.Class == "never")
			d.Cells[i].count(spot, c.drawn[f.Name])
		}
		if shown {
			d.add(f.Group, row)
		}
	}
	return d
}

// cellFeature is a production of the generator, in a cell.
type cellFeature struct {
	cell int64
	name string
}

// heatColumn is a cell, and which productions are drawn for its database.
type heatColumn struct {
	cell, cases int64
	drawn       map[string]bool
}

// count counts a production of the cell.
func (c *featureCell) count(s spot, drawn bool) {
	if !drawn {
		return
	}
	c.Known++
	if s.Class != "never" && s.Class != "none" {
		c.Tried++
	}
}

// add adds a row to its group.
func (d *featuresData) add(group string, row featureRow) {
	at := slices.IndexFunc(d.Groups, func(g featureGroup) bool { return g.Name == group })
	if at < 0 {
		at, d.Groups = len(d.Groups), append(d.Groups, featureGroup{Name: group})
	}
	d.Groups[at].Rows = append(d.Groups[at].Rows, row)
}
