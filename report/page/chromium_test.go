package page

import (
	"bytes"
	"context"
	"encoding/json"
	"html"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"txweave/internal/testkit/effort"
	"txweave/internal/testkit/need"
)

// chromium finds the browser. Without one the test is skipped.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	need.Missing(t, "needs chromium (Debian: apt-get install chromium)")
	return ""
}

// browse runs the browser on a page, with no name that resolves, and returns what it prints.
func browse(t *testing.T, dir string, text []byte, flags ...string) []byte {
	t.Helper()
	path := filepath.Join(dir, File)
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	flags = append([]string{"--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
		"--user-data-dir=" + filepath.Join(dir, "profile"), "--host-resolver-rules=MAP * ~NOTFOUND",
		"--window-size=1200,1600"}, flags...)
	cmd := exec.CommandContext(ctx, chromium(t), append(flags, "file://"+path)...)
	cmd.WaitDelay = 10 * time.Second // its children may keep the pipes
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("chromium: %v\n%s", err, stderr.String())
	}
	return out
}

// measure is a script that says how the browser laid a page out.
const measure = `<script>
const box = e => { const r = e.getBoundingClientRect(); return {x: r.left, y: r.top, w: r.width, h: r.height} };
const all = (what) => Array.from(document.querySelectorAll(what));
const steps = all('.step').map(e => ({id: e.id, lane: +getComputedStyle(e).gridColumnStart, over: e.scrollWidth > e.clientWidth + 1, ...box(e)}));
const colour = (e, what) => e ? getComputedStyle(e)[what] : '';
document.body.append(Object.assign(document.createElement('pre'), {id: 'measured', textContent: JSON.stringify({
  steps, wide: document.documentElement.scrollWidth - innerWidth,
  dark: matchMedia('(prefers-color-scheme: dark)').matches, ground: colour(document.body, 'backgroundColor'),
  wait: all('.wait').map(box), svg: all('svg').map(box), nodes: all('svg .node rect').map(box), lines: all('svg .line').map(e => e.getTotalLength()),
  wrong: colour(document.querySelector('.actual td.wrong'), 'backgroundColor'), right: colour(document.querySelector('.expected td.wrong'), 'backgroundColor'),
  plain: colour(document.querySelector('.step td:not(.wrong)'), 'backgroundColor')})}));
</script></body>`

type rect struct{ X, Y, W, H float64 }

func (r rect) within(o rect) bool {
	return r.X >= o.X-1 && r.Y >= o.Y-1 && r.X+r.W <= o.X+o.W+1 && r.Y+r.H <= o.Y+o.H+1
}

func (r rect) apart(o rect) bool {
	return r.X+r.W <= o.X+1 || o.X+o.W <= r.X+1 || r.Y+r.H <= o.Y+1 || o.Y+o.H <= r.Y+1
}

type measured struct {
	Steps []struct {
		ID   string
		Lane int
		Over bool
		rect
	}
	Wide                        float64
	Dark                        bool
	Ground, Wrong, Right, Plain string
	Wait, SVG, Nodes            []rect
	Lines                       []float64
}

func layOut(t *testing.T, name string, flags ...string) measured {
	t.Helper()
	_, text := load(t, name)
	return layOutText(t, name, text, flags...)
}

// decided is a page of which nobody knows which answer is wrong, as it is where that of the transactions is.
func decided(t *testing.T, name string) []byte {
	t.Helper()
	_, text := load(t, name)
	out := bytes.Replace(text, []byte(`<body class="undecided">`), []byte("<body>"), 1)
	if bytes.Equal(text, out) {
		t.Fatalf("%s: which answer is wrong is known", name)
	}
	return out
}

func layOutText(t *testing.T, name string, text []byte, flags ...string) measured {
	t.Helper()
	text = bytes.Replace(text, []byte("</body>"), []byte(measure), 1)
	dom := string(browse(t, t.TempDir(), text, append(flags, "--dump-dom")...))
	_, rest, ok := strings.Cut(dom, `<pre id="measured">`)
	js, _, _ := strings.Cut(rest, "</pre>")
	var m measured
	if err := json.Unmarshal([]byte(html.UnescapeString(js)), &m); !ok || err != nil {
		t.Fatalf("%s: nothing measured: %v\n%.2000s", name, err, dom)
	}
	return m
}

