package export

import (
	"context"
	"io"
	"os"
	"path/filepath"

	"txweave/internal/output"
)

// Put writes an export to a file, to a directory, or to standard output.
func Put(ctx context.Context, files []File, dir bool, to string, stdout io.Writer) error {
	if to == "" {
		_, err := io.WriteString(stdout, files[0].Text)
		return err
	}
	if !dir {
		return output.File(ctx, to, []byte(files[0].Text))
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	for _, f := range files {
		if err := output.File(ctx, filepath.Join(to, f.Name), []byte(f.Text)); err != nil {
			return err
		}
	}
	return nil
}
