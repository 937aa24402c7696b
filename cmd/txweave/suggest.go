package main

import (
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"txweave/internal/spelling"
)

var (
	refused  = regexp.MustCompile(`"(\w[\w-]{2,})"`) // no flag: of that the value is refused
	someWord = regexp.MustCompile(`[a-z][a-z0-9_-]{2,}`)
	// longList is all that there is, where that takes more than a line.
	longList = regexp.MustCompile(` \(there are [^)]{300,}\)`)
	flagName = regexp.MustCompile(`unknown flag: --([\w-]+)`)
)

// meant returns the word that is closest to the one which a message refuses, among those that the message says are
// wanted: both stand in it, the refused one quoted, behind the name of what it stands in. "" where none is close.
func meant(message string) string {
	all := refused.FindAllStringSubmatchIndex(message, -1)
	if all == nil {
		return ""
	}
	m := all[len(all)-1]
	return spelling.Closest(message[m[2]:m[3]], someWord.FindAllString(message[m[1]:], -1))
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
	name := spelling.Closest(m[1], names)
	if begin := slices.DeleteFunc(names, func(n string) bool { return !strings.HasPrefix(n, m[1]) }); name == "" &&
		len(begin) == 1 {
		name = begin[0]
	}
	if name != "" {
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
			if name := spelling.Closest(m[1], names); name != "" {
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
