// Package notify tells somebody what happens in a campaign: a command, or whoever listens at a URL.
package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"txweave/finding"
)

// Message is what is told: the object that a command or a URL gets.
type Message struct {
	Event  string    `json:"event"` // bug, dead, end
	Time   time.Time `json:"time"`
	Host   string    `json:"host"`
	Dir    string    `json:"dir"` // of the campaign
	Cell   string    `json:"cell,omitempty"`
	Bug    string    `json:"bug,omitempty"`
	Text   string    `json:"text"` // one line, whatever a server wrote in it
	Others int       `json:"others,omitempty"`
}

// Options say whom to tell, and how often.
type Options struct {
	Command []string
	Webhook string // a URL, or env:NAME for one that nobody else is to see
	Slack   bool
	Every   time.Duration // at most one message in so long; what came meanwhile is counted in the next one
	// Failed is told that a message could not be delivered.
	Failed func(error)
}

// Check says what keeps every message from being delivered: a command or a URL that is not there.
func (o *Options) Check() error {
	if len(o.Command) > 0 {
		_, err := exec.LookPath(o.Command[0])
		return err
	}
	to, err := o.url()
	if err != nil {
		return err
	}
	if u, err := url.Parse(to); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return errNoURL
	}
	return nil
}

// errNoURL does not tell what it is in its place: a secret, it may be.
var errNoURL = errors.New("the webhook must be a URL that begins with https:// or http://")

// url is where messages are posted.
func (o *Options) url() (string, error) {
	name, ok := strings.CutPrefix(o.Webhook, "env:")
	if !ok {
		return o.Webhook, nil
	}
	to := os.Getenv(name)
	if to == "" {
		return "", fmt.Errorf("the environment variable %s is not set", name)
	}
	return to, nil
}

// Messenger delivers messages, one after the other.
type Messenger struct {
	options Options
	ctx     context.Context // of deliveries: it ends when nobody waits any more, and with it a command that runs
	stop    context.CancelFunc
	wake    chan struct{}
	done    chan struct{}

	mu      sync.Mutex
	waiting []Message
	others  map[string]int // messages beyond those that wait, by event
	under   string         // event of the message that is being delivered
	closed  bool
	late    bool  // nobody waits any more
	why     error // the last delivery failed so
}

// How many messages wait to be delivered, and how often one is tried. A variable for tests: how long between.
const (
	maxWaiting = 20
	tries      = 4
)

var pause = 2 * time.Second

// New returns a messenger that delivers until it is closed.
func New(o Options) *Messenger {
	t := &Messenger{options: o, wake: make(chan struct{}, 1), done: make(chan struct{}), others: map[string]int{}}
	t.ctx, t.stop = context.WithCancel(context.Background())
	go t.serve()
	return t
}

// Tell has a message delivered. It does not wait for that.
func (t *Messenger) Tell(m Message) {
	if t == nil {
		return
	}
	m.Text = finding.Line(m.Text)
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.waiting) < maxWaiting || m.Event == "end" {
		t.waiting = append(t.waiting, m)
	} else {
		t.others[m.Event]++
	}
	t.poke()
}

func (t *Messenger) poke() {
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

// lastTime is how long Close waits for what is still to be delivered. A variable for tests.
var lastTime = 20 * time.Second

// endTime is how long a command that is ended may take to be gone.
const endTime = 2 * time.Second

// Close delivers what waits, as far as that takes no longer than a moment.
func (t *Messenger) Close() {
	if t == nil {
		return
	}
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	t.poke()
	select {
	case <-t.done:
	case <-time.After(lastTime):
		t.giveUp()
	}
	t.stop()
	select { // a command is ended, and is not left behind
	case <-t.done:
	case <-time.After(endTime):
	}
}

// giveUp says which messages nobody gets.
func (t *Messenger) giveUp() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.late = true
	var events []string
	if t.under != "" {
		events = append(events, t.under)
	}
	for _, m := range t.waiting {
		events = append(events, m.Event)
	}
	if len(events) > 0 && t.options.Failed != nil {
		why := ""
		if t.why != nil {
			why = ": " + t.why.Error()
		}
		t.options.Failed(fmt.Errorf("cannot notify anybody of %s: no answer within %s of the campaign's end%s",
			strings.Join(events, ", "), lastTime, why))
	}
}

