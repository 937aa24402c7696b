// Package former is the table of names that files, flags and values of earlier versions have: what was written then is
// read under its present name.
//
// Kinds of faults have theirs in package fault, labels of dependencies in package sdg.
package former

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Renames are present names by earlier ones.
type Renames map[string]string

// The names of each place.
var (
	// Flags of commands.
	Flags = Renames{"faults": "inject", "flood": "pause-above"}
	// Plan are keys of a cell of campaign.toml, Recipe those of a file of storm --save, and Known those of a list of known
	// bugs.
	Plan   = Renames{"faults": "inject"}
	Recipe = Renames{"faults": "inject"}
	Known  = Renames{"guilty": "blamed"}
	// Record are keys of finding.json, and Bug those of a bug in bugs.json and in a campaign's database.
	Record = Renames{"suspect": "unconfirmed"}
	Bug    = Renames{"suspects": "unconfirmed"}
	// Detection are keys of what detect --format json prints.
	Detection = Renames{"faults": "planted"}
	// Statuses are those of bugs.
	Statuses = Renames{"suspect": "unconfirmed"}
	// Kinds are what the names of findings begin with.
	Kinds = Renames{"suspect": "unconfirmed"}
	// Executions are statements that are none of a transaction, in findings and their signatures.
	Executions = Renames{"probe": "added-read"}
	// Parts are values of --without beside the generator's productions.
	Parts = Renames{"drafts": "candidates", "meetings": "conflicts"}
	// Workloads are those of storms.
	Workloads = Renames{"woven": "generated"}
)

// Now is the present name of what was called name: name itself where nothing else is known of it.
func (n Renames) Now(name string) string {
	if now, was := n[name]; was {
		return now
	}
	return name
}

// Before are the names that what is called name had earlier, sorted.
func (n Renames) Before(name string) []string {
	var out []string
	for old, now := range n {
		if now == name {
			out = append(out, old)
		}
	}
	slices.Sort(out)
	return out
}

// Unmarshal decodes a JSON object into v as json.Unmarshal does, its keys by their present names. A key that the object
// has under both names counts under the present one.
func (n Renames) Unmarshal(data []byte, v any) error {
	if !n.in(data) {
		return json.Unmarshal(data, v)
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(data, &object); err != nil {
		return err
	}
	n.rename(object)
	data, err := json.Marshal(object)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, v)
}

// in says whether a text may have one of the earlier names as a key.
func (n Renames) in(data []byte) bool {
	for old := range n {
		if bytes.Contains(data, []byte(`"`+old+`"`)) {
			return true
		}
	}
	return false
}

// rename gives the keys of an object their present names.
func (n Renames) rename(object map[string]json.RawMessage) {
	for old, now := range n {
		value, was := object[old]
		if !was {
			continue
		}
		if _, has := object[now]; !has {
			object[now] = value
		}
		delete(object, old)
	}
}
