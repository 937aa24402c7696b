package recipe

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"txweave/gen/workload"
	"txweave/internal/strict"
)

// example uses everything that a recipe can say.
func example() *Recipe {
	return &Recipe{Target: "mariadb", Server: "mariadbd", Isolation: "snapshot", Claim: "serializable",
		Inject:   []string{"lost-commit"},
		Workload: "random-sql", Keys: 100, Distribution: "zipf", Without: []string{"get"}, Sessions: 8, Seed: 7,
		Duration: strict.Duration(90 * time.Second),
		Nemesis:  []string{"ddl", "kill", "locks"}, Acts: []string{"a", "b"}, Every: strict.Duration(20 * time.Millisecond),
		Perturb: true, Transactions: 900,
		Tuning: workload.Tuning{Operations: 7, Reads: new(float64), Theta: 1.5, ValueSize: 100},
		Finding: []Seen{{Signature: "s", Summary: "it is\n\"odd\"", Times: 2, Storms: 3,
			Median: strict.Duration(time.Second)}}}
}

func TestRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "storm.toml")
	want := example()
	if err := want.Write(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	got, err := Read(t.Context(), path)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	// Everything is used: a field that is left at zero here would not be tested.
	for i, v := 0, reflect.ValueOf(*want); i < v.NumField(); i++ {
		if v.Field(i).IsZero() {
			t.Errorf("%s is not in the example", v.Type().Field(i).Name)
		}
	}
}

func TestDamaged(t *testing.T) {
	dir := t.TempDir()
	for text, want := range map[string]string{
		"target = 3": "storm.toml",
		"target = \"sqlite\"\nworkload = \"mini\"\nkeys = 1\nsessions = 1\n": "duration is missing",
		"target = \"sqlite\"\nnonsense = 1\n":                                "nonsense is not a key",
		"duration = \"-1s\"":                                                 "negative", "target = ": ":1: ",
		"duration = \"soon\"": "invalid duration",
	} {
		path := filepath.Join(dir, "storm.toml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(t.Context(), path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// A finding that needs some of a recipe keeps that and loses the rest; one that shows seldom is tried often enough.
func TestReduce(t *testing.T) {
	acts := []string{"create", "rebuild", "rename", "analyze", "truncate"}
	storms := 0
	run := func(r *Recipe) (bool, time.Duration, error) {
		storms++
		needs := slices.Contains(r.Nemesis, "ddl") && (len(r.Acts) == 0 || slices.Contains(r.Acts, "rebuild")) &&
			r.Sessions >= 3 && r.Keys >= 5 && r.Operations >= 4 &&
			!slices.Contains(r.Without, "put") && !slices.Contains(r.Without, "scan")
		return needs && storms%2 == 0, 3 * time.Second, nil
	}
	start := &Recipe{Target: "mariadb", Workload: "random-sql", Keys: 100, Distribution: "zipf", Sessions: 16,
		Duration: strict.Duration(time.Minute),
		Tuning:   workload.Tuning{Operations: 12, Theta: 2, ValueSize: 1000, Reads: new(float64)},
		Nemesis:  []string{"ddl", "kill", "locks"}, Perturb: true}
	l := Limits{Tries: TriesFor(0.5, 10), Acts: acts, Operations: []string{"get", "scan", "put", "insert"},
		Told: func(string, bool) {}}
	got, err := Reduce(start, l, run)
	want := &Recipe{Target: "mariadb", Workload: "random-sql", Keys: 5, Distribution: "uniform", Sessions: 3,
		Duration: strict.Duration(6 * time.Second),
		Nemesis:  []string{"ddl"}, Acts: []string{"rebuild"}, Without: []string{"get", "insert"},
		Tuning: workload.Tuning{Operations: 4}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	seen, err := Rate(got, 10, run)
	if err != nil || seen.Times != 5 || seen.Storms != 10 || seen.Median != strict.Duration(3*time.Second) {
		t.Errorf("%+v, %v", seen, err)
	}
}

func TestTriesFor(t *testing.T) {
	for rate, want := range map[float64]int{1: 1, 0.5: 5, 0.1: 10, 0.96: 1} {
		if got := TriesFor(rate, 10); got != want {
			t.Errorf("at a rate of %v %d storms, want %d", rate, got, want)
		}
	}
}
