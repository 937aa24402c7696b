// Package strict reads the files that people write: what is not understood is refused, with its place.
package strict

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/BurntSushi/toml"
)

// TOML decodes the text of a file into v, a pointer to a struct. of says what the file is about, as in "a campaign", for the
// error of a key that v does not have. What it returns tells which keys are there. Errors begin with the path.
func TOML(path string, text []byte, of string, v any) (toml.MetaData, error) {
	meta, err := toml.NewDecoder(bytes.NewReader(text)).Decode(v)
	var bad toml.ParseError
	switch {
	case errors.As(err, &bad):
		return meta, fmt.Errorf("%s:%d: %s", path, bad.Position.Line, bad.Message)
	case err != nil:
		return meta, fmt.Errorf("%s: %w", path, err)
	case len(meta.Undecoded()) > 0:
		return meta, fmt.Errorf("%s: %s is no key of %s", path, meta.Undecoded()[0], of)
	}
	return meta, nil
}
