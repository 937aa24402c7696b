// Package site shows a campaign in a browser, while it runs and after: pages that the server makes, which work without
// script, name nothing outside, and change what they may change only for whom they know.
package site

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"html/template"
	"net"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"time"

	"txweave/campaign/database"
	"txweave/finding"
	"txweave/report/timeline"
)

//go:embed pages
var pages embed.FS

// Options say what is shown, and to whom.
type Options struct {
	DB *database.DB
	// Repeat runs a finding's case again on the target of a cell and says what came of it; nil: it cannot be run from
	// here.
	Repeat func(ctx context.Context, name, cell string) (text string, err error)
	// Token is asked of whoever comes; "": nothing is, and the pages are for this machine alone.
	Token string
	// UserHeader is the header by which a proxy in front of the pages names the user whom it knows; "": there is no such
	// proxy.
	UserHeader string
}

// Site answers requests.
type Site struct {
	Options
	key   []byte // of what only this process can have signed
	tmpl  *template.Template
	busy  chan struct{} // held while a case is run again
	again repeated
	ends  context.Context // when the site does
}

// New makes a site.
func New(o Options) (*Site, error) {
	s := &Site{Options: o, key: make([]byte, 32), busy: make(chan struct{}, 1), ends: context.Background()}
	if _, err := rand.Read(s.key); err != nil {
		return nil, err
	}
	var err error
	s.tmpl, err = template.New("").Funcs(template.FuncMap{"line": finding.Line, "ago": ago, "count": finding.Count[int64],
		"of":    timeline.Of,
		"inc":   func(n int) int { return n + 1 },
		"share": func(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) },
		"times": func(n int) string { return finding.Count(int64(n), "time") },
		"when":  func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") }}).
		ParseFS(pages, "pages/*.tmpl")
	return s, err
}

// Handler answers requests: what everybody may see without a token is only whether it is there.
func (s *Site) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", s.health)
	mux.HandleFunc("GET /login", s.login)
	mux.HandleFunc("POST /login", s.login)
	mux.HandleFunc("GET /style.css", asset("pages/style.css", "text/css; charset=utf-8"))
	mux.HandleFunc("GET /live.js", asset("pages/live.js", "text/javascript; charset=utf-8"))
	mux.HandleFunc("GET /icon.svg", asset("pages/icon.svg", "image/svg+xml"))
	private := http.NewServeMux()
	private.HandleFunc("GET /{$}", s.overview)
	private.HandleFunc("GET /status.json", s.status)
	private.HandleFunc("GET /features", s.features)
	private.HandleFunc("GET /bugs", s.bugs)
	private.HandleFunc("GET /bugs/{id}", s.bug)
	private.HandleFunc("POST /bugs/{id}", s.settle)
	private.HandleFunc("GET /findings/{name}", s.finding)
	private.HandleFunc("POST /findings/{name}/repeat", s.repeat)
	private.HandleFunc("GET /findings/{name}/{file}", s.file)
	private.HandleFunc("GET /findings/{name}/reduced/{file}", s.file)
	private.Handle("GET /metrics", s.metrics())
	mux.Handle("/", s.known(private))
	return s.guard(mux)
}

// policy lets a page load nothing but its own style and script.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// elsewhere refuses changes of which a browser tells that they come from a page of another server.
var elsewhere = http.NewCrossOriginProtection()

// guard refuses requests for another name than this server's, which a page elsewhere could make a browser send, and
// changes that do not come from a page of this server.
func (s *Site) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if s.Token == "" && s.UserHeader == "" && !loopbackName(r.Host) {
			http.Error(w, "these pages are for this machine alone: ask for 127.0.0.1 or localhost",
				http.StatusMisdirectedRequest)
			return
		}
		if elsewhere.Check(r) != nil {
			http.Error(w, "the request comes from another page", http.StatusForbidden)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, 1<<20)
		next.ServeHTTP(w, r)
	})
}

// loopbackName says whether a request's host is a name of this machine for itself.
func loopbackName(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// sign is what only this process can have made of a text.
func (s *Site) sign(text string) string {
	mac := hmac.New(sha256.New, s.key)
	mac.Write([]byte(text))
	return hex.EncodeToString(mac.Sum(nil))
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// cookieName is the cookie of whoever has shown the token.
const cookieName = "txweave"

// known lets through whoever has shown the token, and whom the proxy knows.
func (s *Site) known(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.Token == "" && s.UserHeader == "" || s.UserHeader != "" && r.Header.Get(s.UserHeader) != "" {
			next.ServeHTTP(w, r)
			return
		}
		if s.Token != "" {
			bearer, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
			c, err := r.Cookie(cookieName)
			if same(bearer, s.Token) || err == nil && same(c.Value, s.sign("session")) {
				next.ServeHTTP(w, r)
				return
			}
			if r.Method == http.MethodGet && strings.Contains(r.Header.Get("Accept"), "text/html") {
				http.Redirect(w, r, "/login", http.StatusSeeOther)
				return
			}
		}
		http.Error(w, "who are you?", http.StatusUnauthorized)
	})
}

