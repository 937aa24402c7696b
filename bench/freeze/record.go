package main

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// record is what the old build has said, by its commands and what these read: kept in a file, so that it need not be
// asked again when another build is compared with it. Commands that are not there are run.
type record struct {
	path   string
	was    bool // the file was there
	mu     sync.Mutex
	asked  map[string]int // how often each command was given in this comparison
	Digest string         `json:"digest"` // of the build
	Said   map[string]*ended
}

// openRecord reads a file of what a program has said.
func openRecord(path, program string) (*record, error) {
	digest, err := digestOf(program)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return nil, err
	}
	r := &record{path: path, asked: map[string]int{}, Digest: digest, Said: map[string]*ended{}}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err == nil {
		r.was, err = true, json.Unmarshal(text, r)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if r.Digest != digest {
		return nil, fmt.Errorf("%s is of another build than %s", path, program)
	}
	return r, nil
}

// used says whether what was measured another time is compared.
func (r *record) used() bool { return r != nil && r.was }

// save writes the file.
func (r *record) save() error {
	if r == nil {
		return nil
	}
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := os.WriteFile(r.path+".new", text, 0o644); err != nil {
		return err
	}
	return os.Rename(r.path+".new", r.path)
}

// find returns what was said to a command, the first time that it was given, the second and so on; nil: it is not
// known.
func (r *record) find(b *bench, args []string) (key string, e *ended) {
	var all []string
	for _, arg := range args {
		all = append(all, b.stamp(arg))
	}
	key = fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(all, "\x00"))))[:24]
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked[key]++
	key += fmt.Sprint("-", r.asked[key])
	if known := r.Said[key]; known != nil {
		said := *known
		said.dir = filepath.Join(b.tmp, "old-"+key)
		said.Out = []byte(strings.NewReplacer("$TREE", b.tree, "$TMP", b.tmp).Replace(string(said.Out)))
		return key, &said
	}
	return key, nil
}

// keep notes what was said to a command. What failed may not fail another time.
func (r *record) keep(b *bench, key string, e *ended) {
	if e == nil || e.Code < 0 || e.Code > exitUsage {
		return
	}
	said := *e
	said.Out = []byte(b.anywhere(string(e.Out)))
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Said[key] = &said
}

// anywhere is a text that does not say where the checkout and the folder of this comparison are.
func (b *bench) anywhere(text string) string {
	return strings.NewReplacer(b.tree, "$TREE", b.tmp, "$TMP").Replace(text)
}

// stamp is an argument, with what it holds where it is a file, or a folder of the checkout.
func (b *bench) stamp(arg string) string {
	at := b.anywhere(arg)
	in, err := os.Stat(arg)
	if at == arg || err != nil || in.IsDir() && strings.HasPrefix(at, "$TMP") {
		return at
	}
	digest, err := digestOf(arg)
	if err != nil {
		return at
	}
	return at + " " + digest
}

// digestOf is a digest of a file, or of all files below a folder.
func digestOf(path string) (string, error) {
	h := sha256.New()
	err := filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		fmt.Fprintln(h, d.Name(), len(text))
		h.Write(text)
		return err
	})
	return fmt.Sprintf("%x", h.Sum(nil)), err
}
