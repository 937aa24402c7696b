package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"txweave/internal/spelling"
)

// flagError marks what is said of flags as the user's error, and names the flag that was meant, or what its value is to
// be.
func flagError(cmd *cobra.Command, err error) error {
	if wrong, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return usage(valueError(wrong))
	}
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || unknown.GetSpecifiedShortnames() != "" {
		return usage(err)
	}
	var names []string
	add := func(f *pflag.Flag) { names = append(names, f.Name) }
	cmd.Flags().VisitAll(add)
	cmd.InheritedFlags().VisitAll(add)
	meant := unknown.GetSpecifiedName()
	name := spelling.Closest(meant, names)
	if begin := slices.DeleteFunc(names, func(n string) bool { return !strings.HasPrefix(n, meant) }); name == "" &&
		len(begin) == 1 {
		name = begin[0]
	}
	if name != "" {
		return usagef("%w: did you mean --%s?", err, name)
	}
	return usage(err)
}

// valueError says what a flag's value should be, where its cause is the words of the package that reads numbers.
func valueError(wrong *pflag.InvalidValueError) error {
	want := map[string]string{"int": "a whole number", "uint64": "a whole number that is not negative",
		"float64": "a number", "duration": "a time with its unit, e.g. 30s or 8h", "bool": "true or false",
	}[wrong.GetFlag().Value.Type()]
	switch {
	case want == "":
		return wrong
	case errors.Is(wrong, strconv.ErrRange):
		want += ", and not so large"
	}
	return fmt.Errorf("--%s %s: want %s", wrong.GetFlag().Name, strconv.Quote(wrong.GetValue()), want)
}

// suggest adds to cobra's error of a command that there is not the one that was meant.
func suggest(root *cobra.Command, text string) string {
	word, unknown := strings.CutPrefix(text, `unknown command "`)
	if !unknown {
		return text
	}
	word, _, _ = strings.Cut(word, `"`)
	var names []string
	for _, c := range root.Commands() {
		if !c.Hidden {
			names = append(names, c.Name())
		}
	}
	if name := spelling.Closest(word, names); name != "" {
		return text + ": did you mean " + name + "?"
	}
	return text + " (txweave help lists them)"
}
