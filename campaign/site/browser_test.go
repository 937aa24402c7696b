package site

import (
	"context"
	"fmt"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"txweave/campaign/database"
	"txweave/finding"
	"txweave/internal/testkit/effort"
	"txweave/internal/testkit/need"
)

// browser is a real one, headless, that looks at a site, and what it complained of.
type browser struct {
	t    *testing.T
	ctx  context.Context
	base string // URL of the site

	mu       sync.Mutex
	problems []string
}

// browse starts a browser for a site; the test's end ends it.
func browse(t *testing.T, o Options) *browser {
	t.Helper()
	var path string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil && path == "" {
			path = found
		}
	}
	if path == "" {
		need.Missing(t, "needs chromium (Debian: apt-get install chromium)")
	}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s.Handler())
	t.Cleanup(server.Close)
	profile, err := os.MkdirTemp("", "txweave-browser-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // the last of the browser's processes may still write there
		for try := 0; os.RemoveAll(profile) != nil && try < 100; try++ {
			time.Sleep(100 * time.Millisecond)
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path),
		chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.UserDataDir(profile), chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"),
		chromedp.WSURLReadTimeout(2*time.Minute))...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	b := &browser{t: t, ctx: ctx, base: server.URL}
	chromedp.ListenTarget(ctx, func(event any) {
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			b.complain("exception: " + e.ExceptionDetails.Error())
		case *log.EventEntryAdded: // what the policy forbids is one of these
			if e.Entry.Level != log.LevelVerbose {
				b.complain(string(e.Entry.Level) + ": " + e.Entry.Text)
			}
		case *network.EventRequestWillBeSent:
			if u, err := url.Parse(e.Request.URL); err != nil || u.Scheme != "data" && !strings.HasPrefix(e.Request.URL,
				b.base+"/") {
				b.complain("asks for " + e.Request.URL)
			}
		}
	})
	b.do(network.Enable(), log.Enable())
	return b
}

func (b *browser) complain(what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.problems = append(b.problems, what)
}

