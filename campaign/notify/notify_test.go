package notify

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func init() { pause = time.Millisecond }

// TestWebhook: each message arrives, also after failures, and what comes at once is counted.
func TestWebhook(t *testing.T) {
	var mu sync.Mutex
	var got []Message
	failures := 2
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if failures--; failures >= 0 {
			w.WriteHeader(503)
			return
		}
		var m Message
		if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
			t.Error(err)
		}
		got = append(got, m)
	}))
	defer server.Close()
	t.Setenv("HOOK", server.URL)
	teller := New(Options{Webhook: "env:HOOK", Every: time.Millisecond, Failed: func(err error) { t.Error(err) }})
	teller.Tell(Message{Event: "bug", Bug: "B1", Text: "a\x1b[31m\nb"})
	for range 3 {
		teller.Tell(Message{Event: "dead", Cell: "x", Text: "away"})
	}
	teller.Tell(Message{Event: "end", Text: "over"})
	teller.Close()
	dead := 0
	for _, m := range got {
		if m.Event == "dead" {
			dead += 1 + m.Others
		}
	}
	if len(got) < 3 || got[0].Bug != "B1" || strings.ContainsAny(got[0].Text, "\x1b\n") || dead != 3 ||
		got[len(got)-1].Event != "end" {
		t.Errorf("%+v", got)
	}
}

// TestSlack: the form is Slack's, and a server's text is no markup in it.
func TestSlack(t *testing.T) {
	var body string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		body = string(text)
	}))
	defer server.Close()
	teller := New(Options{Webhook: server.URL, Slack: true})
	teller.Tell(Message{Event: "bug", Host: "h", Text: "<!channel> & more"})
	teller.Close()
	if want := `{"text":"txweave on h, bug: \u0026lt;!channel\u0026gt; \u0026amp; more"}`; body != want {
		t.Errorf("%s, want %s", body, want)
	}
}

// TestCommand: a command gets the message on its standard input; one that fails is told of, without the URL of any
// hook.
func TestCommand(t *testing.T) {
	path := filepath.Join(t.TempDir(), "told")
	teller := New(Options{Command: []string{"sh", "-c", "cat > " + path}})
	teller.Tell(Message{Event: "end", Text: "over"})
	teller.Close()
	if text, err := os.ReadFile(path); err != nil || !strings.Contains(string(text), `"event":"end"`) {
		t.Errorf("%s: %v", text, err)
	}
	for _, o := range []Options{{Command: []string{"false"}}, {Webhook: "http://127.0.0.1:1/secret"},
		{Webhook: "env:TXWEAVE_NOT_SET"}} {
		var failed error
		o.Failed = func(err error) { failed = err }
		teller := New(o)
		teller.Tell(Message{Event: "bug"})
		teller.Close()
		if failed == nil || strings.Contains(failed.Error(), "secret") {
			t.Errorf("%+v: %v", o, failed)
		}
	}
}

// TestMany: what nobody can take in is counted, not kept.
func TestMany(t *testing.T) {
	teller := &Messenger{wake: make(chan struct{}, 1), others: map[string]int{}} // nothing is delivered meanwhile
	for range 1000 {
		teller.Tell(Message{Event: "bug"})
	}
	if waiting, others := len(teller.waiting), teller.others["bug"]; waiting != maxWaiting || others != 1000-maxWaiting {
		t.Errorf("%d wait, %d are counted", waiting, others)
	}
	if m := teller.next(); m == nil || m.Others != 1000-maxWaiting || len(teller.waiting) != maxWaiting-1 {
		t.Errorf("told: %+v, and %d wait", m, len(teller.waiting))
	}
}

// TestSilentWebhook: one that takes messages and never answers holds nobody up, and what it did not take is said, once.
func TestSilentWebhook(t *testing.T) {
	defer func(old time.Duration) { lastTime = old }(lastTime)
	lastTime = 50 * time.Millisecond
	gone := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-gone }))
	defer server.Close()
	defer close(gone)
	var mu sync.Mutex
	var said []string
	teller := New(Options{Webhook: server.URL, Every: time.Millisecond, Failed: func(err error) {
		mu.Lock()
		defer mu.Unlock()
		said = append(said, err.Error())
	}})
	teller.Tell(Message{Event: "bug"})
	time.Sleep(20 * time.Millisecond)
	teller.Tell(Message{Event: "end"})
	teller.Close()
	mu.Lock()
	defer mu.Unlock()
	if len(said) != 1 || !strings.Contains(said[0], "notify anybody of bug, end: no answer") {
		t.Errorf("%q", said)
	}
}

// TestEndlessCommand: a command that does not end holds nobody up and is ended when the campaign is, with what it has
// started; why nobody was told is said.
func TestEndlessCommand(t *testing.T) {
	defer func(old time.Duration) { lastTime = old }(lastTime)
	path := filepath.Join(t.TempDir(), "pids")
	for command, want := range map[string]string{
		"echo $$ >> " + path + "; sleep 1000 & echo $! >> " + path + "; wait": "notify anybody of bug: no answer",
		"echo no such room; exit 3": "sh: exit status 3: no such room",
	} {
		lastTime = 50 * time.Millisecond
		if strings.HasPrefix(command, "echo no") {
			lastTime = time.Minute // it takes what a busy machine takes
		}
		var said error
		teller := New(Options{Command: []string{"sh", "-c", command}, Every: time.Millisecond,
			Failed: func(err error) { said = err }})
		teller.Tell(Message{Event: "bug"})
		for text := []byte(nil); strings.HasPrefix(command, "echo $$") && strings.Count(string(text), "\n") < 2; {
			text, _ = os.ReadFile(path) // it may not be there yet
		}
		teller.Close()
		if said == nil || !strings.Contains(said.Error(), want) {
			t.Errorf("%s: said %v, want %s", command, said, want)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, field := range strings.Fields(string(text)) {
		for { // it is gone a moment after it was killed
			status, err := os.ReadFile(filepath.Join("/proc", field, "stat"))
			if err != nil || strings.Contains(string(status), ") Z ") {
				break
			}
			time.Sleep(time.Millisecond)
		}
	}
}

// TestCheck: what nobody can be told by is said before anything happens, and no secret with it.
func TestCheck(t *testing.T) {
	t.Setenv("TXWEAVE_TEST_HOOK", "ftp://hunter2")
	for _, x := range []struct {
		options Options
		want    string
	}{
		{Options{Command: []string{"true"}}, ""},
		{Options{Webhook: "https://chat.example.org/x"}, ""},
		{Options{Command: []string{"no-such-command"}}, "no-such-command"},
		{Options{Webhook: "env:TXWEAVE_TEST_NO_HOOK"}, "the environment variable TXWEAVE_TEST_NO_HOOK is not set"},
		{Options{Webhook: "env:TXWEAVE_TEST_HOOK"}, "must be a URL"},
		{Options{Webhook: "chat.example.org/x"}, "must be a URL"},
	} {
		got := ""
		if err := x.options.Check(); err != nil {
			got = err.Error()
		}
		if (got == "") != (x.want == "") || !strings.Contains(got, x.want) || strings.Contains(got, "hunter2") {
			t.Errorf("%+v: %q, want %q", x.options, got, x.want)
		}
	}
}
