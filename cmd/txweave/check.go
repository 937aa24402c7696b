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
		Long: `Check histories that were recorded before, by any tool.

A history of reads and writes of keys is checked against --level: read committed, read atomic, causal consistency (rc,
ra, tcc), snapshot isolation (si), serializability (ser), also with real time (sser), linearizability of single
operations (lin). Session order is part of the level unless --session-order=false. Files may be compressed by gzip or zstd;
- is standard input. Formats:
  ` + strings.Join(format.About(), "\n  ") + `

Logs of Jepsen's workloads bank, set, set-full, counter and long-fork are checked against what these demand (--workload,
docs/reference/history-formats.md). With --window, a text that comes in order needs memory for a window of transactions only.

With --certificate, the order of the versions of each key as the database tells it, predicates are checked too
(docs/reference/history-formats.md), at --level ser or si; --order commit replays the transactions in the order in which they committed. Which
rows a predicate matches the built-in SQLite says, where it means the same in every database; with --matches database a
scratch database of --target or --dsn does.

An interval trace (docs/reference/history-formats.md), or the JSON files of Leopard's (Pisco's) clients with their initial rows in CSV
beside them, is checked against the mechanisms that the DBMS claims at its level: consistent read, mutual exclusion,
first updater wins, serialization certifier (--oracle mechanism; found out where the file says so and no --level is
given). With --level they are histories of registers, if they hold no conditions and no deletions.

Exit codes, of several files that of the worst: 1 invalid, 64 wrong flags or a file that cannot be read, 2 unknown (the
reason is given; --timeout makes it one), 0 valid; 69 no database for --matches database, 130 interrupted: the history in
hand is unknown.`,
		Example: `  txweave check --level ser history.edn
  txweave check --svg cycle.svg run-*/history.edn.gz
  txweave check --workload bank --total-amount 100 -
  txweave check --window 10000 history.txt
  txweave check --level si --session-order=false --format text --format-out json run-*/history.txt
  txweave check --level si --certificate versions.jsonl history.jsonl
  txweave check --level ser --order commit --certificate versions.jsonl --matches database --target mariadb history.jsonl
  txweave check --oracle mechanism --dbms mariadb --isolation repeatable-read trace.jsonl`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, names []string) error {
			var err error
			if c.ClockSkew, err = history.ParseClockBounds(skew); err != nil {
				return usagef("--clock-skew: %w", err)
			}
			c.LevelGiven, c.TotalGiven = cmd.Flags().Changed("level"), cmd.Flags().Changed("total-amount")
			if scratch.Target+scratch.DSN+scratch.Server != "" {
				c.Scratch = func(ctx context.Context, do func(exec.Target) error) error {
					on, err := scratch.config().Resolve(ctx)
					if err != nil {
						return err
					}
					return on.Use(ctx, do)
				}
			}
			return c.Check(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr(), names)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&c.Oracle, "oracle", files.Auto, "what to check with: history, mechanism, or auto, by what the file is")
	fs.StringVar(&c.Format, "format", format.Auto, "format of the histories: auto, or one of those above")
	fs.StringVar(&c.Out, "format-out", "text", "text, or json: one line a file")
	fs.StringVar(&c.Level, "level", string(dbms.SER), "rc, ra, tcc, si, ser, sser or lin")
	fs.BoolVar(&c.Sessions, "session-order", true, "the order of each session's transactions is part of the level")
	fs.StringVar(&skew, "clock-skew", "",
		"by how much each client's clock may be off, either way, e.g. 5ms; 5ms,3=300ms: that of session 3 by more (sser, "+
			"lin, "+
			"traces)")
	fs.IntVar(&c.Window, "window", 0,
		"of a text in which transactions come about in the order in which they committed: look for a serial order holding "+
			"so many of them, e.g. 10000, in bounded memory")
	fs.StringVar(&c.Workload, "workload", string(jepsen.Auto), "of Jepsen's: "+spelling.Or(jepsen.Names())+
		"; auto: what the operations are of")
	fs.Int64Var(&c.Total, "total-amount", 0, "bank: what all accounts hold together; default: what most reads found")
	fs.BoolVar(&c.Negative, "negative-balances", false, "bank: an account may hold less than nothing")
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
