package format

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// TestCompressed: what gzip and zstd have compressed is read as it was, whatever its name; what is cut off is an error.
func TestCompressed(t *testing.T) {
	const text = "w(5,7,0,3)\nr(5,7,1,4)\n"
	for name, compress := range map[string]func(io.Writer) io.WriteCloser{
		"gzip": func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
		"zstd": func(w io.Writer) io.WriteCloser {
			z, err := zstd.NewWriter(w)
			if err != nil {
				t.Fatal(err)
			}
			return z
		},
	} {
		var b bytes.Buffer
		w := compress(&b)
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "history")
		for _, cut := range []int{0, 6} {
			if err := os.WriteFile(path, b.Bytes()[:b.Len()-cut], 0o600); err != nil {
				t.Fatal(err)
			}
			h, format, err := read(path, "auto")
			switch {
			case cut == 0 && (err != nil || format != "text" || len(h.Txns) != 2):
				t.Errorf("%s: %v, %q, %v", name, h, format, err)
			case cut > 0 && err == nil:
				t.Errorf("%s: cut off, and read", name)
			}
		}
	}
}
