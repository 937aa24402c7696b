package main

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/pflag"

	"txweave/campaign/replay"
	"txweave/campaign/target"
	"txweave/dbms/registry"
	"txweave/exec"
	"txweave/internal/spelling"
)

// targetFlags say which database to use.
type targetFlags struct {
	target.Config
	flags *pflag.FlagSet
}

// add adds all but addInject'.
func (f *targetFlags) add(fs *pflag.FlagSet, defaultTarget string) {
	f.addDatabase(fs, defaultTarget)
	fs.StringVar(&f.Isolation, "isolation", "",
		"isolation level, e.g. read-committed (default: the target's usual one; docs/reference/targets.md)")
	fs.StringVar(&f.Claim, "claim", "",
		"hold the database to what this stronger level forbids, while it runs at --isolation")
}

// addDatabase adds the flags that say which database it is, without its level.
func (f *targetFlags) addDatabase(fs *pflag.FlagSet, defaultTarget string) {
	what := spelling.Or(registry.Names())
	if defaultTarget == "" {
		what += " (default: the case's own)"
	}
	f.flags = fs
	fs.StringVar(&f.Target, "target", defaultTarget, what)
	if target := fs.Lookup("target"); defaultTarget != "" {
		target.Value = named{target.Value}
	}
	fs.StringVar(&f.DSN, "dsn", "",
		"a running server instead: user:password@tcp(host:port)/, @FILE, or env for $"+exec.DSNVariable)
	fs.DurationVar(&f.Wait, "wait", 30*time.Second, "how long a server of --dsn may be away")
	fs.StringVar(&f.Server, "server", "",
		"path of the server's binary (default: the installed one, or one that is built once)")
}

// named is a --target that stands for nothing else where it is empty: $TARGET, say, which is not set.
type named struct{ pflag.Value }

// Set takes the name of a target.
func (n named) Set(name string) error {
	if name == "" {
		return fmt.Errorf("want %s", spelling.Or(registry.Names()))
	}
	return n.Value.Set(name)
}

// addInject adds the flag that plants bugs, to see what becomes of them.
func (f *targetFlags) addInject(fs *pflag.FlagSet) {
	fs.StringSliceVar(&f.Inject, "inject", nil,
		"plant bugs between txweave and the database, by name (docs/reference/planted-bugs.md)")
}

// config is what the flags say. It tunes this process for what is done there.
func (f *targetFlags) config() target.Config {
	c := f.Config
	if c.DSN != "" && !f.flags.Changed("target") {
		c.Target = "" // the server says
	}
	c.Self, c.Notes = self(), os.Stderr
	c.Collect()
	return c
}

// again says where the cases of a command come from, and under what they are run again; from is nil where they are
// files alone.
func (f *targetFlags) again(from *sourceFlags) replay.Under {
	u := replay.Under{Target: f.config(), Claimed: f.flags.Changed("claim"), Planted: f.flags.Changed("inject")}
	if from != nil {
		u.Shelf = from.parsed()
	}
	return u
}

// self is the path of this command.
func self() string {
	path, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return path
}

// textOrJSON holds a value of --format against those that there are.
func textOrJSON(format string) error {
	if format != "text" && format != "json" {
		return usage(spelling.NoneOf("--format", format, "text", "json"))
	}
	return nil
}
