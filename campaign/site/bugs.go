package site

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"txweave/campaign/bugs"
	"txweave/campaign/database"
	"txweave/finding"
	"txweave/report/index"
)

// bugsData is what the list of bugs shows.
type bugsData struct {
	Rows                             []index.BugRow
	All, Found                       int
	Query, Status, DBMS, Class, Sort string
	States, DBMSs, Classes, Sorts    []string
	// which of those that were asked for are shown, from 1; pages before and after this one, 0: none
	From, To, Before, After int
	Known                   map[string]int
	Merges                  []index.Merge
}

// bugsShown is how many bugs a page lists.
const bugsShown = 200

// Page is the address of another page of the list.
func (d bugsData) Page(n int) string {
	return "/bugs?" + url.Values{"q": {d.Query}, "status": {d.Status}, "dbms": {d.DBMS}, "class": {d.Class},
		"sort": {d.Sort}, "page": {strconv.Itoa(n)}}.Encode()
}

// bugStates are the states of bugs, in the order in which people look at them.
var bugStates = []string{string(finding.StatusOpen), string(finding.StatusUnconfirmed), string(finding.StatusDuplicate),
	string(finding.StatusInvalid), string(finding.StatusFixed), string(finding.StatusUnreduced)}

func (s *Site) bugs(w http.ResponseWriter, r *http.Request) {
	b, err := s.DB.Bugs()
	if err != nil {
		fail(w, err)
		return
	}
	q := r.URL.Query()
	d := bugsData{All: len(b.Bugs), Query: q.Get("q"), Status: q.Get("status"), DBMS: q.Get("dbms"), Class: q.Get("class"),
		Sort:   q.Get("sort"),
		States: bugStates, Sorts: []string{"last seen", "found", "first seen"}, Known: b.Known, Merges: index.Merges(b)}
	var list []*finding.Bug
	for _, g := range b.Bugs {
		d.DBMSs, d.Classes = append(d.DBMSs, g.DBMS), append(d.Classes, g.Class)
		if (d.Status == "" || string(g.Shown()) == d.Status) && (d.DBMS == "" || g.DBMS == d.DBMS) &&
			(d.Class == "" || g.Class == d.Class) && mentions(g, d.Query) {
			list = append(list, g)
		}
	}
	slices.SortStableFunc(list, func(a, b *finding.Bug) int {
		switch d.Sort {
		case "last seen":
			return b.Last.Compare(a.Last)
		case "first seen":
			return b.First.Compare(a.First)
		case "found":
			return b.Count - a.Count
		}
		return 0
	})
	page, _ := strconv.Atoi(q.Get("page"))
	page = min(max(page, 1), (len(list)+bugsShown-1)/bugsShown+1)
	d.Found, d.From = len(list), min((page-1)*bugsShown+1, len(list))
	d.To = min(page*bugsShown, len(list))
	if d.Before = page - 1; d.To < len(list) {
		d.After = page + 1
	}
	for _, g := range list[max(d.From-1, 0):d.To] {
		d.Rows = append(d.Rows, index.RowOf(s.DB.Dir(), g))
	}
	slices.Sort(d.DBMSs)
	slices.Sort(d.Classes)
	d.DBMSs, d.Classes = slices.Compact(d.DBMSs), slices.Compact(d.Classes)
	s.render(w, "bugs.tmpl", view{Title: "Bugs", Data: d})
}

// mentions says whether a bug has every word of a search somewhere.
func mentions(g *finding.Bug, query string) bool {
	text := strings.ToLower(strings.Join([]string{g.ID, g.Title, g.Summary, g.Signature.String(), g.Note, g.DBMS,
		strings.Join(g.Labels, " "), strings.Join(g.Versions, " ")}, "\n"))
	for word := range strings.FieldsSeq(strings.ToLower(query)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// bugData is what a bug's page shows.
type bugData struct {
	*finding.Bug
	Row     index.BugRow
	History []database.BugChange
	Message string
	Value   string // that was refused
	Who     string // who said something last
	Case    string
	Where   string // name of the finding whose case that is
}

func (s *Site) bug(w http.ResponseWriter, r *http.Request) { s.showBug(w, r, "") }

func (s *Site) showBug(w http.ResponseWriter, r *http.Request, message string) {
	b, err := s.DB.Bugs()
	if err != nil {
		fail(w, err)
		return
	}
	g, err := b.Find(r.PathValue("id"))
	if err != nil {
		fail(w, fmt.Errorf("%w: %w", errNone, err))
		return
	}
	d := bugData{Bug: g, Row: index.RowOf(s.DB.Dir(), g), Message: message, Value: r.PostFormValue("value"),
		Who: lastName(r)}
	if d.History, err = s.DB.History(r.Context(), g.ID); err != nil {
		fail(w, err)
		return
	}
	if _, text := s.DB.SmallestCase(g); text != nil {
		d.Case = string(text)
	}
	if message != "" {
		w.WriteHeader(http.StatusUnprocessableEntity)
	}
	s.render(w, "bug.tmpl", view{Title: g.ID, Data: d})
}

// settle changes what is known of a bug, as the form says.
func (s *Site) settle(w http.ResponseWriter, r *http.Request) {
	if !s.checked(w, r) {
		return
	}
	id := r.PathValue("id")
	value := strings.TrimSpace(r.PostFormValue("value"))
	var wrong error
	err := s.DB.UpdateAs(s.who(r), func(b *finding.Bugs) error {
		wrong = change(b, id, r.PostFormValue("action"), value)
		return wrong
	})
	switch {
	case wrong != nil:
		s.showBug(w, r, finding.Line(wrong.Error()))
	case err != nil:
		fail(w, err)
	default:
		http.SetCookie(w, &http.Cookie{Name: nameCookie, Value: url.QueryEscape(r.PostFormValue("who")), Path: "/bugs",
			HttpOnly: true, SameSite: http.SameSiteStrictMode, MaxAge: 365 * 24 * 3600})
		http.Redirect(w, r, "/bugs/"+url.PathEscape(id), http.StatusSeeOther)
	}
}

// nameCookie is the cookie with the name that a visitor has given last.
const nameCookie = "txweave-name"

// lastName is the name that the visitor gave, or has given before.
func lastName(r *http.Request) string {
	if name := r.PostFormValue("who"); name != "" {
		return name
	}
	c, err := r.Cookie(nameCookie)
	if err != nil {
		return ""
	}
	name, _ := url.QueryUnescape(c.Value) // "" where it is none
	return name
}

// change does to a bug what an action says.
func change(b *finding.Bugs, id, action, value string) error {
	words := []string{value}
	switch do := bugs.Deed(action); do {
	case bugs.Invalid:
		if value == "" {
			return errors.New("say why it is not a bug")
		}
	case bugs.Label, bugs.Unlabel:
		words = strings.Fields(value)
	case bugs.Merge, bugs.Split:
		return fmt.Errorf("%q is not done here", action)
	}
	_, err := bugs.Edit(b, id, bugs.Deed(action), words...)
	return err
}
