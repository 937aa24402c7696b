// Package rotation runs the cells of a campaign in turn: each is a target at a level in a mode.
package rotation

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/BurntSushi/toml"

	"txweave/dbms/registry"
	"txweave/gen/workload"
	"txweave/internal/former"
	"txweave/internal/input"
	"txweave/internal/spelling"
	"txweave/internal/strict"
)

// The modes of a cell.
const (
	ModeFuzz   = "fuzz"
	ModeStorm  = "storm"
	ModeDetect = "detect" // a self-test: are planted bugs found?
)

var modes = []string{ModeFuzz, ModeStorm, ModeDetect}

// Part is a cell of a campaign as campaign.toml has it. Empty values are those of the command of its mode.
type Part struct {
	Name      string          `toml:"name"`
	Target    string          `toml:"target"`
	Server    string          `toml:"server,omitempty"`   // path of the binary of a private server
	DSN       string          `toml:"dsn,omitempty"`      // of a running one: without a password, or env, env:NAME
	DSNFile   string          `toml:"dsn_file,omitempty"` // holds it
	Isolation string          `toml:"isolation,omitempty"`
	Claim     string          `toml:"claim,omitempty"`
	Mode      string          `toml:"mode"`
	Weight    Share           `toml:"weight,omitzero"` // share of the time, against the others'; 0: 1
	Slice     strict.Duration `toml:"slice,omitzero"`  // 0: the campaign's
	Seed      uint64          `toml:"seed,omitzero"`   // 0: a fresh one, kept with the campaign
	Workers   int             `toml:"workers,omitzero"`
	Cases     int             `toml:"cases,omitzero"` // it is done after so many; 0: never

	Without  []string `toml:"without,omitempty"` // productions of fuzz that are switched off
	Inject   []string `toml:"inject,omitempty"`  // planted bugs; of detect those that are tried
	Rows     int      `toml:"rows,omitzero"`     // of fuzz: that one table of one case in sixteen has
	Orders   int      `toml:"orders,omitzero"`
	Guide    string   `toml:"guide,omitempty"` // does nothing; plans of earlier versions have it
	NoReduce bool     `toml:"no_reduce,omitempty"`
	// at most so long to reduce a finding, and all that are left when the turn is over; 0: a minute
	Reduce strict.Duration `toml:"reduce_time,omitzero"`

	Workload     string          `toml:"workload,omitempty"`
	Sessions     int             `toml:"sessions,omitzero"`
	Keys         int             `toml:"keys,omitzero"`
	Distribution string          `toml:"distribution,omitempty"`
	Nemesis      []string        `toml:"nemesis,omitempty"`
	Length       strict.Duration `toml:"length,omitzero"` // of one storm, which is a case of the cell; 0: ten seconds
	// of one storm, which ends once so many have committed; 0: with its length alone
	Transactions    int `toml:"transactions,omitzero"`
	workload.Tuning     // of a storm's transactions
	Budget          int `toml:"budget,omitzero"` // cases in which detect must find a planted bug; 0: 200
}

// CampaignPlan is a campaign.toml.
type CampaignPlan struct {
	Slice    strict.Duration `toml:"slice,omitzero"`    // how long a cell runs before the next one does; 0: ten minutes
	Duration strict.Duration `toml:"duration,omitzero"` // of the campaign; 0: until somebody ends it
	Parallel int             `toml:"parallel,omitzero"` // cells that run at once; 0: one
	HTTP     string          `toml:"http,omitempty"`    // where the page is shown

	// of txweave and its servers: beyond it the turns end, and their servers with them; 0: no limit
	MaxRSS    Bytes `toml:"max_rss,omitzero"`
	DiskQuota Bytes `toml:"disk_quota,omitzero"` // of the campaign's directory: beyond it repeats of bugs go; 0: no limit
	MaxBugs   int   `toml:"max_bugs,omitzero"`   // the campaign ends with so many open ones; 0: never

	Notify *Notify `toml:"notify,omitempty"` // who is told
	Parts  []Part  `toml:"cell"`
}

// Share is a weight that somebody has written. None at all is no share: a cell that is not to run is left out.
type Share float64

// maxShare is the largest one.
const maxShare = 1_000_000

// UnmarshalTOML reads one.
func (s *Share) UnmarshalTOML(v any) error {
	n, ok := v.(float64)
	if i, whole := v.(int64); whole {
		n, ok = float64(i), true
	}
	if !ok || !(n > 0 && n <= maxShare) { // no number is none of them
		return fmt.Errorf("weight %v: want one above 0, up to %d", v, maxShare)
	}
	*s = Share(n)
	return nil
}

