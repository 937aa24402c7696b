// Command txweave finds transaction bugs in SQL databases.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"txweave/campaign"
	"txweave/campaign/database"
	"txweave/exec"
	"txweave/finding"
	"txweave/internal/former"
	"txweave/internal/outcome"
	"txweave/internal/output"
	"txweave/internal/version"
)

// Exit codes.
const (
	exitClean        = outcome.Clean
	exitFindings     = outcome.Findings
	exitInconclusive = outcome.Inconclusive
	exitUsage        = outcome.Usage
	exitUnavailable  = outcome.Unavailable
	exitInternal     = outcome.Internal
	exitInterrupted  = outcome.Interrupted
)

// usage marks an error, where there is one, as the user's.
func usage(err error) error { return outcome.Misuse(err) }

func usagef(format string, args ...any) error { return outcome.Misusef(format, args...) }

func main() { os.Exit(run(rootCommand())) }

// run executes the command line and returns the exit code.
func run(root *cobra.Command) int {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	defer stop()
	stderr := standard(ctx, os.Stderr)
	var told sync.Once // that there is still something to end, unless all has ended
	context.AfterFunc(ctx, func() {
		// The tee that reads what we print had the same Ctrl-C: what is left to do is done all the same.
		signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
		time.Sleep(time.Second) // timeout(1) sends its signal twice
		again := make(chan os.Signal, 1)
		signal.Notify(again, signals...)
		go told.Do(func() { // whoever reads it may not
			fmt.Fprintln(stderr, "txweave: interrupted: what is under way is being ended; one more signal ends txweave at once")
		})
		<-again
		os.Exit(exitInterrupted)
	})
	stdout := standard(ctx, os.Stdout)
	root.SetOut(stdout)
	root.SetErr(stderr)
	help := root.HelpFunc()
	var unsaid error // of help, which cobra tells nobody
	root.SetHelpFunc(func(c *cobra.Command, args []string) {
		var text strings.Builder
		c.SetOut(&text)
		help(c, args)
		_, unsaid = io.WriteString(stdout, text.String())
	})
	err := errors.Join(execute(ctx, root, stderr), unsaid)
	told.Do(func() {})
	for _, w := range []io.Writer{stdout, stderr} {
		if shown, ok := w.(*output.Shown); ok {
			err = errors.Join(err, shown.Flush())
		}
	}
	if err == nil {
		return exitClean
	}
	code := codeOf(err)
	if ctx.Err() != nil && code != exitInterrupted {
		code, err = exitInterrupted, interruption(err)
	}
	if text := finding.ErrorLine(err); text != "" {
		fmt.Fprintln(stderr, "txweave: "+suggest(root, text))
	}
	return code
}

// interruption is what is said of an error after a signal: of a file or a store that could not be written, and else
// nothing more, as what failed was ended.
func interruption(err error) error {
	var file *fs.PathError
	var kept *database.StoreError
	if !errors.Is(err, context.Canceled) && (errors.As(err, &file) || errors.As(err, &kept)) {
		return fmt.Errorf("interrupted: %w", err)
	}
	return outcome.Stopped()
}

// standard is standard output, or standard error: a terminal is shown what does nothing to it, of a pipe the reader may
// stop.
func standard(ctx context.Context, f *os.File) io.Writer {
	if isatty.IsTerminal(f.Fd()) {
		return output.Show(f)
	}
	if out := output.Standard(ctx, f); out.Waits() {
		return out
	}
	return f
}

// execute executes the command line. A panic is an error like others, behind where it arose; but the parent of a
// worker, or of a host, tells by how that ends whether the engine in it has failed.
func execute(ctx context.Context, root *cobra.Command, stderr io.Writer) (err error) {
	if c, _, found := root.Find(os.Args[1:]); found == nil && !c.Hidden {
		defer func() {
			if why := recover(); why != nil {
				stack := debug.Stack()
				_, _ = stderr.Write(stack)
				err = &campaign.PanicError{Why: why, Stack: string(stack)}
			}
		}()
	}
	return root.ExecuteContext(ctx)
}