// failed passes an error on while somebody waits.
func (t *Messenger) failed(err error) {
	t.mu.Lock()
	late := t.late
	t.under = ""
	t.mu.Unlock()
	if err != nil && !late && t.options.Failed != nil {
		t.options.Failed(err)
	}
}

func (t *Messenger) serve() {
	defer close(t.done)
	for {
		t.mu.Lock()
		none, closed := len(t.waiting) == 0, t.closed
		t.mu.Unlock()
		if none {
			if closed {
				return
			}
			<-t.wake
			continue
		}
		if t.ctx.Err() != nil {
			return // it was said what nobody gets
		}
		if m := t.next(); m != nil {
			t.failed(t.deliver(m))
		}
		t.rest()
	}
}

// next takes what is to be told now: the first message of an event, with how many others of it there are; the
// campaign's end comes last.
func (t *Messenger) next() *Message {
	t.mu.Lock()
	defer t.mu.Unlock()
	m := t.waiting[0]
	var rest []Message
	for _, x := range t.waiting[1:] {
		if x.Event == m.Event && x.Event == "dead" && x.Cell == m.Cell {
			m.Others++ // the same again
			continue
		}
		rest = append(rest, x)
	}
	m.Others += t.others[m.Event]
	delete(t.others, m.Event)
	t.waiting, t.under = rest, m.Event
	return &m
}

// rest waits until the next message may go; at the end nothing is waited for.
func (t *Messenger) rest() {
	timer := time.NewTimer(t.options.Every)
	defer timer.Stop()
	for {
		t.mu.Lock()
		closed := t.closed
		t.mu.Unlock()
		if closed {
			return
		}
		select {
		case <-timer.C:
			return
		case <-t.wake:
		}
	}
}

// deliver tries to deliver a message, several times.
func (t *Messenger) deliver(m *Message) (err error) {
	wait := pause
	for range tries {
		if err = t.once(m); err == nil {
			return nil
		}
		t.mu.Lock()
		if t.ctx.Err() == nil {
			t.why = err
		}
		t.mu.Unlock()
		select {
		case <-time.After(wait):
		case <-t.ctx.Done():
			return err
		}
		wait *= 2
	}
	return fmt.Errorf("cannot notify anybody of %s: %w", m.Event, err)
}

// onceTime is how long a command or a server may take for a message.
const onceTime = 30 * time.Second

func (t *Messenger) once(m *Message) error {
	ctx, cancel := context.WithTimeout(t.ctx, onceTime)
	defer cancel()
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if len(t.options.Command) > 0 {
		cmd := exec.CommandContext(ctx, t.options.Command[0], t.options.Command[1:]...)
		cmd.Stdin = bytes.NewReader(text)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // what it has started ends with it
		cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
		cmd.WaitDelay = time.Second
		out, err := cmd.CombinedOutput()
		if err != nil {
			return fmt.Errorf("%s: %w: %s", t.options.Command[0], err, finding.Line(strings.TrimSpace(string(out))))
		}
		return nil
	}
	return t.post(ctx, m, text)
}

// post sends a message to the URL, which no error tells: it may be a secret.
func (t *Messenger) post(ctx context.Context, m *Message, text []byte) (err error) {
	to, err := t.options.url()
	if err != nil {
		return err
	}
	if t.options.Slack {
		said := fmt.Sprintf("txweave on %s, %s: %s", m.Host, m.Event, m.Text)
		if m.Others > 0 {
			said += fmt.Sprintf(" (and %d more)", m.Others)
		}
		escape := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
		if text, err = json.Marshal(map[string]string{"text": escape.Replace(said)}); err != nil {
			return err
		}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(text))
	if err != nil {
		return errNoURL
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return errors.New("the webhook cannot be reached")
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 1<<16))
	if res.StatusCode/100 != 2 {
		return fmt.Errorf("the webhook answers %s", res.Status)
	}
	return nil
}
