package site

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"txweave/campaign/database"
	"txweave/campaign/rotation"
)

// overviewData is what the first page shows.
type overviewData struct {
	*database.CampaignStatus
	Charts  []chart
	Events  []event
	Where   string // the campaign lies
	Names   map[int64]string
	Hours   string
	Now     time.Time
	Checked int64
}

// event is something that happened; what begins with a bug leads to it.
type event struct {
	database.CampaignEvent
	Bug, Rest string
}

func eventOf(e database.CampaignEvent) event {
	if id, rest, found := strings.Cut(e.What, ":"); found && e.Kind == rotation.EventBug {
		return event{e, id, ":" + rest}
	}
	return event{e, "", e.What}
}

// periods are the times that the charts may span, by their names.
var periods = map[string]time.Duration{"1": time.Hour, "24": 24 * time.Hour, "168": 7 * 24 * time.Hour, "": 0}

// eventsShown is how many of the last events the first page shows.
const eventsShown = 20

func (s *Site) overview(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	st, err := s.DB.Status(ctx)
	if err != nil {
		fail(w, err)
		return
	}
	d := overviewData{CampaignStatus: st, Names: map[int64]string{}, Hours: r.URL.Query().Get("hours"), Now: time.Now(),
		Where: s.DB.Dir()}
	since := time.Time{}
	if span := periods[d.Hours]; span > 0 {
		since = d.Now.Add(-span)
	} else {
		d.Hours = ""
	}
	samples, err := s.DB.Samples(ctx, since)
	var events []database.CampaignEvent
	if err == nil {
		events, err = s.DB.Events(ctx, eventsShown)
	}
	if err != nil {
		fail(w, err)
		return
	}
	for _, e := range events {
		d.Events = append(d.Events, eventOf(e))
	}
	for i := range st.Cells {
		d.Names[st.Cells[i].ID] = st.Cells[i].Name
		d.Checked += st.Cells[i].CasesChecked
	}
	d.Charts = charts(st.Cells, samples)
	s.render(w, "overview.tmpl", view{Title: "Campaign", Live: st.Running, Running: st.Running, Data: d})
}

// status answers with what "campaign status --format json" prints.
func (s *Site) status(w http.ResponseWriter, r *http.Request) {
	st, err := s.DB.Status(r.Context())
	if err != nil {
		fail(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	_ = enc.Encode(st) // whoever asked may be gone
}
