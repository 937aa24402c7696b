// Package former is the table of names that files, flags and values of earlier versions have: what was written then is
// read under its present name.
//
// Kinds of faults have theirs in package fault, labels of dependencies in package sdg.
package former

import (
	"bytes"
	"encoding/json"
)

// Names are present names by the earlier ones.
type Names map[string]string

// The names of each place.
var (
	// Flags of commands.
	Flags = Names{"faults": "inject", "flood": "pause-above"}
	// Plan are keys of a cell of campaign.toml, Recipe those of a file of storm --save, and Known those of a list of known
	// bugs.
	Plan   = Names{"faults": "inject"}
	Recipe = Names{"faults": "inject"}
	Known  = Names{"guilty": "blamed"}
	// Record are keys of finding.json, and Bug those of a bug in bugs.json and in a campaign's database.
	Record = Names{"suspect": "unconfirmed"}
	Bug    = Names{"suspects": "unconfirmed"}
	// Detection are keys of what detect --format json prints.
	Detection = Names{"faults": "planted"}
	// Statuses are those of bugs.
	Statuses = Names{"suspect": "unconfirmed"}
	// Kinds are what the names of findings begin with.
	Kinds = Names{"suspect": "unconfirmed"}
	// Parts are values of --without beside the generator's productions.
	Parts = Names{"drafts": "candidates", "meetings": "conflicts"}
	// Workloads are those of storms.
	Workloads = Names{"woven": "generated"}
)

// Now is the present name of what was called name: name itself where nothing else is known of it.
func (n Names) Now(name string) string {
	if now, was := n[name]; was {
		return now
	}
	return name
}

// Unmarshal decodes a JSON object into v as json.Unmarshal does, its keys by their present names. A key that the object
// has under both names counts under the present one.
func (n Names) Unmarshal(data []byte, v any) error {
	if !n.in(data) {
		return json.Unmarshal(data, v)
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(data, &object); err != nil {
		return err
	}
	rename(n, object)
	data, err := json.Marshal(object)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, v)
}

// in says whether a text may have one of the earlier names as a key.
func (n Names) in(data []byte) bool {
	for old := range n {
		if bytes.Contains(data, []byte(`"`+old+`"`)) {
			return true
		}
	}
	return false
}

// rename gives the keys of a map their present names.
func rename[V any](n Names, object map[string]V) (renamed bool) {
	for old, now := range n {
		value, was := object[old]
		if !was {
			continue
		}
		if _, has := object[now]; !has {
			object[now] = value
		}
		delete(object, old)
		renamed = true
	}
	return renamed
}

// Rename gives the keys of a map, and of the maps in its lists, their present names. It says whether there was an
// earlier one.
func (n Names) Rename(object map[string]any) (renamed bool) {
	renamed = rename(n, object)
	for _, value := range object {
		list, _ := value.([]map[string]any)
		for _, inner := range list {
			renamed = n.Rename(inner) || renamed
		}
	}
	return renamed
}
