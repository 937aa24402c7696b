// Package strict reads the files that people write: what is not understood is refused, with its place.
package strict

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"txweave/internal/spelling"
)

// TOML decodes the text of a file into v, a pointer to a struct. of says what the file is about, as in "a campaign",
// for the error of a key that v does not have; old are earlier names of its keys, which are understood. What it returns
// tells which keys are there. Errors begin with the path.
func TOML(path string, text []byte, of string, v any, old map[string]string) (toml.MetaData, error) {
	text = renamed(text, old)
	meta, err := toml.NewDecoder(bytes.NewReader(text)).Decode(v)
	var bad toml.ParseError
	switch {
	case errors.As(err, &bad):
		return meta, fmt.Errorf("%s:%d: %s", path, bad.Position.Line,
			strings.Replace(bad.Message, "unexpected EOF;", "the file ends there:", 1))
	case err != nil:
		return meta, fmt.Errorf("%s: %w", path, err)
	case len(meta.Undecoded()) > 0:
		key := meta.Undecoded()[0]
		err := fmt.Errorf("%s: %s is not a key of %s", path, key, of)
		names := others(reflect.TypeOf(v), key)
		if len(names) == 0 {
			return meta, err
		}
		word := key[len(key)-1]
		return meta, spelling.Meant(fmt.Errorf("%w: no %q (there are %s)", err, word, strings.Join(names, ", ")),
			word, names...)
	}
	return meta, nil
}

// Duration is one that is written like 1m30s, and is not negative.
type Duration time.Duration

// MarshalText and UnmarshalText write and read it.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err == nil && v < 0 {
		err = fmt.Errorf("%s is negative", text)
	}
	*d = Duration(v)
	return err
}

// renamed is a text whose keys have their present names; one that cannot be read is left to whoever decodes it.
func renamed(text []byte, old map[string]string) []byte {
	var all map[string]any
	if err := toml.Unmarshal(text, &all); err != nil || !rename(all, old) {
		return text
	}
	var b bytes.Buffer
	if err := toml.NewEncoder(&b).Encode(all); err != nil {
		return text
	}
	return b.Bytes()
}

// rename gives the keys of a table, and of the tables in its lists, their present names. It says whether it had an
// earlier one. A key that is there under both names counts under the present one.
func rename(table map[string]any, old map[string]string) (renamed bool) {
	for before, now := range old {
		value, was := table[before]
		if !was {
			continue
		}
		if _, has := table[now]; !has {
			table[now] = value
		}
		delete(table, before)
		renamed = true
	}
	for _, value := range table {
		list, _ := value.([]map[string]any)
		for _, inner := range list {
			renamed = rename(inner, old) || renamed
		}
	}
	return renamed
}

// others names the keys that there are in the place of one that is none; none where that is not known.
func others(t reflect.Type, key toml.Key) []string {
	for _, part := range key[:len(key)-1] {
		at := slices.Index(keys(&t), part)
		if at < 0 {
			return nil
		}
		t = t.Field(at).Type
	}
	return slices.DeleteFunc(keys(&t), func(name string) bool { return name == "-" })
}

// keys are the keys of a struct's fields in TOML, in order, of one that t is, points to or holds; t becomes that.
func keys(t *reflect.Type) (out []string) {
	for (*t).Kind() == reflect.Pointer || (*t).Kind() == reflect.Slice || (*t).Kind() == reflect.Map {
		*t = (*t).Elem()
	}
	if (*t).Kind() != reflect.Struct {
		return nil
	}
	for i := range (*t).NumField() {
		name, _, _ := strings.Cut((*t).Field(i).Tag.Get("toml"), ",")
		out = append(out, cmp.Or(name, strings.ToLower((*t).Field(i).Name)))
	}
	return out
}