// check holds what every page must be like.
func (m *measured) check(t *testing.T) {
	t.Helper()
	if m.Wide > 0 {
		t.Errorf("the page is %v pixels too wide", m.Wide)
	}
	for i, a := range m.Steps {
		if a.W < 50 || a.H < 10 || a.Over {
			t.Errorf("%s has no room: %+v", a.ID, a)
		}
		for _, b := range m.Steps[i+1:] {
			if !a.apart(b.rect) {
				t.Errorf("%s and %s overlap", a.ID, b.ID)
			}
			if b.Y < a.Y || a.Lane < b.Lane && a.X >= b.X {
				t.Errorf("%s is not where %s makes it be: %v, %v", b.ID, a.ID, b.rect, a.rect)
			}
		}
	}
	for _, n := range m.Nodes {
		if !n.within(m.SVG[0]) {
			t.Errorf("a node at %v is outside the drawing, %v", n, m.SVG[0])
		}
	}
	for _, l := range m.Lines {
		if l < 10 {
			t.Errorf("an edge is %v pixels long", l)
		}
	}
}

// TestBrowser lays pages out in a real browser, without a network.
func TestBrowser(t *testing.T) {
	effort.Full(t)
	chromium(t)
	t.Run("differing cells, light", func(t *testing.T) {
		m := layOut(t, "aggregate")
		m.check(t)
		if len(m.Steps) != 7 || len(m.Nodes) != 3 || len(m.Lines) != 2 || m.Dark || m.Ground != "rgb(255, 255, 255)" {
			t.Errorf("%d steps, %d nodes, %d edges, dark %v on %s", len(m.Steps), len(m.Nodes), len(m.Lines), m.Dark, m.Ground)
		}
		if m.Wrong == "" || m.Wrong != m.Right || m.Wrong == m.Plain {
			t.Errorf("either may be wrong: one cell is %q, the other %q, plain ones are %q", m.Wrong, m.Right, m.Plain)
		}
		if m = layOutText(t, "aggregate", decided(t, "aggregate")); m.Wrong == "" || m.Right == "" || m.Wrong == m.Right ||
			m.Wrong == m.Plain || m.Right == m.Plain {
			t.Errorf("cells look alike: wrong %q, right %q, plain %q", m.Wrong, m.Right, m.Plain)
		}
	})
	t.Run("waiting, dark", func(t *testing.T) {
		m := layOut(t, "write_skew", "--force-dark-mode")
		m.check(t)
		if !m.Dark || m.Ground == "rgb(255, 255, 255)" {
			t.Errorf("dark %v on %s", m.Dark, m.Ground)
		}
		if len(m.Wait) != 1 || len(m.Nodes) != 4 || len(m.Lines) != 2 {
			t.Fatalf("%d waits, %d nodes, %d edges", len(m.Wait), len(m.Nodes), len(m.Lines))
		}
		during := 0 // what others did while it waited is beside it
		for _, s := range m.Steps {
			if w := m.Wait[0]; s.apart(w) && s.Y >= w.Y-60 && s.Y+s.H <= w.Y+w.H+60 {
				during++
			}
		}
		if during < 1 {
			t.Errorf("nothing is beside the wait at %v: %+v", m.Wait[0], m.Steps)
		}
	})
	t.Run("pixels and paper", func(t *testing.T) {
		dir := t.TempDir()
		text := decided(t, "aggregate")
		browse(t, dir, text, "--screenshot="+filepath.Join(dir, "page.png"))
		f, err := os.Open(filepath.Join(dir, "page.png"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		picture, err := png.Decode(f)
		if err != nil {
			t.Fatal(err)
		}
		for name, c := range map[string]color.RGBA{"wrong": {0xff, 0xd9, 0xd4, 255}, "right": {0xd6, 0xf2, 0xdf, 255},
			"transaction": {0xe8, 0xef, 0xf8, 255}} {
			if pixels(picture, c) < 50 {
				t.Errorf("the screenshot has nothing in the colour of %s", name)
			}
		}
		browse(t, dir, text, "--no-pdf-header-footer", "--print-to-pdf="+filepath.Join(dir, "page.pdf"))
		if pdf, err := os.ReadFile(filepath.Join(dir, "page.pdf")); err != nil || !bytes.HasPrefix(pdf, []byte("%PDF")) ||
			len(pdf) < 10_000 {
			t.Errorf("%d bytes of PDF: %v", len(pdf), err)
		}
	})
}

func pixels(m image.Image, c color.RGBA) (n int) {
	for y := m.Bounds().Min.Y; y < m.Bounds().Max.Y; y++ {
		for x := m.Bounds().Min.X; x < m.Bounds().Max.X; x++ {
			if r, g, b, _ := m.At(x, y).RGBA(); r>>8 == uint32(c.R) && g>>8 == uint32(c.G) && b>>8 == uint32(c.B) {
				n++
			}
		}
	}
	return n
}
