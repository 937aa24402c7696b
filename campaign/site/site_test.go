package site

import (
	"context"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"txweave/campaign/database"
	"txweave/campaign/store"
	_ "txweave/dbms/registry"
	"txweave/fault"
	"txweave/finding"
)

const hostile = `<script>alert(1)</script>"'&` + "\x1b[31m"

// campaign is a campaign of one cell with two findings of texts that a hostile server wrote.
func campaign(t *testing.T) *database.DB {
	t.Helper()
	db, err := database.Open(t.Context(), t.TempDir(), true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	cells, err := db.Begin(t.Context(), database.Shard{Index: 0, Count: 1}, "test",
		[]database.CellPlan{{Name: "one", Target: "sqlite", Isolation: "serializable", Mode: "fuzz", Seed: 7}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := cells[0]
	for n := range 2 {
		rec := &finding.Record{ID: fmt.Sprintf("finding-one-%06d-0", n), Finding: finding.Finding{Class: finding.ClassPlan,
			Signature: fmt.Sprintf("plan/%d", n), Title: "title " + hostile, Summary: hostile,
			Confirmed: 1, Repeated: 5, Differences: []finding.Difference{{Stmt: "T0.S1", Kind: "SELECT", What: fault.Rows,
				Transaction: finding.Side{Text: "1 row"}, Replay: finding.Side{Text: hostile}}}},
			Environment: finding.Environment{DBMS: "sqlite", Version: "3 " + hostile, Isolation: "serializable",
				Case: n, Seed: 7}}
		name, err := c.Save(rec, map[string][]byte{finding.CaseFile: []byte("txweave case 1\n# " + hostile),
			finding.LogFile: []byte(hostile)})
		if err != nil {
			t.Fatal(err)
		}
		p := store.Placement{Record: rec, Signature: finding.Signature{Coarse: rec.Signature,
			Features: []string{}}, Name: name}
		done := &store.CaseDone{Case: n, Outcome: finding.Found, Waiting: []store.Placement{p},
			Work: store.Work{Generated: 10, Survived: 9, OverlapEdge: true},
			Uses: []string{"check", "default", "foreign-key"}[n:]}
		if _, err := c.Done(done); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Place(done.Waiting, 3); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.WriteUses(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := c.Happened(t.Context(), "note", hostile); err != nil {
		t.Fatal(err)
	}
	return db
}

// visitor asks a site.
type visitor struct {
	t       *testing.T
	handler http.Handler
	header  http.Header
	host    string
}

func visit(t *testing.T, o Options) *visitor {
	t.Helper()
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return &visitor{t, s.Handler(), http.Header{}, "127.0.0.1:8080"}
}

// ask returns the answer's code and its text.
func (v *visitor) ask(method, path string, form url.Values) (int, string, http.Header) {
	v.t.Helper()
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	r := httptest.NewRequest(method, path, body)
	r.Host = v.host
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for k, list := range v.header {
		r.Header[k] = list
	}
	w := httptest.NewRecorder()
	v.handler.ServeHTTP(w, r)
	return w.Code, w.Body.String(), w.Header()
}

func (v *visitor) want(code int, method, path string, form url.Values) string {
	v.t.Helper()
	got, body, _ := v.ask(method, path, form)
	if got != code {
		v.t.Fatalf("%s %s: %d, want %d: %s", method, path, got, code, body)
	}
	return body
}

var csrfField = regexp.MustCompile(`name="csrf" value="([0-9a-f]{64})"`)

// TestPages: every page is there, and what a server wrote is text on it.
func TestPages(t *testing.T) {
	v := visit(t, Options{DB: campaign(t), Repeat: func(context.Context, string, string) (string, error) {
		return hostile, nil
	}})
	for _, path := range []string{"/", "/?hours=1", "/bugs", "/bugs?q=title&status=open&sort=found", "/bugs/B1",
		"/findings/finding-one-000000-0", "/login"} {
		code, body, h := v.ask("GET", path, nil)
		if code != 200 || strings.Contains(body, "<script>alert") || strings.Contains(body, "\x1b[31m") &&
			!strings.Contains(body, "<pre") {
			t.Errorf("%s: %d: %s", path, code, body)
		}
		if csp := h.Get("Content-Security-Policy"); !strings.HasPrefix(csp, "default-src 'none'") ||
			strings.Contains(csp, "unsafe") {
			t.Errorf("%s: %q", path, csp)
		}
		if strings.Contains(body, " style=") || strings.Contains(body, "onclick") || strings.Contains(body, "http://") {
			t.Errorf("%s has what its policy forbids, or names something outside", path)
		}
	}
	if body := v.want(200, "GET", "/bugs?q=nothing+like+it", nil); !strings.Contains(body, "0 of 2") {
		t.Error(body)
	}
	for _, path := range []string{"/status.json", "/healthz", "/style.css", "/live.js",
		"/findings/finding-one-000000-0/case.txw"} {
		v.want(200, "GET", path, nil)
	}
	if body := v.want(200, "GET", "/metrics", nil); !strings.Contains(body,
		`txweave_cases_total{cell="one",isolation="serializable",mode="fuzz",outcome="finding",target="sqlite"} 2`) {
		t.Error(body)
	}
	if body := v.want(200, "GET", "/findings/finding-one-000000-0", nil); !strings.Contains(body, "<h1>SQLite: title ") ||
		!strings.Contains(body, "came back 1 of 5 times") ||
		!strings.Contains(body, "<tr><th>as planned</th><td>1 row</td></tr><tr><th>otherwise</th>") {
		t.Error(body)
	}
	if _, body, h := v.ask("GET", "/findings/finding-one-000000-0/case.txw", nil); !strings.HasPrefix(
		h.Get("Content-Type"), "text/plain") || !strings.Contains(body, hostile) {
		t.Errorf("%v: %s", h, body)
	}
	if _, _, h := v.ask("GET", "/findings/finding-one-000000-0/timeline.html", nil); !strings.HasPrefix(
		h.Get("Content-Security-Policy"), "sandbox;") {
		t.Errorf("%v", h)
	}
}

// TestManyBugs: a page lists so many bugs, and the others are pages further.
func TestManyBugs(t *testing.T) {
	db := campaign(t)
	err := db.UpdateAs("test", func(b *finding.Bugs) error {
		for range 2*bugsShown - 1 {
			g := *b.Bugs[0]
			g.ID, g.Kept = fmt.Sprintf("B%d", b.Next), nil
			b.Next++
			b.Bugs = append(b.Bugs, &g)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	v := visit(t, Options{DB: db})
	next := regexp.MustCompile(`<a href="([^"]*)" rel="next">`)
	path, seen := "/bugs?q=title", map[string]bool{}
	for range 3 {
		body := v.want(200, "GET", path, nil)
		rows := regexp.MustCompile(`<th scope="row"><a href="/bugs/(B[0-9]+)">`).FindAllStringSubmatch(body, -1)
		for _, m := range rows {
			seen[m[1]] = true
		}
		if len(rows) == 0 || len(rows) > bugsShown {
			t.Errorf("%s: %d bugs", path, len(rows))
		}
		if m := next.FindStringSubmatch(body); m != nil {
			path = html.UnescapeString(m[1])
		} else {
			path = ""
		}
	}
	if len(seen) != 2*bugsShown+1 || path != "" {
		t.Errorf("%d bugs, then %q", len(seen), path)
	}
	for _, path := range []string{"/bugs?page=99", "/bugs?page=-3", "/bugs?page=x", "/bugs?q=nothing&page=2"} {
		v.want(200, "GET", path, nil)
	}
}

// TestAttacks: nothing outside a finding's files is answered, nobody elsewhere changes anything or reads it.
func TestAttacks(t *testing.T) {
	db := campaign(t)
	v := visit(t, Options{DB: db})
	for _, path := range []string{"/findings/..%2f", "/findings/campaign.db", "/findings/.running",
		"/findings/finding-one-000000-0/..%2f..%2fcampaign.db", "/findings/finding-one-000000-0/other",
		"/findings/finding-one-000009-0", "/bugs/B9", "/findings/finding-one-000000-0/reduced/case.txw", "/campaign.db"} {
		if code, body, _ := v.ask("GET", path, nil); code != 404 && code != 301 && code != 307 {
			t.Errorf("%s: %d %s", path, code, body)
		}
	}
	csrf := csrfField.FindStringSubmatch(v.want(200, "GET", "/bugs/B1", nil))[1]
	form := func(token string) url.Values {
		return url.Values{"csrf": {token}, "action": {"invalid"}, "value": {"why"}}
	}
	v.want(403, "POST", "/bugs/B1", form(""))
	v.want(403, "POST", "/bugs/B1", form(strings.Repeat("0", 64)))
	for _, h := range [][2]string{{"Origin", "http://evil.example"}, {"Origin", "null"}, {"Sec-Fetch-Site", "cross-site"},
		{"Sec-Fetch-Site", "same-site"}} {
		v.header = http.Header{h[0]: {h[1]}}
		v.want(403, "POST", "/bugs/B1", form(csrf))
	}
	v.header = http.Header{}
	v.host = "evil.example" // a name that leads to this machine
	v.want(421, "GET", "/", nil)
	v.host = "localhost:9"
	if b, err := db.Bugs(); err != nil || b.Bugs[0].Status != finding.StatusOpen {
		t.Fatalf("%+v: %v", b, err)
	}
	v.want(303, "POST", "/bugs/B1", form(csrf))
	if h, err := db.History(t.Context(), "B1"); err != nil || len(h) != 1 || h[0].What != "invalid, was open; note: why" ||
		h[0].Who != "page" {
		t.Errorf("%+v: %v", h, err)
	}
}

// TestActions: what the forms do, and what they refuse.
func TestActions(t *testing.T) {
	db := campaign(t)
	v := visit(t, Options{DB: db})
	csrf := csrfField.FindStringSubmatch(v.want(200, "GET", "/bugs/B1", nil))[1]
	for _, x := range []struct {
		action, value string
		code          int
	}{{"label", "a b", 303}, {"unlabel", "a", 303}, {"label", "", 422}, {"fixed", "soon", 422}, {"fixed", "3.99", 303},
		{"open", "it is back", 303}, {"invalid", "", 422},
		{"duplicate", "B1", 422}, {"duplicate", "B7", 422}, {"duplicate", "B2", 303}, {"note", hostile, 303},
		{"remove", "", 422}} {
		v.want(x.code, "POST", "/bugs/B1", url.Values{"csrf": {csrf}, "action": {x.action}, "value": {x.value},
			"who": {"ann"}})
	}
	b, err := db.Bugs()
	if err != nil || b.Bugs[0].Of != "B2" || len(b.Bugs[0].Labels) != 1 {
		t.Fatalf("%+v: %v", b.Bugs[0], err)
	}
	if body := v.want(200, "GET", "/bugs/B1", nil); !strings.Contains(body, "<b>ann</b> duplicate of B2, was open") ||
		strings.Contains(body, "<script>alert") {
		t.Error(body)
	}
}

// TestToken: off this machine the page is for those who know the token.
func TestToken(t *testing.T) {
	const token = "0123456789abcdef"
	v := visit(t, Options{DB: campaign(t), Token: token})
	v.host = "fuzz.example:8080"
	for _, path := range []string{"/", "/bugs", "/metrics", "/status.json"} {
		v.want(401, "GET", path, nil)
	}
	v.want(200, "GET", "/healthz", nil)
	v.header = http.Header{"Accept": {"text/html"}}
	v.want(303, "GET", "/", nil)
	v.header = http.Header{"Authorization": {"Bearer " + token}}
	v.want(200, "GET", "/metrics", nil)
	v.header = http.Header{}
	code, _, h := v.ask("POST", "/login", url.Values{"token": {token}})
	cookie := h.Get("Set-Cookie")
	if code != 303 || !strings.Contains(cookie, "HttpOnly") || !strings.Contains(cookie, "SameSite=Strict") ||
		strings.Contains(cookie, token) {
		t.Fatalf("%d: %q", code, cookie)
	}
	v.header = http.Header{"Cookie": {strings.SplitN(cookie, ";", 2)[0]}}
	v.want(200, "GET", "/", nil)
	v.header = http.Header{"Cookie": {"txweave=x"}}
	v.want(401, "GET", "/", nil)

	p := visit(t, Options{DB: campaign(t), UserHeader: "X-Remote-User"})
	p.host = "fuzz.example"
	p.want(401, "GET", "/", nil)
	p.header = http.Header{"X-Remote-User": {"ann"}}
	p.want(200, "GET", "/", nil)

	for address, open := range map[string]bool{"0.0.0.0:0": false, "[::]:0": false, ":0": false, "nonsense": true} {
		if l, err := Listen(address, false, open); err == nil {
			l.Close()
			t.Errorf("%s was opened", address)
		}
	}
}

// TestRepeat: a case runs again on a cell that is there, one at a time, and what came of it is text.
func TestRepeat(t *testing.T) {
	begun, end := make(chan string), make(chan string)
	v := visit(t, Options{DB: campaign(t), Repeat: func(_ context.Context, name, cell string) (string, error) {
		begun <- name + " on " + cell
		return <-end, nil
	}})
	const page = "/findings/finding-one-000000-0"
	csrf := csrfField.FindStringSubmatch(v.want(200, "GET", page, nil))[1]
	form := url.Values{"csrf": {csrf}, "cell": {"one"}}
	v.want(403, "POST", page+"/repeat", url.Values{"cell": {"one"}})
	v.want(400, "POST", page+"/repeat", url.Values{"csrf": {csrf}, "cell": {"--target"}})
	v.want(303, "POST", page+"/repeat", form)
	if got := <-begun; got != "finding-one-000000-0 on one" {
		t.Error(got)
	}
	v.want(409, "POST", page+"/repeat", form)
	end <- "came back 5 of 5 times " + hostile
	for deadline := time.Now().Add(time.Minute); ; {
		body := v.want(200, "GET", page, nil)
		if strings.Contains(body, "came back 5 of 5 times &lt;script") {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(body)
		}
	}
}

// TestCharts: a chart is drawn of what is there, and never of what cannot be.
func TestCharts(t *testing.T) {
	at := time.Unix(1_700_000_000, 0).UTC()
	cells := []database.CellStatus{{ID: 1, Name: "<a>", BugsShown: 3}, {ID: 2, Name: "b"}}
	var samples []database.Sample
	for i := range 500 {
		samples = append(samples, database.Sample{Cell: 1, At: at.Add(time.Duration(i) * time.Minute), Cases: int64(i * 100),
			Spent:     time.Duration(i) * 30 * time.Second,
			Generated: int64(i * 1000), Survived: int64(i * 900), RSS: 1 << 28})
	}
	list := charts(cells, samples)
	if got := list[0].Legend[0]; got.Last != "200" || got.Name != "<a>" {
		t.Errorf("%+v", got)
	}
	if got := list[1].Legend[0]; got.Last != "90 %" {
		t.Errorf("%+v", got)
	}
	if got := list[4].Legend[0]; got.Last != "3" { // as the table has it, whatever the last sample had
		t.Errorf("%+v", got)
	}
	if got := list[5].Legend[0]; got.Last != "256" {
		t.Errorf("%+v", got)
	}
	for _, c := range list {
		if s := string(c.Drawing); strings.Contains(s, "NaN") || strings.Contains(s, "Inf") || strings.Count(s, ",") >
			2*(buckets+4) {
			t.Errorf("%s: %s", c.Title, s)
		}
	}
	for _, few := range [][]database.Sample{nil, samples[:1]} {
		for _, c := range charts(cells, few) {
			if !c.Empty {
				t.Errorf("%s is drawn of nothing", c.Title)
			}
		}
	}
}
