package database

import (
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"txweave/campaign/store"
	"txweave/finding"
)

// TestBucket: files of findings lie in an object store, whole, and are seen from another directory; what goes, goes
// there, too.
func TestBucket(t *testing.T) {
	backend := s3mem.New()
	server := httptest.NewServer(gofakes3.New(backend).Server())
	defer server.Close()
	if err := backend.CreateBucket("finds"); err != nil {
		t.Fatal(err)
	}
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "hunter2")
	at := "s3://finds/campaigns/one?region=us-east-1&endpoint=" + server.URL
	url := stores(t)["mariadb"]
	d, err := OpenShared(t.Context(), url, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	empty(t, d)
	defer empty(t, d)
	if err := d.UseBucket(t.Context(), at); err != nil {
		t.Fatal(err)
	}
	cells, err := d.Begin(t.Context(), Shard{0, 1}, "test",
		[]CellPlan{{Name: "one", Target: "sqlite", Isolation: "serializable", Mode: "fuzz"}}, func() uint64 { return 7 })
	if err != nil {
		t.Fatal(err)
	}
	c := cells[0]
	rec, sig := found(0, "crash/x")
	log := strings.Repeat("0123456789", 100_000)
	name, err := c.Save(rec, map[string][]byte{finding.LogFile: []byte(log)})
	if err != nil {
		t.Fatal(err)
	}
	p := []store.Placement{{Record: rec, Signature: sig, Name: name}}
	if _, err := c.Done(&store.CaseDone{Outcome: finding.Found, Waiting: p}); err != nil {
		t.Fatal(err)
	}
	if err := c.SaveReduced(name, rec, map[string][]byte{finding.CaseFile: []byte("txweave case 1\n")}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Place(p, 3); err != nil {
		t.Fatal(err)
	}
	var parts int
	if err := d.row(t.Context(), "SELECT COUNT(*) FROM artifacts").Scan(&parts); err != nil || parts != 0 {
		t.Errorf("%d parts of files lie in the database, %v", parts, err)
	}

	// Whoever looks at the campaign is told by it where its files are.
	elsewhere := t.TempDir()
	other, err := OpenShared(t.Context(), url, elsewhere)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if _, err := other.Open(name); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{finding.LogFile: log,
		finding.ReducedDir + "/" + finding.CaseFile: "txweave case 1\n"} {
		if text, err := os.ReadFile(filepath.Join(elsewhere, name, file)); err != nil || string(text) != want {
			t.Errorf("%s: %d bytes, %v", file, len(text), err)
		}
	}
	var plan *PlanError
	if err := other.UseBucket(t.Context(), strings.Replace(at, "one", "two", 1)); !errors.As(err, &plan) {
		t.Errorf("another address is taken: %v", err)
	}
	if err := d.discard(t.Context(), name); err != nil {
		t.Fatal(err)
	}
	third, err := OpenShared(t.Context(), url, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer third.Close()
	if _, err := third.Open(name); !os.IsNotExist(err) {
		t.Errorf("files that went are there: %v", err)
	}

	// A store that is away is the campaign's, not the case's: it ends, and goes on when it is there again.
	server.Close()
	rec, sig = found(1, "crash/y")
	if name, err = c.Save(rec, map[string][]byte{finding.LogFile: []byte(log)}); err != nil {
		t.Fatal(err)
	}
	var lost *StoreError
	p = []store.Placement{{Record: rec, Signature: sig, Name: name}}
	if _, err := c.Done(&store.CaseDone{Case: 1, Outcome: finding.Found, Waiting: p}); !errors.As(err, &lost) ||
		strings.Contains(err.Error(), "hunter2") {
		t.Errorf("%v", err)
	}
	if s := status(t, d); s.Cells[0].CasesChecked != 1 {
		t.Errorf("a case is counted whose files are nowhere: %+v", s.Cells[0])
	}
}

// TestBucketAddresses: what is no address of a bucket, and one that holds a key, is refused.
func TestBucketAddresses(t *testing.T) {
	for at, want := range map[string]string{
		"s3://": "not an address", "http://x/y": "not an address", "s3://key:secret@b/x": "holds a key",
		"s3://b?endpoint=ftp://x": `endpoint "ftp://x"`, "s3://b?key=1": `unknown parameter "key"`,
		"s3://b?endpoint=https://u:p@x": "endpoint",
	} {
		var plan *PlanError
		if _, err := openBucket(at); !errors.As(err, &plan) || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", at, err)
		}
	}
	for _, at := range []string{"s3://b", "s3://b/x/y?region=eu-west-1", "s3://b?endpoint=http://127.0.0.1:9000"} {
		if _, err := openBucket(at); err != nil {
			t.Errorf("%s: %v", at, err)
		}
	}
	d, _ := open(t, t.TempDir())
	if err := d.UseBucket(t.Context(), "s3://b"); err == nil || !strings.Contains(err.Error(), "--store") {
		t.Error(err)
	}
}
