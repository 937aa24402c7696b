package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// What help is held to.
const (
	longFlag = 100 // characters of what is said of a flag, which is one line
	longLine = 120 // characters of any other line
)

// TestHelp: each command that does something has examples, and all that help says fits.
func TestHelp(t *testing.T) {
	visible(rootCommand(), func(c *cobra.Command) {
		if !c.HasSubCommands() && c.Example == "" {
			t.Errorf("%s has no example", c.CommandPath())
		}
		for line := range strings.Lines(c.Short + "\n" + c.Long + "\n" + c.Example + "\n" + c.Annotations[choices]) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > longLine {
				t.Errorf("%s: a line of %d characters: %s", c.CommandPath(), n, line)
			}
		}
		ownFlags(c, func(f *pflag.Flag) {
			if n := utf8.RuneCountInString(f.Usage); n > longFlag || strings.Contains(f.Usage, "\n") {
				t.Errorf("%s: %d characters of --%s: %s", c.CommandPath(), n, f.Name, f.Usage)
			}
		})
	})
}
