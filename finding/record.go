package finding

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// RecordFile is the file of a finding's directory that holds its Record.
const RecordFile = "finding.json"

// Environment says under what a finding was made: what a report to a maintainer has to name.
type Environment struct {
	ToolVersion string `json:"tool_version"`
	OS          string `json:"os"` // operating system and architecture of txweave, "linux/amd64"
	DBMS        string `json:"dbms"`
	Version     string `json:"version"`         // as the server says it
	Isolation   string `json:"isolation"`       // level at which it ran
	Claim       string `json:"claim,omitempty"` // level to which it was held, where that is another one
	// Settings are the server's and the session's: variable -> value.
	Settings map[string]string `json:"settings,omitempty"`
	Seed     uint64            `json:"seed"`              // of the campaign
	Case     int               `json:"case"`              // number in the campaign
	Command  string            `json:"command,omitempty"` // command line, without passwords
}

// Record is what finding.json holds.
type Record struct {
	ID string `json:"id"`
	Finding
	Rate        string      `json:"rate"` // "n/N": it came back n of N times
	Environment Environment `json:"environment"`
}

// ReadRecord reads the record of a finding's directory.
func ReadRecord(dir string) (*Record, error) {
	path := filepath.Join(dir, RecordFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var r Record
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &r, nil
}

// Print returns the text of finding.json.
func (r *Record) Print() ([]byte, error) {
	r.Rate = fmt.Sprintf("%d/%d", r.Confirmed, r.Repeated)
	text, err := json.MarshalIndent(r, "", "  ")
	return append(text, '\n'), err
}
