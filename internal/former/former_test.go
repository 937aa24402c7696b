package former

import "testing"

// TestUnmarshal: an object is read under its earlier names and under its present ones, which count where it has both.
func TestUnmarshal(t *testing.T) {
	for text, want := range map[string]bool{
		`{"suspect": true}`:                       true,
		`{"unconfirmed": true}`:                   true,
		`{"suspect": true, "unconfirmed": false}`: false,
		`{"id": "suspect"}`:                       false,
	} {
		var r struct {
			Unconfirmed bool `json:"unconfirmed"`
		}
		if err := Record.Unmarshal([]byte(text), &r); err != nil || r.Unconfirmed != want {
			t.Errorf("%s: %v, %v, want %v", text, r.Unconfirmed, err, want)
		}
	}
	if err := Record.Unmarshal([]byte(`["suspect"]`), &struct{}{}); err == nil {
		t.Error("a list is read as an object")
	}
}

// TestNow: names are known under their present ones alone.
func TestNow(t *testing.T) {
	for _, names := range []Renames{Flags, Plan, Recipe, Known, Record, Bug, Detection, Statuses, Kinds,
		Executions, Parts,
		Workloads} {
		for old, now := range names {
			if names.Now(old) != now || names.Now(now) != now {
				t.Errorf("%s is %s, which is %s", old, names.Now(old), names.Now(now))
			}
		}
	}
}