// Bytes is an amount that is written like 4GiB.
type Bytes int64

var byteUnits = []struct {
	name string
	size int64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9},
	{"TB", 1e12}, {"B", 1}}

// UnmarshalText reads one.
func (b *Bytes) UnmarshalText(text []byte) error {
	for _, u := range byteUnits {
		if n, found := strings.CutSuffix(string(text), u.name); found {
			v, err := strconv.ParseFloat(strings.TrimSpace(n), 64)
			if err != nil || v < 0 || v*float64(u.size) > math.MaxInt64/2 {
				return fmt.Errorf("%q is not a size: want one such as 4GiB", text)
			}
			*b = Bytes(v * float64(u.size))
			return nil
		}
	}
	return fmt.Errorf("%q is not a size: want one such as 4GiB", text)
}

// MarshalText prints one.
func (b Bytes) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%dB", int64(b)), nil }

// Notify says who is told what happens: a command that gets it as JSON on its standard input, or a URL to which it is
// posted.
type Notify struct {
	Command []string        `toml:"command,omitempty"`
	Webhook string          `toml:"webhook,omitempty"` // env:NAME or a URL without a secret
	Slack   bool            `toml:"slack,omitempty"`   // the URL wants Slack's form
	Every   strict.Duration `toml:"every,omitzero"`    // at most one message in so long; 0: a minute
	On      []string        `toml:"on,omitempty"`      // bug, dead, end; none: all
}

// Read reads a campaign.toml. Its errors name the line.
func Read(ctx context.Context, path string) (*CampaignPlan, error) {
	text, err := input.Read(ctx, path, input.Config)
	if err != nil {
		return nil, err
	}
	return Parse(path, text)
}

