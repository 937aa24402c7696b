package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

var rewrite = flag.Bool("rewrite", false, "write pages of the reference anew")

// flagText is what a flag is for, with its default.
func flagText(f *pflag.Flag) string {
	text := f.Usage
	if f.DefValue != "" && !slices.Contains([]string{"false", "0", "[]", "0s"}, f.DefValue) {
		text += fmt.Sprintf(" (default `%s`)", f.DefValue)
	}
	return text
}

// flagCell is a flag as it is written in a list.
func flagCell(f *pflag.Flag) string {
	name := "`--" + f.Name
	if f.Value.Type() != "bool" {
		name += " " + strings.ToUpper(f.Value.Type())
	}
	name += "`"
	if f.Shorthand != "" {
		name += ", `-" + f.Shorthand + "`"
	}
	return name
}

// visible calls f for each command that help shows, in its order, those below it behind it.
func visible(c *cobra.Command, f func(*cobra.Command)) {
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() && sub.Name() != "help" && sub.Name() != "completion" {
			f(sub)
			visible(sub, f)
		}
	}
}

// ownFlags calls f for each flag of a command that help shows.
func ownFlags(c *cobra.Command, f func(*pflag.Flag)) {
	c.LocalFlags().VisitAll(func(flag *pflag.Flag) {
		if !flag.Hidden && flag.Name != "help" && flag.Name != "version" {
			f(flag)
		}
	})
}

// sharedFlags are the flags that several commands have with the same text: of each name the text that most have.
func sharedFlags(root *cobra.Command) map[string]*pflag.Flag {
	type said struct{ name, usage string }
	times := map[said]int{}
	shared := map[string]*pflag.Flag{}
	visible(root, func(c *cobra.Command) {
		ownFlags(c, func(f *pflag.Flag) {
			key := said{f.Name, f.Usage}
			times[key]++
			if s := shared[f.Name]; times[key] >= 2 && (s == nil || times[key] > times[said{s.Name, s.Usage}]) {
				shared[f.Name] = f
			}
		})
	})
	return shared
}

// commandsPage is docs/reference/commands.md. What a flag of several commands says is said once.
func commandsPage(root *cobra.Command) string {
	shared := sharedFlags(root)
	var b strings.Builder
	b.WriteString(
		"# Commands\n\nEvery command with its flags. `txweave COMMAND --help` says more, with examples. What a command " +
			"ends with is in " +
			"[exit codes](exit-codes.md).\n\nThis page is made from the program: `go test ./cmd/txweave -run TestCommandsPage " +
			"-rewrite`.\n\n" +
			"## Flags of several commands\n\n")
	for _, name := range slices.Sorted(maps.Keys(shared)) {
		f := shared[name]
		fmt.Fprintf(&b, "- %s: %s\n", flagCell(f), flagText(f))
	}
	visible(root, func(c *cobra.Command) {
		path := strings.TrimPrefix(c.CommandPath(), root.Name()+" ")
		level := "##"
		if c.Parent() != root {
			level = "###"
		}
		fmt.Fprintf(&b, "\n%s %s\n\n%s.\n", level, path, strings.TrimSuffix(c.Short, "."))
		if args := strings.TrimPrefix(strings.TrimSuffix(c.UseLine(), " [flags]"), c.CommandPath()); args != "" {
			fmt.Fprintf(&b, "\nArguments: `%s`.\n", strings.TrimSpace(args))
		}
		var also []string
		var rows strings.Builder
		ownFlags(c, func(f *pflag.Flag) {
			if s := shared[f.Name]; s != nil && s.Usage == f.Usage {
				also = append(also, "`--"+f.Name+"`")
				return
			}
			fmt.Fprintf(&rows, "- %s: %s\n", flagCell(f), flagText(f))
		})
		if rows.Len() > 0 {
			fmt.Fprintf(&b, "\n%s", rows.String())
		}
		if len(also) > 0 {
			fmt.Fprintf(&b, "\nAlso %s.\n", strings.Join(also, ", "))
		}
	})
	return b.String()
}

// heldPage checks that a page of the reference is what the program makes of it, or writes it anew.
func heldPage(t *testing.T, name, want string) {
	t.Helper()
	if *rewrite {
		if err := os.WriteFile("../../"+name, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if doc(t, name) != want {
		t.Errorf("%s is not what the program makes of it (-rewrite writes it anew)", name)
	}
}

// TestCommandsPage holds docs/reference/commands.md to the commands.
func TestCommandsPage(t *testing.T) {
	heldPage(t, "docs/reference/commands.md", commandsPage(rootCommand()))
}
