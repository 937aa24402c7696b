package main

import (
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

var (
	refused  = regexp.MustCompile(`"([\w-]{3,})"`)
	someWord = regexp.MustCompile(`[a-z][a-z0-9-]{2,}`)
	// longList is all that there is, where that takes more than a line.
	longList = regexp.MustCompile(` \(there are [^)]{300,}\)`)
	flagName = regexp.MustCompile(`unknown flag: --([\w-]+)`)
)

// meant returns the word that is closest to the one which a message refuses, among those that the message says are wanted:
// both stand in it. "" where none is close.
func meant(message string) string {
	m := refused.FindStringSubmatchIndex(message)
	if m == nil {
		return ""
	}
	return closest(message[m[2]:m[3]], someWord.FindAllString(message[m[1]:], -1))
}

// closest returns the name that differs from a word the least; "" where all differ much.
func closest(word string, names []string) string {
	best, least := "", 1+max(1, len(word)/4)
	for _, name := range names {
		if d := distance(strings.ToLower(word), name); d > 0 && d < least {
			best, least = name, d
		}
	}
	return best
}

// distance is how many letters have to be changed, put in or left out to make one word the other, or put the other way round
// with their neighbours (Damerau, restricted).
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

// flagError marks what is said of flags as the user's error, and names the flag that was meant.
func flagError(cmd *cobra.Command, err error) error {
	m := flagName.FindStringSubmatch(err.Error())
	if m == nil {
		return usage(err)
	}
	var names []string
	add := func(f *pflag.Flag) { names = append(names, f.Name) }
	cmd.Flags().VisitAll(add)
	cmd.InheritedFlags().VisitAll(add)
	if name := closest(m[1], names); name != "" {
		return usagef("%w: did you mean --%s?", err, name)
	}
	return usage(err)
}

// suggest adds to the error of a wrong word the one that was meant.
func suggest(root *cobra.Command, text string) string {
	if strings.Contains(text, "did you mean") {
		return text
	}
	if strings.HasPrefix(text, "unknown command ") {
		var names []string
		for _, c := range root.Commands() {
			if !c.Hidden {
				names = append(names, c.Name())
			}
		}
		if m := refused.FindStringSubmatch(text); m != nil {
			if name := closest(m[1], names); name != "" {
				return text + ": did you mean " + name + "?"
			}
		}
		return text + " (txweave help lists them)"
	}
	if name := meant(text); name != "" {
		return longList.ReplaceAllString(text, "") + ": did you mean " + name + "?"
	}
	return text
}
