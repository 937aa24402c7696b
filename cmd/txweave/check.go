package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"txweave/checker/files"
	"txweave/checker/jepsen"
	"txweave/dbms"
	"txweave/dbms/registry"
	"txweave/exec"
	"txweave/history"
	"txweave/history/format"
	"txweave/internal/spelling"
)

func checkCommand() *cobra.Command {
	var c files.Config
	var skew string
	var scratch targetFlags
	cmd := &cobra.Command{
		Use:   "check FILE|DIR|-...",
		Short: "Check recorded histories",
		Long: `A history of reads and writes is checked against --level: read committed (rc), read atomic (ra),
causal (tcc), snapshot isolation (si), repeatable read (rr), serializable (ser), strict
serializable (sser) or linearizable (lin). Files may be compressed. "-" is standard input. A large
counterexample is drawn with --svg.

With --certificate, the order of versions as the database tells it, predicates are checked, too.
An interval trace is checked against the mechanisms that the DBMS claims (--oracle mechanism).
More is in docs/reference/history-formats.md.

Exit codes: 0 valid; 1 invalid; 2 unknown. Of several files the worst one counts.`,
		Example: `  txweave check --level ser history.edn
  txweave check --svg cycle.svg run-*/history.edn.gz
  txweave check --workload bank --total-amount 100 -
  txweave check --window 10000 history.txt
  txweave check --level lin --split parts history.edn && txweave check --level lin --share parts
  txweave check --level si --session-order=false --format text --format-out json run-*/history.txt
  txweave check --level si --certificate versions.jsonl history.jsonl
  txweave check --level ser --order commit --certificate v.jsonl --matches database --target mariadb h.jsonl
  txweave check --oracle mechanism --dbms mariadb --isolation repeatable-read trace.jsonl`,
		Annotations: map[string]string{choices: "Formats:\n  " + strings.Join(format.About(), "\n  ")},
		Args:        cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, names []string) error {
			var err error
			if c.ClockSkew, err = history.ParseClockBounds(skew); err != nil {
				return usagef("--clock-skew: %w", err)
			}
			c.LevelGiven, c.TotalGiven = cmd.Flags().Changed("level"), cmd.Flags().Changed("total-amount")
			c.PartsGiven = cmd.Flags().Changed("parts")
			if scratch.Target+scratch.DSN+scratch.Server != "" {
				c.Scratch = func(ctx context.Context, do func(exec.Target) error) error {
					on, err := scratch.config().Resolve(ctx)
					if err != nil {
						return err
					}
					return on.Use(ctx, do)
				}
			}
			undrawn := false
			c.Undrawn = func() { undrawn = true }
			err = c.Check(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr(), names)
			if undrawn {
				next(cmd.ErrOrStderr(), again("--svg", "counterexample.svg")...)
			}
			return err
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&c.Oracle, "oracle", files.Auto, "what to check with: history, mechanism, or auto, by what the file is")
	fs.StringVar(&c.Format, "format", format.Auto, "format of the histories: auto, or one of those above")
	fs.StringVar(&c.Out, "format-out", "text", "text, or json: one line a file")
	fs.StringVar(&c.Level, "level", string(dbms.SER), "rc, ra, tcc, si, rr, ser, sser or lin")
	fs.BoolVar(&c.Sessions, "session-order", true, "the order of each session's transactions is part of the level")
	fs.StringVar(&skew, "clock-skew", "",
		"how far clients' clocks may be off, e.g. 5ms, or 5ms,3=300ms for session 3 (sser, lin, traces)")
	fs.IntVar(&c.Workers, "workers", 1, "cut a history into parts that nothing connects, and check so many at once")
	fs.StringVar(&c.Split, "split", "", "check nothing: write such parts into this directory, for several machines")
	fs.IntVar(&c.Parts, "parts", 16, "--split: at most so many parts")
	fs.BoolVar(&c.Share, "share", false, "each history of a directory is checked by one of the processes that are started "+
		"so, on any machine")
	fs.IntVar(&c.Window, "window", 0,
		"of a text in order: check in bounded memory, so many transactions at a time, e.g. 10000")
	fs.StringVar(&c.Workload, "workload", string(jepsen.Auto), "of Jepsen's: "+spelling.Or(jepsen.Names())+
		"; auto: what the operations are of")
	fs.Int64Var(&c.Total, "total-amount", 0, "bank: what all accounts hold together; default: what most reads found")
	fs.BoolVar(&c.Negative, "negative-balances", false, "bank: a balance may be negative")
	fs.StringVar(&c.Certificate, "certificate", "", "file with the version certificate of the history")
	fs.StringVar(&c.Order, "order", "",
		"commit: replay in the order of the certificate's commits (two-phase locking, timestamp ordering)")
	fs.StringVar(&c.Matches, "matches", files.Interpreter,
		"what evaluates predicates of a certificate: interpreter, or database, on --target or --dsn")
	scratch.addDatabase(fs, "")
	for name, text := range map[string]string{"target": spelling.Or(registry.Names()), "dsn": "a running server instead",
		"server": "path of the server's binary"} {
		fs.Lookup(name).Usage = "--matches database: " + text
	}
	fs.DurationVar(&c.Timeout, "timeout", 0,
		"how long the check of one history may take, then its verdict is unknown; 0: as long as it takes")
	fs.StringVar(&c.DOT, "dot", "", "write the counterexample as a Graphviz file")
	fs.StringVar(&c.SVG, "svg", "", "write the counterexample as a picture")
	fs.StringVar(&c.DBMS, "dbms", "",
		"mechanism: DBMS whose claims are checked, e.g. mariadb, postgresql; default: the trace's own")
	fs.StringVar(&c.Isolation, "isolation", "",
		"mechanism: isolation level whose claims are checked; default: the trace's own")
	fs.IntVar(&c.Limit, "limit", 20, "mechanism: findings to print")
	return cmd
}
