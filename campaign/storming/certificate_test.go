package storming

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"txweave/campaign/target"
	"txweave/dbms/sqlite"
	"txweave/history/register"
)

// TestEarlierCertificate: a history that is written leaves no certificate of an earlier storm beside it, which a check
// would take for its own where this storm has none.
func TestEarlierCertificate(t *testing.T) {
	dir := t.TempDir()
	c := Config{History: filepath.Join(dir, "h.jsonl"), Certificate: filepath.Join(dir, "c.jsonl")}
	if err := os.WriteFile(c.Certificate, []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &Storm{Config: c, On: &target.Chosen{DBMS: sqlite.Driver}}
	if err := s.judge(t.Context()).WriteHistory(register.NewBuilder(0, 0).History()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(c.Certificate); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the earlier certificate is there: %v", err)
	}
	if _, err := os.Stat(c.History); err != nil {
		t.Error(err)
	}
	s.Certificate = os.DevNull
	if err := s.judge(t.Context()).WriteHistory(register.NewBuilder(0, 0).History()); err != nil {
		t.Error(err)
	}
}