func codeOf(err error) int {
	var ofCase *campaign.CaseError
	var damaged *database.BrokenError
	var plan *database.PlanError
	var around *exec.EnvironmentError
	var kept *database.StoreError
	if code, coded := outcome.Of(err); coded {
		return code
	}
	switch {
	case errors.As(err, &ofCase), errors.As(err, &damaged), errors.As(err, &plan):
		return exitUsage
	case errors.Is(err, exec.ErrUnavailable), errors.As(err, &kept) && kept.Shared:
		return exitUnavailable
	case errors.Is(err, exec.ErrTimeout), errors.Is(err, exec.ErrTooLarge), errors.As(err, &around):
		return exitInconclusive // of a statement, and the database answers
	default:
		return exitInternal
	}
}

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "txweave",
		Short: "Find transaction bugs in SQL databases",
		Long: `txweave runs generated transactions with their statements interleaved, and watches what each
statement saw. It sorts the statements so that every dependency is kept, runs them again without
transactions, and reports where the two disagree. It also checks what the isolation level promises.

Exit codes: 0 clean; 1 findings; 2 inconclusive; 64 wrong usage; 69 target or store unavailable; 70
internal error; 130 interrupted.`,
		Example: `  txweave demo                     # what becomes of a bug, in seconds and without a server
  txweave fuzz --duration 30s      # the embedded database
  txweave import report.md --run   # a bug report, as it stands`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	explain(root)
	root.SetFlagErrorFunc(flagError)
	for _, g := range []struct {
		id, title string
		commands  []*cobra.Command
	}{
		{"find", "Find bugs:", []*cobra.Command{demoCommand(), fuzzCommand(), stormCommand(), importCommand()}},
		{"look", "Look into what was found:", []*cobra.Command{bugsCommand(), replayCommand(), reduceCommand(),
			exploreCommand(), phenomenaCommand()}},
		{"report", "Report it:", []*cobra.Command{reportCommand(), exportCommand(), verifyCommand()}},
		{"campaign", "Run for days:", []*cobra.Command{doctorCommand(), campaignCommand(), serveCommand()}},
		{"history", "Check recorded histories:", []*cobra.Command{checkCommand(), historiesCommand()}},
		{"measure", "Measure:", []*cobra.Command{detectCommand(), rediscoverCommand(), benchCommand()}},
		{"about", "About txweave:", []*cobra.Command{featuresCommand(), genCommand(), versionCommand(), workerCommand(),
			hostCommand()}},
	} {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, c := range g.commands {
			c.GroupID = g.id
			root.AddCommand(c)
		}
	}
	root.SetHelpCommandGroupID("about")
	root.SetCompletionCommandGroupID("about")
	root.Version = version.Number
	root.SetVersionTemplate(versionLine())
	markUsage(root)
	acceptFormer(root)
	complete(root)
	return root
}

// acceptFormer makes commands take their flags by earlier names, too, which help does not show.
func acceptFormer(c *cobra.Command) {
	for _, sub := range c.Commands() {
		acceptFormer(sub)
	}
	for old, now := range former.Flags {
		if fs := c.Flags(); fs.Lookup(old) != nil || fs.Lookup(now) == nil {
			continue
		}
		c.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
			return pflag.NormalizedName(former.Flags.Now(name))
		})
		return
	}
}

// markUsage marks what a command and those below it say of their arguments as the user's errors.
func markUsage(c *cobra.Command) {
	for _, sub := range c.Commands() {
		markUsage(sub)
	}
	if args := c.Args; args != nil {
		c.Args = func(cmd *cobra.Command, a []string) error {
			err := args(cmd, a)
			switch {
			case err == nil && slices.Contains(a, ""):
				return usagef("an argument is empty: %s", cmd.UseLine())
			case err == nil:
				return nil
			case strings.Contains(err.Error(), "arg(s)"):
				return usagef("%w: %s", err, cmd.UseLine())
			case !cmd.HasSubCommands():
				return usagef("%q: %s takes no arguments but flags", a[0], cmd.CommandPath())
			}
			return usage(err)
		}
	}
}
