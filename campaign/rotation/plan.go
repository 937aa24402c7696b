// Package rotation runs the cells of a campaign in turn: each is a target at a level in a mode.
package rotation

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"txweave/exec"
)

// The modes of a cell.
const (
	ModeFuzz   = "fuzz"
	ModeStorm  = "storm"
	ModeDetect = "detect" // a self-test: are planted bugs found?
)

// Part is a cell of a campaign as campaign.toml has it. Empty values are those of the command of its mode.
type Part struct {
	Name      string  `toml:"name"`
	Target    string  `toml:"target"`
	Server    string  `toml:"server,omitempty"`   // path of the binary of a private server
	DSN       string  `toml:"dsn,omitempty"`      // of a running one: without a password, or env, env:NAME
	DSNFile   string  `toml:"dsn_file,omitempty"` // holds it
	Isolation string  `toml:"isolation,omitempty"`
	Claim     string  `toml:"claim,omitempty"`
	Mode      string  `toml:"mode"`
	Weight    float64 `toml:"weight,omitempty"` // share of the time, against the others'; 0: 1
	Slice     Span    `toml:"slice,omitempty"`  // 0: the campaign's
	Seed      uint64  `toml:"seed,omitempty"`   // 0: a fresh one, kept with the campaign
	Workers   int     `toml:"workers,omitempty"`
	Cases     int     `toml:"cases,omitempty"` // it is done after so many; 0: never

	Without  []string `toml:"without,omitempty"` // productions of fuzz that are switched off
	Faults   []string `toml:"faults,omitempty"`  // planted bugs; of detect those that are tried
	Orders   int      `toml:"orders,omitempty"`
	NoReduce bool     `toml:"no_reduce,omitempty"`
	Reduce   Span     `toml:"reduce_time,omitempty"` // at most so long to reduce a finding, and all that are left when the turn is over; 0: a minute

	Workload     string   `toml:"workload,omitempty"`
	Sessions     int      `toml:"sessions,omitempty"`
	Keys         int      `toml:"keys,omitempty"`
	Distribution string   `toml:"distribution,omitempty"`
	Nemesis      []string `toml:"nemesis,omitempty"`
	Length       Span     `toml:"length,omitempty"` // of one storm, which is a case of the cell; 0: ten seconds
	Budget       int      `toml:"budget,omitempty"` // cases in which detect must find a planted bug; 0: 200
}

// CampaignPlan is a campaign.toml.
type CampaignPlan struct {
	Slice    Span   `toml:"slice,omitempty"`    // how long a cell runs before the next one does; 0: ten minutes
	Duration Span   `toml:"duration,omitempty"` // of the campaign; 0: until somebody ends it
	Parallel int    `toml:"parallel,omitempty"` // cells that run at once; 0: one
	HTTP     string `toml:"http,omitempty"`     // where the page is shown
	Parts    []Part `toml:"cell"`
}

// Span is a duration that is written like 10m.
type Span time.Duration

// UnmarshalText reads one.
func (s *Span) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text))
	if err == nil && d < 0 {
		err = fmt.Errorf("%s is less than nothing", d)
	}
	*s = Span(d)
	return err
}

// MarshalText prints one.
func (s Span) MarshalText() ([]byte, error) { return []byte(time.Duration(s).String()), nil }

// Read reads a campaign.toml. Its errors name the line.
func Read(path string) (*CampaignPlan, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, text)
}

// Parse reads the text of a campaign.toml.
func Parse(path string, text []byte) (*CampaignPlan, error) {
	p := &CampaignPlan{}
	meta, err := toml.NewDecoder(bytes.NewReader(text)).Decode(p)
	var bad toml.ParseError
	if errors.As(err, &bad) {
		return nil, fmt.Errorf("%s:%d: %s", path, bad.Position.Line, bad.Message)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return nil, fmt.Errorf("%s: %s is no key of a campaign", path, unknown[0])
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

var cellName = regexp.MustCompile(`^[a-z0-9][a-z0-9.]*(-[a-z0-9.]+)*$`)

// maxName is how long a cell's name may be: it is a part of names of directories.
const maxName = 80

// Check fills in what is not said and refuses what makes no sense.
func (p *CampaignPlan) Check() error {
	p.Slice = cmp.Or(p.Slice, Span(10*time.Minute))
	p.Parallel = cmp.Or(p.Parallel, 1)
	if p.Parallel < 1 {
		return errors.New("parallel must be at least 1")
	}
	if len(p.Parts) == 0 {
		return errors.New("it has no [[cell]]")
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
	c.Weight = cmp.Or(c.Weight, 1)
	c.Workers = cmp.Or(c.Workers, 1)
	stormy := c.Workload != "" || c.Sessions != 0 || c.Keys != 0 || c.Distribution != "" || len(c.Nemesis) > 0 || c.Length != 0
	switch {
	case !cellName.MatchString(c.Name) || len(c.Name) > maxName:
		return errors.New("a name has small letters, digits, dots and single hyphens, and begins with one of the first two")
	case numbered.MatchString(c.Name):
		return errors.New("a name must not end in numbers with hyphens between them: names of findings do")
	case !slices.Contains([]string{ModeFuzz, ModeStorm, ModeDetect}, c.Mode):
		return fmt.Errorf("mode %q: want fuzz, storm or detect", c.Mode)
	case c.Target == "" && c.DSN == "" && c.DSNFile == "":
		return errors.New("it needs a target, or a dsn")
	case c.Weight < 0:
		return errors.New("weight must not be negative")
	case c.Workers < 1 || c.Cases < 0 || c.Orders < 0 || c.Budget < 0:
		return errors.New("workers, cases, orders and budget must not be negative")
	case stormy && c.Mode != ModeStorm:
		return errors.New("workload, sessions, keys, distribution, nemesis and length belong to mode storm")
	case c.Mode != ModeFuzz && (len(c.Without) > 0 || c.Orders > 0):
		return errors.New("without and orders belong to mode fuzz")
	case c.Mode != ModeDetect && c.Budget > 0:
		return errors.New("budget belongs to mode detect")
	case c.Mode == ModeDetect && (c.DSN != "" || c.DSNFile != "") && c.Workers > 1:
		return errors.New("detect has one worker")
	case c.DSN != "" && c.DSNFile != "":
		return errors.New("dsn and dsn_file exclude each other")
	case (c.DSN != "" || c.DSNFile != "") && c.Server != "":
		return errors.New("dsn and server exclude each other")
	}
	if c.DSN != "" && exec.HasPassword(c.DSN) {
		return errors.New("the dsn has a password, which is not to lie about: put it into a file that only you can read (dsn_file), or into the environment (dsn = \"env:NAME\")")
	}
	return nil
}

var numbered = regexp.MustCompile(`(^|-)[0-9]+(-[0-9]+)?$`)
