package bugs

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"txweave/finding"
)

// Deed is what can be done to a bug.
type Deed string

// What can be done to a bug, and with which words.
const (
	Reopen    Deed = "open"      // why
	Invalid   Deed = "invalid"   // why
	Fixed     Deed = "fixed"     // a version
	Duplicate Deed = "duplicate" // another bug
	Note      Deed = "note"      // text
	Label     Deed = "label"     // labels
	Unlabel   Deed = "unlabel"   // labels
	Merge     Deed = "merge"     // other bugs
	Split     Deed = "split"     // a finding
)

// Edit does something to one of some bugs, and returns it as it is then.
func Edit(b *finding.Bugs, id string, do Deed, words ...string) (*finding.Bug, error) {
	g, err := b.Find(id)
	if err != nil {
		return nil, err
	}
	text := strings.Join(words, " ")
	switch do {
	case Reopen:
		g.Settle(finding.StatusOpen, text)
	case Invalid:
		g.Settle(finding.StatusInvalid, text)
	case Fixed:
		if !finding.IsVersion(text) {
			return nil, fmt.Errorf("%q is not a version: want numbers with dots first, like 11.8.4", text)
		}
		g.Settle(finding.StatusFixed, "")
		g.FixedIn = text
	case Duplicate:
		return b.Duplicate(id, text)
	case Note:
		g.Note = text
	case Label, Unlabel:
		if len(words) == 0 || slices.Contains(words, "") {
			return nil, errors.New("a label must not be empty")
		}
		g.Label(words, do == Unlabel)
	case Merge:
		return b.Merge(id, words)
	case Split:
		return b.Split(id, filepath.Base(text))
	default:
		return nil, fmt.Errorf("%q is not an action on a bug", do)
	}
	return g, nil
}
