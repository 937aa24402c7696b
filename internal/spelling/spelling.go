// Package spelling finds the word that somebody meant.
package spelling

import (
	"fmt"
	"slices"
	"strings"
)

// Closest returns the name that differs from a word the least; "" where all differ much.
func Closest(word string, names []string) string {
	best, least := "", 1+max(1, len(word)/4)
	for _, name := range names {
		if d := distance(strings.ToLower(word), name); d > 0 && d < least {
			best, least = name, d
		}
	}
	return best
}

// distance is how many letters have to be changed, put in or left out to make one word the other, or put the other way
// round with their neighbours (Damerau, restricted).
func distance(a, b string) int {
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		now := make([]int, len(b)+1)
		now[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			now[j+1] = min(last[j]+cost, last[j+1]+1, now[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				now[j+1] = min(now[j+1], before[j-1]+1)
			}
		}
		before, last = last, now
	}
	return last[len(b)]
}

// Meant adds to an error the word that was meant, if it is that a word is none of those that are known, and one is
// close.
func Meant(err error, word string, known ...string) error {
	if name := Closest(word, known); name != "" && !slices.Contains(known, word) {
		return fmt.Errorf("%w: did you mean %s?", err, name)
	}
	return err
}

// MeantOne is Meant for the error that one of several words is not known.
func MeantOne(err error, words []string, known ...string) error {
	for _, word := range words {
		if word = strings.TrimSpace(word); !slices.Contains(known, word) {
			return Meant(err, word, known...)
		}
	}
	return err
}

// NoneOf is the error that a setting, "--format", has a word that is none of those that are known.
func NoneOf(setting, word string, known ...string) error {
	return Meant(fmt.Errorf("%s %q: want %s", setting, word, Or(known)), word, known...)
}

// Or joins words as a sentence does: "a, b or c".
func Or(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
