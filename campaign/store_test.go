package campaign

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"txweave/finding"
)

func TestStore(t *testing.T) {
	s := &Store{Dir: filepath.Join(t.TempDir(), "a", "b")}
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Dir(s.Dir)); err == nil {
		t.Error("Check made a directory")
	}
	f := found("replay-difference")
	f.Confirmed, f.Repeated = 4, 5
	ref := &finding.Record{ID: "finding-000003-0", Finding: f.Finding, Environment: finding.Environment{DBMS: "fake", Seed: 7, Case: 3}}
	dir, err := s.Save(ref, f.Files)
	if err != nil || dir != filepath.Join(s.Dir, ref.ID) {
		t.Fatalf("%s, %v", dir, err)
	}
	if len(f.Files) != 1 {
		t.Errorf("Save changed the finding's files: %v", f.Files)
	}
	text, err := os.ReadFile(filepath.Join(dir, "finding.json"))
	if err != nil {
		t.Fatal(err)
	}
	var meta map[string]any
	if err := json.Unmarshal(text, &meta); err != nil {
		t.Fatal(err)
	}
	if meta["id"] != ref.ID || meta["class"] != "replay-difference" || meta["summary"] != "a summary" || meta["files"] != nil {
		t.Errorf("finding.json: %s", text)
	}
	if rec, err := finding.ReadRecord(dir); err != nil || !reflect.DeepEqual(rec, ref) || rec.Rate != "4/5" {
		t.Errorf("%+v, %v", rec, err)
	}
	if text, err = os.ReadFile(filepath.Join(dir, "case.txw")); err != nil || string(text) != "text" {
		t.Errorf("case.txw: %q, %v", text, err)
	}
	if st, err := os.Stat(dir); err != nil || st.Mode().Perm() != 0o755 {
		t.Errorf("%v, %v", st.Mode(), err)
	}

	// A name that an earlier campaign took stays its own.
	again, err := s.Save(ref, f.Files)
	if err != nil || again != dir+".2" {
		t.Errorf("%s, %v", again, err)
	}
	if third, err := s.Save(ref, f.Files); err != nil || third != dir+".3" {
		t.Errorf("%s, %v", third, err)
	}
}

// TestStoreWhole checks that a finding that cannot be written whole leaves no directory, neither under its name nor
// under a temporary one.
func TestStoreWhole(t *testing.T) {
	s := &Store{Dir: t.TempDir()}
	f := found("x")
	f.Files["no/such/directory"] = []byte("y")
	if dir, err := s.Save(&finding.Record{ID: "finding-000001-0"}, f.Files); err == nil || dir != "" {
		t.Errorf("%q, %v", dir, err)
	}
	left, err := os.ReadDir(s.Dir)
	if err != nil || len(left) != 1 || left[0].Name() != presenceFile {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestStoreCheck(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		dir:                           "",
		filepath.Join(dir, "new/new"): "",
		file:                          "is not a directory",
		filepath.Join(file, "below"):  "not a directory",
	} {
		err := (&Store{Dir: path}).Check()
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	if os.Getuid() != 0 { // root may write anywhere
		sealed := filepath.Join(dir, "sealed")
		if err := os.Mkdir(sealed, 0o555); err != nil {
			t.Fatal(err)
		}
		if err := (&Store{Dir: filepath.Join(sealed, "out")}).Check(); err == nil || !strings.Contains(err.Error(), "cannot write to "+sealed) {
			t.Errorf("sealed directory: %v", err)
		}
	}
}
