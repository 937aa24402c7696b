package finding

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path/filepath"

	"txweave/internal/former"
)

// Format is the number of finding.json's format. A txweave reads its own and those before it.
const Format = 3

// Environment says under what a finding was made: what a report to a maintainer has to name.
type Environment struct {
	ToolVersion string `json:"tool_version"`
	OS          string `json:"os"` // operating system and architecture of txweave, "linux/amd64"
	DBMS        string `json:"dbms"`
	Version     string `json:"version"`          // as the server says it
	Server      string `json:"server,omitempty"` // path of the server's binary, where one was named
	Isolation   string `json:"isolation"`        // level at which it ran
	Claim       string `json:"claim,omitempty"`  // level to which it was held, where that is another one
	// Planted are the bugs that txweave itself had put between it and the engine, by name: such a finding says nothing of
	// the engine.
	Planted []string `json:"planted,omitempty"`
	// Settings are the server's and the session's: variable -> value.
	Settings map[string]string `json:"settings,omitempty"`
	// Changed are those of the server's that somebody has set; nil where that is not known.
	Changed []string `json:"changed"`
	Seed    uint64   `json:"seed"`              // of the campaign
	Case    int      `json:"case"`              // number in the campaign
	Command string   `json:"command,omitempty"` // command line, without passwords
}

// Record is what finding.json holds.
type Record struct {
	Format int    `json:"format"` // see Format; 0: written before formats had numbers
	ID     string `json:"id"`
	Finding
	Rate string `json:"rate"` // "n/N": it came back n of N times
	// Unconfirmed says that it did not come back each time.
	Unconfirmed bool        `json:"unconfirmed,omitempty"`
	Environment Environment `json:"environment"`
}

// UnmarshalJSON reads a record, also one of an earlier version.
func (r *Record) UnmarshalJSON(data []byte) error {
	type plain Record
	return former.Record.Unmarshal(data, (*plain)(r))
}

// ReadRecord reads the record of a finding's directory.
func ReadRecord(dir string) (*Record, error) {
	d, err := Open(dir)
	if err != nil {
		return nil, err
	}
	if d.Record == nil {
		return nil, &fs.PathError{Op: "open", Path: filepath.Join(dir, RecordFile), Err: fs.ErrNotExist}
	}
	return d.Record, nil
}

// Print returns the text of finding.json.
func (r *Record) Print() ([]byte, error) {
	r.Format = Format
	r.Rate = fmt.Sprintf("%d/%d", r.Confirmed, r.Repeated)
	text, err := json.MarshalIndent(r, "", "  ")
	return append(text, '\n'), err
}
