package sqlite

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// A power cut that takes everything leaves a file as it was synced; one that takes a part leaves each sector as it was
// or as it is, and the file as long as it was or is.
func TestCut(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	fill := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(rng.IntN(256))
		}
		return b
	}
	for round := range 300 {
		path := filepath.Join(t.TempDir(), "f")
		synced := fill(rng.IntN(5 * sector))
		if err := os.WriteFile(path, synced, 0o600); err != nil {
			t.Fatal(err)
		}
		d := &volatileDisk{files: map[string]*volatileFile{}}
		f, err := d.fileOf(path)
		if err != nil {
			t.Fatal(err)
		}
		for range rng.IntN(6) {
			at, what := int64(rng.IntN(6*sector)), fill(1+rng.IntN(2*sector))
			if rng.IntN(4) == 0 {
				size := int64(rng.IntN(6 * sector))
				if err := f.remember(size, f.synced); err != nil {
					t.Fatal(err)
				}
				if err := f.raw.Truncate(size); err != nil {
					t.Fatal(err)
				}
				continue
			}
			if err := f.remember(at, at+int64(len(what))); err != nil {
				t.Fatal(err)
			}
			if _, err := f.raw.WriteAt(what, at); err != nil {
				t.Fatal(err)
			}
		}
		written, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all := round%2 == 0
		if err := f.cut(func() bool { return all || rng.IntN(2) == 0 }); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if all && !bytes.Equal(got, synced) {
			t.Fatalf("round %d: %d bytes are left of %d that were synced, or others", round, len(got), len(synced))
		}
		if len(got) != len(synced) && len(got) != len(written) {
			t.Fatalf("round %d: the file has %d bytes; it had %d and then %d", round, len(got), len(synced), len(written))
		}
		for from := 0; from < len(got); from += sector {
			to := min(from+sector, len(got))
			if part := got[from:to]; !bytes.Equal(part, stretch(synced, from, to)) &&
				!bytes.Equal(part, stretch(written, from, to)) {
				t.Fatalf("round %d: the sector at %d is neither as it was nor as it became", round, from)
			}
		}
		f.raw.Close()
	}
}

// stretch is a part of a file, with zeros where it ends earlier.
func stretch(b []byte, from, to int) []byte {
	out := make([]byte, to-from)
	if from < len(b) {
		copy(out, b[from:])
	}
	return out
}
