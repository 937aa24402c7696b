package histories

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"txweave/dbms"
	"txweave/fault"
	"txweave/history/format"
	"txweave/history/register"
	"txweave/internal/asked"
)

// Set is some histories that are written to files: Count of each anomaly, of seeds from Seed on.
type Set struct {
	Config
	Seed      uint64
	Count     int
	Anomalies []fault.Kind // "" is a valid history
	Format    string       // one of format.WriterNames
}

// IndexName is the file that says what each file of a set is.
const IndexName = "index.jsonl"

// Judged is a history of a set, and the line that the index has for it.
type Judged struct {
	File         string     `json:"file"`
	Format       string     `json:"format"`
	Certificate  string     `json:"certificate,omitempty"` // its file, where the history shows the anomaly with it
	Anomaly      fault.Kind `json:"anomaly,omitempty"`
	Seed         uint64     `json:"seed"`
	Transactions int        `json:"transactions"`
	Operations   int        `json:"operations"`
	// Verdicts say what a checker must find at each level, with session order as part of it: valid or invalid.
	// Levels that are stronger than what the history was made at are left out, as are those that need times where the
	// format has none, and where there is a certificate those that are not checked with one.
	Verdicts map[dbms.Level]string `json:"verdicts"`

	History   *register.History `json:"-"`
	certified *certificate      // of Certificate
}

// Validate says what the set has that cannot be.
func (s *Set) Validate() error {
	if s.Count < 1 || len(s.Anomalies) == 0 {
		return errors.New("there is no history to write")
	}
	if _, err := format.Extension(s.Format); err != nil {
		return err
	}
	if s.Lists && !format.Keeps(s.Format).Lists {
		return fmt.Errorf("the format %s cannot hold lists", s.Format)
	}
	for _, k := range s.Anomalies {
		a, err := planted(k)
		switch {
		case err != nil:
			return err
		case a != nil && !s.holds(a):
			return fmt.Errorf("histories in the format %s cannot show %s", s.Format, k)
		}
	}
	_, err := s.Config.withDefaults()
	return err
}

// Plant adds anomalies to the set by their names: none is a valid history, all leaves out what the format or the shape
// of transactions cannot tell.
func (s *Set) Plant(names ...string) {
	for _, name := range names {
		switch name {
		case "none":
			s.Anomalies = append(s.Anomalies, "")
		case "all":
			for _, a := range Anomalies() {
				if s.CanTell(&a) {
					s.Anomalies = append(s.Anomalies, a.Kind)
				}
			}
		default:
			s.Anomalies = append(s.Anomalies, fault.Kind(name))
		}
	}
}

// List says, a line each, what can be planted and at which levels it is then invalid.
func List() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-26s %-36s %s\n", "anomaly", "invalid at", "what it is")
	for _, a := range Anomalies() {
		var levels []string
		for _, l := range slices.Backward(a.Forbidden) {
			levels = append(levels, string(l))
		}
		fmt.Fprintf(&b, "%-26s %-36s %s\n", a.Kind, strings.Join(levels, " "), fault.Of(a.Kind).Title)
	}
	return b.String()
}

// CanTell says whether histories of the set's format and shape can show an anomaly.
func (s *Set) CanTell(a *Anomaly) bool {
	return a.Fits(s.Shape) && s.holds(a) && !(s.Lists && a.Searches())
}

// holds says whether the format has what an anomaly is of. A certificate names transactions as the history does, by
// numbers.
func (s *Set) holds(a *Anomaly) bool {
	switch keeps := format.Keeps(s.Format); {
	case a.Kind == fault.HistoryRealTimeViolation:
		return keeps.Times
	case a.Kind == fault.HistoryAbortedRead:
		return keeps.Aborted
	default:
		return keeps.Numbers || !a.Searches()
	}
}

