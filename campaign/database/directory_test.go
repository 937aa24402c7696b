package database

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"txweave/campaign/store"
	"txweave/finding"
)

// TestTidy: what a killed process had begun to write is gone when the next one begins; findings and what is not ours
// stay.
func TestTidy(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a[b]*")
	_, c := open(t, dir)
	rec, sig := found(0, "crash/x")
	name, err := c.Save(rec, map[string][]byte{finding.LogFile: []byte("log")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Done(&store.CaseDone{Outcome: finding.Found, Waiting: []store.Placement{{Record: rec, Signature: sig,
		Name: name}}}); err != nil {
		t.Fatal(err)
	}
	begun := []string{finding.TempPrefix + "1", filepath.Join(name, finding.TempPrefix+"2")}
	for _, x := range append(begun, "mine") {
		if err := os.MkdirAll(filepath.Join(dir, x, "deep"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	open(t, dir)
	for _, x := range begun {
		if _, err := os.Stat(filepath.Join(dir, x)); !os.IsNotExist(err) {
			t.Errorf("%s: %v", x, err)
		}
	}
	for _, x := range []string{"mine", filepath.Join(name, finding.LogFile)} {
		if _, err := os.Stat(filepath.Join(dir, x)); err != nil {
			t.Error(err)
		}
	}
}

// TestLockedWhileAsked: a campaign begins although others ask all the time whether it runs.
func TestLockedWhileAsked(t *testing.T) {
	dir := t.TempDir()
	d, _ := open(t, dir)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					if _, err := d.running(t.Context()); err != nil {
						t.Error(err)
						return
					}
					time.Sleep(100 * time.Microsecond)
				}
			}
		})
	}
	for range 50 {
		unlock, err := Lock(dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := unlock(); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	wg.Wait()
}

// TestThisStart: what counts as done since the start is that of processes that live.
func TestThisStart(t *testing.T) {
	dir := t.TempDir()
	for n := range 3 {
		d, c := open(t, dir) // the one before was killed
		if _, err := c.Done(&store.CaseDone{Case: n, Outcome: finding.Clean}); err != nil {
			t.Fatal(err)
		}
		if s := status(t, d); s.Cells[0].Cases != int64(n)+1 || s.Cells[0].This != 1 {
			t.Errorf("start %d: %d cases, %d since it", n, s.Cells[0].Cases, s.Cells[0].This)
		}
	}
}

// TestFrozen: a campaign in a directory where nobody can write is read as it lies, unless changes are outside its file.
func TestFrozen(t *testing.T) {
	dir := t.TempDir()
	d, c := open(t, dir)
	if _, err := c.Done(&store.CaseDone{Outcome: finding.Clean}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, File)
	if _, err := readOnly(path); err == nil || !strings.Contains(err.Error(), "copy the directory") {
		t.Errorf("with a write-ahead log: %v", err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	query, err := readOnly(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := openFile(dir, path, query)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.checkFormat(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s := status(t, r); s.Cells[0].Cases != 1 || s.Running {
		t.Errorf("%+v", s)
	}
	for _, name := range []string{"-wal", "-shm"} {
		if _, err := os.Stat(path + name); !os.IsNotExist(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSamples: of a cell in several shards a chart has the sum at each moment, however many samples there are; what
// rests takes none, and old ones become few.
func TestSamples(t *testing.T) {
	dir := t.TempDir()
	d, c := open(t, dir)
	for range 2 { // the second says nothing new
		if err := c.TakeSample(t.Context(), 1, 1); err != nil {
			t.Fatal(err)
		}
	}
	var n int
	if err := d.row(t.Context(), "SELECT COUNT(*) FROM samples").Scan(&n); err != nil || n != 1 {
		t.Fatalf("%d samples: %v", n, err)
	}
	begin := time.Unix(1_700_000_000, 0)
	err := d.tx(t.Context(), func(t *tx) error {
		if err := t.exec("DELETE FROM samples"); err != nil {
			return err
		}
		for i := range 4000 { // two shards, never at the same second
			shard := i % 2
			if err := t.exec(
				"INSERT INTO samples (cell, shard, at, cases, statements, survived, aborted, bugs, spent_ms, rss, disk) VALUES "+
					"(?, ?, ?, ?, 0, 0, 0, ?, ?, 5, 6)",
				c.id, shard, begin.Unix()+int64(i)*30, 10*(i/2), i/1000, 1000*(i/2)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	check := func(most int) {
		list, err := d.Samples(t.Context(), time.Time{})
		if err != nil || len(list) < 100 || len(list) > most {
			t.Fatalf("%d samples: %v", len(list), err)
		}
		for i, s := range list[1:] {
			if s.Cases < list[i].Cases || s.Spent < list[i].Spent || !s.At.After(list[i].At) {
				t.Fatalf("%+v comes after %+v", s, list[i])
			}
		}
		if last := list[len(list)-1]; last.Cases != 2*19990 || last.Spent != 2*1999*time.Second || last.Bugs != 3 ||
			last.RSS != 5 {
			t.Errorf("%+v", last)
		}
	}
	check(samplesRead + 2)
	dropped, err := d.ThinSamples(t.Context(), begin.Add(365*24*time.Hour))
	if err != nil || dropped < 1800 {
		t.Errorf("%d dropped: %v", dropped, err)
	}
	if again, err := d.ThinSamples(t.Context(), begin.Add(365*24*time.Hour)); err != nil || again != 0 {
		t.Errorf("%d dropped the second time: %v", again, err)
	}
	check(samplesRead + 2)
}