// do does what a visitor does.
func (b *browser) do(actions ...chromedp.Action) {
	b.t.Helper()
	if err := chromedp.Run(b.ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// text is what a visitor reads of the first element that a selector finds.
func (b *browser) text(selector string) (out string) {
	b.t.Helper()
	b.do(chromedp.Text(selector, &out, chromedp.ByQuery, chromedp.NodeReady))
	return out
}

// value evaluates an expression on the page.
func value[T any](b *browser, expression string) (out T) {
	b.t.Helper()
	b.do(chromedp.Evaluate(expression, &out))
	return out
}

// until waits until an expression holds on the page.
func (b *browser) until(expression string) {
	b.t.Helper()
	b.do(chromedp.Poll(expression, nil, chromedp.WithPollingTimeout(time.Minute)))
}

// click clicks on something that leads to another page, and waits for that.
func (b *browser) click(selector string) {
	b.t.Helper()
	if _, err := chromedp.RunResponse(b.ctx, chromedp.Click(selector, chromedp.ByQuery)); err != nil {
		b.t.Fatalf("%s: %v", selector, err)
	}
}

// picture keeps a picture of the page where TXWEAVE_PICTURES names a directory.
func (b *browser) picture(name string) {
	b.t.Helper()
	dir := os.Getenv("TXWEAVE_PICTURES")
	if dir == "" {
		return
	}
	var png []byte
	b.do(chromedp.FullScreenshot(&png, 100))
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// sound fails the test if the browser complained of anything but what is named.
func (b *browser) sound(but ...string) {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.problems {
		if !slices.ContainsFunc(but, func(x string) bool { return strings.Contains(p, x) }) {
			b.t.Error(p)
		}
	}
}

// history makes samples, so that there is something to draw.
func history(t *testing.T, db *database.DB) {
	t.Helper()
	cells, err := db.Begin(t.Context(), database.Shard{Index: 0, Count: 1}, "test", []database.CellPlan{
		{Name: "one", Target: "sqlite", Isolation: "serializable", Mode: "fuzz", Seed: 7},
		{Name: "two.storm", Target: "mariadb", Isolation: "repeatable-read", Mode: "storm", Seed: 8}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range cells {
		for range 3 {
			if err := c.Ran(t.Context(), time.Minute); err != nil {
				t.Fatal(err)
			}
			if err := c.TakeSample(t.Context(), 300<<20, 1<<20); err != nil {
				t.Fatal(err)
			}
			time.Sleep(1100 * time.Millisecond)
		}
		if i == 1 {
			if err := c.SetState(t.Context(), database.Unavailable, "cannot connect: "+hostile, 3, time.Now().Add(time.Hour),
				0); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// everyPage are the pages of a site, with names for their pictures.
var everyPage = [][2]string{{"campaign", "/"}, {"bugs", "/bugs"}, {"bug", "/bugs/B1"},
	{"finding", "/findings/finding-one-000000-0"},
	{"coverage", "/features"}}

// TestBrowserPages: in a real browser every page is what it is to be, in the light and in the dark, on a desk and on a
// phone, with script and without; nothing is asked of anybody else, nothing a server wrote runs.
func TestBrowserPages(t *testing.T) {
	effort.Full(t)
	db := campaign(t)
	history(t, db)
	b := browse(t, Options{DB: db, Repeat: func(context.Context, string, string) (string, error) { return "", nil }})
	for _, look := range []struct {
		name       string
		wide, high int64
		dark       bool
		script     bool
	}{{"light", 1280, 900, false, true}, {"dark", 1280, 900, true, true}, {"phone", 360, 740, false, true},
		{"plain", 1280, 900, false, false}} {
		scheme := "light"
		if look.dark {
			scheme = "dark"
		}
		b.do(chromedp.EmulateViewport(look.wide, look.high), emulation.SetEmulatedMedia().WithFeatures(
			[]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}),
			emulation.SetScriptExecutionDisabled(!look.script))
		for _, page := range everyPage {
			b.do(chromedp.Navigate(b.base + page[1]))
			if b.text("h1") == "" {
				t.Errorf("%s %s has no heading", look.name, page[0])
			}
			b.picture(page[0] + "-" + look.name)
			if !look.script {
				continue // nor can it be asked for what follows
			}
			if over := value[float64](b, "document.documentElement.scrollWidth - innerWidth"); over > 0 {
				t.Errorf("%s %s is %v pixels wider than the window", look.name, page[0], over)
			}
			if least := value[float64](b, contrast); least < 4.5 {
				t.Errorf("%s %s has a text with a contrast of %.2f", look.name, page[0], least)
			}
			if nameless := value[[]string](b, unnamed); len(nameless) > 0 {
				t.Errorf("%s %s has what a screen reader cannot name: %q", look.name, page[0], nameless)
			}
		}
	}
	b.sound()
}

// contrast is the least contrast of a text with its background, as WCAG 2 defines it.
const contrast = `(() => {
  const rgb = c => (c.match(/[\d.]+/g) || []).map((v, i) => c.startsWith('color(') && i < 3 ? 255 * v : Number(v)); // what is mixed has shares
  const light = c => { const [r, g, b] = c.map(v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const behind = e => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] > 0) return c; } return [255, 255, 255]; };
  let least = 21;
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const e = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || !e.getClientRects().length || e.closest('svg')) continue;
    const a = light(rgb(getComputedStyle(e).color)), b = light(behind(e));
    least = Math.min(least, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05));
  }
  return least;
})()`

// unnamed lists what can be used and has no name for who does not see it, and pictures without one.
const unnamed = `Array.from(document.querySelectorAll('a, button, input:not([type=hidden]), select, svg:not([aria-hidden]), [tabindex]'))
  .filter(e => !(e.textContent.trim() || e.getAttribute('aria-label') || e.labels && Array.from(e.labels).some(l => l.textContent.trim())))
  .map(e => e.outerHTML.slice(0, 80))`

// TestBrowserVisit: a visitor goes by keyboard and mouse from the campaign to a bug, says what is known of it, looks at
// a finding and runs it again; the page of a campaign that runs is brought up to date.
func TestBrowserVisit(t *testing.T) {
	effort.Full(t)
	db := campaign(t)
	begun, end := make(chan struct{}), make(chan struct{})
	b := browse(t, Options{DB: db, Repeat: func(context.Context, string, string) (string, error) {
		close(begun)
		<-end
		return "came back 5 of 5 times " + hostile, nil
	}})
	b.do(chromedp.EmulateViewport(1280, 900), chromedp.Navigate(b.base+"/"), chromedp.KeyEvent(kb.Tab))
	if at := value[string](b,
		"document.activeElement.textContent + ' ' + getComputedStyle(document.activeElement).outlineStyle"); at != "To the content solid" {
		t.Errorf("the first key leads to %q", at)
	}

	b.click(`nav a[href="/bugs"]`)
	b.do(chromedp.SetValue(`input[name=q]`, "nothing like it", chromedp.ByQuery))
	b.click(".filters button")
	if got := b.text("main"); !strings.Contains(got, "0 of 2") {
		t.Error(got)
	}
	b.do(chromedp.SetValue(`input[name=q]`, "title", chromedp.ByQuery))
	b.click(".filters button")
	b.click(`a[href="/bugs/B2"]`)
	const form = `.settle `
	b.do(chromedp.SetValue(form+"select", "label", chromedp.ByQuery), chromedp.SendKeys(form+"input[name=value]", "index",
		chromedp.ByQuery),
		chromedp.SendKeys(form+"input[name=who]", "ann", chromedp.ByQuery))
	b.click(form + "button")
	if got := b.text(".events"); !strings.Contains(got, "ann label index") || b.text(".label") != "index" {
		t.Error(got)
	}
	if name := value[string](b, "document.querySelector('.settle input[name=who]').value"); name != "ann" {
		t.Errorf("the visitor is called %q", name)
	}
	b.do(chromedp.SetValue(form+"select", "fixed", chromedp.ByQuery), chromedp.SendKeys(form+"input[name=value]", "soon",
		chromedp.ByQuery))
	b.click(form + "button")
	if got := b.text("[role=alert]"); !strings.Contains(got, "is not a version") {
		t.Error(got)
	}

	b.click(`a[href^="/findings/"]`)
	b.click(`form[action$="/repeat"] button`)
	<-begun
	if got := b.text("main"); !strings.Contains(got, "It has been running on one") {
		t.Error(got)
	}
	b.do(chromedp.Evaluate("document.activeElement.blur()", nil))
	close(end)
	b.until(`document.getElementById("main").textContent.includes("came back 5 of 5 times <script>alert(1)")`)

	unlock, err := database.Lock(db.Dir())
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	b.do(chromedp.Navigate(b.base + "/"))
	if err := db.Happened(t.Context(), 0, "note", "something new "+hostile); err != nil {
		t.Fatal(err)
	}
	b.until(`document.querySelector(".events").textContent.includes("something new <script>")`)
	b.sound("422") // the form that was refused
}

// TestBrowserToken: whoever has the token gets in, and stays in.
func TestBrowserToken(t *testing.T) {
	effort.Full(t)
	const token = "0123456789abcdef"
	b := browse(t, Options{DB: campaign(t), Token: token})
	b.do(chromedp.Navigate(b.base+"/bugs"), chromedp.SendKeys("input[name=token]", token, chromedp.ByQuery))
	b.picture("login")
	b.click("button")
	b.do(chromedp.Navigate(b.base + "/bugs"))
	if got := b.text("h1"); got != "Bugs" {
		t.Errorf("%q", got)
	}
	if cookie := value[string](b, "document.cookie"); cookie != "" {
		t.Errorf("a script reads %q", cookie)
	}
	b.sound("401") // before it was given
}

// TestBrowserManyBugs: a thousand bugs are pages that a phone shows, and one of them is found.
func TestBrowserManyBugs(t *testing.T) {
	effort.Full(t)
	db := campaign(t)
	many(t, db, 1000)
	b := browse(t, Options{DB: db})
	b.do(chromedp.EmulateViewport(360, 740), chromedp.Navigate(b.base+"/bugs"))
	b.picture("bugs-many-phone")
	if got := b.text("main"); !strings.Contains(got, "1002") {
		t.Errorf("%.300s", got)
	}
	if over := value[float64](b, "document.documentElement.scrollWidth - innerWidth"); over > 0 {
		t.Errorf("%v pixels wider than the window", over)
	}
	if n := value[int](b, "document.querySelectorAll('a[href^=\"/bugs/B\"]').length"); n < 20 || n > 400 {
		t.Errorf("%d bugs on a page", n)
	}
	b.do(chromedp.SetValue(`input[name=q]`, "needle-777x", chromedp.ByQuery))
	b.click(".filters button")
	if got := b.text("main"); !strings.Contains(got, "1 of 1002") || !strings.Contains(got, "needle-777x") {
		t.Errorf("%.300s", got)
	}
	b.do(chromedp.Navigate(b.base + "/"))
	b.picture("campaign-many-phone")
	b.sound()
}

// many makes so many bugs more.
func many(t *testing.T, db *database.DB, n int) {
	t.Helper()
	err := db.Update(func(b *finding.Bugs) error {
		for i := range n {
			g := *b.Bugs[0]
			g.ID, g.Kept = fmt.Sprintf("B%d", b.Next), nil
			g.Title = fmt.Sprintf("a bug with a long title that somebody reads on a small screen, needle-%dx", i)
			g.Signature = finding.Signature{Coarse: fmt.Sprintf("crash/many-%d", i), Features: []string{}}
			b.Next++
			b.Bugs = append(b.Bugs, &g)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