// Make makes one history of the set. It ends with the context.
func (s *Set) Make(ctx context.Context, k fault.Kind, seed uint64) (*Judged, error) {
	cfg := s.Config
	cfg.Anomaly, cfg.Stop = k, ctx.Err
	cfg.KeepAborted = cfg.Aborts > 0
	cfg.NoInitial = s.Format != "awdit" // which has no other way to say what a key holds at first
	if cfg.Level == "" {
		cfg.Level = dbms.SSER
	}
	a, err := planted(k)
	if err != nil {
		return nil, err
	}
	h, told, err := a.history(rand.New(rand.NewPCG(seed, 0)), cfg)
	if err != nil {
		return nil, err
	}
	ext, err := format.Extension(s.Format)
	if err != nil {
		return nil, err
	}
	name := string(k)
	if k == "" {
		name = "valid"
	}
	m := &Judged{File: fmt.Sprintf("%s-%d%s", name, seed, ext), Format: s.Format, Anomaly: k, Seed: seed,
		Transactions: len(h.Txns), Operations: len(h.Ops), Verdicts: map[dbms.Level]string{}, History: h, certified: told}
	if told != nil {
		m.Certificate = m.File + ".certificate"
	}
	for i, level := range Levels {
		switch {
		case m.certified != nil && !slices.Contains(certifiedLevels, level):
		case level == dbms.SSER && !format.Keeps(s.Format).Times:
		case a != nil && !a.Allows(level):
			m.Verdicts[level] = "invalid"
		case i >= slices.Index(Levels, cfg.Level):
			m.Verdicts[level] = "valid"
		}
	}
	return m, nil
}

// history is one that shows the anomaly, nil for none, with its certificate if it needs that.
func (a *Anomaly) history(rng *rand.Rand, cfg Config) (*register.History, *certificate, error) {
	if a != nil && a.Searches() {
		return certified(rng, cfg)
	}
	h, err := Generate(rng, cfg)
	return h, nil, err
}

// planted is the anomaly of a kind; nil where that is "".
func planted(k fault.Kind) (*Anomaly, error) {
	if k == "" {
		return nil, nil
	}
	return Named(k)
}

// certifiedLevels are those that are checked with a certificate.
var certifiedLevels = []dbms.Level{dbms.SER, dbms.RR, dbms.SI, dbms.RC}

// WriteOne writes the first history of the set to out, or to the file of a name, and its certificate, if it has one,
// beside that.
func (s *Set) WriteOne(ctx context.Context, out io.Writer, name string) error {
	m, err := s.Make(ctx, s.Anomalies[0], s.Seed)
	switch {
	case err != nil:
		return err
	case name != "":
		m.File = filepath.Base(name)
		if m.certified != nil {
			m.Certificate = m.File + ".certificate"
		}
		return m.write(ctx, filepath.Dir(name))
	case m.certified != nil:
		return fmt.Errorf("%s is shown by a certificate beside the history: name a file with --out", m.Anomaly)
	}
	return format.WriteAs(out, s.Format, m.History)
}

// write writes the history into a directory, and its certificate beside it.
func (m *Judged) write(ctx context.Context, dir string) error {
	err := asked.Write(ctx, filepath.Join(dir, m.File), func(out io.Writer) error {
		return format.WriteAs(out, m.Format, m.History)
	})
	if err != nil || m.certified == nil {
		return err
	}
	return asked.Write(ctx, filepath.Join(dir, m.Certificate), m.certified.write)
}

// WriteDir writes all histories into a directory, which is made where there is none, and the index beside them.
func (s *Set) WriteDir(ctx context.Context, dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	return asked.Write(ctx, filepath.Join(dir, IndexName), func(index io.Writer) error {
		enc := json.NewEncoder(index)
		for _, k := range s.Anomalies {
			for i := range s.Count {
				if err := s.write(ctx, dir, k, s.Seed+uint64(i), enc); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// write writes one history into a directory, and its line into the index.
func (s *Set) write(ctx context.Context, dir string, k fault.Kind, seed uint64, index *json.Encoder) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	m, err := s.Make(ctx, k, seed)
	if err != nil {
		return err
	}
	if err := m.write(ctx, dir); err != nil {
		return err
	}
	return index.Encode(m)
}