// login takes the token and gives a cookie for it.
func (s *Site) login(w http.ResponseWriter, r *http.Request) {
	wrong := false
	if r.Method == http.MethodPost {
		if s.Token != "" && same(r.PostFormValue("token"), s.Token) {
			http.SetCookie(w, &http.Cookie{Name: cookieName, Value: s.sign("session"), Path: "/", HttpOnly: true,
				SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil, MaxAge: 30 * 24 * 3600})
			http.Redirect(w, r, "/", http.StatusSeeOther)
			return
		}
		time.Sleep(time.Second) // guessing takes time
		wrong = true
		w.WriteHeader(http.StatusUnauthorized)
	}
	s.render(w, "login.tmpl", view{Title: "Who are you?", Data: wrong})
}

// checked says whether a form is one of this server's; else it answers.
func (s *Site) checked(w http.ResponseWriter, r *http.Request) bool {
	if same(r.PostFormValue("csrf"), s.sign("csrf")) {
		return true
	}
	http.Error(w, "the form is of another session: load the page again", http.StatusForbidden)
	return false
}

// who names the user for the history.
func (s *Site) who(r *http.Request) string {
	if s.UserHeader != "" {
		if name := r.Header.Get(s.UserHeader); name != "" {
			return name
		}
	}
	if name := strings.TrimSpace(r.PostFormValue("who")); name != "" {
		return name
	}
	return "page"
}

// view is what every page has.
type view struct {
	Title   string
	Live    bool // the page changes while the campaign runs
	CSRF    string
	Running bool
	Data    any
}

func (s *Site) render(w http.ResponseWriter, name string, v view) {
	v.CSRF = s.sign("csrf")
	var b strings.Builder
	if err := s.tmpl.ExecuteTemplate(&b, name, v); err != nil {
		http.Error(w, "this page cannot be made: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write([]byte(b.String())) // whoever asked may be gone
}

// fail answers with an error.
func fail(w http.ResponseWriter, err error) {
	code := http.StatusInternalServerError
	if errors.Is(err, errNone) {
		code = http.StatusNotFound
	}
	http.Error(w, finding.Line(err.Error()), code)
}

var errNone = errors.New("there is no such page")

func asset(name, kind string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		text, err := pages.ReadFile(name)
		if err != nil {
			fail(w, err)
			return
		}
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Cache-Control", "max-age=3600")
		_, _ = w.Write(text)
	}
}

// health says that the server answers and can read the campaign.
func (s *Site) health(w http.ResponseWriter, r *http.Request) {
	if _, err := s.DB.Meta(r.Context(), "format"); err != nil {
		http.Error(w, "the campaign cannot be read", http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ok")
}

// ago says how long ago something was.
func ago(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	d := max(time.Since(t), 0) // a clock may have been set back
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%.0f s ago", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%.0f min ago", d.Minutes())
	case d < 48*time.Hour:
		return fmt.Sprintf("%.0f h ago", d.Hours())
	}
	return fmt.Sprintf("%.0f days ago", d.Hours()/24)
}

// Serve answers at an address until ctx ends. One that other machines reach needs a token or a proxy.
func (s *Site) Serve(ctx context.Context, l net.Listener) error {
	s.ends = ctx
	server := &http.Server{Handler: s.Handler(), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute,
		WriteTimeout: 5 * time.Minute, IdleTimeout: 2 * time.Minute,
		BaseContext: func(net.Listener) context.Context { return ctx }}
	defer context.AfterFunc(ctx, func() { server.Close() })()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	s.busy <- struct{}{} // what is being run again ends with its server
	return nil
}

// Listen opens an address for pages. A port that is taken on this machine's own address is replaced by another one if
// any may be.
func Listen(address string, any, open bool) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("%q is not an address: want host:port, like 127.0.0.1:8080", address)
	}
	ip := net.ParseIP(host)
	if host != "localhost" && (ip == nil || !ip.IsLoopback()) && !open {
		return nil,
			fmt.Errorf(
				"%s can be reached from other machines: it needs a token (--token-file), or a proxy that knows its users "+
					"(--user-header)", address)
	}
	l, err := net.Listen("tcp", address)
	if err != nil && any {
		l, err = net.Listen("tcp", net.JoinHostPort(host, "0"))
	}
	var port *net.AddrError
	var taken syscall.Errno
	switch {
	case errors.As(err, &port):
		return nil, fmt.Errorf("%s: %s", address, port.Err)
	case errors.As(err, &taken):
		return nil, fmt.Errorf("%s: %w: name another address or port", address, taken)
	}
	return l, err
}

// cellsOf are the names of the cells on which a case of a DBMS can be run again.
func cellsOf(s *database.CampaignStatus, target string) (out []string) {
	for i := range s.Cells {
		if c := &s.Cells[i]; c.Target == target && c.Active && !slices.Contains(out, c.Name) {
			out = append(out, c.Name)
		}
	}
	return out
}