// Parse reads the text of a campaign.toml.
func Parse(path string, text []byte) (*CampaignPlan, error) {
	p := &CampaignPlan{}
	if _, err := strict.TOML(path, text, "a campaign", p, former.Plan); err != nil {
		return nil, err
	}
	if err := p.Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

// Print writes a plan as a campaign.toml.
func (p *CampaignPlan) Print() ([]byte, error) {
	var out bytes.Buffer
	enc := toml.NewEncoder(&out)
	enc.Indent = ""
	err := enc.Encode(p)
	return out.Bytes(), err
}

// isCellName says whether a text can be a cell's name: parts of small letters, digits and dots with dashes between, no
// dot first.
func isCellName(name string) bool {
	for _, part := range strings.Split(name, "-") {
		if part == "" || strings.Trim(part, "abcdefghijklmnopqrstuvwxyz0123456789.") != "" {
			return false
		}
	}
	return name[0] != '.'
}

// MaxWorkers is how many workers there are at most, of a cell or of fuzz, and how many cells run at once: each has a
// server or a process of its own.
const MaxWorkers = 256

// maxName is how long a cell's name may be: it is a part of names of directories.
const maxName = 80

// Check fills in what is not said and refuses what makes no sense.
func (p *CampaignPlan) Check() error {
	p.Slice = cmp.Or(p.Slice, strict.Duration(10*time.Minute))
	p.Parallel = cmp.Or(p.Parallel, 1)
	if p.Parallel < 1 || p.Parallel > MaxWorkers {
		return fmt.Errorf("parallel must be from 1 to %d", MaxWorkers)
	}
	if p.MaxBugs < 0 {
		return errors.New("max_bugs must not be negative")
	}
	if err := p.Notify.check(); err != nil {
		return fmt.Errorf("notify: %w", err)
	}
	if len(p.Parts) == 0 {
		return errors.New("it has no cell: want at least one [[cell]]")
	}
	seen := map[string]bool{}
	for i := range p.Parts {
		c := &p.Parts[i]
		c.Mode = cmp.Or(c.Mode, ModeFuzz)
		if c.Name == "" {
			c.Name = strings.Trim(strings.Join([]string{c.Target, c.Isolation, c.Mode}, "-"), "-")
			c.Name = strings.ReplaceAll(c.Name, "--", "-")
		}
		if err := c.check(); err != nil {
			return fmt.Errorf("cell %d %q: %w", i+1, c.Name, err)
		}
		if seen[c.Name] {
			return fmt.Errorf("two cells are called %q", c.Name)
		}
		seen[c.Name] = true
		c.Slice = cmp.Or(c.Slice, p.Slice)
	}
	return nil
}

func (c *Part) check() error {
	c.Weight = cmp.Or(c.Weight, 1) // it is left out
	c.Workers = cmp.Or(c.Workers, 1)
	stormy := c.Workload != "" || c.Sessions != 0 || c.Keys != 0 || c.Distribution != "" || len(c.Nemesis) > 0 ||
		c.Length != 0 || c.Transactions != 0 || c.Told()
	switch {
	case !isCellName(c.Name) || len(c.Name) > maxName:
		return errors.New("a name has small letters, digits, dots and single hyphens, and begins with a letter or a digit")
	case strings.Trim(c.Name[strings.LastIndexByte(c.Name, '-')+1:], "0123456789") == "":
		return errors.New("a name must not end like 12-0, as names of findings do")
	case !slices.Contains(modes, c.Mode):
		return spelling.NoneOf("mode", c.Mode, modes...)
	case c.Target == "" && c.DSN == "" && c.DSNFile == "":
		return errors.New("it needs a target, or a dsn")
	case c.Seed > math.MaxInt64: // TOML's numbers are no larger: it was less than nothing
		return errors.New("seed must not be negative")
	case c.Workers < 1 || c.Workers > MaxWorkers:
		return fmt.Errorf("workers must be from 1 to %d", MaxWorkers)
	case c.Cases < 0 || c.Orders < 0 || c.Budget < 0:
		return errors.New("cases, orders and budget must not be negative")
	case stormy && c.Mode != ModeStorm:
		return errors.New(
			"workload, sessions, keys, distribution, nemesis, length, transactions, operations, reads, theta and " +
				"value_size belong to mode storm")
	case c.Mode != ModeFuzz && (len(c.Without) > 0 || c.Rows != 0 || c.Orders > 0 || c.Guide != ""):
		return errors.New("without, rows, orders and guide belong to mode fuzz")
	case !slices.Contains([]string{"", "none", "coverage"}, c.Guide):
		return fmt.Errorf("guide %q: want none or coverage", c.Guide)
	case c.Mode != ModeDetect && c.Budget > 0:
		return errors.New("budget belongs to mode detect")
	case c.Mode == ModeDetect && (c.DSN != "" || c.DSNFile != "") && c.Workers > 1:
		return errors.New("detect has one worker")
	case c.DSN != "" && c.DSNFile != "":
		return errors.New("dsn and dsn_file exclude each other")
	case (c.DSN != "" || c.DSNFile != "") && c.Server != "":
		return errors.New("dsn and server exclude each other")
	}
	if c.DSN != "" && registry.HasPassword(c.DSN) {
		return errors.New(
			"the dsn has a password: put it into a file that only you can read (dsn_file), or into " +
				"the environment (dsn = \"env:NAME\")")
	}
	return nil
}

func (n *Notify) check() error {
	if n == nil {
		return nil
	}
	n.Every = cmp.Or(n.Every, strict.Duration(time.Minute))
	for _, what := range n.On {
		if !slices.Contains([]string{EventBug, EventDead, EventEnd}, what) {
			return fmt.Errorf("on %q: want bug, dead or end", what)
		}
	}
	if (len(n.Command) == 0) == (n.Webhook == "") {
		return errors.New("want a command or a webhook")
	}
	if secretive(n.Webhook) {
		return errors.New(
			"the webhook has a password or a token: put the URL into the environment (webhook = " +
				"\"env:NAME\")")
	}
	return nil
}

// secretive says whether a URL has a password or what looks like a token: a long part with letters and digits, as the
// webhooks of most services have.
func secretive(webhook string) bool {
	u, err := url.Parse(webhook)
	if err != nil || strings.HasPrefix(webhook, "env:") {
		return false
	}
	const long = 16
	return u.User != nil || u.RawQuery != "" || slices.ContainsFunc(strings.Split(u.Path, "/"), func(part string) bool {
		return len(part) >= long && strings.ContainsAny(part, "0123456789") && strings.ContainsFunc(part, unicode.IsLetter)
	}) || u.Host == slackHost
}

// slackHost takes messages at URLs that are secrets.
const slackHost = "hooks.slack.com"

// Wants says whether somebody is to be told of an event.
func (n *Notify) Wants(event string) bool { return len(n.On) == 0 || slices.Contains(n.On, event) }

// Finite says whether the campaign ends by itself.
func (p *CampaignPlan) Finite() bool {
	return p.Duration > 0 || !slices.ContainsFunc(p.Parts, func(c Part) bool { return c.Cases == 0 })
}

// What somebody may be told of.
const (
	EventBug  = "bug"  // one that is new
	EventDead = "dead" // a cell that cannot be run
	EventEnd  = "end"  // of the campaign
)
